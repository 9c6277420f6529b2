"""Old days of the lease history go as a whole, beside readers and writers, and an interrupted end is finished."""

import asyncio
from collections.abc import AsyncIterator
from datetime import date, timedelta

import asyncpg
import pytest

from ipam_core.db import lease_retention
from ipam_core.db.connect import connect
from ipam_core.db.lease_retention import forget_days

WRITE = """
insert into lease_event (at, xid, version, granted_at, expires_at, reuse_at, tenant_no, subnet_no, prefix_length,
  ia_type, kind, state, address, client_key)
values (now() - make_interval(days => $1), pg_current_xact_id(), 2, now(), now(), now(), 1, 1, 32, 0, 'g', 'a',
  '10.0.0.1', '')"""
NAMES = "select relname from pg_class where relname ~ '^lease_event_\\d{8}$' order by 1"
ATTACHED = (
    "select inhrelid::regclass::text from pg_inherits where inhparent = 'lease_event'::regclass order by 1"
)
PENDING = "select inhrelid::regclass::text from pg_inherits where inhdetachpending"


def name(day: date) -> str:
    return f"lease_event_{day:%Y%m%d}"


@pytest.fixture(autouse=True)
def shorter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease_retention, "LOCK_SECONDS", 0.2)


@pytest.fixture
async def connection(database: str) -> AsyncIterator[asyncpg.Connection]:
    session = await connect(database)
    yield session
    await session.close()


@pytest.fixture
async def today(connection: asyncpg.Connection) -> date:
    """Ten days of history, an event in each."""
    now: date = await connection.fetchval("select (now() at time zone 'UTC')::date")
    for n in range(1, 11):
        await connection.execute("select make_lease_event_partition($1)", now - timedelta(days=n))
        await connection.execute(WRITE, n)
    return now


@pytest.fixture
async def reader(database: str) -> AsyncIterator[asyncpg.Connection]:
    """A session that may leave a transaction open for as long as it likes."""
    session = await connect(database, server_settings={"idle_in_transaction_session_timeout": "0"})
    yield session
    await session.close()


async def column(connection: asyncpg.Connection, query: str) -> list[str]:
    return [row[0] for row in await connection.fetch(query)]


async def test_what_is_older_goes(connection: asyncpg.Connection, today: date) -> None:
    gone = await forget_days(connection, 5)
    assert gone == [name(today - timedelta(days=n)) for n in range(10, 5, -1)]
    names = await column(connection, NAMES)
    assert names == await column(connection, ATTACHED)
    assert names[0] == name(today - timedelta(days=5))
    assert await connection.fetchval("select count(*) from lease_event") == 5
    assert await forget_days(connection, 5) == []


async def test_beside_a_reader_of_the_history(
    connection: asyncpg.Connection, reader: asyncpg.Connection, today: date
) -> None:
    """A dump: writers go on while it is waited for, the wait is given up, and a later round ends what was begun."""
    await reader.execute("begin isolation level repeatable read")
    assert await reader.fetchval("select count(*) from lease_event") == 10
    assert await forget_days(connection, 5) == []
    oldest = name(today - timedelta(days=10))
    assert await column(connection, PENDING) == [oldest]
    async with asyncio.timeout(5):
        await connection.execute(WRITE, 0)
        await connection.execute("select make_lease_event_partition($1)", today - timedelta(days=30))
        assert await forget_days(connection, 5) == []
        await connection.execute(WRITE, 1)
    assert await reader.fetchval("select count(*) from lease_event") in (9, 10)
    await reader.execute("rollback")
    assert oldest in await forget_days(connection, 5)
    assert await column(connection, PENDING) == []
    assert await column(connection, NAMES) == await column(connection, ATTACHED)


async def test_beside_a_reader_of_the_day_itself(
    connection: asyncpg.Connection, reader: asyncpg.Connection, today: date
) -> None:
    oldest = name(today - timedelta(days=10))
    await reader.execute(f"begin; select * from {oldest}")
    gone = await forget_days(connection, 5)
    assert oldest not in gone
    await connection.execute(WRITE, 0)
    await reader.execute("rollback")
    assert oldest in gone + await forget_days(connection, 5)
    assert (await column(connection, NAMES))[0] == name(today - timedelta(days=5))


async def test_one_process_at_a_time(
    connection: asyncpg.Connection, reader: asyncpg.Connection, today: date
) -> None:
    assert today
    async with lease_retention.alone(reader) as elected:
        assert elected
        assert await forget_days(connection, 5) == []
    assert len(await forget_days(connection, 5)) == 5


async def test_a_table_that_was_detached_before_we_ended_is_dropped(
    connection: asyncpg.Connection, today: date
) -> None:
    """Its comment says whose it is; an operator's archive of the same name pattern stays."""
    ours, theirs = name(today - timedelta(days=10)), name(today - timedelta(days=9))
    for table in (ours, theirs):
        await connection.execute(f"alter table lease_event detach partition {table}")
    await connection.execute(f"comment on table {ours} is '{lease_retention.COMMENT}'")
    assert ours in await forget_days(connection, 5)
    names = await column(connection, NAMES)
    assert theirs in names
    assert ours not in names


async def test_an_account_that_may_not_says_so(connection: asyncpg.Connection, today: date) -> None:
    assert today
    await connection.execute(
        "create role ipam_clerk2; grant all on all tables in schema public to ipam_clerk2"
    )
    try:
        await connection.execute("set role ipam_clerk2")
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await forget_days(connection, 5)
    finally:
        await connection.execute("reset role; drop owned by ipam_clerk2; drop role ipam_clerk2")
    assert await connection.fetchval("select pg_try_advisory_lock(hashtext('ipam lease log'))")
