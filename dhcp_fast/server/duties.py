"""Duties that are done once per host, however many processes serve its clients. They are the number
among the nodes with its sign of life, reading the lease feed, and waiting for the lock of the
server that writes expiry (engine rule 17).

A server that is alone does them itself (`OwnHost`); a worker leaves them to its supervisor
(workers/duties.py).
"""

from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Any, Protocol

import asyncpg

from dhcp_fast.database.connections import Connections
from dhcp_fast.database.leases.initial_load import load_beside
from dhcp_fast.database.leases.lease_feed import LeaseFeed
from dhcp_fast.database.leases.lease_writers import LeaseWriters
from dhcp_fast.database.node import Heartbeat
from dhcp_fast.database.peer_coordination import meet_peers
from dhcp_fast.database.retry_loop import RETRY_SECONDS
from dhcp_fast.database.work_rates import Work
from dhcp_fast.engine.configure import set_nodes
from dhcp_fast.engine.engine import Engine
from dhcp_fast.engine.pool_usage import is_elected
from dhcp_fast.net.links import Links
from ipam_core.settings import Settings

FEED_SECONDS = 0.25

Loop = tuple[str, float, Callable[[], Awaitable[None]]]  # name, seconds between two steps, step
Reading = Coroutine[Any, Any, None]


class Served(Protocol):
    """A server that serves, as the host's duties see it: `Serving` of serving.py."""

    connections: Connections
    engine: Engine
    feed: LeaseFeed
    writers: LeaseWriters

    async def read_anew(self, connection: asyncpg.Connection) -> None:
        """Read anew, because the database's history is another one: memory may contain the former."""

    async def read_unknown(self, connection: asyncpg.Connection) -> None:
        """Read the rows without a known outcome."""

    def note_feed_read(self) -> None:
        """Note that all commits until now are known."""

    def writes_as(self, node_no: int) -> None:
        """Take the number by which its events are known."""

    def not_ready(self) -> str:
        """Return why leases cannot be committed; empty when they can."""

    def warnings(self) -> list[str]:
        """Return what an operator must see to, although leases can be written."""

    def work(self) -> Work:
        """Return what it has done since it started."""


class HostDuties(Protocol):
    """Duties of the host, as one of its servers sees them."""

    async def claim(self, connection: asyncpg.Connection) -> int:
        """Return the host's number among the nodes, by which its events are known."""

    def join(self, engine: Engine) -> None:
        """Set an empty engine's share of the clients."""

    async def load(self, leases: Reading, plan: Reading, engine: Engine) -> None:
        """Load both readings into the engine, in an order in which it knows its share."""

    def begin(self, serving: Served) -> list[Loop]:
        """Begin to serve; return the repeated tasks."""

    def expirer(self, engine: Engine) -> Callable[[bool], None] | None:
        """Return the receiver of news about the lock for writing expiry; None: another process handles it."""

    def speaks_for_all(self, engine: Engine) -> bool:
        """Return whether only this process reports pools that run full and sends Reconfigure messages."""

    async def count_in(self, feed: LeaseFeed, connection: asyncpg.Connection, fresh: list[int]) -> None:
        """Count in the leases of subnets whose addresses are new to the engine, where they are not in it already."""

    def follow(self, links: Links) -> None:
        """Follow the interfaces, which are others, or have other addresses."""

    def not_ready(self) -> str:
        """Return why the database accepts no writes, by the host's sign of life; empty if it does."""

    def is_to_drain(self) -> bool:
        """Return whether an operator takes the host out of service."""

    def note_drained(self) -> None:
        """Note that the server is drained; the host reports so among the nodes when all its servers are."""

    async def deregister(self, pool: asyncpg.Pool) -> None:
        """Deregister the host, which serves no more, among the nodes."""


class OwnHost:
    """A server that is alone: all of it is its own."""

    def __init__(self, settings: Settings, family: int = 4) -> None:
        self.settings = settings
        self.heartbeat = Heartbeat(settings, family)

    async def claim(self, connection: asyncpg.Connection) -> int:
        return (await self.heartbeat.claim(connection)).no

    def join(self, engine: Engine) -> None:
        """Join alone: it serves all clients."""

    async def load(self, leases: Reading, plan: Reading, engine: Engine) -> None:
        await load_beside(leases, plan, engine)

    def begin(self, serving: Served) -> list[Loop]:
        return [
            ("lease feed", FEED_SECONDS, partial(self.read_feed, serving)),
            ("heartbeat", RETRY_SECONDS, partial(self.beat, serving)),
        ]

    def expirer(self, engine: Engine) -> Callable[[bool], None] | None:
        expirer: Callable[[bool], None] = engine.set_expirer
        return expirer

    def speaks_for_all(self, engine: Engine) -> bool:
        return bool(is_elected(engine))

    async def count_in(self, feed: LeaseFeed, connection: asyncpg.Connection, fresh: list[int]) -> None:
        """Do nothing: they are counted in already, and each has its entry."""

    def follow(self, links: Links) -> None:
        self.heartbeat.follow(links)

    def not_ready(self) -> str:
        return self.heartbeat.not_ready()

    def is_to_drain(self) -> bool:
        return self.heartbeat.draining

    def note_drained(self) -> None:
        self.heartbeat.drained = True

    async def deregister(self, pool: asyncpg.Pool) -> None:
        await self.heartbeat.deregister(pool)

    # --- again and again

    async def read_feed(self, serving: Served) -> None:
        async with serving.connections.feed.acquire() as connection:
            if not await serving.feed.read(connection):
                await serving.read_anew(connection)
            await serving.read_unknown(connection)
        serving.note_feed_read()

    async def beat(self, serving: Served) -> None:
        """Write the heartbeat, and read the other live nodes."""
        reason, warnings = serving.not_ready(), serving.warnings()
        if not self.heartbeat.is_due(reason, warnings):
            return
        async with serving.connections.feed.acquire() as connection:
            no = (await self.heartbeat.beat(connection, reason, serving.work(), warnings)).no
            if self.heartbeat.hung_before:
                serving.writers.commits.proved()
            serving.writes_as(no)
            others = await self.heartbeat.others(connection, no)
            set_nodes(serving.engine, no, [row["no"] for row in others])
            if serving.engine.family == 6:
                heard = self.heartbeat.interfaces, self.heartbeat.present
                meet_peers(serving.engine, no, others, *heard)
