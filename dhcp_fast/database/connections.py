"""The sessions of a server, its lease writers' excepted: two small pools on one database."""

from typing import NamedTuple

import asyncpg

from ipam_core.db.connect import create_pool, short_statements

COMMAND_SECONDS = 60
STATEMENT_SECONDS = 75  # in PostgreSQL, where nobody waits any more
PLAN_SESSIONS = 4  # of everything else that reads or writes, whatever it is
FEED_SESSIONS = 2


class Connections(NamedTuple):
    """`feed` is of feed and heartbeat, which wait behind no reading of the plan."""

    plan: asyncpg.Pool
    feed: asyncpg.Pool

    def terminate(self) -> None:
        """Terminate at once, also where PostgreSQL hangs; callers that still wait get an error of AWAY."""
        self.plan.terminate()
        self.feed.terminate()


async def open_pools(dsn: str) -> Connections:
    """Open pools without a session; the first one raises asyncpg's errors of the URL."""
    return Connections(await open_pool(dsn, PLAN_SESSIONS), await open_pool(dsn, FEED_SESSIONS))


async def open_pool(dsn: str, most: int) -> asyncpg.Pool:
    limited = short_statements(STATEMENT_SECONDS)
    return await create_pool(
        dsn, min_size=0, max_size=most, command_timeout=COMMAND_SECONDS, server_settings=limited
    )
