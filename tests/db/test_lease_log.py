"""The days of lease_event: made beside readers and writers, by whoever comes first, and said when they cannot be."""

import asyncio
from datetime import timedelta

import asyncpg
import pytest

from ipam_core.db.lease_log import DAYS_AHEAD, LeaseLog

WRITE = """
insert into lease_event (at, xid, version, granted_at, expires_at, reuse_at, tenant_no, subnet_no, prefix_length,
  ia_type, kind, state, address, client_key)
values (now(), pg_current_xact_id(), 2, now(), now(), now(), 1, 1, 32, 0, 'g', 'a', '10.0.0.1', '')"""
DAYS = """
select relname from pg_inherits join pg_class on pg_class.oid = inhrelid
where inhparent = 'lease_event'::regclass order by 1"""
INDEXES = "select count(*) from pg_index where indrelid = $1::regclass and indisvalid"
TRIGGERS = "select tgname from pg_trigger where tgrelid = $1::regclass"
CHECKS = "select count(*) from pg_constraint where conrelid = $1::regclass and contype = 'c'"


async def drop_days(connection: asyncpg.Connection, keep: int = 0) -> list[str]:
    """All but the first few; the names of all."""
    names = [row["relname"] for row in await connection.fetch(DAYS)]
    for name in names[keep:]:
        await connection.execute(f"drop table {name}")
    return names


async def test_days_are_made_beside_a_reader_and_its_writers(pool: asyncpg.Pool) -> None:
    """A dump holds the whole table open; neither the maker nor the writers wait for its end."""
    async with pool.acquire() as reader, pool.acquire() as maker, pool.acquire() as writer:
        names = await drop_days(maker, 2)
        await reader.execute("begin isolation level repeatable read")
        await reader.fetchval("select count(*) from lease_event")
        async with asyncio.timeout(10):
            log = LeaseLog()
            await log.tend(maker)
            await writer.execute(WRITE)
        assert [row["relname"] for row in await maker.fetch(DAYS)] == names
        assert (log.ahead, log.trouble) == (DAYS_AHEAD, "")
        await reader.execute("rollback")


async def test_a_day_that_is_attached_is_as_one_that_was_made_in_place(pool: asyncpg.Pool) -> None:
    """With every index and the trigger that keeps rows as they are; its bounds alone say which rows it takes."""
    async with pool.acquire() as connection:
        await drop_days(connection)
        await LeaseLog().tend(connection)
        await connection.execute(WRITE)
        day = await connection.fetchval("select tableoid::regclass::text from lease_event")
        assert (
            await connection.fetchval(INDEXES, day) == await connection.fetchval(INDEXES, "lease_event") == 3
        )
        assert "lease_event_append_only" in {row["tgname"] for row in await connection.fetch(TRIGGERS, day)}
        assert await connection.fetchval(CHECKS, day) == 0
        for statement in (f"update {day} set tenant_no = 7", f"delete from {day}"):
            with pytest.raises(asyncpg.InsufficientPrivilegeError, match="append-only"):
                await connection.execute(statement)


async def test_several_make_them_at_once(pool: asyncpg.Pool) -> None:
    async with pool.acquire() as connection:
        names = await drop_days(connection)

    async def tend() -> LeaseLog:
        log = LeaseLog()
        async with pool.acquire() as connection:
            await log.tend(connection)
        return log

    logs = await asyncio.gather(*(tend() for _ in range(6)))
    assert {(log.ahead, log.trouble) for log in logs} == {(DAYS_AHEAD, "")}
    assert [row["relname"] for row in await pool.fetch(DAYS)] == names


async def test_servers_of_older_versions_make_them_in_the_same_way(pool: asyncpg.Pool) -> None:
    async with pool.acquire() as reader, pool.acquire() as maker:
        names = await drop_days(maker, 2)
        await reader.execute("begin")
        await reader.fetchval("select count(*) from lease_event")
        async with asyncio.timeout(10):
            assert await maker.fetchval("select make_lease_event_partitions(14)") == len(names) - 2
        assert await maker.fetchval("select make_lease_event_partitions(14)") == 0
        await reader.execute("rollback")


async def test_a_table_that_is_being_changed_is_tried_again(pool: asyncpg.Pool) -> None:
    log = LeaseLog()
    async with pool.acquire() as maker, pool.acquire() as other:
        await drop_days(maker, 14)
        await other.execute("begin; lock table lease_event in share update exclusive mode")
        await log.tend(maker)
        assert log.warnings() == []
        assert (log.trouble, log.ahead) == ("another session is changing the table", 12)
        await other.execute("rollback")
        await log.tend(maker)
        assert (log.trouble, log.ahead) == ("", DAYS_AHEAD)


@pytest.mark.parametrize(
    ("kept", "ready", "warns"), [(5, True, False), (4, True, True), (2, False, True), (1, False, True)]
)
async def test_an_account_that_may_not_make_them(
    kept: int, ready: bool, warns: bool, pool: asyncpg.Pool
) -> None:
    """It says so and why, while some days are left; and that it is not ready when tomorrow has none."""
    log = LeaseLog()
    async with pool.acquire() as connection:
        await drop_days(connection, kept)
        await connection.execute(
            "create role ipam_clerk; grant all on all tables in schema public to ipam_clerk"
        )
        try:
            await connection.execute("set role ipam_clerk")
            await log.tend(connection)
        finally:
            await connection.execute("reset role; drop owned by ipam_clerk; drop role ipam_clerk")
    assert log.ahead == kept - 2
    assert "must own lease_event" in log.trouble
    assert (log.not_ready() == "") == ready
    assert bool(log.warnings()) == warns
    assert all(log.trouble in said for said in filter(None, [log.not_ready(), *log.warnings()]))


@pytest.mark.parametrize("days", [20, -3])
async def test_days_follow_a_clock_that_jumped(days: int, pool: asyncpg.Pool) -> None:
    """More than two weeks on, or more than a day back, as a database sees it whose days are others."""
    async with pool.acquire() as connection:
        names = await drop_days(connection)
        today = (await connection.fetchrow("select (now() at time zone 'UTC')::date as today"))["today"]
        for n in range(-1, DAYS_AHEAD + 1):
            day = today + timedelta(days=n - days)
            await connection.execute("select make_lease_event_partition($1)", day)
        log = LeaseLog()
        await log.tend(connection)
        assert log.ahead >= DAYS_AHEAD
        assert set(names) <= {row["relname"] for row in await connection.fetch(DAYS)}
        await connection.execute(WRITE)


async def test_a_table_of_a_day_that_somebody_detached_is_attached_again(pool: asyncpg.Pool) -> None:
    async with pool.acquire() as connection:
        await connection.execute(WRITE)
        day = await connection.fetchval("select tableoid::regclass::text from lease_event")
        await connection.execute(f"alter table lease_event detach partition {day}")
        log = LeaseLog()
        await log.tend(connection)
        assert log.ahead == DAYS_AHEAD
        assert await connection.fetchval("select count(*) from lease_event") == 1
