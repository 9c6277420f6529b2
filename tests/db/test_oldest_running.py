"""Up to which transaction a reader of the logs may go: numbers are all databases', its own alone counts."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg

from ipam_core.db.connect import connect
from ipam_core.db.queries import FRAGMENTS

OLDEST = f"select {FRAGMENTS['{oldest running}']}::text::bigint"
WRITE = "select pg_current_xact_id()::text::bigint"
END = "select pg_snapshot_xmax(pg_current_snapshot())::text::bigint"
PLAIN = "ipam_test_plain_reader"


@asynccontextmanager
async def writing(dsn: str) -> AsyncIterator[tuple[asyncpg.Connection, int]]:
    """A session whose transaction has written, and its number."""
    session = await connect(dsn)
    await session.execute("begin")
    try:
        yield session, await session.fetchval(WRITE)
    finally:
        await session.close()


async def test_a_transaction_of_another_database_holds_nobody_up(
    pool: asyncpg.Pool, postgres_dsn: str
) -> None:
    """What is written after it has begun may be read while it runs."""
    async with writing(postgres_dsn):
        assert await pool.fetchval(OLDEST) <= (later := await pool.fetchval(WRITE))
        assert await pool.fetchval(OLDEST) > later


async def test_one_of_this_database_does(pool: asyncpg.Pool, database: str, postgres_dsn: str) -> None:
    """The oldest of them, whatever runs elsewhere below and above it."""
    async with (
        writing(postgres_dsn),
        writing(database) as (session, lower),
        writing(postgres_dsn),
        writing(database),
    ):
        await pool.fetchval(WRITE)
        assert await pool.fetchval(OLDEST) == lower
        await session.execute("savepoint a; create temporary table written ()")
        assert await pool.fetchval(OLDEST) == lower


async def test_nobody_runs(pool: asyncpg.Pool) -> None:
    """Everything that had begun is over."""
    async with pool.acquire() as session, session.transaction(isolation="repeatable_read"):
        assert await session.fetchval(OLDEST) == await session.fetchval(END)


async def test_a_transaction_that_ends_after_the_snapshot(pool: asyncpg.Pool, database: str) -> None:
    """What the snapshot does not see yet is not taken for over, although nobody runs it any more."""
    async with pool.acquire() as reader, reader.transaction(isolation="repeatable_read"):
        async with writing(database) as (session, number):
            await reader.fetchval("select 1")
            await session.execute("commit")
        assert await reader.fetchval(OLDEST) <= number


async def test_every_account_may_ask(pool: asyncpg.Pool, postgres_dsn: str) -> None:
    """Sessions of others show it their database and their transaction's number."""
    async with pool.acquire() as session, writing(postgres_dsn):
        await session.execute(f"create role {PLAIN}")
        try:
            await session.execute(f"set role {PLAIN}")
            later = await session.fetchval(WRITE)
            assert await session.fetchval(OLDEST) > later
        finally:
            await session.execute(f"reset role; drop role {PLAIN}")
