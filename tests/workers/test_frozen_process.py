"""A worker that stands still, with a transaction open perhaps; on a PostgreSQL of its own, in which no other test's
transactions are seen."""

import asyncio
import signal
from typing import Any

import asyncpg
import pytest
from own_postgres import fresh_database
from workers.site import Site
from workers.test_process import assert_another_goes_on, settings, subnet, until, worker

from dhcp_fast.database.connections import open_pools
from ipam_core.db.connect import connect, create_pool, short_statements
from ipam_core.processes.worker import open_pool
from ipam_core.workers.ddns_events import everything
from ipam_core.workers.worker import end_frozen

__all__ = ["fresh_database", "settings", "subnet", "worker"]

pytestmark = pytest.mark.own_database


async def test_another_worker_goes_on(pool: asyncpg.Pool, site: Site, subnet: Any, worker: Any) -> None:
    await assert_another_goes_on(pool, site, worker, signal.SIGSTOP)


async def test_what_is_left_between_two_messages_of_a_statement_ends(fresh_database: str) -> None:
    """PostgreSQL does not call it idle, and readers of the log would wait for it for ever."""
    async with await create_pool(fresh_database, server_settings=short_statements(1)) as sessions:
        left, reader = await sessions.acquire(), await sessions.acquire()
        await left.execute("begin; select pg_current_xact_id()")
        await left.prepare("select 1")  # and nothing follows
        state = "select state from pg_stat_activity where pid = $1"
        assert await reader.fetchval(state, left.get_server_pid()) == "active"
        await until(lambda: is_over(reader))
        left.terminate()
        await sessions.release(reader)


async def test_a_long_reading_that_stands_still_is_ended_by_another_worker(fresh_database: str) -> None:
    """One that stands still between two messages; a long statement and an idle transaction are left to their limits."""
    left, busy, reader = [await connect(fresh_database) for _ in range(3)]
    for session in (left, busy):
        await session.execute("begin; set local statement_timeout = '15min'; select pg_current_xact_id()")
    await left.prepare("select 1")  # and nothing follows
    working = asyncio.create_task(busy.fetchval("select pg_sleep(3)"))
    await asyncio.sleep(1.5)
    await end_frozen(reader, 1.0)
    await working
    assert left.is_closed()
    await busy.close()
    await until(lambda: is_over(reader))
    await reader.close()


async def is_over(reader: asyncpg.Connection) -> bool:
    return bool(
        await reader.fetchval("select pg_snapshot_xmin(s) = pg_snapshot_xmax(s) from pg_current_snapshot() s")
    )


async def test_sessions_of_servers_and_workers_are_limited(fresh_database: str) -> None:
    servers = await open_pools(fresh_database)
    async with servers.plan, servers.feed, open_pool(fresh_database) as worker:
        limits = [await pool.fetchval("show statement_timeout") for pool in (*servers, worker)]
    assert limits == ["75s", "75s", "30s"]


async def test_a_reading_of_much_takes_its_time(pool: asyncpg.Pool, site: Site) -> None:
    """What waited for a minute and all addresses, each in its transaction alone."""
    limit = "show statement_timeout"
    async with pool.acquire() as session:
        before = await session.fetchval(limit)
        async with session.transaction():
            await everything(session)
            assert await session.fetchval(limit) == "15min"
        assert await session.fetchval(limit) == before
        for _ in range(2):  # the cursor is made, then all is compared
            await site.events.read(session)
        for waited, taken in (("0 s", before), ("2 min", "15min")):
            await session.execute("update worker_cursor set updated_at = now() - $1::text::interval", waited)
            async with session.transaction():
                await site.events.read(session)
                assert await session.fetchval(limit) == taken
