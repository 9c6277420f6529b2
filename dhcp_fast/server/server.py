"""The DHCPv4 server: wires sockets, engine, configuration, feed and writers together.

A packet's walk: the event loop finds a socket readable -> Engine.receive takes up to 64 datagrams a system call,
decides each in C, and sends what needs no write -> LeaseWriters.kick gives the operations that are ready to an idle
connection -> the statement's answer arrives, Batch.committed teaches the cache and sends the replies. Rows that were
refused are read in `losers`, and with them the configuration where it had changed.

Around it run the loops: the lease feed four times a second, the plan's changes once a second and whenever they are
announced, a heartbeat, and the clock that lapses offers and leases. When the database is away they fail, say so, and go
on by themselves; packets are still received, and answered once it is back if they are young enough.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping
from functools import partial
from ipaddress import IPv4Address
from itertools import starmap
from typing import Any

import asyncpg
import structlog

from dhcp_fast.database import exhausted, fillfactor, node, plan_reader, pool_alerts
from dhcp_fast.database.change_listener import attend
from dhcp_fast.database.heartbeat import Heartbeat
from dhcp_fast.database.initial_load import load_beside, without_collecting
from dhcp_fast.database.lease_feed import LeaseFeed, PlanFeed
from dhcp_fast.database.lease_session import check_server
from dhcp_fast.database.lease_writer import LeaseWriters
from dhcp_fast.database.plan_loader import Configuration, new_engine, note_surroundings
from dhcp_fast.database.rejected_rows import look_again
from dhcp_fast.database.retry_loop import RETRY_SECONDS, repeat
from dhcp_fast.database.unavailable import Reticence
from dhcp_fast.engine.configure import set_nodes
from dhcp_fast.engine.engine import Engine, boot_clock
from dhcp_fast.engine.notices import noticed, unknown_relays
from dhcp_fast.engine.pool_usage import is_elected
from dhcp_fast.net.interfaces import served_interfaces
from dhcp_fast.net.listen import open_frames, open_sockets
from dhcp_fast.net.packet_socket import FrameSocket
from dhcp_fast.net.udp import UdpSocket
from dhcp_fast.scheduling import REALTIME
from dhcp_fast.server import decision_log, http, metrics
from dhcp_fast.server.ping_timer import Pings
from dhcp_fast.server.receiver import Ears
from dhcp_fast.structures.heap import put_heap_on_huge_pages
from ipam_core.db import schema
from ipam_core.db.connect import create_pool
from ipam_core.db.lease_log import LOOK_SECONDS, LeaseLog
from ipam_core.db.outage import AWAY, reason
from ipam_core.db.pulse import pulse
from ipam_core.errors import SettingsError
from ipam_core.services.unknown_relays import note_unknown
from ipam_core.settings import Settings

FEED_SECONDS = 0.25
PLAN_SECONDS = 1.0
TICK_SECONDS = 0.1
TICK_BATCH = 512
LOG_SECONDS = 10.0
TABLES_SECONDS = 3600.0
POOL_SECONDS = 2.0
GOODBYE_SECONDS = 1.0
FRESH_SECONDS = 5.0

Loop = tuple[str, float, Callable[[], Awaitable[None]]]  # name, seconds between two steps, step

log = structlog.get_logger()


class Server:
    """`run` until cancelled."""

    def __init__(self, settings: Settings, dsn: str) -> None:
        self.settings = settings
        self.dsn = dsn
        self.pool: asyncpg.Pool | None = None
        self.feed_pool: asyncpg.Pool | None = (
            None  # of feed and heartbeat, which wait behind no reading of the plan
        )
        self.engine: Engine | None = None
        self.writers: LeaseWriters | None = None
        self.feed: LeaseFeed | None = None
        self.ears: Ears | None = None
        self.heart = Heartbeat(settings)
        self.reticence = Reticence()
        self.lease_log = LeaseLog()
        self.plan_feed = PlanFeed()
        self.plan_changed = asyncio.Event()
        self.reloading = asyncio.Lock()
        self.reason = "starting"
        self.last_feed = 0
        self.loaded: Callable[[], None] = lambda: None  # heard when configuration and leases are in memory
        self.pings = Pings(settings.dhcp4_ping_ms, lambda: self.known_writers().kick())
        self.config: Configuration | None = None
        self.frames, self.sockets = self.open()
        self.served = served_interfaces(settings)

    def open(self) -> tuple[FrameSocket | None, list[UdpSocket]]:
        return open_frames(self.settings), open_sockets(self.settings)

    async def run(self) -> None:
        shown = await self.show()
        work = asyncio.create_task(self.serve())
        try:
            await asyncio.shield(work)
        finally:
            shown.close()
            await self.end(work)

    async def serve(self) -> None:
        async with pulse(self.dsn):  # `attend` has its own
            await self.prepare()
        self.listen()
        async with asyncio.TaskGroup() as loops:
            for work in [*starmap(repeat, self.loops()), *self.works()]:
                loops.create_task(work)

    def works(self) -> list[Coroutine[Any, Any, None]]:
        """What runs beside the loops, for as long as the server serves."""
        return [
            repeat("configuration", PLAN_SECONDS, self.read_changes, self.pause),
            repeat("lease log", LOOK_SECONDS, self.tend_log, self.lease_log.pause),
            attend(self.dsn, self.heard, self.chosen(), self.known_writers().look_at_blockers),
            self.known_writers().run(),
        ]

    async def show(self) -> asyncio.Server:
        return await http.serve(self, self.settings.health_listen)

    # --- start and end

    async def prepare(self) -> None:
        """Configuration and leases into memory; again and again until the database is there."""
        while True:
            try:
                await self.read_everything()
                return
            except asyncpg.ClientConfigurationError as error:
                raise SettingsError("database_url", str(error)) from None
            except (*AWAY, plan_reader.UnfinishedSchemaError) as error:
                self.cannot_read(reason(error))
                await self.close_pool()
                await asyncio.sleep(RETRY_SECONDS)

    def cannot_read(self, error: str) -> None:
        """Logged once, until the reason is another one."""
        told = f"the database cannot be read: {error}"
        if told != self.reason:
            log.warning("database not available", error=error)
        self.reason = told

    async def read_everything(self) -> None:
        with without_collecting():
            await self.read_plan_and_leases()
        put_heap_on_huge_pages()
        self.loaded()

    async def read_plan_and_leases(self) -> None:
        self.pool = await create_pool(self.dsn, min_size=0, max_size=4, command_timeout=60)
        self.feed_pool = await create_pool(self.dsn, min_size=0, max_size=2, command_timeout=60)
        async with self.pool.acquire() as connection:
            await check_server(connection)
            await schema.check(connection)
            node_no = await self.claim(connection)
            await self.lease_log.tend(connection)
            self.engine = engine = self.make_engine(await plan_reader.read_key(connection))
            self.feed = self.make_feed(engine, node_no)
            self.config = Configuration(engine, self.settings, self.served, self.pings.serve)
            async with self.pool.acquire() as other:
                await self.load(self.load_leases(connection), self.read_plan(other), engine)
        realtime = self.settings.dhcp_scheduling == REALTIME
        losers = partial(look_again, self)
        is_known = self.feed.is_of
        self.writers = LeaseWriters(self.dsn, engine, node_no, losers, is_known, realtime=realtime)
        self.writers.missing_partition = self.lease_log.missing
        self.reason = ""

    load = staticmethod(load_beside)

    def chosen(self) -> Callable[[bool], None] | None:
        return self.known_engine().set_expirer

    async def claim(self, connection: asyncpg.Connection) -> int:
        return (await self.heart.claim(connection)).no

    def make_engine(self, hash_key: tuple[int, int]) -> Engine:
        return new_engine(hash_key, self.settings)

    def make_feed(self, engine: Engine, node_no: int) -> LeaseFeed:
        return LeaseFeed(engine, node_no)

    async def read_plan(self, connection: asyncpg.Connection) -> None:
        before = boot_clock()
        self.plan_feed.begin(await self.configuration().read_all(connection))
        self.known_engine().note_plan_read(before)

    async def load_leases(self, connection: asyncpg.Connection) -> None:
        """In brief; where leases are counted by circuit, each row has to tell its own from the first packet on."""
        in_full = self.settings.dhcp4_leases_per_circuit > 0
        await self.known_feed().load(connection, None if in_full else self.dsn)

    def listen(self) -> None:
        engine = self.known_engine()
        if self.frames is not None:
            engine.set_frames(self.frames)
        self.ears = Ears(engine, self.sockets, self.known_writers(), self.pings)
        log.info("serving DHCPv4", subnets=len(engine.plan.subnets), leases=self.counters()["leases_known"])

    async def end(self, work: "asyncio.Task[None]") -> None:
        """Hear no more, say goodbye, lose the sessions, and only then end the work: a loop that is cancelled in the
        midst of a statement waits for its end, and PostgreSQL may hang."""
        if self.ears is not None:
            self.ears.close()
        self.pings.close()
        goodbye = asyncio.create_task(self.say_goodbye())
        await asyncio.wait({goodbye}, timeout=GOODBYE_SECONDS)
        await self.close_pool()
        work.cancel()
        await asyncio.gather(goodbye, work, return_exceptions=True)
        for sock in self.sockets:
            sock.close()

    async def say_goodbye(self) -> None:
        if self.feed_pool is not None:
            async with self.feed_pool.acquire() as connection:
                await self.heart.say_goodbye(connection)

    async def close_pool(self) -> None:
        for pool in (self.pool, self.feed_pool):
            if pool is not None:
                pool.terminate()
        self.pool = self.feed_pool = None

    # --- configuration

    async def reload(self, connection: asyncpg.Connection, numbers: set[int] | None) -> None:
        """Subnets as they are now, with those that share a wire with them; None: all of them, and what concerns all."""
        if numbers is None:
            await self.reload_everything(connection)
            return
        async with self.reloading:  # an older reading must not be applied over a newer one
            fresh = await self.configuration().read(connection, numbers)
            await self.count_in(connection, fresh)
            await self.configuration().settle(fresh)

    async def catch_up(self, fences: Mapping[int, int | None]) -> None:
        """Subnets up to these fences. Of all who wait here for one subnet, the first reads it for the others."""
        async with self.reloading:
            numbers = {no for no, fence in fences.items() if not self.configuration().is_as_new(no, fence)}
            if numbers:
                async with self.known_pool().acquire() as connection:
                    await self.count_in(connection, await self.configuration().read(connection, numbers))

    async def count_in(self, connection: asyncpg.Connection, fresh: list[int]) -> None:
        """The leases of subnets whose addresses are new are counted in already: each has its entry."""

    async def reload_everything(self, connection: asyncpg.Connection) -> None:
        """Some subnets at a time, so that neither packets nor a change of one subnet wait for ten thousand."""
        before = boot_clock()
        position, numbers = await plan_reader.read_numbers(connection)
        for some in self.configuration().portions(numbers):
            await self.reload(connection, some)
        self.plan_feed.begin(position)
        self.known_engine().note_plan_read(before)

    # --- loops

    def loops(self) -> list[Loop]:
        return [
            *self.host_loops(),
            ("leases in full", FEED_SECONDS, self.tell_leases),
            ("exhausted subnets", FEED_SECONDS, self.look_at_exhausted),
            ("clock", TICK_SECONDS, self.tick),
            ("unusual log", LOG_SECONDS, self.log_unusual),
            ("unknown relays", LOG_SECONDS, self.report_relays),
            ("tables", TABLES_SECONDS, self.tend_tables),
            ("pools", POOL_SECONDS, self.watch_pools),
        ]

    def host_loops(self) -> list[Loop]:
        """What is done once a host."""
        return [("lease feed", FEED_SECONDS, self.read_feed), ("heartbeat", RETRY_SECONDS, self.beat)]

    async def pause(self, seconds: float) -> None:
        """Until a change is announced."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.plan_changed.wait()
        self.plan_changed.clear()

    async def read_feed(self) -> None:
        feed = self.known_feed()
        async with self.known_feed_pool().acquire() as connection:
            if not await feed.read(connection):
                log.warning("the database was promoted or restored; reading everything anew")
                await self.reload(connection, None)
                await self.load_leases(connection)
            await self.read_unknown(connection)
        self.last_feed = boot_clock()

    async def tell_leases(self) -> None:
        await self.known_feed().tell_rest(self.known_pool())

    async def read_unknown(self, connection: asyncpg.Connection) -> None:
        """Writes of ours whose outcome nobody told: the feed leaves our own events out, so look at the rows."""
        writers = self.known_writers()
        if writers.unknown:
            keys = [(tenant_no, IPv4Address(address)) for tenant_no, address, _ in writers.unknown]
            await self.known_feed().read_rows(connection, keys)
            del writers.unknown[: len(keys)]

    async def look_at_exhausted(self) -> None:
        await exhausted.look(self.known_engine(), self.known_feed(), self.known_pool())

    async def read_subnets(self, connection: asyncpg.Connection, numbers: Iterable[int]) -> None:
        for no in numbers:
            view = self.known_engine().plan.subnets.get(no)
            if view is not None:
                await self.known_feed().read_subnet(connection, *view.span)

    async def read_changes(self) -> None:
        before = boot_clock()
        async with self.known_pool().acquire() as connection:
            changes = await self.plan_feed.read(connection)
            if changes.everything:
                await self.reload(connection, None)
            elif changes.subnets or changes.relays:
                await self.reload(connection, changes.subnets)
            self.plan_feed.served(changes)
        self.known_engine().note_plan_read(before)

    def heard(self, *_: Any) -> None:
        self.plan_changed.set()

    async def beat(self) -> None:
        """Say that we live, and learn who else does."""
        reason = self.not_ready()
        if not self.heart.is_due(reason):
            return
        async with self.known_feed_pool().acquire() as connection:
            no = (await self.heart.beat(connection, reason)).no
            if self.heart.hung_before:
                self.known_writers().commits.proved()
            self.known_feed().node_no = self.known_writers().node_no = no
            engine = self.known_engine()
            set_nodes(engine, no, await node.others(connection, no))
            note_surroundings(engine, self.settings)

    async def tick(self) -> None:
        engine = self.known_engine()
        while engine.tick() >= TICK_BATCH:
            self.known_writers().kick()
            await asyncio.sleep(0)
        self.known_writers().kick()
        self.pings.watch()
        self.reticence.heed(self.known_writers(), self.heart.not_ready(), self.cannot_commit())

    async def log_unusual(self) -> None:
        decision_log.write(self.known_engine())

    async def report_relays(self) -> None:
        """Relays that were turned away, for the operator's list at /trusted-relays/unknown."""
        found = unknown_relays(self.known_engine())
        if found:
            async with self.known_pool().acquire() as connection:
                await note_unknown(connection, [(IPv4Address(giaddr), count) for giaddr, count in found])

    async def watch_pools(self) -> None:
        engine = self.known_engine()
        await pool_alerts.look(
            engine, self.known_pool(), self.settings.pool_high_percent, self.is_watcher(engine)
        )

    def is_watcher(self, engine: Engine) -> bool:
        """Whether this process is the one that tells of pools that run full."""
        return is_elected(engine)

    async def tend_tables(self) -> None:
        async with self.known_pool().acquire() as connection:
            await fillfactor.tend(connection)

    async def tend_log(self) -> None:
        """What waits for a partition is tried again in any case: another server may have made it."""
        try:
            async with self.known_pool().acquire() as connection:
                await self.lease_log.tend(connection)
        finally:
            self.known_writers().resume()

    # --- what can be seen

    def not_ready(self) -> str:
        """Why leases cannot be committed; empty when they can."""
        if reason := self.reason or self.lease_log.not_ready():
            return reason
        return self.cannot_commit()

    def cannot_commit(self) -> str:
        if reason := self.known_writers().not_ready() or self.heart.not_ready():
            return reason
        if self.feed_age() > FRESH_SECONDS:
            return "the database has not answered for some seconds"
        return ""

    def warnings(self) -> list[str]:
        return [warning] if (warning := self.lease_log.warning()) else []

    def days_ahead(self) -> int | None:
        return self.lease_log.ahead

    def counters(self) -> dict[str, Any]:
        if self.engine is None:
            return metrics.NOTHING
        untold = self.known_feed().pages_untold
        return self.engine.counters() | {"noticed": noticed(self.engine), "pages_untold": untold}

    def feed_age(self) -> float:
        return (boot_clock() - self.last_feed) / 1e6 if self.last_feed else 0.0

    def feed_lag(self) -> float:
        known = self.feed.horizon.known if self.feed is not None else 0
        return (boot_clock() - known) / 1e6 if known else 0.0

    def known_engine(self) -> Engine:
        assert self.engine is not None
        return self.engine

    @property
    def tenants(self) -> dict[int, str]:
        """Names by number."""
        return self.config.tenants if self.config is not None else {}

    def configuration(self) -> Configuration:
        assert self.config is not None
        return self.config

    def known_writers(self) -> LeaseWriters:
        assert self.writers is not None
        return self.writers

    def known_feed(self) -> LeaseFeed:
        assert self.feed is not None
        return self.feed

    def known_pool(self) -> asyncpg.Pool:
        if self.pool is None:
            raise ConnectionError("no connection to the database")
        return self.pool

    def known_feed_pool(self) -> asyncpg.Pool:
        if self.feed_pool is None:
            raise ConnectionError("no connection to the database")
        return self.feed_pool
