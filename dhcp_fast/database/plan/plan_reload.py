"""Reload of the plan in the engine after changes in the database.

Changes are read once a second and when they are announced. A batch that a newer plan refused does
not wait for that: its subnets are read at once, and one reading serves all batches that wait for
the same subnet.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Any

from asyncpg import Connection, Pool

from dhcp_fast.database.plan import plan_rows
from dhcp_fast.database.plan.plan_feed import PlanFeed
from dhcp_fast.database.plan.plan_loader import Configuration
from dhcp_fast.engine.engine import boot_clock
from dhcp_fast.net.links import Links

# Called with the subnets whose addresses are new, before a client is served there.
CountIn = Callable[[Connection, list[int]], Awaitable[None]]


def ignore(reconfigurations: list[Mapping[str, Any]]) -> None:
    """Ignore messages to DHCPv6 clients, which only some servers send."""


class PlanReload:
    """Call `read_all` first, then `read_changes` regularly, after `pause`.

    `tell` is called with the messages to clients.
    """

    def __init__(self, config: Configuration, pool: Pool, count_in: CountIn) -> None:
        self.config = config
        self.engine = config.engine
        self.pool = pool
        self.count_in = count_in
        self.feed = PlanFeed()
        self.tell: Callable[[list[Mapping[str, Any]]], None] = ignore
        self.changed = asyncio.Event()
        self.reloading = asyncio.Lock()

    async def read_all(self, connection: Connection) -> None:
        """Perform the first reading, before there are packets. Raises UnfinishedSchemaError, or one of AWAY as all
        readings do."""
        before = boot_clock()
        self.feed.begin(await self.config.read_all(connection))
        self.engine.note_plan_read(before)

    async def read_changes(self) -> None:
        """Read changes since the last time into the engine; after an error the next reading repeats it."""
        before = boot_clock()
        async with self.pool.acquire() as connection:
            changes = await self.feed.read(connection)
            subnets = changes.subnets | self.config.due_again()
            if changes.everything or self.config.is_outdated:
                await self.reload_everything(connection)
            elif subnets or changes.overall:
                await self.reload(connection, subnets)
            self.feed.served(changes)
        self.tell(changes.reconfigurations)
        self.engine.note_plan_read(before)

    async def reload(self, connection: Connection, numbers: set[int]) -> None:
        """Reload these subnets as they are now, with those that share a wire with them."""
        async with self.reloading:  # an older reading must not be applied over a newer one
            await self.take_in(connection, numbers)

    async def take_in(self, connection: Connection, numbers: set[int]) -> None:
        """Read the subnets, and serve those whose addresses are new once it is known who has which."""
        fresh = await self.config.read(connection, numbers)
        await self.count_in(connection, fresh)
        await self.config.recount(fresh)

    async def reload_everything(self, connection: Connection) -> None:
        """Reload all subnets, and what concerns all: some at a time, so that neither packets nor a change of one subnet
        wait for ten thousand."""
        before, interfaces = boot_clock(), self.config.numbers
        position, numbers = await plan_rows.read_numbers(connection, self.engine.family)
        for some in self.config.portions(numbers):
            await self.reload(connection, some)
        self.feed.begin(position)
        self.config.compiled_with = interfaces
        self.engine.note_plan_read(before)

    async def catch_up(self, fences: Mapping[int, int | None], anew: Collection[int]) -> None:
        """Catch up: subnets up to these fences (None: that the subnet is gone), and `anew` those of which a lease that
        the plan does not show was in the way."""
        async with self.reloading:
            numbers = {no for no, fence in fences.items() if not self.config.is_as_new(no, fence)} | {*anew}
            if numbers:
                async with self.pool.acquire() as connection:
                    await self.take_in(connection, numbers)

    def announced(self, *_: Any) -> None:
        """End the pause, because there is a change."""
        self.changed.set()

    def follow(self, links: Links) -> None:
        """Follow the interfaces, which are others, or have other addresses."""
        self.config.follow(links)
        if self.config.is_outdated:
            self.changed.set()

    async def pause(self, seconds: float) -> None:
        """Wait until a change is announced, so long at most."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.changed.wait()
        self.changed.clear()
