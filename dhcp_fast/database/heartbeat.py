"""This server's sign of life, every few seconds and as soon as its state is another one.

It is a small commit of its own, so it also shows, on a server that nobody asks for leases, whether the database takes
writes: a standby, a full disk and a synchronous standby that is gone are seen here first.
"""

import asyncpg

from dhcp_fast.database.commit_stats import Waiting
from dhcp_fast.database.node import Node, claim
from dhcp_fast.engine.engine import boot_clock
from dhcp_fast.net.interfaces import served_interfaces
from ipam_core.settings import Settings

BEAT_MICROSECONDS = 5_000_000


class Heartbeat:
    """Of one server; `node` is its row once `claim` has found one."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.interfaces = served_interfaces(settings)
        self.node: Node | None = None
        self.waiting = Waiting()
        self.hung_before = False  # the last one took too long
        self.refusal = ""
        self.told = ""
        self.last = 0

    async def claim(self, connection: asyncpg.Connection) -> Node:
        if self.node is None:
            claimed = await claim(connection, self.settings)
            await claimed.note_interfaces(connection, self.interfaces)
            self.node = claimed
        return self.node

    def is_due(self, reason: str) -> bool:
        return reason != self.told or boot_clock() - self.last >= BEAT_MICROSECONDS

    async def beat(self, connection: asyncpg.Connection, reason: str) -> Node:
        """Write it; our row, which is another one when a longer silence has cost us the first."""
        now = boot_clock()
        self.waiting.begin()
        try:
            node = await self.write(connection, reason)
            self.refusal, self.told, self.last = "", reason, now
            return node
        except asyncpg.PostgresError as error:
            self.refusal = str(error)
            raise
        finally:
            self.hung_before = self.waiting.hung() > 0
            self.waiting.end()

    async def write(self, connection: asyncpg.Connection, reason: str) -> Node:
        node = await self.claim(connection)
        if not await node.beat(connection, "degraded" if reason else "ready", reason):
            self.node = None
            node = await self.claim(connection)
        return node

    async def deregister(self, pool: asyncpg.Pool) -> None:
        """Say that we serve no more, where we ever had a row."""
        if self.node is not None:
            async with pool.acquire() as connection:
                await self.node.beat(connection, "stopped")

    def not_ready(self) -> str:
        """Why the database takes no writes, by what became of the last one; empty when it does."""
        if hung := self.waiting.hung():
            return f"the database has not committed this server's heartbeat for {hung:.0f} s"
        return f"the database takes no writes: {self.refusal}" if self.refusal else ""
