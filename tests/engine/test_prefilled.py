"""A database that was filled by sets is as good as one that a server and its clients have filled."""

from __future__ import annotations

import asyncio
from ipaddress import IPv4Address
from typing import Any

import asyncpg
import pytest
from engine.serving import serving

from dhcp_fast.bench.generator import filling
from dhcp_fast.bench.generator.filling import PoolsTooSmall, fill_leases, fill_plan
from dhcp_fast.bench.generator.result import Result, acknowledgements, mac_of
from dhcp_fast.bench.generator.storm import Storm
from dhcp_fast.bench.generator.template import Features
from dhcp_fast.bench.servers import bench_plan
from dhcp_fast.bench.servers.audit import audit
from dhcp_fast.server.serving import Serving

SERVED, FILLED = 1, 2
CLIENTS = 40

# What differs from client to client or from grant to grant; mac and name are compared as the client's number.
ROWS = """
select substr(hw_address, 3) as client, substr(client_key, 1, 3) as key_head, substr(client_key, 5) as key_rest,
  replace(hostname, encode(substr(hw_address, 3), 'hex'), '') as hostname, renewed_at - granted_at as since,
  expires_at - renewed_at as lifetime, reuse_at - expires_at as margin, iaid, tenant_no, subnet_no, prefix_length,
  ia_type, hw_type, state, length(client_id) as client_id, duid, relay, circuit_id, remote_id, taken_from
from lease where substr(hw_address, 2, 1) = $1 order by 1"""
EVENTS = """
select l.hw_address, e.version = l.version as same_version, e.at = l.renewed_at as at, e.kind, e.state,
  (e.granted_at, e.expires_at, e.reuse_at, e.iaid, e.tenant_no, e.subnet_no, e.prefix_length, e.ia_type, e.hw_type,
   e.client_key, e.hw_address, e.client_id, e.duid, e.hostname, e.relay, e.circuit_id, e.remote_id)
  is not distinct from
  (l.granted_at, l.expires_at, l.reuse_at, l.iaid, l.tenant_no, l.subnet_no, l.prefix_length, l.ia_type, l.hw_type,
   l.client_key, l.hw_address, l.client_id, l.duid, l.hostname, l.relay, l.circuit_id, l.remote_id) as same
from lease l join lease_event e using (tenant_no, address) where substr(l.hw_address, 2, 1) = $1 order by 1"""


async def drive(server: Serving, *, seed: int, features: Features | None = None, **run: Any) -> Result:
    storm = Storm(server.sockets[0].address, seed=seed, features=features)
    try:
        return await asyncio.to_thread(storm.run, window=CLIENTS, **run)
    finally:
        storm.close()


async def rows(connection: asyncpg.Connection, query: str, seed: int) -> list[dict[str, Any]]:
    return [dict(row) for row in await connection.fetch(query, bytes((seed,)))]


@pytest.mark.parametrize("features", [Features(), Features(client_id=True, hostname=False)])
async def test_rows_are_those_that_the_server_writes(
    database: str, connection: asyncpg.Connection, features: Features
) -> None:
    await bench_plan.insert(database)
    async with serving(database) as server:
        told = await drive(server, seed=SERVED, features=features, mix="dora", exchanges=CLIENTS)
    assert told.acks == CLIENTS
    await fill_leases(database, seed=FILLED, count=CLIENTS, features=features)

    assert await rows(connection, ROWS, FILLED) == await rows(connection, ROWS, SERVED)
    history = await rows(connection, EVENTS, FILLED)
    assert [row | {"hw_address": None} for row in history] == [
        row | {"hw_address": None} for row in await rows(connection, EVENTS, SERVED)
    ]
    assert len(history) == CLIENTS
    assert all(row["same"] and row["same_version"] and row["at"] for row in history)


@pytest.mark.parametrize("order", ["granting", "random"])
async def test_prefilled_clients_renew(database: str, order: Any) -> None:
    await bench_plan.insert(database, cache_threshold=0.0)
    log = await fill_leases(
        database, seed=FILLED, first_client=1000, count=CLIENTS, order=order, age_seconds=60
    )
    async with serving(database) as server:
        assert server.counters()["leases_known"] == CLIENTS
        told = await drive(server, seed=FILLED, mix="renew", exchanges=CLIENTS, held=log)
    assert (told.acks, told.naks, told.drops, told.unexpected) == (CLIENTS, 0, 0, 0)
    clients = [ack.client for ack in acknowledgements(log)]
    assert sorted(clients) == list(range(1000, 1000 + CLIENTS))
    assert (clients == sorted(clients)) is (order == "granting")
    found = await audit(database, log + told.log, seed=FILLED)
    assert found.clean, str(found)


async def test_new_clients_find_the_addresses_taken(database: str, connection: asyncpg.Connection) -> None:
    """A pool filled to its last two addresses has two for those who come, and none for a third."""
    await fill_plan(database, subnets=1, reservations_per_subnet=4, length=26)
    subnet_no = await connection.fetchval("update subnet set relay_addresses = '{127.0.0.1}' returning no")
    vacant = 62 - 15 - 4
    log = await fill_leases(database, seed=FILLED, count=vacant - 2, scattered=False)
    addresses = [ack.address for ack in acknowledgements(log)]
    assert addresses[:17] == [IPv4Address("32.0.0.16") + n for n in range(16)] + [IPv4Address("32.0.0.36")]
    with pytest.raises(PoolsTooSmall):
        await fill_leases(database, seed=FILLED, first_client=vacant, count=3, subnets=[subnet_no])
    async with serving(database) as server:
        told = await drive(server, seed=SERVED, mix="dora", exchanges=2)
        given = {ack.address for ack in acknowledgements(told.log)}
        assert told.acks == 2
        assert not given & set(addresses)
        await drive(server, seed=SERVED + 2, mix="dora", exchanges=1, seconds=0.2)
        assert server.counters()["leases_known"] == vacant


async def test_what_was_given_back_is_granted_anew(database: str, connection: asyncpg.Connection) -> None:
    """Rows as a RELEASE leaves them: the server knows them, and a grant writes over them."""
    await fill_plan(database, subnets=1, reservations_per_subnet=0, length=27)
    await connection.execute("update subnet set relay_addresses = '{127.0.0.1}', reuse_margin_seconds = 0")
    vacant = 30 - 15
    await fill_leases(database, seed=FILLED, count=vacant, state="released")
    assert await connection.fetch("select distinct state::text from lease") == [("r",)]
    assert await connection.fetch(
        "select kind::text, state::text, count(*) from lease_event group by 1, 2"
    ) == [("r", "r", vacant)]
    async with serving(database) as server:
        assert server.counters()["leases_known"] == vacant
        told = await drive(server, seed=SERVED, mix="dora", exchanges=vacant)
    assert (told.acks, told.naks, told.drops) == (vacant, 0, 0)
    assert await connection.fetch("select state::text, count(*) from lease group by 1") == [("a", vacant)]
    found = await audit(database, told.log, seed=SERVED)
    assert found.clean, str(found)


async def test_large_fills_leave_the_schema_as_it_was(
    database: str, connection: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They take the indexes away for the time of writing; what is there afterwards is what was there before."""
    query = "select tablename, indexname, indexdef from pg_indexes where tablename like 'lease%' order by 1, indexdef"
    monkeypatch.setattr(filling, "MANY", CLIENTS)
    monkeypatch.setattr(filling, "STATEMENT", 7)
    await bench_plan.insert(database)
    before = await connection.fetch(query)
    heard: list[int] = []
    log = await fill_leases(database, seed=FILLED, count=CLIENTS, log_every=3, progress=heard.append)
    assert [ack.client for ack in acknowledgements(log)] == [*range(0, CLIENTS, 3)]
    assert without_names(await connection.fetch(query)) == without_names(before)
    assert heard == [7, 14, 21, 28, 35, 40]
    assert await connection.fetchval("select count(distinct xid) from lease_event") == 6
    assert (await audit(database, log, seed=FILLED)).clean


def without_names(found: list[Any]) -> list[tuple[str, str]]:
    """A partition's index is called anew by whoever makes it."""
    return [(row["tablename"], row["indexdef"].replace(row["indexname"], "")) for row in found]


async def test_the_large_plan_is_served(database: str, connection: asyncpg.Connection) -> None:
    networks = await fill_plan(database, subnets=300, reservations_per_subnet=3)
    async with serving(database) as server:
        assert len(server.engine.plan.subnets) == 300
    assert await connection.fetchval("select count(*) from reservation") == 900
    assert {row["cidr"] for row in await connection.fetch("select cidr from subnet")} == set(networks)
    log = await fill_leases(database, seed=FILLED, count=3000)
    shares = [row["count"] for row in await connection.fetch("select count(*) from lease group by subnet_no")]
    assert (len(shares), sum(shares)) == (300, 3000)
    assert max(shares) - min(shares) <= 2
    assert mac_of(FILLED, 2999) == await connection.fetchval("select max(hw_address) from lease")
    assert len({ack.address for ack in acknowledgements(log)}) == 3000
