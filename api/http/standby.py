"""Reads that a standby of the database may answer, which the primary then has no work with.

Such a read shows everything that was committed before it was asked, whoever wrote it and through whichever API: the
primary says how far its log has been written, and the standby answers once it has replayed that much. One that has not
within a moment, is of another history, or does not answer at all is left alone until it has caught up, and the primary
is read as if there were none.

A count of seconds since a client's last write would not do: what it wrote through another API process would be missing.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import asyncpg
import structlog

from ipam_core.db import queries
from ipam_core.db.outage import AWAY, FAILED, reason

T = TypeVar("T")
Work = Callable[[Any], Awaitable[T]]

SQL = queries.load("standby")
log = structlog.get_logger("api")

CATCH_UP_SECONDS = 0.2  # a standby on a wire of its own is behind by a millisecond or two
LOOK_AGAIN_SECONDS = 0.005
ANSWER_SECONDS = 1.0
WORK_SECONDS = 4.0  # of the nine that a request has
BEAT_SECONDS = 1.0


class Behind(Exception):
    """The standby has not replayed what a read has to show."""


class Standby:
    """The standbys of a database as one place to read from."""

    def __init__(self, primary: asyncpg.Pool, pool: asyncpg.Pool, count: Callable[[str], None]) -> None:
        """Take the pool. `pool` holds sessions with standbys alone; `count` gets the place of each read, or why not
        here."""
        self.primary = primary
        self.pool = pool
        self.count = count
        self.usable = False
        self.fault = ""

    async def read(self, work: Work[T], otherwise: Callable[[Work[T]], Awaitable[T]]) -> T:
        """Read by `work` on a standby; `otherwise` does it on the primary. What `work` itself refuses stays refused."""
        if not self.usable:
            self.count("unusable")
            return await otherwise(work)
        try:
            found = await self.attempt(work)
        except Behind:
            return await self.give_up("late", work, otherwise)
        except AWAY:
            return await self.give_up("failed", work, otherwise)
        self.count("standby")
        return found

    async def give_up(self, why: str, work: Work[T], otherwise: Callable[[Work[T]], Awaitable[T]]) -> T:
        self.usable = False
        self.count(why)
        return await otherwise(work)

    async def attempt(self, work: Work[T]) -> T:
        async with self.primary.acquire(timeout=ANSWER_SECONDS) as connection:
            position = await SQL.written(connection)
        async with self.pool.acquire(timeout=ANSWER_SECONDS) as connection:
            async with asyncio.timeout(ANSWER_SECONDS):
                await catch_up(connection, **position)
            async with asyncio.timeout(WORK_SECONDS):
                return await work(connection)

    async def keep(self) -> None:
        """Keep finding out for ever whether the standby can be read, so that no request waits for one that cannot."""
        while True:
            with contextlib.suppress(Behind):
                await self.look()
            await asyncio.sleep(BEAT_SECONDS)

    async def look(self) -> None:
        """Log why there is no standby, once until the reason is another one; raises Behind."""
        try:
            await self.attempt(nothing)
        except FAILED as error:
            if reason(error) != self.fault:
                log.warning("no standby answers; reading from the primary", error=reason(error))
            self.fault = reason(error)
        else:
            self.usable, self.fault = True, ""


async def nothing(_connection: Any) -> None:
    pass


async def catch_up(connection: Any, timeline: str, lsn: str) -> None:
    """Wait until the standby has replayed the timeline up to `lsn`; raises Behind."""
    deadline = asyncio.get_running_loop().time() + CATCH_UP_SECONDS
    while not await SQL.replayed(connection, timeline=timeline, lsn=lsn):
        if asyncio.get_running_loop().time() > deadline:
            raise Behind
        await asyncio.sleep(LOOK_AGAIN_SECONDS)
