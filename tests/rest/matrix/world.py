"""A service with three tenants whose every text is marked: with whose it is, and with who may read it.

Objects are made through the API, once by an admin of all tenants and once by one of the tenant; what only servers and
workers write is inserted. Then the mark of its tenant is put into every text column of every row, whatever tables and
columns there are.
"""

import base64
from collections.abc import Iterable
from typing import Any, NamedTuple

import asyncpg
import msgspec
from rest.asking import Asked, ask

from api.http.gate import Gate
from ipam_core.model.actor import Actor
from ipam_core.model.token import NewToken
from ipam_core.services import tokens
from ipam_core.services.entity.entity import Connection
from ipam_core.workers.webhook_events import WebhookEvents

TENANTS = ("default", "a", "b")
GLOBAL = "none"
MARKS = {"default": "markd7", "a": "marka7", "b": "markb7", GLOBAL: "markg7"}
KEPT = "adm1n"
"""In texts that only admins may read."""
ROOT_ADDRESS, UNKNOWN_RELAY = "192.0.2.66", "192.0.2.77"
SECRETS = {
    "tsig": base64.b64encode(b"S3CR3T-of-tsig-key-1").decode(),
    "api": "S3CR3T-of-an-api",
    "hook": "whsec_" + base64.b64encode(b"S3CR3T-of-webhooks-24-octets").decode(),
}
ROLES = ("admin", "operator", "viewer")


class World(NamedTuple):
    """`ids`: of the objects of a tenant by collection; `tokens`: the secrets of actors by "TENANT ROLE"; `secrets`:
    texts that no answer may hold."""

    app: Gate
    pool: asyncpg.Pool
    ids: dict[str, dict[str, str]]
    tokens: dict[str, str]
    secrets: list[str]

    async def ask(
        self, actor: str, method: str, path: str, body: Any = None, query: str = "", **headers: str
    ) -> Asked:
        token = self.tokens[actor]
        named = {"host": "localhost"} | ({"authorization": f"Bearer {token}"} if token else {})
        content = b"" if body is None else msgspec.json.encode(body)
        return await ask(self.app, method, path, content, query, **named, **headers)


async def build(app: Gate, pool: asyncpg.Pool) -> World:
    async with pool.acquire() as connection:
        root = await tokens.create(connection, Actor(role="admin"), NewToken(name="root", role="admin"))
    world = World(app, pool, {}, {"none admin": root.token}, list(SECRETS.values()))
    await WebhookEvents(pool).step()  # from here on events are delivered
    for scope in (GLOBAL, *TENANTS):
        if scope != GLOBAL:
            world.ids[scope] = {"tenants": await tenant(world, scope)}
        for role in ROLES:
            if f"{scope} {role}" not in world.tokens:
                await add_token(world, scope, role)
    for scope in TENANTS:
        await add_objects(world, scope)
    await insert(world)
    async with pool.acquire() as connection:
        await connection.execute(
            "set session_replication_role = replica"
        )  # rows of the audit trail are fixed
        await plant(connection)
        await connection.execute("set session_replication_role = origin")
    await pool.execute("update webhook set created_at = created_at - interval '1 day'")
    await WebhookEvents(pool).step()
    await plant_deliveries(pool)
    for scope in TENANTS:
        await find_inserted(world, scope)
    world.tokens.update(nobody="", expired=await expired(world), junk="x" * 40)
    world.secrets.extend(token[10:] for token in world.tokens.values() if len(token) > 40)
    world.secrets.extend(await sealed(pool))
    return world


async def made(world: World, actor: str, path: str, **body: Any) -> dict[str, Any]:
    answer = await world.ask(actor, "POST", path, body)
    assert answer.status == 201, (path, body, answer.content)
    found: dict[str, Any] = msgspec.json.decode(answer.content)
    return found


async def tenant(world: World, scope: str) -> str:
    if scope == "default":
        return str(await world.pool.fetchval("select id from tenant where is_default"))
    return str((await made(world, "none admin", "/tenants", name=scope))["id"])


async def add_token(world: World, scope: str, role: str) -> None:
    limit = {} if scope == GLOBAL else {"tenant_id": world.ids[scope]["tenants"]}
    found = await made(world, "none admin", "/tokens", name=f"{scope} {role}", role=role, **limit)
    world.tokens[f"{scope} {role}"] = found["token"]


async def expired(world: World) -> str:
    found = await made(world, "none admin", "/tokens", name="expired", role="admin")
    await world.pool.execute("update token set expires_at = now() where id = $1", found["id"])
    return str(found["token"])


async def add_objects(world: World, scope: str) -> None:
    """All tenants have the same networks: by addresses alone nothing tells them apart."""
    ids, number, root = world.ids[scope], TENANTS.index(scope) + 1, "none admin"
    own = root if scope == "default" else f"{scope} admin"
    limit = {"tenant_id": ids["tenants"]}
    mac = f"02:00:00:00:00:0{number}"

    async def add(collection: str, actor: str, path: str, **body: Any) -> str:
        ids[collection] = (await made(world, actor, path, **body))["id"]
        return ids[collection]

    prefix = await add("prefixes", root, "/prefixes", cidr="10.1.0.0/16", tags=["x"], **limit)
    server = await add(
        "dns-servers", own, "/dns-servers", name="ns", adapter="bind_tsig", address="203.0.113.53",
        secret=SECRETS["tsig"], **limit,
    )  # fmt: skip
    await made(
        world, own, "/dns-servers", name="pdns", adapter="powerdns_http", url="http://203.0.113.54",
        secret=SECRETS["api"], **limit,
    )  # fmt: skip
    subnet = await add("subnets", own, "/subnets", prefix_id=prefix, cidr="10.1.0.0/24", gateway="10.1.0.1")
    below = f"/subnets/{subnet}"
    await add("client-classes", own, "/client-classes", name="phones", vendor_class="x", **limit)
    pool = await add("pools", own, f"{below}/pools", start_ip="10.1.0.100", end_ip="10.1.0.120")
    await add("excludes", own, f"{below}/excludes", start_ip="10.1.0.10", end_ip="10.1.0.12")
    reservation = await add(
        "reservations", root, f"{below}/reservations", ip="10.1.0.20", mac=mac, hostname="h", circuit_id="c"
    )
    await add("assignments", own, "/assignments", subnet_id=subnet, ip="10.1.0.30", hostname="h")
    for path in (
        below,
        f"/pools/{pool}",
        f"/reservations/{reservation}",
        f"/client-classes/{ids['client-classes']}",
    ):
        await add("options", own, f"{path}/options", code=15, payload={"string": MARKS[scope]})
    await add("global-options", own, "/global-options", code=15, payload={"string": MARKS[scope]}, **limit)
    await add("option-definitions", own, "/option-definitions", code=224, name="pin", kind="uint16", **limit)
    await add("trusted-relays", root, "/trusted-relays", cidr=f"10.9.{number}.0/24", **limit)
    zone = await add("dns-zones", own, "/dns-zones", name=f"z{number}.example", dns_server_id=server, **limit)
    await add("dns-records", own, f"/dns-zones/{zone}/records", name="www", type="A", data="10.1.0.30")
    await add("webhooks", own, "/webhooks", url="https://h.example/x", secret=SECRETS["hook"], **limit)
    await add(
        "notifications", own, "/notifications", name="n", kind="slack", url="https://h.example/x",
        events=["pool.*"], **limit,
    )  # fmt: skip
    await add("tokens", own, "/tokens", name="spare", role="viewer", **limit)
    answer = await world.ask(own, "PATCH", below, {"description": "changed"})
    assert answer.status == 200, answer.content


LEASE = """
insert into {table} (granted_at, {renewed} expires_at, reuse_at, version, tenant_no, subnet_no, prefix_length,
  ia_type, state, address, client_key, hw_type, hw_address, circuit_id, remote_id, client_id {more})
select now(), {renewed_at} now() + interval '1 h', now() + interval '1 h', nextval('lease_version'), tenant_no, no,
  32, 0, 'a', '10.1.0.100', '\\x0101020000000009', 1, '\\x020000000009', convert_to('m' || tenant_no, 'UTF8'),
  convert_to('m', 'UTF8'), '\\x01020000000009' {values} from subnet"""
INSERT = [
    LEASE.format(table="lease", renewed="renewed_at,", renewed_at="now(),", more="", values=""),
    LEASE.format(
        table="lease_event", renewed="", renewed_at="", more=", at, xid, kind",
        values=", now(), pg_current_xact_id(), 'g'",
    ),
    "insert into ddns_update (id, tenant_no, subnet_no, action, ip, fqdn, state, dns_server_no, last_error)"
    " select gen_random_uuid(), tenant_no, no, 'add', '10.1.0.100', 'x', 'failed',"
    " (select min(no) from dns_server d where d.tenant_no = subnet.tenant_no), 'x' from subnet",
    "insert into event (id, type, tenant_no, data) select gen_random_uuid(), 'ddns.failed', no, '{}' from tenant",
    "insert into event (id, type, tenant_no, data) select gen_random_uuid(), 'node.down', null, '{}'",
    "insert into node (id, name, role, version, state, detail)"
    " values (gen_random_uuid(), 'n', 'dhcp', '1', 'ready', 'x')",
    f"insert into unknown_relay values ('{UNKNOWN_RELAY}', 1, now(), now())",
    "insert into class_value (class_no, value, packets, first_seen_at, last_seen_at)"
    " select no, convert_to('m' || tenant_no, 'UTF8'), 1, now(), now() from client_class",
    "insert into usage_history (at, subnet_no, pool_no, leased, total, used, peak)"
    " select now(), no, 0, 1, 1, 1, 1 from subnet",
]  # fmt: skip


async def insert(world: World) -> None:
    """What servers and workers write."""
    for statement in INSERT:
        await world.pool.execute(statement)
    await world.pool.execute(
        "insert into webhook (id, url, secret) select gen_random_uuid(), 'x', secret from webhook limit 1"
    )


FIXED = frozenset(
    """type kind state action role adapter key_algorithm object_type source event events ddns_adapter ddns_conflict_mode
    ddns_replace_client_name allocation conflict_mode disabled_reason match payload interfaces dns_suffixes owners
    alias_records
    severity held topic
    identities headers key_name version vendor_space keytab ticket_cache object_id""".split()  # noqa: SIM905 - many
)
"""Columns whose texts have a meaning to the service: another one would not be served at all."""
PRIVATE = (
    "schema_step",
    "worker_cursor",
    "idempotency",
    "secret_key",
    "request_count",
    "dns_",
)
"""Tables that nobody reads by the API as they are."""
SPELLED = {
    ("webhook", "url"): "https://{0}.example/" + KEPT,
    ("notification", "url"): "https://{0}.example/" + KEPT,
    ("notification", "zones"): "",
    ("notification", "recipients"): "",
    ("dns_zone", "name"): "{0}-z.example",
    ("dns_record", "data"): "",
    ("dns_server", "url"): "http://{0}.example/",
    ("dns_server", "address"): "203.0.113.53",
    ("subnet", "interface"): "{0}-if",
}
"""Columns whose texts have a form; without one they stay as they are."""
OF_ADMINS = {"token", "change"}


def owner(columns: Iterable[str], table: str) -> str:
    """SQL of the number of the tenant whose row it is, null: nobody's."""
    has = set(columns)
    if table == "tenant":
        return "no"
    if table == "reservation":
        return "coalesce(t.tenant_no, (select tenant_no from subnet where no = t.subnet_no))"
    if "tenant_no" in has:
        return "t.tenant_no"
    of_subnet = "(select tenant_no from subnet where no = t.subnet_no)"
    ways = {
        "subnet_no": of_subnet,
        "zone_no": "(select tenant_no from dns_zone where no = t.zone_no)",
        "webhook_no": "coalesce((select tenant_no from webhook where no = t.webhook_no),"
        " (select tenant_no from notification where no = t.notification_no))",
        "notification_no": "(select tenant_no from notification where no = t.notification_no)",
        "class_no": "(select tenant_no from client_class where no = t.class_no)",
        "pool_no": "(select tenant_no from subnet where no = (select subnet_no from pool where no = t.pool_no))",
        "dns_server_no": "(select tenant_no from dns_server where no = t.dns_server_no)",
    }
    return next((way for name, way in ways.items() if name in has), "null::integer")


TEXTS = """
select c.table_name as table, array_agg(c.column_name::text) as columns,
  array_agg(c.column_name::text) filter (where data_type in ('text', 'jsonb', 'ARRAY') and
    (data_type <> 'ARRAY' or udt_name = '_text') and is_generated = 'NEVER') as texts,
  array_agg(c.column_name::text) filter (where data_type = 'jsonb') as objects,
  array_agg(c.column_name::text) filter (where udt_name = '_text') as lists
from information_schema.columns c join information_schema.tables using (table_schema, table_name)
where table_schema = 'public' and table_type = 'BASE TABLE' and table_name not similar to 'lease_event_[0-9]+'
group by 1 order by 1"""


async def plant(pool: Connection) -> None:
    """Marks every text column of every row with whose it is. Half of the changes were made by an admin of all."""
    numbers = {row["no"]: row["name"] for row in await pool.fetch("select no, name from tenant")}
    marks = "case {} " + " ".join(f"when {no} then '{MARKS[name]}'" for no, name in numbers.items())
    marks += f" else '{MARKS[GLOBAL]}' end"
    for row in await pool.fetch(TEXTS):
        table, columns = row["table"], row["columns"]
        if (
            table.startswith(PRIVATE) and table not in ("dns_server", "dns_zone", "dns_record")
        ) or table == "tenant":
            continue
        mark = marks.format(owner(columns, table))
        for column in row["texts"] or ():
            if column not in FIXED:
                how = (
                    "object"
                    if column in (row["objects"] or ())
                    else "list"
                    if column in (row["lists"] or ())
                    else "text"
                )
                await plant_column(pool, table, column, how, mark, "no" in columns)
    await pool.execute("update tenant set description = " + marks.format("no"))
    root = "select id from token where tenant_no is null order by no limit 1"
    await pool.execute(
        f"update change set token_id = ({root}), token_name = '{MARKS[GLOBAL]}-{KEPT}',"
        f" request_id = '{MARKS[GLOBAL]}-{KEPT}', remote_address = '{ROOT_ADDRESS}' where no % 2 = 0"
    )


async def plant_column(
    pool: Connection, table: str, column: str, how: str, mark: str, numbered: bool
) -> None:
    text = f"{mark} || '-{column[:9].replace('_', '-')}'"
    if table in OF_ADMINS:
        text += f" || '-{KEPT}'"
    if numbered:
        text += " || '-' || t.no"
    if (table, column) in SPELLED:
        spelled = SPELLED[table, column]
        if not spelled:
            return
        text = f"replace('{spelled}', '{{0}}', {mark})"
    value = {
        "text": text,
        "list": f"array[{text}]",
        "object": f"case when jsonb_typeof(t.{column}) = 'object'"
        f" then t.{column} || jsonb_build_object('planted', {text}) else t.{column} end",
    }[how]
    bare = f"t.{column} is not null" if column in ("before", "after") else "true"
    try:
        await pool.execute(f"update {table} t set {column} = {value} where {bare}")
    except (
        asyncpg.CheckViolationError,
        asyncpg.NotNullViolationError,
        asyncpg.UniqueViolationError,
    ) as error:
        raise AssertionError(f"{table}.{column} takes no mark: say so in FIXED ({error})") from None


async def plant_deliveries(pool: asyncpg.Pool) -> None:
    await pool.execute(
        "update webhook_delivery set state = 'dead', response = $1, last_error = 'https://h.example/' || $1",
        KEPT,
    )


FIND = {
    "ddns-updates": "select id::text from ddns_update where tenant_no = $1 limit 1",
    "deliveries": "select d.id::text from webhook_delivery d join webhook w on w.no = d.webhook_no"
    " where w.tenant_no = $1 and d.event = 'pool.created' limit 1",
    "audit": "select no::text from change where tenant_no = $1 and object_type = 'pool' limit 1",
    "nodes": "select id::text from node where $1::integer is not null limit 1",
}


async def find_inserted(world: World, scope: str) -> None:
    ids = world.ids[scope]
    no = await world.pool.fetchval("select no from tenant where id = $1", ids["tenants"])
    for collection, statement in FIND.items():
        ids[collection] = await world.pool.fetchval(statement, no)
        assert ids[collection], collection
    leases = await world.ask("none viewer", "GET", "/leases", query=f"tenant_id={ids['tenants']}")
    ids["leases"] = msgspec.json.decode(leases.content)["items"][0]["id"]


async def sealed(pool: asyncpg.Pool) -> list[str]:
    """What the database keeps of secrets, as any answer would spell it."""
    found: list[bytes] = []
    for table, column in (
        ("token", "secret_hash"), ("dns_server", "secret"), ("webhook", "secret"), ("cluster_secret", "secret"),
    ):  # fmt: skip
        rows = await pool.fetch(f"select {column} as secret from {table} where {column} is not null")
        found += [row["secret"] for row in rows]
    assert len(found) > 20
    return [text for each in found for text in (each.hex(), base64.b64encode(each).decode())]


async def snapshot(pool: asyncpg.Pool) -> dict[str, set[tuple[int | None, str]]]:
    """All rows as text, each with the number of its tenant."""
    found = {}
    for row in await pool.fetch(TEXTS):
        table, columns = row["table"], row["columns"]
        left_out = " - 'last_used_at'" if table == "token" else ""
        rows = await pool.fetch(
            f"select {owner(columns, table)} as owner, (to_jsonb(t){left_out})::text as row from {table} t"
        )
        found[table] = {(each["owner"], each["row"]) for each in rows}
    return found
