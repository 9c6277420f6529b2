"""A real server in this process, and the other end of its wire: sockets that are the relays.

`exchange` sends datagrams in bursts that the kernel's buffers hold and waits after each until the server has counted
all of them, so that nothing depends on time. What comes back is kept beside what was asked.
"""

import asyncio
import contextlib
import socket
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable
from ipaddress import ip_network
from typing import Any

from dhcp_fast.server.server import Server
from dhcp_fast.server.serving import Serving
from ipam_core.dhcp.reasons import FAULTS4
from ipam_core.setting_values import Endpoint
from ipam_core.settings import Settings

BURST = 32
PATIENCE_SECONDS = 30.0
LOOPBACK = "127.0.0.1"
RELAYS = [bytes((127, 0, 0, last)) for last in (1, 2, 3)]


class Wire:
    """The relays' sockets, what they sent by transaction id, and what they heard."""

    def __init__(self, server: Serving) -> None:
        self.server = server
        self.address = server.sockets[0].address
        self.sockets = {giaddr: relay_socket(giaddr) for giaddr in RELAYS}
        self.sent = 0
        self.requests: dict[bytes, list[bytes]] = defaultdict(list)
        self.replies: list[bytes] = []

    def close(self) -> None:
        for sock in self.sockets.values():
            sock.close()

    async def exchange(self, datagrams: Iterable[bytes]) -> None:
        """Send all, a burst at a time, and wait until the server has done with the last of them. On a busy machine the
        database may have been away for a second: nothing is offered then."""
        await self.until(lambda: not self.server.not_ready())
        for data in datagrams:
            self.send(data)
            if self.sent % BURST == 0:
                await self.until(self.all_counted)
        await self.until(self.all_counted)
        await self.until(self.all_done)
        self.receive()

    def send(self, data: bytes) -> None:
        sock = self.sockets.get(data[24:28], self.sockets[RELAYS[0]])
        sock.sendto(data, self.address)
        self.sent += 1
        self.requests[data[4:8]].append(data)

    async def until(self, done: Any) -> None:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not done():
                self.receive()
                await asyncio.sleep(0.001)

    def receive(self) -> None:
        for sock in self.sockets.values():
            with contextlib.suppress(BlockingIOError):
                while True:
                    self.replies.append(sock.recv(65535))

    def forget(self) -> None:
        """What was said so far is judged; only the count of it stays."""
        self.requests.clear()
        self.replies.clear()

    # --- the server's books

    def counters(self) -> dict[str, Any]:
        return self.server.counters()

    def all_counted(self) -> bool:
        return self.received() + self.malformed() == self.sent

    def all_done(self) -> bool:
        return bool(self.counters()["slots_in_use"] == 0)

    def received(self) -> int:
        return sum(self.counters()["received"].values())

    def malformed(self) -> int:
        drops = self.counters()["drops"]
        return sum(drops.get(fault, 0) for fault in FAULTS4)

    def dropped(self) -> int:
        return sum(self.counters()["drops"].values()) - self.malformed()

    def replied(self) -> int:
        return sum(self.counters()["replied"].values())

    def ended(self) -> int:
        return int(self.counters()["ended"])


def relay_socket(giaddr: bytes) -> socket.socket:
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.setblocking(False)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
    sock.bind((socket.inet_ntoa(giaddr), 0))
    return sock


@contextlib.asynccontextmanager
async def serving(dsn: str, **fields: Any) -> AsyncIterator[Wire]:
    """A ready server on `dsn`; a server that ended by itself fails the test."""
    settings = Settings(
        dhcp4_listen=(Endpoint(LOOPBACK, 0),),
        health_listen=Endpoint(LOOPBACK, 0),
        trusted_relays=(ip_network("127.0.0.0/8"),),
        **fields,
    )
    server = Server(settings, dsn)
    running = asyncio.create_task(server.run())
    try:
        wire = await ready(server, running)
        try:
            yield wire
            assert not running.done(), running.exception()
        finally:
            wire.close()
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def ready(server: Server, running: "asyncio.Task[None]") -> Wire:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while server.stage.not_ready():
            assert not running.done(), running.exception()
            await asyncio.sleep(0.005)
    assert isinstance(server.stage, Serving)
    return Wire(server.stage)
