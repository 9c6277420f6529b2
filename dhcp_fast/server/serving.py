"""A server of one family that has its leases and its plan in memory: sockets, engine, plan, feed
and writers together.

The path of a packet:

1. The event loop finds a socket readable.
2. Engine.receive takes up to 64 datagrams per system call, decides each in C, and sends the replies without a write.
3. LeaseWriters.kick gives the operations that are ready to an idle connection.
4. The statement's answer arrives; Batch.committed updates the cache and sends the replies.

Rows that were refused are read in `decide_rejected`, and with them the configuration if it had
changed.

The loops read changes of the plan once a second and when they are announced, run the clock that
expires offers and leases, and do the duties of the host (duties.py). While the database is away
they fail, log it, and retry; packets are still received, and answered once it is back if they are
young enough.
"""

import asyncio
from collections.abc import Coroutine, Iterator
from functools import partial
from itertools import starmap
from typing import Any

import asyncpg
import structlog
from prometheus_client.core import Metric

from dhcp_fast.database import client_alerts, fillfactor, pool_alerts
from dhcp_fast.database.change_listener import keep_listening
from dhcp_fast.database.connections import Connections
from dhcp_fast.database.leases import pool_refresh, reclaim
from dhcp_fast.database.leases.lease_writers import LeaseWriters
from dhcp_fast.database.leases.rejected_rows import decide_rejected
from dhcp_fast.database.retry_loop import repeat
from dhcp_fast.database.unavailable import Unavailability
from dhcp_fast.database.work_rates import Work
from dhcp_fast.engine.engine import Engine, boot_clock
from dhcp_fast.engine.notices import class_values, noticed, unknown_relays
from dhcp_fast.leasequery.tcp import BulkLeaseQueries
from dhcp_fast.leasequery.udp import LeaseQueries
from dhcp_fast.net.links import Links
from dhcp_fast.scheduling import REALTIME
from dhcp_fast.server import decision_log, duties, metrics
from dhcp_fast.server.addresses_in_use import LOOK_SECONDS as LOOK_AT_ADDRESSES
from dhcp_fast.server.addresses_in_use import AddressesInUse
from dhcp_fast.server.drain import Drain
from dhcp_fast.server.duties import Loop
from dhcp_fast.server.receiver import Receiver
from dhcp_fast.server.reconfigure import Reconfigurations
from dhcp_fast.server.relay_ownership import LOOK_SECONDS as LOOK_AT_RELAYS
from dhcp_fast.server.relay_ownership import RelayOwnership
from dhcp_fast.server.startup import Loaded, Startup, load_in_full_or_brief
from ipam_core.db.lease_log import LOOK_SECONDS
from ipam_core.faults import faults
from ipam_core.services.class_values import note_values
from ipam_core.services.trusted_relays import note_sources
from ipam_core.services.unknown_relays import note_unknown

PLAN_SECONDS = 1.0
TICK_SECONDS = 0.1
TICK_BATCH = 512
LOG_SECONDS = 10.0
TABLES_SECONDS = 3600.0
POOL_SECONDS = 2.0
FRESH_SECONDS = 5.0
ACKS = {4: "ack", 6: "reply"}

log = structlog.get_logger()


class Serving:
    """Server that is ready; call `run` until canceled, then `close`."""

    def __init__(self, startup: Startup, connections: Connections, loaded: Loaded) -> None:
        self.settings = startup.settings
        self.family = startup.family
        self.dsn = startup.dsn
        self.duties = startup.duties
        self.held = startup.opened.held
        self.sockets = self.held.all
        self.wires = startup.opened.wires
        self.pings = startup.pings
        self.lease_log = startup.lease_log
        self.connections = connections
        self.engine = loaded.engine
        self.feed = loaded.feed
        self.plan = loaded.plan
        self.unavailability = Unavailability()
        self.drain = Drain()
        self.in_quarantine = reclaim.InUse()
        self.last_feed = 0  # microseconds of the boot clock
        self.writers = self.make_writers(loaded.node_no)
        if startup.opened.frames is not None:
            self.engine.set_frames(startup.opened.frames)
        requesters = self.settings.leasequery_requesters
        self.queries = LeaseQueries(self.engine, self.sockets, connections, requesters)
        self.bulk_queries = BulkLeaseQueries(self.engine, startup.opened.listeners, self.dsn, requesters)
        self.ownership = RelayOwnership(self.settings.trusted_relays, self.family)
        self.addresses = AddressesInUse()
        self.reconfigurations = self.make_reconfigurations() if self.family == 6 else None
        self.links = startup.watch.links
        startup.watch.follow("wires", self.look_at_wires)
        self.receiver = Receiver(self.engine, self.held, self.writers, self.pings, self.queries.answer_all)

    def look_at_wires(self, links: Links) -> None:
        """Look at the interfaces: whether one leads to a real wire is found out anew where one has changed."""
        for sock in self.sockets if links != self.links else ():
            sock.forget_wires()
        self.links = links

    def make_writers(self, node_no: int) -> LeaseWriters:
        losers = partial(decide_rejected, self.feed, self.connections.plan, self.plan.catch_up)
        realtime = self.settings.dhcp_scheduling == REALTIME
        writers = LeaseWriters(
            self.dsn, self.engine, node_no, losers, self.feed.is_of, self.connections.feed, realtime=realtime
        )
        writers.missing_partition = self.lease_log.missing
        return writers

    def make_reconfigurations(self) -> Reconfigurations:
        told = Reconfigurations(
            self.engine,
            self.sockets,
            self.connections,
            is_elected=partial(self.duties.speaks_for_all, self.engine),
            addresses=lambda: [each for found in self.plan.config.served.values() for each in found],
        )
        self.plan.tell = told.begin
        return told

    async def run(self) -> None:
        subnets, leases = len(self.engine.plan.subnets), self.counters()["leases_known"]
        log.info(f"serving DHCPv{self.family}", subnets=subnets, leases=leases)
        async with asyncio.TaskGroup() as loops:
            for work in [*starmap(repeat, self.loops()), *self.works()]:
                loops.create_task(work)

    def close(self) -> None:
        """Listen to nobody any more."""
        self.receiver.close()
        self.queries.close()
        self.bulk_queries.close()
        if self.reconfigurations is not None:
            self.reconfigurations.close()
        self.pings.close()

    def works(self) -> list[Coroutine[Any, Any, None]]:
        """Return what runs beside the loops, for as long as the server serves."""
        return [
            repeat("configuration", PLAN_SECONDS, self.plan.read_changes, self.plan.pause),
            repeat("lease log", LOOK_SECONDS, self.tend_log, self.lease_log.pause),
            keep_listening(
                self.dsn,
                self.plan.announced,
                self.duties.expirer(self.engine),
                self.writers.look_at_blockers,
                self.family,
            ),
            self.writers.run(),
            *([self.bulk_queries.run()] if self.bulk_queries.listeners else []),
        ]

    def loops(self) -> list[Loop]:
        return [
            *self.duties.begin(self),
            ("leases in full", duties.FEED_SECONDS, self.read_in_full),
            ("exhausted subnets", duties.FEED_SECONDS, self.look_at_exhausted),
            ("clock", TICK_SECONDS, self.tick),
            ("drain", TICK_SECONDS, self.tend_drain),
            ("unusual log", LOG_SECONDS, self.log_unusual),
            ("relays", LOG_SECONDS, self.report_relays),
            ("relay ownership", LOOK_AT_RELAYS, self.look_at_relays),
            ("addresses in use", LOOK_AT_ADDRESSES, self.look_at_addresses),
            ("values of templates", LOG_SECONDS, self.report_values),
            ("tables", TABLES_SECONDS, self.tend_tables),
            ("pools", POOL_SECONDS, self.watch_pools),
        ]

    # --- tasks of the loops

    async def read_in_full(self) -> None:
        await self.feed.backfill(self.connections.plan)

    async def look_at_exhausted(self) -> None:
        await pool_refresh.look(self.engine, self.feed, self.connections.plan, self.in_quarantine)

    async def tick(self) -> None:
        while self.engine.tick() >= TICK_BATCH:
            self.writers.kick()
            await asyncio.sleep(0)
        self.writers.kick()
        self.pings.watch()
        self.drain.note(self.duties.is_to_drain())
        self.unavailability.note(
            self.writers, self.duties.not_ready(), self.cannot_commit(), drains=self.drain.begun
        )

    async def tend_drain(self) -> None:
        is_over = self.drain.is_over()
        self.receiver.discard(is_over)
        if is_over:
            self.duties.note_drained()

    async def log_unusual(self) -> None:
        decision_log.write(self.engine)

    async def report_relays(self) -> None:
        """Report relays that were turned away, for the operator's list at /trusted-relays/unknown, and of those that
        are trusted from where their packets came."""
        found, seen = unknown_relays(self.engine), self.engine.plan.take_senders()
        if found:
            rows = [(self.feed.address(number), count) for number, count in found]
            async with self.connections.plan.acquire() as connection:
                await note_unknown(connection, rows)
        if seen:
            async with self.connections.plan.acquire() as connection:
                await note_sources(connection, [(no, self.feed.address(number)) for no, number in seen])

    async def look_at_relays(self) -> None:
        await self.ownership.look(self.connections.plan, tells=self.duties.speaks_for_all(self.engine))

    async def look_at_addresses(self) -> None:
        elected = self.duties.speaks_for_all(self.engine)
        await self.addresses.look(self.engine, self.feed, self.connections.plan, elected=elected)

    async def report_values(self) -> None:
        """Report what clients brought to templates, for the operator's list at /client-classes/{id}/values."""
        found = class_values(self.engine)
        if found:
            async with self.connections.plan.acquire() as connection:
                await note_values(connection, found)

    async def watch_pools(self) -> None:
        elected = self.duties.speaks_for_all(self.engine)
        await pool_alerts.look(self.engine, self.connections.plan, self.settings.pool_high_percent, elected)
        await client_alerts.look(self.engine, self.connections.plan)

    async def tend_tables(self) -> None:
        async with self.connections.plan.acquire() as connection:
            await fillfactor.tend(connection)

    async def tend_log(self) -> None:
        """Tend the log. Rows that wait for a partition are tried again in any case: another server may have made it."""
        try:
            async with self.connections.plan.acquire() as connection:
                await self.lease_log.tend(connection)
        finally:
            self.writers.resume()

    # --- calls by the host's duties

    async def read_anew(self, connection: asyncpg.Connection) -> None:
        """Read anew, because the database's history is another one: all that is in memory may be of the former."""
        log.warning("the database was promoted or restored; reloading everything")
        await self.plan.reload_everything(connection)
        await load_in_full_or_brief(self.feed, self.settings, self.dsn, connection)

    async def read_unknown(self, connection: asyncpg.Connection) -> None:
        """Read rows of our own writes without a known outcome, because the feed leaves our events out."""
        if self.writers.unknown:
            keys = [(tenant_no, self.feed.address(address)) for tenant_no, address, _ in self.writers.unknown]
            await self.feed.read_rows(connection, keys)
            del self.writers.unknown[: len(keys)]

    def note_feed_read(self) -> None:
        """Note that all commits until now are known."""
        self.last_feed = boot_clock()

    def writes_as(self, node_no: int) -> None:
        self.feed.node_no = self.writers.node_no = node_no

    # --- state for metrics and health pages

    def not_ready(self) -> str:
        """Return why leases cannot be committed; empty when they can."""
        reason = self.drain.reason() or self.unserved() or self.lease_log.not_ready() or self.cannot_commit()
        return reason or self.unavailability.not_ready()

    def unserved(self) -> str:
        """Return why no packet reaches us; empty where some do."""
        return self.wires.not_ready() if self.wires else ""

    def cannot_commit(self) -> str:
        if reason := self.writers.not_ready() or self.duties.not_ready():
            return reason
        if self.feed_age() > FRESH_SECONDS:
            return "the database has not answered for some seconds"
        return ""

    def traced(self) -> Engine:
        return self.engine

    def warnings(self) -> list[str]:
        config = self.plan.config
        relays = self.ownership.warnings(config.relays or [], config.tenants)
        wires = self.wires.warnings() if self.wires else []
        return wires + self.lease_log.warnings() + config.warnings() + relays + faults.warnings()

    def days_ahead(self) -> int | None:
        return self.lease_log.ahead

    def counters(self) -> dict[str, Any]:
        found: dict[str, Any] = self.engine.counters()
        return found | {"noticed": noticed(self.engine), "pages_to_read": self.feed.pages_to_read}

    def work(self) -> Work:
        counted = self.engine.counters()
        acks = counted["replied"].get(ACKS[self.family], 0)
        return Work(sum(counted["received"].values()), acks, list(self.writers.commits.seconds.counts))

    def families(self) -> Iterator[Metric]:
        yield from pool_alerts.families(self.engine, self.plan.config.tenants)
        yield metrics.unserved(len(self.plan.config.unserved()))
        yield from metrics.families(self.writers)
        yield from self.queries.families()
        yield from self.bulk_queries.families()

    def feed_age(self) -> float:
        return (boot_clock() - self.last_feed) / 1e6 if self.last_feed else 0.0

    def feed_lag(self) -> float:
        known = self.feed.horizon.known
        return (boot_clock() - known) / 1e6 if known else 0.0
