"""Duties once per host, however many workers it has.

To other servers a host is one node. It has one row among the nodes, which GET /nodes shows like a
server of one process, degraded while a worker is not ready. It has one number in the events that
its workers write, and one candidate for the lock of the server that writes expiry. Inside, each
worker prefers its own chunks of those that the node prefers (leases/pools.pyx), and writes the
expiry of its own clients' leases.

The lease feed is read once and forwarded as PostgreSQL sent it. It contains the workers' own events
too, because each needs those of the others.
"""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Protocol

import asyncpg

from dhcp_fast.database.change_listener import keep_listening
from dhcp_fast.database.connections import open_pool
from dhcp_fast.database.leases.feed_age import Horizon
from dhcp_fast.database.leases.lease_session import check_server
from dhcp_fast.database.leases.log_bounds import POSTGRES_EPOCH_MICROSECONDS, Bounds, LogBounds
from dhcp_fast.database.node import Heartbeat
from dhcp_fast.database.retry_loop import RETRY_SECONDS, repeat
from dhcp_fast.database.work_rates import together
from dhcp_fast.engine.engine import boot_clock
from dhcp_fast.server.drain import STOPPED
from dhcp_fast.workers.channel import EXPIRER, NODES, PIECE, Nodes, Window, frame
from dhcp_fast.workers.feed import NOBODY
from dhcp_fast.workers.process import Worker
from ipam_core.db import queries, schema
from ipam_core.settings import Settings

FEED_SECONDS = 0.25
DEREGISTER_SECONDS = 1.0


class Shown(Protocol):
    """Pages of the host itself (workers/http.py)."""

    def not_ready(self) -> str: ...
    def warnings(self) -> list[str]: ...


class Host:
    """Call `run` until canceled. Raises UnsafeServer, in a group, if the database must not hold leases."""

    def __init__(
        self,
        settings: Settings,
        dsn: str,
        workers: Sequence[Worker],
        shown: Shown,
        family: int = 4,
    ) -> None:
        self.dsn = dsn
        self.family = family
        self.workers = workers
        self.shown = shown
        self.heartbeat = Heartbeat(settings, family)
        self.feed = HostFeed(workers, family)
        self.nodes: Nodes | None = None
        self.is_expirer = False
        self.checked = False

    async def run(self) -> None:
        pool = await open_pool(self.dsn, 2)
        work = asyncio.create_task(self.work(pool))
        try:
            await asyncio.shield(work)
        finally:
            await self.end(pool, work)

    async def work(self, pool: asyncpg.Pool) -> None:
        async with asyncio.TaskGroup() as loops:
            loops.create_task(repeat("heartbeat", RETRY_SECONDS, partial(self.beat, pool)))
            loops.create_task(repeat("lease feed", FEED_SECONDS, partial(self.read_feed, pool)))
            loops.create_task(keep_listening(self.dsn, lambda *_: None, self.elect, family=self.family))

    async def beat(self, pool: asyncpg.Pool) -> None:
        """Write the heartbeat, and read the other live nodes."""
        reason, warnings = self.shown.not_ready(), self.shown.warnings()
        self.heartbeat.drained |= all(worker.reason == STOPPED for worker in self.workers)
        if not self.heartbeat.is_due(reason, warnings):
            return
        async with pool.acquire() as connection:
            if not self.checked:
                await check_server(connection)
                await schema.check(connection)
                self.checked = True
            done = together(worker.work for worker in self.workers)
            no = (await self.heartbeat.beat(connection, reason, done, warnings)).no
            others = [dict(row) for row in await self.heartbeat.others(connection, no)]
            found = Nodes(no, others, self.heartbeat.draining)
        if found != self.nodes:
            self.nodes = found
            for worker in self.workers:
                self.introduce(worker)

    async def read_feed(self, pool: asyncpg.Pool) -> None:
        async with pool.acquire() as connection:
            await self.feed.read(connection)

    def elect(self, elected: bool) -> None:
        self.is_expirer = elected
        for worker in self.workers:
            worker.tell(EXPIRER, elected)

    def introduce(self, worker: Worker) -> None:
        """Send a worker the known facts that it needs to begin."""
        if self.nodes is not None:
            worker.tell(NODES, self.nodes)
            worker.tell(EXPIRER, self.is_expirer)

    async def end(self, pool: asyncpg.Pool, work: "asyncio.Task[None]") -> None:
        """Stop: deregister and lose the sessions before what uses them is ended, within bounds: the database may
        hang."""
        leaving = asyncio.create_task(self.heartbeat.deregister(pool))
        await asyncio.wait({leaving}, timeout=DEREGISTER_SECONDS)
        pool.terminate()
        work.cancel()
        await asyncio.gather(leaving, work, return_exceptions=True)


class HostFeed:
    """Feed that reads `lease_event` and forwards it; database/leases/lease_feed.py explains the positions."""

    def __init__(self, workers: Sequence[Worker], family: int) -> None:
        self.workers = workers
        self.family = family
        self.queries = queries.load("dhcp_feed")
        self.history = ""
        self.version = 0
        self.cursor = 0
        self.horizon = Horizon()
        self.bounds = LogBounds()

    async def read(self, connection: asyncpg.Connection) -> None:
        """Send a window to all workers. Raises one of AWAY; then the window has no end, and the next one begins where
        it did."""
        before = boot_clock()
        position = await self.queries.read_position(connection)
        after = boot_clock()
        until = int(position["xmin"])
        if position["history"] != self.history or position["version"] < self.version:
            self.history, self.cursor, self.horizon = position["history"], until, Horizon()
            self.bounds = LogBounds()
        self.version = position["version"]
        bounds = await self.bounds.around(connection, self.cursor, position)
        clock = position["clock"] - POSTGRES_EPOCH_MICROSECONDS
        window = Window(self.history, self.version, self.cursor, until, clock, before, after)
        for worker in self.workers:
            worker.begin(window)
        if self.cursor != until:
            await self.pass_on(connection, window, bounds)
        self.cursor = until
        known = self.horizon.note(before, until, int(position["xmax"]))
        for worker in self.workers:
            worker.end(known)

    async def pass_on(self, connection: asyncpg.Connection, window: Window, bounds: Bounds) -> None:
        await connection.copy_from_query(
            self.queries.copy_events.sql.rstrip().rstrip(";"),
            str(window.since),
            str(window.until),
            NOBODY,
            *bounds,
            self.family,
            output=self.piece,
            format="binary",
        )

    async def piece(self, data: bytes) -> None:
        framed = frame(PIECE, data)
        for worker in self.workers:
            worker.piece(framed)
