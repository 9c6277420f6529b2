"""The sessions of a server, its lease writers' excepted: two small pools on one database."""

from typing import NamedTuple

import asyncpg

from ipam_core.db.connect import create_pool

COMMAND_SECONDS = 60


class Connections(NamedTuple):
    """`feed` is of feed and heartbeat, which wait behind no reading of the plan."""

    plan: asyncpg.Pool
    feed: asyncpg.Pool

    def terminate(self) -> None:
        """At once, also where PostgreSQL hangs; whoever still waits for an answer gets an error of AWAY."""
        self.plan.terminate()
        self.feed.terminate()


async def open_pools(dsn: str) -> Connections:
    """No session is made before one is asked for; that raises what asyncpg has to say of the URL."""
    return Connections(
        await create_pool(dsn, min_size=0, max_size=4, command_timeout=COMMAND_SECONDS),
        await create_pool(dsn, min_size=0, max_size=2, command_timeout=COMMAND_SECONDS),
    )
