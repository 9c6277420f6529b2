"""Duties of a worker: most of them are the supervisor's.

The supervisor sends the host's number among the nodes, whether to write expiry, and the lease feed.
The worker loads the lease table, reads the configuration and writes leases by itself, as any server
does.
"""

import asyncio
from collections.abc import Callable, Mapping

import asyncpg
import msgspec

from dhcp_fast.database.leases.initial_load import load_in_turn
from dhcp_fast.database.leases.lease_feed import LeaseFeed
from dhcp_fast.database.peer_coordination import Interfaces, meet_peers
from dhcp_fast.engine.configure import join_host, set_nodes
from dhcp_fast.engine.engine import Engine
from dhcp_fast.engine.pool_usage import is_elected
from dhcp_fast.net.links import Links
from dhcp_fast.net.listen import interfaces_of
from dhcp_fast.server.duties import FEED_SECONDS, Loop, Reading, Served
from dhcp_fast.workers.channel import BEGIN, END, EXPIRER, NODES, PIECE, Nodes, Window
from dhcp_fast.workers.feed import NOBODY, ForwardedFeed
from dhcp_fast.workers.sockets import Part
from ipam_core.settings import Settings


class SupervisedDuties:
    """HostDuties of a worker: `told` handles the supervisor's messages, also before it serves."""

    def __init__(self, settings: Settings, part: Part) -> None:
        self.settings = settings
        self.part = part
        self.nodes = Nodes(NOBODY, [])
        self.introduced = asyncio.Event()
        self.links = Links()
        self.interfaces: Interfaces = {}
        self.expires = False
        self.uncounted: set[int] = set()
        self.worker: ServingWorker | None = None  # once it serves

    async def claim(self, connection: asyncpg.Connection) -> int:  # noqa: ARG002 - the supervisor did
        await self.introduced.wait()
        return self.nodes.mine

    def join(self, engine: Engine) -> None:
        part = self.part
        join_host(engine, part.seed, part.index, part.count, part.shared_memory())

    async def load(self, leases: Reading, plan: Reading, engine: Engine) -> None:
        await load_in_turn(leases, plan, engine)

    def begin(self, serving: Served) -> list[Loop]:
        self.worker = ServingWorker(serving, self.interfaces, self.links.indexes())
        self.worker.note_nodes(self.nodes)
        serving.engine.set_expirer(self.expires)
        return [("unknown outcomes", FEED_SECONDS, self.worker.read_unknown)]

    def expirer(self, engine: Engine) -> Callable[[bool], None] | None:  # noqa: ARG002 - any engine's
        """Return the expirer: the supervisor holds the lock, or tries for it."""
        return None

    def speaks_for_all(self, engine: Engine) -> bool:
        """Return one of the host's workers: each counts its own offers, so they would not agree."""
        return self.part.index == 0 and bool(is_elected(engine))

    async def count_in(self, feed: LeaseFeed, connection: asyncpg.Connection, fresh: list[int]) -> None:
        """Ask the database for leases of other workers' clients in subnets whose addresses are new, because it alone
        has them."""
        self.uncounted |= set(fresh)
        await feed.read_subnets(connection, self.uncounted)
        self.uncounted = set()

    def follow(self, links: Links) -> None:
        """Follow the other servers on the interfaces that are served now."""
        if links == self.links:
            return
        self.links = links
        self.interfaces = links.served(interfaces_of(self.settings, self.part.family), self.part.family)
        if self.worker is not None:
            self.worker.interfaces, self.worker.present = self.interfaces, links.indexes()
            self.worker.note_nodes(self.nodes)

    def not_ready(self) -> str:
        """Return the reason of the supervisor's sign of life."""
        return ""

    def is_to_drain(self) -> bool:
        return self.nodes.drain

    def note_drained(self) -> None:
        """Do nothing: the supervisor sees it by the worker's reason."""

    async def deregister(self, pool: asyncpg.Pool) -> None:
        """Do nothing: the host continues without this worker."""

    async def told(self, kind: bytes, body: bytes) -> None:
        """Handle a frame from the supervisor. Raises one of AWAY where what was missed has to be read and cannot be."""
        if kind == NODES:
            self.nodes = msgspec.json.decode(body, type=Nodes)
            self.introduced.set()
            if self.worker is not None:
                self.worker.note_nodes(self.nodes)
        elif kind == EXPIRER:
            self.expires = msgspec.json.decode(body, type=bool)
            if self.worker is not None:
                self.worker.serving.engine.set_expirer(self.expires)
        elif self.worker is not None:
            await self.worker.told_of_leases(kind, body)


class ServingWorker:
    """A worker that serves, as its supervisor's news reach it."""

    def __init__(self, serving: Served, interfaces: Interfaces, present: Mapping[str, int]) -> None:
        self.serving = serving
        self.interfaces = interfaces  # that the host serves
        self.present = present  # numbers of all interfaces
        self.feed = ForwardedFeed(serving.feed)

    def note_nodes(self, nodes: Nodes) -> None:
        self.serving.writes_as(nodes.mine)
        engine = self.serving.engine
        set_nodes(engine, nodes.mine, [row["no"] for row in nodes.others])
        if engine.family == 6:
            meet_peers(engine, nodes.mine, nodes.others, self.interfaces, self.present)

    async def read_unknown(self) -> None:
        """Read rows with an unknown outcome."""
        async with self.serving.connections.plan.acquire() as connection:
            await self.serving.read_unknown(connection)

    async def told_of_leases(self, kind: bytes, body: bytes) -> None:
        if kind == BEGIN:
            self.feed.leave()
            await self.begin(msgspec.json.decode(body, type=Window))
        elif kind == PIECE:
            self.feed.piece(body)
        elif kind == END and self.feed.end(msgspec.json.decode(body, type=int)):
            self.serving.note_feed_read()

    async def begin(self, window: Window) -> None:
        connections = self.serving.connections.plan
        if not self.feed.knows(window):
            async with connections.acquire() as connection:
                await self.serving.read_anew(connection)
        if self.feed.has_gap(window):
            async with connections.acquire() as connection:
                await self.feed.close_gap(connection, window)
        self.feed.begin(window)
