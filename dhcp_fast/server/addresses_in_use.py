"""Addresses that no pool gives because machines visibly use them, as far as a server sees that (decisions: Never
leased): relays whose packets it gets. Its own addresses go with its heartbeat (database/node.py)."""

import time

import asyncpg

from dhcp_fast.database.leases.lease_feed import LeaseFeed
from dhcp_fast.engine.engine import Engine
from dhcp_fast.engine.notices import is_urgent, seen_relays
from ipam_core.services.addresses_in_use import forget, judge, note_relays

LOOK_SECONDS = 1.0
REPORT_SECONDS = 10.0
FORGET_SECONDS = 60.0
JUDGE_SECONDS = 3600.0  # between two looks at all of them


class AddressesInUse:
    """Call `look` regularly; the servers read its findings with the plan."""

    def __init__(self) -> None:
        self.reported = self.forgotten = self.judged = time.monotonic()

    async def look(self, engine: Engine, feed: LeaseFeed, pool: asyncpg.Pool, *, elected: bool) -> None:
        """Look again. `elected`: whether this process is the one of all that forgets and judges. An address that is new
        is reported at once."""
        if not is_urgent(engine) and time.monotonic() - self.reported < REPORT_SECONDS:
            return
        self.reported = time.monotonic()
        seen = [(no, feed.address(number), packets) for no, number, packets in seen_relays(engine)]
        if not (seen or elected):
            return
        async with pool.acquire() as connection:
            if seen:
                await note_relays(connection, seen)
            if elected:
                await self.tend(connection)

    async def tend(self, connection: asyncpg.Connection) -> None:
        now = time.monotonic()
        everything = now - self.judged >= JUDGE_SECONDS
        await judge(connection, all_of_them=everything)
        self.judged = now if everything else self.judged
        if now - self.forgotten >= FORGET_SECONDS:
            await forget(connection)
            self.forgotten = now
