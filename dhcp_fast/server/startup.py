"""The beginning of a server: its sockets are opened at once, its leases and its plan are read as
soon as the database is there. Until then /readyz reports what it waits for; packets wait in the
sockets.
"""

import asyncio
import socket
from collections.abc import Iterator, Sequence
from functools import partial
from http import HTTPStatus
from typing import Any, NamedTuple

import asyncpg
import structlog
from prometheus_client.core import Metric

from dhcp_fast.database.connections import Connections
from dhcp_fast.database.leases.initial_load import without_collecting
from dhcp_fast.database.leases.lease_feed import LeaseFeed
from dhcp_fast.database.leases.lease_session import check_server
from dhcp_fast.database.plan import plan_rows
from dhcp_fast.database.plan.plan_loader import Configuration, new_engine
from dhcp_fast.database.plan.plan_reload import PlanReload
from dhcp_fast.database.retry_loop import RETRY_SECONDS
from dhcp_fast.database.work_rates import Work
from dhcp_fast.engine.engine import Engine
from dhcp_fast.engine.reconfigure import share_secret
from dhcp_fast.net.listen import open_frames, open_listeners, open_sockets
from dhcp_fast.net.packet_socket import FrameSocket
from dhcp_fast.server import metrics
from dhcp_fast.server.duties import HostDuties
from dhcp_fast.server.held_sockets import HeldSockets
from dhcp_fast.server.link_watch import LinkWatch
from dhcp_fast.server.ping_timer import PingTimer
from dhcp_fast.server.trace_stream import refused
from dhcp_fast.server.wires import Wires
from dhcp_fast.structures.heap import put_heap_on_huge_pages
from ipam_core.db import queries, schema
from ipam_core.db.lease_log import LeaseLog
from ipam_core.db.outage import AWAY, reason
from ipam_core.errors import SettingsError
from ipam_core.setting_values import Endpoint
from ipam_core.settings import Settings

log = structlog.get_logger()


class Opened(NamedTuple):
    """Sockets: where a server listens: its page for health and metrics, the clients, and who asks for leases over TCP.
    `frames` answers clients without an address at layer 2, where interfaces are served. `wires` binds interfaces as
    they come; a worker's supervisor does that for it."""

    page: Endpoint | socket.socket
    frames: FrameSocket | None
    held: HeldSockets
    watch: LinkWatch
    listeners: Sequence[socket.socket] = ()
    wires: Wires | None = None

    def close(self) -> None:
        self.held.close()
        for listener in self.listeners:
            listener.close()


def open_all(settings: Settings, family: int = 4) -> Opened:
    """Raise SettingsError where an endpoint cannot be served."""
    watch = LinkWatch()
    frames = open_frames(settings) if family == 4 else None
    held = HeldSockets(open_sockets(settings, family, watch.links))
    wires = Wires(settings, family, held, watch.links)
    watch.follow("sockets", wires.follow)
    addresses = [sock.address[:2] for sock in held.all if sock.interface is None]
    listeners = open_listeners(settings, addresses, family)
    return Opened(settings.health_listen, frames, held, watch, listeners, wires)


class Loaded(NamedTuple):
    """A server's memory when it begins to serve, and the number by which its events are known."""

    engine: Engine
    feed: LeaseFeed
    plan: PlanReload
    node_no: int


async def load_in_full_or_brief(
    feed: LeaseFeed, settings: Settings, dsn: str, connection: asyncpg.Connection
) -> None:
    """Load in brief; in full where leases are counted by circuit, because each row's circuit must
    be known from the first packet on.
    """
    await feed.load(connection, None if settings.dhcp4_leases_per_circuit > 0 else dsn)


class Unfilled:
    """Placeholder in place of an engine while the database has not said its key: nothing is counted, nobody can be
    traced."""

    def counters(self) -> dict[str, Any]:
        return {}

    def traced(self) -> Engine:
        raise refused(HTTPStatus.SERVICE_UNAVAILABLE, "the server is still starting")


class Filled(NamedTuple):
    """The engine while plan and leases are read into it."""

    engine: Engine

    def counters(self) -> dict[str, Any]:
        return self.engine.counters()

    def traced(self) -> Engine:
        return self.engine


class Startup:
    """`read` until there is something to serve. To /readyz and /metrics it is what the server is by then."""

    def __init__(self, settings: Settings, dsn: str, duties: HostDuties, opened: Opened, family: int) -> None:
        self.settings = settings
        self.family = family
        self.dsn = dsn
        self.duties = duties
        self.opened = opened
        self.pings = PingTimer(settings.dhcp4_ping_ms)
        self.lease_log = LeaseLog()
        self.watch = opened.watch
        self.watch.follow("duties", duties.follow)
        self.filling: Unfilled | Filled = Unfilled()
        self.reason = "starting"

    async def read(self, connections: Connections) -> Loaded:
        """Read configuration and leases into memory; again and again until the database is there."""
        while True:
            try:
                with without_collecting():
                    loaded = await self.read_plan_and_leases(connections)
                put_heap_on_huge_pages()
                return loaded
            except asyncpg.ClientConfigurationError as error:
                raise SettingsError("database_url", str(error)) from None
            except (*AWAY, plan_rows.UnfinishedSchemaError) as error:
                self.cannot_read(reason(error))
                await asyncio.sleep(RETRY_SECONDS)

    def cannot_read(self, error: str) -> None:
        """Log the reason once, until it is another one."""
        told = f"the database cannot be read: {error}"
        if told != self.reason:
            log.warning("database not available", error=error)
        self.reason = told

    async def read_plan_and_leases(self, connections: Connections) -> Loaded:
        async with connections.plan.acquire() as connection:
            await check_server(connection)
            await schema.check(connection)
            node_no = await self.duties.claim(connection)
            await self.lease_log.tend(connection)
            engine = await self.make_engine(connection)
            feed = LeaseFeed(engine, node_no)
            config = Configuration(engine, self.settings, self.watch.links, self.pings.serve)
            plan = PlanReload(config, connections.plan, partial(self.duties.count_in, feed))
            self.watch.follow("plan", plan.follow)
            async with connections.plan.acquire() as other:
                leases = load_in_full_or_brief(feed, self.settings, self.dsn, connection)
                await self.duties.load(leases, plan.read_all(other), engine)
        return Loaded(engine, feed, plan, node_no)

    async def make_engine(self, connection: asyncpg.Connection) -> Engine:
        engine = new_engine(await plan_rows.read_key(connection), self.settings, self.family)
        if self.family == 6:
            share_secret(engine, await queries.load("reconfigure").read_secret(connection))
        self.filling = Filled(engine)
        self.duties.join(engine)
        return engine

    def close(self) -> None:
        """Listen no more; the sockets of clients were not listened to yet."""
        self.pings.close()

    # --- state for metrics and health pages

    def not_ready(self) -> str:
        return self.reason

    def warnings(self) -> list[str]:
        wires = self.opened.wires
        return (wires.warnings() if wires else []) + self.lease_log.warnings()

    def counters(self) -> dict[str, Any]:
        return metrics.NOTHING | self.filling.counters()

    def work(self) -> Work:
        """Return None yet."""
        return Work()

    def traced(self) -> Engine:
        """Raise Refused while there is no engine yet."""
        return self.filling.traced()

    def families(self) -> Iterator[Metric]:
        yield from ()

    def feed_age(self) -> float:
        return 0.0

    def feed_lag(self) -> float:
        return 0.0

    def days_ahead(self) -> int | None:
        return self.lease_log.ahead
