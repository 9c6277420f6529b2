"""Zones of three tenants, written at random by all of them: no operation of one changes an answer to a question for a
name in a zone of another, down to the octet, serials included."""

import random
from typing import Any

import asyncpg
import dns.message
import httpx
import pytest

from dhcp_fast.dns.query import Responder
from dhcp_fast.dns.zone_image import ZoneSet
from dhcp_fast.dns_server.zone_loader import ZoneLoader
from ipam_core.dns.names import is_within
from ipam_core.services import dns_publication

OPERATIONS = 70
SUFFIXES = {"one": ["one.test", "20.10.in-addr.arpa"], "two": ["two.test", "b.c.test"]}
TOPS = ("one.test", "two.test", "c.test", "20.10.in-addr.arpa", "10.in-addr.arpa", "test")
LABELS = ("", "a.", "b.", "a.b.", "x\\.a.")
ZONES = [label + top for top in TOPS for label in LABELS]
PROBES = [f"{host}{zone}." for zone in ZONES for host in ("", "www.")]
RECORDS = (
    ("www", "A", "192.0.2.{}"),
    ("@", "TXT", '"{}"'),
    ("*", "A", "192.0.2.{}"),
    ("a", "NS", "ns{}.example.net."),
    ("www.a", "A", "192.0.2.{}"),
    ("@", "NS", "www.{{zone}}."),
    ("b", "CNAME", "www.{{zone}}."),
    ("www.b", "TXT", '"{}"'),
)
TOP = {"default": "c.test", "one": "one.test", "two": "two.test"}
Answers = dict[str, bytes]


class World:
    """The tenants' clients, the server's view of the zones, and who owns which enabled zone."""

    def __init__(self, pool: asyncpg.Pool, dsn: str, clients: dict[str, httpx.AsyncClient]) -> None:
        self.pool = pool
        self.clients = clients
        self.zones = ZoneSet()
        self.loader = ZoneLoader(dsn, self.zones, lambda *_: None)
        self.responder = Responder(self.zones, bytes(16), 0)

    async def publish(self) -> None:
        async with self.pool.acquire() as connection:
            while await connection.fetchval("select exists (select from dns_change)"):
                await dns_publication.publish(connection)
            await self.loader.compare(connection)

    def answers(self) -> Answers:
        queries = {name: dns.message.make_query(name, "A", id=7).to_wire() for name in PROBES}
        return {name: self.responder.answer_unsigned(query, b"\x7f\0\0\1") for name, query in queries.items()}

    async def owners(self) -> dict[str, str]:
        """The tenant of each name that an enabled zone answers for."""
        rows = await self.pool.fetch(
            "select z.name, t.name as tenant from dns_zone z join tenant t on t.no = z.tenant_no where dns_enabled"
        )
        found = {}
        for name in PROBES:
            holding = [row for row in rows if is_within(name[:-1], row["name"])]
            if holding:
                found[name] = max(holding, key=lambda row: len(row["name"]))["tenant"]
        return found


@pytest.fixture
async def world(
    admin: httpx.AsyncClient, make: Any, connect: Any, pool: asyncpg.Pool, database: str
) -> World:
    (default,) = (await admin.get("/tenants")).json()["items"]
    ids = {"default": default["id"]}
    for name, suffixes in SUFFIXES.items():
        ids[name] = (await make("/tenants", name=name, dns_suffixes=suffixes))["id"]
    tokens = {
        name: await make("/tokens", name=name, role="admin", tenant_id=id_) for name, id_ in ids.items()
    }
    return World(pool, database, {name: connect(token["token"]) for name, token in tokens.items()})


async def items(client: httpx.AsyncClient, path: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await client.get(path, params={"limit": 1000})).json()["items"]
    return found


async def operate(client: httpx.AsyncClient, top: str, chance: random.Random) -> httpx.Response:
    """One operation on zones of the client's tenant, most of them below the top one."""
    zones = await items(client, "/dns-zones")
    query = chance.choice(("", "?move_records=true"))
    zone = chance.choice(zones) if zones else None
    if zone is None or chance.random() < 0.3:
        near = [name for name in ZONES if is_within(name, top)]
        name = chance.choice(near if chance.random() < 0.7 else ZONES)
        body = {"name": name, "dns_enabled": chance.random() < 0.7}
        return await client.post(f"/dns-zones{query}", json=body)
    path = f"/dns-zones/{zone['id']}"
    name, kind, data = chance.choice(RECORDS)
    data = data.format(chance.randint(1, 9)).format(zone=zone["name"])
    match chance.randrange(6):
        case 0:
            return await client.patch(path + query, json={"dns_enabled": not zone["dns_enabled"]})
        case 1:
            return await client.delete(path + "?cascade=true")
        case 2:
            file = f"$TTL 60\n@ NS ns.{zone['name']}.\nns A 192.0.2.{chance.randint(1, 9)}\n{name} {kind} {data}\n"
            return await client.post(
                f"{path}/import", json={"zone_file": file, "mode": chance.choice(("merge", "replace"))}
            )
        case 3:
            records = await items(client, f"{path}/records")
            if records:
                return await client.delete(f"/dns-records/{chance.choice(records)['id']}")
    return await client.post(f"{path}/records", json={"name": name, "type": kind, "data": data})


@pytest.mark.parametrize("seed", range(3))
async def test_no_operation_of_one_tenant_changes_an_answer_of_another(world: World, seed: int) -> None:
    chance = random.Random(seed)
    changed: dict[str, int] = dict.fromkeys(world.clients, 0)
    for name, client in world.clients.items():
        made = await client.post("/dns-zones", json={"name": "a." + TOP[name], "dns_enabled": True})
        assert made.status_code == 201
    await world.publish()
    owners, before = await world.owners(), world.answers()
    for step in range(OPERATIONS):
        actor = chance.choice(sorted(world.clients))
        answer = await operate(world.clients[actor], TOP[actor], chance)
        assert answer.status_code in (200, 201, 204, 409, 422), answer.text
        await world.publish()
        after = world.answers()
        wrong = [name for name in PROBES if after[name] != before[name] and owners.get(name, actor) != actor]
        assert not wrong, (seed, step, actor, answer.request.method, answer.request.url, answer.text)
        changed[actor] += after != before
        owners, before = await world.owners(), after
    assert min(changed.values()) >= 3  # or nothing was tried
