"""Limits of a tenant: who sets them, what they count, and what happens above them (decisions: Limits per caller)."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any, NamedTuple
from uuid import uuid4

import asyncpg
import httpx
import msgspec
import pytest

from api.http.event_streams import Asked, Streams
from ipam_core.errors import LimitReached
from ipam_core.model.actor import Actor
from ipam_core.model.families import PLAIN, WITH_SECRETS, in_words
from ipam_core.model.field_docs import meaning
from ipam_core.model.tenant import NewTenant
from ipam_core.services import live_streams, retention
from ipam_core.services.entity.tenant_limits import COUNTED, OF_NO_TENANT

DEFAULTS = {
    "webhooks": 20,
    "streams": 200,
    "streams_per_token": 10,
    "deliveries_per_second": 50,
    "ddns_updates_per_second": 200,
}
COUNTS = {family.plural for family in (*PLAIN, *WITH_SECRETS) if family.singular not in OF_NO_TENANT} - {
    "webhooks",
    "notifications",
}
HOOK = {"url": "https://hooks.example/x", "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}


class Own(NamedTuple):
    tenant: dict[str, Any]
    client: httpx.AsyncClient
    admin: httpx.AsyncClient

    @property
    def path(self) -> str:
        return f"/tenants/{self.tenant['id']}"

    async def limit(self, **limits: int | None) -> None:
        answer = await self.admin.patch(self.path, json={"limits": limits})
        assert answer.status_code == 200, answer.text

    async def used(self) -> dict[str, int]:
        usage = (await self.client.get(self.path)).json()["usage"]
        counts = {name: each["used"] for name, each in usage["objects"].items() if each["used"]}
        notifications = usage["notifications"]["used"]
        return (
            counts
            | {"webhooks": usage["webhooks"]["used"]}
            | ({"notifications": notifications} if notifications else {})
        )


@pytest.fixture
async def own(admin: httpx.AsyncClient, make: Any, connect: Any) -> Own:
    tenant = await make("/tenants", name="acme")
    token = await make("/tokens", name="t", role="admin", tenant_id=tenant["id"])
    return Own(tenant, connect(token["token"]), admin)


async def made(client: httpx.AsyncClient, path: str, **body: Any) -> dict[str, Any]:
    answer = await client.post(path, json=body)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def plan(own: Own) -> dict[str, Any]:
    prefix = await made(own.client, "/prefixes", cidr="10.0.0.0/16")
    return await made(own.client, "/subnets", prefix_id=prefix["id"], cidr="10.0.0.0/24")


async def test_defaults_are_shown_with_their_use(own: Own) -> None:
    tenant = (await own.client.get(own.path)).json()
    assert tenant["limits"] == {}
    usage = tenant["usage"]
    assert {name: usage[name]["limit"] for name in DEFAULTS} == DEFAULTS
    assert set(usage["objects"]) == {*COUNTS, "idempotency_keys"}
    assert {each["limit"] for each in usage["objects"].values()} == {100_000}
    assert usage["objects"]["tokens"]["used"] == 1


async def test_the_default_tenant_has_none_unless_set(admin: httpx.AsyncClient) -> None:
    tenant = (await admin.get("/tenants", params={"is_default": "true"})).json()["items"][0]
    path = f"/tenants/{tenant['id']}"
    usage = (await admin.get(path)).json()["usage"]
    assert {usage[name]["limit"] for name in DEFAULTS} == {None}
    assert {each["limit"] for each in usage["objects"].values()} == {None}
    assert (await admin.patch(path, json={"limits": {"webhooks": 3}})).status_code == 200
    usage = (await admin.get(path)).json()["usage"]
    assert (usage["webhooks"]["limit"], usage["streams"]["limit"]) == (3, None)


async def test_the_meaning_names_the_defaults(own: Own) -> None:
    """The numbers stand in SQL; the documents repeat them."""
    described = meaning(NewTenant, "limits")
    for name, limit in (DEFAULTS | {"objects_per_family": 100_000}).items():
        assert any(f"{name} ({said}{limit:,})" in described for said in ("", "default "))


async def test_null_is_the_default_and_0_is_none(own: Own, refused: Any) -> None:
    await own.limit(webhooks=5, streams=0)
    tenant = (await own.client.get(own.path)).json()
    assert tenant["limits"] == {"webhooks": 5, "streams": 0}
    assert [tenant["usage"][name]["limit"] for name in ("webhooks", "streams")] == [5, None]
    await own.limit(webhooks=None)
    assert (await own.client.get(own.path)).json()["limits"] == {"streams": 0}
    assert (await own.admin.patch(own.path, json={"limits": None})).json()["limits"] == {}
    for wrong, field in (
        ({"webhooks": -1}, "webhooks"),
        ({"pools": 1}, "pools"),
        ({"streams": "x"}, "streams"),
    ):
        answer = await own.admin.patch(own.path, json={"limits": wrong})
        assert refused(answer, 422, "validation_error")["field"] == f"limits.{field}"
    answer = await own.admin.patch(own.path, json={"limits": 7})
    assert refused(answer, 422, "validation_error")["field"] == "limits"


async def test_only_an_admin_without_a_tenant_sets_them(own: Own, refused: Any) -> None:
    for limits in ({"webhooks": 21}, {"webhooks": None, "streams": 0}):
        answer = await own.client.patch(own.path, json={"limits": limits})
        refused(answer, 403, "forbidden")
        assert "limits: may be written by an admin without a tenant only" in answer.text
    operations = [{"op": "update", "path": own.path, "body": {"limits": {"webhooks": 0}}}]
    refused(await own.client.post("/bulk", json={"operations": operations}), 403, "forbidden")
    assert (await own.client.patch(own.path, json={"description": "d", "limits": {}})).status_code == 200
    assert (await own.client.get(own.path)).json()["limits"] == {}


async def test_use_is_no_condition_of_a_change(own: Own) -> None:
    before = await own.client.get(own.path)
    await plan(own)
    after = await own.client.get(own.path)
    assert after.json()["usage"] != before.json()["usage"]
    assert after.headers["etag"] != before.headers["etag"]  # a client that polls the use sees it
    same = await own.client.get(own.path, headers={"if-none-match": after.headers["etag"]})
    assert same.status_code == 304
    changed = await own.client.patch(
        own.path, json={"description": "d"}, headers={"if-match": before.headers["etag"]}
    )
    assert changed.status_code == 200
    stale = {"if-match": before.headers["etag"]}
    assert (await own.client.patch(own.path, json={"description": "e"}, headers=stale)).status_code == 412
    (row,) = (await own.admin.get("/tenants", params={"name": "acme"})).json()["items"]
    assert row == (await own.client.get(own.path)).json()


OF_RECEIVERS = ("webhooks", "notifications")
"""They share the limit of webhooks, each for itself."""
CREATES: dict[str, tuple[str, dict[str, Any]]] = {
    "prefixes": ("/prefixes", {"cidr": "10.{n}.0.0/16"}),
    "subnets": ("/subnets", {"prefix_id": "$prefix", "cidr": "10.0.{n}.0/24"}),
    "pools": ("/subnets/$subnet/pools", {"start_ip": "10.0.0.{n}", "end_ip": "10.0.0.{n}"}),
    "excludes": ("/subnets/$subnet/excludes", {"start_ip": "10.0.0.{n}", "end_ip": "10.0.0.{n}"}),
    "reservations": ("/subnets/$subnet/reservations", {"ip": "10.0.0.{n}", "mac": "02:00:00:00:00:{n}"}),
    "options": ("/subnets/$subnet/options", {"code": "code", "payload": {"string": "x"}}),
    "option_definitions": ("/option-definitions", {"code": "defined", "name": "o{n}", "kind": "string"}),
    "assignments": ("/assignments", {"subnet_id": "$subnet", "ip": "10.0.0.{n}", "hostname": "h"}),
    "client_classes": ("/client-classes", {"name": "c{n}", "vendor_class": "v"}),
    "dns_servers": ("/dns-servers", {"name": "d{n}", "adapter": "embedded"}),
    "dns_zones": ("/dns-zones", {"name": "z{n}.example"}),
    "dns_records": ("/dns-zones/$zone/records", {"name": "r{n}", "type": "A", "data": "10.0.0.{n}"}),
    "webhooks": ("/webhooks", HOOK),
    "notifications": ("/notifications", {"name": "n{n}", "kind": "slack", "url": "https://h.example/"}),
    "tokens": ("/tokens", {"name": "t{n}", "role": "viewer"}),
}


def filled(value: Any, n: int, ids: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {name: filled(each, n, ids) for name, each in value.items()}
    if value == "code":
        return (15, 14, 17, 18, 64)[n - 20]
    if value == "defined":
        return 224 + n - 20
    if not isinstance(value, str):
        return value
    for name, id_ in ids.items():
        value = value.replace(name, id_)
    return value.replace("{n}", str(n))


def test_every_family_that_a_tenant_creates_is_tried() -> None:
    assert set(CREATES) == {*COUNTS, *OF_RECEIVERS}


@pytest.mark.parametrize("plural", CREATES)
async def test_one_more_is_refused_until_one_is_gone(own: Own, refused: Any, plural: str) -> None:
    """By a token of the tenant and by the global admin, alone and in a bulk; the use follows deletions."""
    subnet = await plan(own)
    zone = await made(own.client, "/dns-zones", name="base.example")
    ids = {"$prefix": subnet["prefix_id"], "$subnet": subnet["id"], "$zone": zone["id"]}
    path, body = CREATES[plural]
    path = filled(path, 20, ids)
    there = (await own.used()).get(plural, 0)
    name = "webhooks" if plural in OF_RECEIVERS else "objects_per_family"
    await own.limit(**{name: there + 2})

    async def create(n: int, client: httpx.AsyncClient, **more: Any) -> httpx.Response:
        return await client.post(path, json=filled(body, n, ids) | more)

    def check(answer: httpx.Response) -> None:
        details = refused(answer, 409, "limit_reached")
        assert (details["limit"], details["usage"], details["field"]) == (
            there + 2,
            there + 2,
            f"limits.{name}",
        )
        assert f"limit of {there + 2} {in_words(plural)}" in answer.json()["error"]["message"]

    first = await create(20, own.client)
    assert (first.status_code, (await create(21, own.client)).status_code) == (201, 201), first.text
    check(await create(22, own.client))
    takes = "tenant_id" in (await own.admin.get(first.headers["location"].removeprefix("/api/v1"))).json()
    whose = (
        {"tenant_id": own.tenant["id"]}
        if takes and "$" not in CREATES[plural][0] and plural not in ("subnets", "assignments")
        else {}
    )
    check(await create(22, own.admin, **whose))
    if plural != "tokens":
        operations = [{"op": "create", "path": path, "body": filled(body, n, ids)} for n in (22, 23)]
        check(answer := await own.client.post("/bulk", json={"operations": operations}))
        assert answer.json()["error"]["details"]["index"] == 0
    assert (await own.used())[plural] == there + 2
    item = f"/{plural.replace('_', '-')}/{first.json()['id']}"
    assert (await own.client.delete(item)).status_code == 204
    assert (await own.used()).get(plural, 0) == there + 1
    assert (await create(24, own.client)).status_code == 201


async def test_idempotency_keys_count(own: Own, refused: Any) -> None:
    await own.limit(objects_per_family=3)
    for n in range(3):
        path, body = ("/prefixes", {"cidr": f"10.{n}.0.0/16"})
        answer = await own.client.post(path, json=body, headers={"idempotency-key": f"k{n}"})
        assert answer.status_code == 201
    again = await own.client.post(path, json=body, headers={"idempotency-key": "k2"})
    assert (again.status_code, again.headers["idempotency-replayed"]) == (201, "true")
    answer = await own.client.post(
        "/client-classes", json={"name": "c", "vendor_class": "v"}, headers={"idempotency-key": "k"}
    )
    assert "3 idempotency keys: wait until some are 24 hours old" in answer.text
    refused(answer, 409, "limit_reached")
    assert (await own.used())["idempotency_keys"] == 3
    assert (
        await own.client.post("/client-classes", json={"name": "c", "vendor_class": "v"})
    ).status_code == 201


async def test_overlap_comes_before_the_limit_and_the_limit_before_the_cap(
    own: Own, refused: Any, app: Any, pool: asyncpg.Pool
) -> None:
    subnet = await plan(own)
    path = f"/subnets/{subnet['id']}/reservations"
    await made(own.client, f"/subnets/{subnet['id']}/excludes", start_ip="10.0.0.9", end_ip="10.0.0.9")
    await made(own.client, path, ip="10.0.0.2", mac="02:00:00:00:00:01")
    await own.limit(objects_per_family=1)
    for body in (
        {"ip": "10.0.0.2", "mac": "02:00:00:00:00:02"},
        {"ip": "10.0.0.9", "mac": "02:00:00:00:00:02"},
    ):
        refused(await own.client.post(path, json=body), 409, "conflict")
    msgspec.structs.force_setattr(app.authenticator.settings, "managed_address_limit", 1)
    try:
        body = {"mac": "02:00:00:00:00:02"}
        refused(await own.client.post(path, json=body), 409, "limit_reached")
        await own.limit(objects_per_family=2)
        refused(await own.client.post(path, json=body), 402, "license_limit")
    finally:
        msgspec.structs.force_setattr(app.authenticator.settings, "managed_address_limit", 0)


async def test_a_bulk_is_judged_by_its_end(own: Own, refused: Any) -> None:
    """What it deletes makes room; the first create without room is named."""
    hooks = [await made(own.client, "/webhooks", **HOOK) for _ in range(2)]
    await own.limit(webhooks=2)
    create = {"op": "create", "path": "/webhooks", "body": HOOK}
    delete = {"op": "delete", "path": f"/webhooks/{hooks[0]['id']}"}
    answer = await own.client.post("/bulk", json={"operations": [create, delete]})
    assert answer.status_code == 200, answer.text
    await own.limit(webhooks=3)
    prefix = {"op": "create", "path": "/prefixes", "body": {"cidr": "10.0.0.0/16"}}
    answer = await own.client.post("/bulk", json={"operations": [prefix, create, create, create]})
    assert refused(answer, 409, "limit_reached")["index"] == 2
    rehearsal = {"operations": [create, create], "dry_run": True}
    refused(await own.client.post("/bulk", json=rehearsal), 409, "limit_reached")
    assert await own.used() == {"tokens": 1, "webhooks": 2}


async def test_writers_at_once_do_not_pass_it(own: Own, pool: asyncpg.Pool) -> None:
    """Twenty writers compete for the last five places, of objects below different subnets and of webhooks."""
    prefix = await made(own.client, "/prefixes", cidr="10.0.0.0/16")
    subnets = [
        await made(own.client, "/subnets", prefix_id=prefix["id"], cidr=f"10.0.{n}.0/24") for n in range(10)
    ]
    await own.limit(objects_per_family=10, webhooks=5)
    for n in range(5):
        await made(
            own.client, f"/subnets/{subnets[n]['id']}/pools", start_ip=f"10.0.{n}.9", end_ip=f"10.0.{n}.9"
        )

    async def write(n: int) -> int:
        body = {"start_ip": f"10.0.{n % 10}.{20 + n}", "end_ip": f"10.0.{n % 10}.{20 + n}"}
        return (await own.client.post(f"/subnets/{subnets[n % 10]['id']}/pools", json=body)).status_code

    async def reserve(n: int) -> int:
        body = {"mac": f"02:00:00:00:00:{n:02x}"}
        return (
            await own.client.post(f"/subnets/{subnets[n % 10]['id']}/reservations", json=body)
        ).status_code

    async def hook(_n: int) -> int:
        return (await own.client.post("/webhooks", json=HOOK)).status_code

    for ways, places in ((write, 5), (hook, 5), (reserve, 10)):
        statuses = await asyncio.gather(*(ways(n) for n in range(20)))
        assert sorted(statuses) == [201] * places + [409] * (20 - places), ways
    used = await own.used()
    assert (used["pools"], used["webhooks"], used["reservations"]) == (10, 5, 10)
    assert await pool.fetchval("select count(*) from pool") == 10


async def test_the_use_is_what_is_there(own: Own, pool: asyncpg.Pool) -> None:
    """After cascades, revocations, records that follow leases, and the folding of the differences."""
    subnet = await plan(own)
    for n in range(80):
        await made(
            own.client,
            f"/subnets/{subnet['id']}/excludes",
            start_ip=f"10.0.0.{n + 1}",
            end_ip=f"10.0.0.{n + 1}",
        )
    zone = await made(own.client, "/dns-zones", name="base.example")
    text = "a 60 IN A 10.0.0.1\nb 60 IN A 10.0.0.2\n"
    answer = await own.client.post(f"/dns-zones/{zone['id']}/import", json={"zone_file": text})
    assert answer.status_code == 200, answer.text
    await pool.execute(
        "insert into dns_record (id, zone_no, name, type, data, source)"
        " select gen_random_uuid(), no, 'l', 'A', '10.0.0.3', 'lease' from dns_zone"
    )
    token = await made(own.client, "/tokens", name="gone", role="viewer")
    assert (await own.client.delete(f"/tokens/{token['id']}")).status_code == 204
    expected = {
        "prefixes": 1,
        "subnets": 1,
        "excludes": 80,
        "dns_zones": 1,
        "dns_records": 2,
        "tokens": 1,
        "webhooks": 0,
    }
    assert await own.used() == expected
    for n in range(100):
        values = "select tenant_no, kind, $1 from tenant_use where kind = 'exclude' limit 1"
        await pool.execute(f"insert into tenant_use {values}", 1 - 2 * (n % 2))
    async with pool.acquire() as connection:
        await retention.USE.fold_use(connection)
    assert await pool.fetchval("select count(*) from tenant_use where kind = 'exclude'") <= 2
    assert await own.used() == expected
    await pool.execute("update dns_record set source = 'static' where name = 'l'")
    assert (await own.used())["dns_records"] == 3
    assert (await own.client.delete(f"/prefixes/{subnet['prefix_id']}?cascade=true")).status_code == 204
    assert await own.used() == {"dns_zones": 1, "dns_records": 3, "tokens": 1, "webhooks": 0}
    assert (await own.admin.delete(f"{own.path}?cascade=true")).status_code == 204
    assert await pool.fetchval("select count(*) from tenant_use where tenant_no > 1") == 0


async def test_a_zone_import_counts_its_records(own: Own, refused: Any) -> None:
    zone = await made(own.client, "/dns-zones", name="base.example")
    await own.limit(objects_per_family=2)
    text = "".join(f"r{n} 60 IN A 10.0.0.{n}\n" for n in range(1, 4))
    path = f"/dns-zones/{zone['id']}/import"
    for rehearsed in (True, False):
        body = {"zone_file": text, "dry_run": rehearsed}
        found = refused(await own.client.post(path, json=body), 409, "limit_reached")
        assert (found["limit"], found["usage"]) == (2, 0)
    assert (await own.client.post(path, json={"zone_file": text[:-20]})).status_code == 200
    body = {"zone_file": "x 60 IN A 10.0.0.9\n", "mode": "replace", "dry_run": True}
    assert (await own.client.post(path, json=body)).json()["created"] == 1


def test_nothing_that_a_tenant_creates_is_left_out() -> None:
    plain = {family.plural for family in (*PLAIN, *WITH_SECRETS)}
    assert set(COUNTED.values()) - {"idempotency_keys"} == plain - {"tenants", "trusted_relays"}


# Live streams


@pytest.fixture
async def processes(pool: asyncpg.Pool) -> AsyncIterator[list[Streams]]:
    """Two API processes."""
    made = [Streams(pool), Streams(pool)]
    yield made
    for each in made:
        each.close()
        for task in filter(None, (each.reading, each.renewing)):
            task.cancel()


async def good() -> bool:
    return True


def actor_of(tenant_no: int | None, token: Any) -> Asked:
    return Asked(Actor(role="viewer", tenant_no=tenant_no, token_id=token), frozenset(), None, None)


async def test_streams_are_shared_by_tenant_and_token(
    own: Own, processes: list[Streams], pool: asyncpg.Pool
) -> None:
    """Over all processes; the end of one makes room at once, the death of a process after a minute."""
    await own.limit(streams=5, streams_per_token=3)
    tenant_no = await pool.fetchval("select no from tenant where id = $1", own.tenant["id"])
    tokens = [uuid4() for _ in range(3)]
    one, two = processes
    opened = [await each.open(actor_of(tenant_no, tokens[0]), good) for each in (one, two, one)]
    with pytest.raises(LimitReached) as refusal:
        await two.open(actor_of(tenant_no, tokens[0]), good)
    assert refusal.value.details == {"field": "limits.streams_per_token", "limit": 3, "usage": 3}
    for each in (one, two):
        await each.open(actor_of(tenant_no, tokens[1]), good)
    with pytest.raises(LimitReached) as refusal:
        await two.open(actor_of(tenant_no, tokens[2]), good)
    assert refusal.value.details == {"field": "limits.streams", "limit": 5, "usage": 5}
    assert len(one.streams) + len(two.streams) == 5
    assert (await own.client.get(own.path)).json()["usage"]["streams"] == {"used": 5, "limit": 5}
    for _ in range(20):  # a tenant without limits, and tokens of no tenant
        await one.open(actor_of(None, tokens[0]), good)
    one.leave(opened[0])
    await one.forget(opened[0])
    await two.open(actor_of(tenant_no, tokens[2]), good)
    await pool.execute(
        "update live_stream set seen_at = now() - interval '61 seconds' where process = $1", one.process
    )
    assert await pool.fetchval("select count(*) from live_stream") == 5
    async with pool.acquire() as connection:
        assert await live_streams.count(connection, tenant_no) == 3
        await live_streams.renew(connection, one.process, [each.id for each in one.streams])
        assert await live_streams.count(connection, tenant_no) == 5


async def test_streams_at_once_do_not_pass_it(own: Own, processes: list[Streams], pool: asyncpg.Pool) -> None:
    await own.limit(streams=4)
    tenant_no = await pool.fetchval("select no from tenant where id = $1", own.tenant["id"])
    openings = [processes[n % 2].open(actor_of(tenant_no, uuid4()), good) for n in range(12)]
    found = await asyncio.gather(*openings, return_exceptions=True)
    assert sum(isinstance(each, LimitReached) for each in found) == 8
    assert await pool.fetchval("select count(*) from live_stream") == 4


async def test_the_rates_are_found_by_the_workers(own: Own, pool: asyncpg.Pool) -> None:
    rate = "select tenant_limit(no, $1) from tenant order by no"
    assert [row[0] for row in await pool.fetch(rate, "deliveries_per_second")] == [None, 50]
    assert [row[0] for row in await pool.fetch(rate, "ddns_updates_per_second")] == [None, 200]
    await own.limit(deliveries_per_second=7, ddns_updates_per_second=0)
    assert [row[0] for row in await pool.fetch(rate, "deliveries_per_second")] == [None, 7]
    assert [row[0] for row in await pool.fetch(rate, "ddns_updates_per_second")] == [None, None]
