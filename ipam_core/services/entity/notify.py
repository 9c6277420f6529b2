"""Telling the servers of changes that are committed already, a few milliseconds' worth at a time.

PostgreSQL lets one transaction with a notification commit after the other, its wait for the disk included. Writes
that are a single statement therefore leave the notification to this: the disk is then waited for by many at once.
If the process ends before it has spoken, the servers find the change by their own look, a second later.
"""

import asyncio
import contextlib

import asyncpg

from ipam_core.db import queries
from ipam_core.db.outage import FAILED

SQL = queries.load("change")
GATHER_SECONDS = 0.005


class Announcer:
    """One per process."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self.pool = pool
        self.waiting: set[int] = set()
        self.speaking: asyncio.Task[None] | None = None

    def __call__(self, subnet_no: int) -> None:
        self.waiting.add(subnet_no)
        if self.speaking is None or self.speaking.done():
            self.speaking = asyncio.get_running_loop().create_task(self.speak())

    async def speak(self) -> None:
        with contextlib.suppress(*FAILED):
            while self.waiting:
                await asyncio.sleep(GATHER_SECONDS)
                subnets, self.waiting = sorted(self.waiting), set()
                async with self.pool.acquire() as connection:
                    await SQL.announce(connection, subnets=subnets)
