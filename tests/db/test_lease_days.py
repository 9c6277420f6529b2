"""Days of the lease history that are over get their indexes, beside readers and writers; what is broken is mended."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta

import asyncpg
import pytest

from ipam_core.db import lease_days, lease_retention
from ipam_core.db.connect import connect
from ipam_core.db.lease_days import INDEXES, close_days

DAYS = 4
WRITE = """
insert into lease_event (at, xid, version, granted_at, expires_at, reuse_at, tenant_no, subnet_no, prefix_length,
  ia_type, kind, state, address, client_key, hw_address, client_id, hostname)
select $1::timestamptz, pg_current_xact_id(), 2 * n, $1, $1::timestamptz + '1 hour', $1, 1, 1, 32, 0, 'g', 'a',
  '10.0.0.0'::inet + n, '\\x0101',
  decode(lpad(to_hex(n % 300), 12, '0'), 'hex'), decode(lpad(to_hex(n % 300), 14, '0'), 'hex'), 'Host-' || n % 300
from generate_series(1, 2000) n"""
OF_DAY = """
select relname::text from pg_index join pg_class on pg_class.oid = indexrelid
where indrelid = $1::regclass and indisvalid and relname ~ '_(hw_address|duid|client_id|hostname)$' order by 1"""
BY_CLIENT = [
    ("hw_address = '\\x000000000001'", "hw_address"),
    ("client_id = '\\x00000000000001'", "client_id"),
    ("duid = '\\x0001'", "duid"),
    ("lower(hostname) like 'host-17%'", "hostname"),
]


def name(day: date) -> str:
    return f"lease_event_{day:%Y%m%d}"


def names(day: date) -> list[str]:
    return sorted(f"{name(day)}_{ending}" for ending in INDEXES)


@pytest.fixture
async def connection(database: str) -> AsyncIterator[asyncpg.Connection]:
    session = await connect(database)
    yield session
    await session.close()


@pytest.fixture
async def today(connection: asyncpg.Connection) -> date:
    """Days of history, each with events at noon but the last, which is today."""
    now: date = await connection.fetchval("select (now() at time zone 'UTC')::date")
    await connection.execute("delete from lease_event_day")
    for n in range(DAYS):
        await connection.execute("select make_lease_event_partition($1)", now - timedelta(days=n))
        if n:
            noon = datetime(now.year, now.month, now.day, 12, tzinfo=UTC) - timedelta(days=n)
            await connection.execute(WRITE, noon)
    return now


def over(today: date, now: datetime) -> list[date]:
    """Days that have been over for an hour, the newest first."""
    first = 1 if now.hour >= 1 else 2
    return [today - timedelta(days=n) for n in range(first, DAYS)]


async def test_days_that_are_over_are_indexed_and_noted(connection: asyncpg.Connection, today: date) -> None:
    days = over(today, await connection.fetchval("select now() at time zone 'UTC'"))
    assert await close_days(connection) == [name(day) for day in days]
    for day in days:
        assert [row["relname"] for row in await connection.fetch(OF_DAY, name(day))] == names(day)
        for condition, ending in BY_CLIENT:
            query = f"explain select * from {name(day)} where {condition}"
            plan = "\n".join(row[0] for row in await connection.fetch(query))
            assert f"{name(day)}_{ending}" in plan, plan
        end = datetime(day.year, day.month, day.day, 13, tzinfo=UTC)
        assert await connection.fetchval("select last_end from lease_event_day where day = $1", day) == end
    assert await connection.fetch(OF_DAY, name(today)) == []
    assert await close_days(connection) == []


async def test_today_keeps_the_indexes_that_every_lease_pays(
    connection: asyncpg.Connection, today: date
) -> None:
    count = "select count(*) from pg_index where indrelid = $1::regclass"
    await close_days(connection)
    assert await connection.fetchval(count, name(today)) == await connection.fetchval(count, "lease_event")


async def test_an_index_whose_building_was_interrupted_is_built_anew(
    connection: asyncpg.Connection, database: str, today: date
) -> None:
    """It stands there, invalid, and PostgreSQL does not use it; others' unfinished ones are left alone."""
    oldest = name(today - timedelta(days=DAYS - 1))
    reader = await connect(database, server_settings={"idle_in_transaction_session_timeout": "0"})
    await reader.execute("begin isolation level repeatable read; select 1 from tenant")
    await connection.execute("set lock_timeout = '100ms'")
    for index in (f"{oldest}_hw_address on {oldest} (hw_address)", f"mine on {oldest} (iaid)"):
        with pytest.raises(asyncpg.LockNotAvailableError):
            await connection.execute(f"create index concurrently {index}")
    await connection.execute("reset lock_timeout")
    await reader.execute("rollback")
    await reader.close()
    assert await connection.fetch(OF_DAY, oldest) == []
    assert oldest in await close_days(connection)
    assert f"{oldest}_hw_address" in [row["relname"] for row in await connection.fetch(OF_DAY, oldest)]
    assert (
        await connection.fetchval("select indisvalid from pg_index where indexrelid = 'mine'::regclass")
        is False
    )


async def test_beside_a_reader_and_a_writer(
    connection: asyncpg.Connection, database: str, today: date
) -> None:
    """A dump is waited for; meanwhile leases are written, days are made, and who reads the log by transactions is not
    held back."""
    reader, writer = [
        await connect(database, server_settings={"idle_in_transaction_session_timeout": "0"})
        for _ in range(2)
    ]
    await reader.execute("begin isolation level repeatable read")
    assert await reader.fetchval("select count(*) from lease_event") == 2000 * (DAYS - 1)
    closing = asyncio.create_task(close_days(connection))
    waits = (
        "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and query like 'create index%'"
    )
    async with asyncio.timeout(20):
        while not await writer.fetchval(waits):
            assert not closing.done()
            await asyncio.sleep(0.01)
        await writer.execute(WRITE, datetime.now(UTC))
        await writer.execute("select make_lease_event_partition($1)", today + timedelta(days=30))
        held = "select pg_snapshot_xmin(pg_current_snapshot()) = pg_snapshot_xmax(pg_current_snapshot())"
        while not await writer.fetchval(held):  # noqa: ASYNC110 - autovacuum may have one for a moment
            await asyncio.sleep(0.01)
    assert await close_days(writer) == []  # one process at a time
    await reader.execute("rollback")
    async with asyncio.timeout(20):
        assert len(await closing) >= DAYS - 2
    for session in (reader, writer):
        await session.close()


async def test_notes_go_with_their_day_and_with_a_clock_that_went_back(
    connection: asyncpg.Connection, today: date
) -> None:
    await close_days(connection)
    note = "select count(*) from lease_event_day where day = $1"
    oldest, next_one = (today - timedelta(days=n) for n in (DAYS - 1, DAYS - 2))
    assert name(oldest) in await lease_retention.forget_days(connection, DAYS - 2)
    await connection.execute("update lease_event_day set noted_at = now() + interval '1 hour'")
    assert await close_days(connection) == [
        name(day)
        for day in over(today, await connection.fetchval("select now() at time zone 'UTC'"))
        if day != oldest
    ]
    assert await connection.fetchval(note, oldest) == 0
    assert await connection.fetchval(note, next_one) == 1


async def test_an_account_that_may_not_says_so(connection: asyncpg.Connection, today: date) -> None:
    assert today
    await connection.execute(
        "create role ipam_clerk3; grant all on all tables in schema public to ipam_clerk3"
    )
    try:
        await connection.execute("set role ipam_clerk3")
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await close_days(connection)
    finally:
        await connection.execute("reset role; drop owned by ipam_clerk3; drop role ipam_clerk3")
    async with lease_days.alone(connection) as elected:
        assert elected
