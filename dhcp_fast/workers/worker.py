"""The DHCP server as one of several workers: what it does otherwise than a server that is alone.

Its sockets are given to it; its engine has a share of the clients (state/lease_ownership.pxd says what it knows of the
rest); the feed, the node's number and whether to write expiry come from the supervisor. It loads the lease table, reads
the configuration and writes leases by itself, as any server does. It ends when its supervisor has gone.
"""

import asyncio
import socket
from typing import Any

import asyncpg
import msgspec
import structlog

from dhcp_fast.database.initial_load import load_in_turn
from dhcp_fast.database.plan_loader import note_surroundings
from dhcp_fast.engine.configure import join_host, set_nodes
from dhcp_fast.engine.engine import Engine, boot_clock
from dhcp_fast.engine.pool_usage import is_elected
from dhcp_fast.net.packet_socket import FrameSocket
from dhcp_fast.net.udp import UdpSocket
from dhcp_fast.server import http
from dhcp_fast.server.server import FEED_SECONDS, Loop, Server
from dhcp_fast.workers.channel import (
    BEGIN,
    END,
    EXPIRER,
    NODES,
    PIECE,
    STATE,
    Nodes,
    State,
    Window,
    frame,
    frames,
)
from dhcp_fast.workers.feed import HeardFeed
from dhcp_fast.workers.sockets import Part
from ipam_core.db.outage import AWAY
from ipam_core.settings import Settings

STATE_SECONDS = 0.25
ADDRESSES_SECONDS = 5.0

log = structlog.get_logger()


class WorkerServer(Server):
    """`run` until cancelled, or until the other end of `channel` is closed."""

    def __init__(self, settings: Settings, dsn: str, part: Part, channel: socket.socket) -> None:
        self.part = part
        self.channel = channel
        self.nodes: Nodes | None = None
        self.introduced = asyncio.Event()
        self.expires = False
        self.serves = False
        self.uncounted: set[int] = set()
        super().__init__(settings, dsn)

    def open(self) -> tuple[FrameSocket | None, list[UdpSocket]]:
        return self.part.frame_socket(), self.part.sockets()

    async def run(self) -> None:
        reader, writer = await asyncio.open_connection(sock=self.channel)
        serving = asyncio.create_task(super().run())
        told = asyncio.create_task(self.listen_to(reader))
        telling = asyncio.create_task(self.tell_state(writer))
        try:
            await asyncio.wait({serving, told}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            serving.cancel()
            for task in (told, telling):
                task.cancel()
            await asyncio.gather(serving, told, telling, return_exceptions=True)
            writer.close()
        for task in (told, serving):
            if not task.cancelled():
                task.result()

    async def show(self) -> asyncio.Server:
        return await http.serve(self, socket.socket(fileno=self.part.pages))

    # --- what a server that is alone does for itself

    load = staticmethod(load_in_turn)

    async def claim(self, connection: asyncpg.Connection) -> int:  # noqa: ARG002 - the supervisor did
        await self.introduced.wait()
        assert self.nodes is not None
        return self.nodes.mine

    def make_engine(self, hash_key: tuple[int, int]) -> Engine:
        engine = super().make_engine(hash_key)
        part = self.part
        join_host(engine, part.seed, part.index, part.count, part.shared_memory())
        return engine

    def make_feed(self, engine: Engine, node_no: int) -> HeardFeed:
        return HeardFeed(engine, node_no)

    def host_loops(self) -> list[Loop]:
        return [
            ("second looks", FEED_SECONDS, self.look_again),
            ("surroundings", ADDRESSES_SECONDS, self.note_surroundings),
        ]

    async def note_surroundings(self) -> None:
        note_surroundings(self.known_engine(), self.settings)

    async def look_again(self) -> None:
        """At rows whose outcome nobody told."""
        async with self.known_pool().acquire() as connection:
            await self.read_unknown(connection)

    def works(self) -> list[Any]:
        self.serves = True
        self.know_nodes()
        self.known_engine().set_expirer(self.expires)
        return super().works()

    def chosen(self) -> None:
        """The supervisor holds the lock, or tries for it."""

    def is_watcher(self, engine: Engine) -> bool:
        """One of the host's workers tells of full pools: each counts its own offers, so they would not agree."""
        return self.part.index == 0 and is_elected(engine)

    async def count_in(self, connection: asyncpg.Connection, fresh: list[int]) -> None:
        """What leases of other workers' clients are in subnets whose addresses are new, only the database knows; when
        it goes away meanwhile, the change is read again, but they are new no more."""
        if self.serves:
            self.uncounted |= set(fresh)
            await self.read_subnets(connection, self.uncounted)
            self.uncounted = set()

    # --- what the supervisor says

    async def listen_to(self, reader: asyncio.StreamReader) -> None:
        async for kind, body in frames(reader):
            try:
                await self.told(kind, body)
            except AWAY as error:
                log.warning("the database did not tell what was missed", error=str(error))

    async def told(self, kind: bytes, body: bytes) -> None:
        if kind == NODES:
            self.nodes = msgspec.json.decode(body, type=Nodes)
            self.introduced.set()
            self.know_nodes()
        elif kind == EXPIRER:
            self.expires = msgspec.json.decode(body, type=bool)
            if self.serves:
                self.known_engine().set_expirer(self.expires)
        elif self.serves:
            await self.told_of_leases(self.known_heard(), kind, body)

    async def told_of_leases(self, feed: HeardFeed, kind: bytes, body: bytes) -> None:
        if kind == BEGIN:
            feed.reader = None
            await self.begin(feed, msgspec.json.decode(body, type=Window))
        elif kind == PIECE:
            feed.piece(body)
        elif kind == END and feed.end(msgspec.json.decode(body, type=int)):
            self.last_feed = boot_clock()

    async def begin(self, feed: HeardFeed, window: Window) -> None:
        if not feed.knows(window):
            log.warning("the database was promoted or restored; reading everything anew")
            async with self.known_pool().acquire() as connection:
                await self.reload(connection, None)
                await self.load_leases(connection)
        if feed.has_gap(window):
            async with self.known_pool().acquire() as connection:
                await feed.close_gap(connection, window)
        feed.begin(window)

    def know_nodes(self) -> None:
        if self.nodes is not None and self.serves:
            self.known_feed().node_no = self.known_writers().node_no = self.nodes.mine
            set_nodes(self.known_engine(), self.nodes.mine, self.nodes.others)

    def known_heard(self) -> HeardFeed:
        assert isinstance(self.feed, HeardFeed)
        return self.feed

    async def tell_state(self, writer: asyncio.StreamWriter) -> None:
        while True:
            writer.write(frame(STATE, msgspec.json.encode(State(self.not_ready(), self.warnings()))))
            await asyncio.sleep(STATE_SECONDS)
