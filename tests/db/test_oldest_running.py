"""Up to which transaction a reader of the logs may go: numbers are all databases', its own alone counts.

A number whose transaction ends between the snapshot and the look at the sessions counts as running, whichever database
it is of. So what a look says may be less than what is asked for here, and another look a moment later says it.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg

from ipam_core.db.connect import connect
from ipam_core.db.queries import FRAGMENTS

OLDEST = f"select {FRAGMENTS['{oldest running}']}::text::bigint"
WRITE = "select pg_current_xact_id()::text::bigint"
PLAIN = "ipam_test_plain_reader"
SECONDS = 10.0


@asynccontextmanager
async def writing(dsn: str) -> AsyncIterator[tuple[asyncpg.Connection, int]]:
    """A session whose transaction has written, and its number."""
    session = await connect(dsn)
    await session.execute("begin")
    try:
        yield session, await session.fetchval(WRITE)
    finally:
        await session.close()


async def reaches(sessions: Any, number: int) -> int:
    """What is said as soon as that is no less than `number`."""
    async with asyncio.timeout(SECONDS):
        while (found := await sessions.fetchval(OLDEST)) < number:  # noqa: ASYNC110 - the database tells nobody
            await asyncio.sleep(0.01)
    return int(found)


async def test_a_transaction_of_another_database_holds_nobody_up(
    pool: asyncpg.Pool, postgres_dsn: str
) -> None:
    """What is written after it has begun may be read while it runs."""
    async with writing(postgres_dsn):
        later = await pool.fetchval(WRITE)
        assert await reaches(pool, later + 1) > later


async def test_one_of_this_database_does(pool: asyncpg.Pool, database: str, postgres_dsn: str) -> None:
    """The oldest of them, whatever runs elsewhere below and above it."""
    async with (
        writing(postgres_dsn),
        writing(database) as (session, lower),
        writing(postgres_dsn),
        writing(database),
    ):
        await pool.fetchval(WRITE)
        assert await reaches(pool, lower) == lower
        await session.execute("savepoint a; create temporary table written ()")
        assert await reaches(pool, lower) == lower


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
            assert await reaches(session, later + 1) > later
        finally:
            await session.execute(f"reset role; drop role {PLAIN}")
