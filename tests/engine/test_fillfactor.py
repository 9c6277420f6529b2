"""The lease table keeps room for new versions while it grows, and uses it once most addresses have a row."""

from __future__ import annotations

import asyncio
from functools import partial
from ipaddress import IPv4Network

import asyncpg
import pytest
from engine.serving import serving
from engine.site import until

from dhcp_fast.bench.generator.filling import fill_leases, fill_plan
from dhcp_fast.bench.generator.storm import Storm
from dhcp_fast.bench.servers import bench_plan
from dhcp_fast.database import fillfactor
from dhcp_fast.database.fillfactor import FULL, GROWING, wanted_room
from dhcp_fast.server import serving as serving_module
from ipam_core.services import usage

NETWORK = IPv4Network("10.0.0.0/24")
POOL = 253
OPERATORS = 50


async def packed(connection: asyncpg.Connection) -> int:
    return int((await fillfactor.SQL.read_room(connection))["packed"])


async def is_full(connection: asyncpg.Connection) -> bool:
    return await packed(connection) == FULL


async def count(connection: asyncpg.Connection) -> None:
    await connection.execute("analyze lease")
    await usage.refresh(connection)


@pytest.fixture
async def full(database: str, connection: asyncpg.Connection) -> str:
    """A database whose one pool has a row for nine in ten of its addresses."""
    await bench_plan.insert_single(database, NETWORK)
    await fill_leases(database, seed=1, count=POOL * 9 // 10 + 1)
    await count(connection)
    return database


@pytest.mark.parametrize(
    ("percent", "share", "wanted"),
    [
        (GROWING, None, GROWING),
        (GROWING, 0.89, GROWING),
        (GROWING, 0.9, FULL),
        (FULL, 0.85, FULL),
        (FULL, 0.79, GROWING),
        (FULL, None, FULL),
        (OPERATORS, 1.0, OPERATORS),
        (None, 1.0, None),
    ],
)
def test_what_is_wanted(percent: int | None, share: float | None, wanted: int | None) -> None:
    assert wanted_room(percent, share) == wanted


async def test_a_table_fills_and_grows_with_the_plan(full: str, connection: asyncpg.Connection) -> None:
    assert await packed(connection) == GROWING
    await fillfactor.tend(connection)
    assert await packed(connection) == FULL
    await fill_plan(full, subnets=1, reservations_per_subnet=0)
    await count(connection)
    await fillfactor.tend(connection)
    assert await packed(connection) == GROWING


@pytest.mark.parametrize("percent", [GROWING, FULL])
async def test_a_table_whose_pools_are_not_counted_stays_as_it_is(
    database: str, connection: asyncpg.Connection, percent: int
) -> None:
    await bench_plan.insert_single(database, NETWORK)
    await fill_leases(database, seed=1, count=POOL)
    await fillfactor.pack(connection, percent)
    await fillfactor.tend(connection)
    assert await packed(connection) == percent


async def test_an_operators_choice_stays(full: str, connection: asyncpg.Connection) -> None:
    await fillfactor.pack(connection, OPERATORS)
    await fillfactor.tend(connection)
    assert await packed(connection) == OPERATORS


async def test_a_vacuum_under_way_is_not_ended(full: str, connection: asyncpg.Connection) -> None:
    vacuum = await asyncpg.connect(full)
    try:
        async with vacuum.transaction():
            await vacuum.execute("lock table lease in share update exclusive mode")  # as VACUUM has it
            await fillfactor.tend(connection)
        assert await packed(connection) == GROWING
        await fillfactor.tend(connection)
        assert await packed(connection) == FULL
    finally:
        await vacuum.close()


async def test_an_account_that_does_not_own_the_table_leaves_it(
    full: str, connection: asyncpg.Connection
) -> None:
    await connection.execute("create role lease_reader")
    try:
        await connection.execute("grant usage on schema public to lease_reader")
        await connection.execute("grant select on all tables in schema public to lease_reader")
        await connection.execute("set role lease_reader")
        await fillfactor.tend(connection)
        await connection.execute("reset role")
        assert await packed(connection) == GROWING
    finally:
        await connection.execute("reset role")
        await connection.execute("drop owned by lease_reader; drop role lease_reader")


async def test_a_server_under_load_goes_on(
    full: str, connection: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its prepared statements outlive the change, which it makes by itself."""
    monkeypatch.setattr(serving_module, "TABLES_SECONDS", 0.2)
    async with serving(full) as running:
        storm = Storm(running.sockets[0].address, seed=2)
        try:
            first = await asyncio.to_thread(storm.run, mix="dora", exchanges=10, window=10)
            await until("full", partial(is_full, connection))
            second = await asyncio.to_thread(storm.run, mix="dora", exchanges=10, window=10)
        finally:
            storm.close()
    assert (first.acks, second.acks, second.naks) == (10, 10, 0)
