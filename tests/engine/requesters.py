"""A requester of bulk leasequeries (RFC 6926, RFC 5460): a TCP connection to a server's port, and messages behind their
length in two octets. It reads only when it is told to, and holds little that it was not asked for."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from ipaddress import ip_network

from engine.site import Site

from dhcp_fast.bench.servers.bench_plan import add
from dhcp_fast.server.serving import Serving

SECONDS = 20.0
LITTLE = 4096  # octets of room in the kernel


def framed(message: bytes) -> bytes:
    return len(message).to_bytes(2, "big") + message


class Requester:
    def __init__(self, sock: socket.socket) -> None:
        self.socket = sock
        self.buffer = b""
        self.at = 0

    async def send(self, data: bytes) -> None:
        await asyncio.get_running_loop().sock_sendall(self.socket, data)

    async def read(self) -> bytes | None:
        """One message; None at the end of the connection."""
        while (message := self.taken()) is None:
            if not await self.receive():
                return None
        return message

    def taken(self) -> bytes | None:
        """The next message, if all of it is there."""
        end = self.at + 2 + int.from_bytes(self.buffer[self.at : self.at + 2], "big")
        if len(self.buffer) < max(end, self.at + 2):
            return None
        start, self.at = self.at + 2, end
        return self.buffer[start:end]

    async def receive(self) -> bool:
        """Whether more came before the end."""
        try:
            async with asyncio.timeout(SECONDS):
                data = await asyncio.get_running_loop().sock_recv(self.socket, 65536)
        except ConnectionResetError:
            return False
        self.buffer, self.at = self.buffer[self.at :] + data, 0
        return bool(data)

    async def until(self, is_last: Callable[[bytes], bool]) -> AsyncIterator[bytes]:
        """Messages up to the last one, which is among them, or to the end of the connection."""
        while (message := await self.read()) is not None:
            yield message
            if is_last(message):
                return

    async def ask(self, message: bytes, is_last: Callable[[bytes], bool]) -> list[bytes]:
        await self.send(framed(message))
        return [found async for found in self.until(is_last)]


class Requesters:
    """Of one server, from the address of the test's choice."""

    def __init__(self, server: Serving, stack: AsyncExitStack) -> None:
        host, self.port = server.sockets[0].address[:2]
        self.host = str(host)
        self.family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        self.stack = stack

    async def connect(self, source: str | None = None, room: int | None = None) -> Requester:
        """`room`: octets that the kernel takes before the requester reads."""
        sock = self.stack.enter_context(socket.socket(self.family, socket.SOCK_STREAM))
        sock.setblocking(False)
        if room is not None:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
        if source is not None:
            sock.bind((source, 0))
        async with asyncio.timeout(SECONDS):
            await asyncio.get_running_loop().sock_connect(sock, (self.host, self.port))
        return Requester(sock)


@asynccontextmanager
async def requesters(server: Serving) -> AsyncIterator[Requesters]:
    async with AsyncExitStack() as stack:
        yield Requesters(server, stack)


def outcomes(server: Serving) -> dict[str, int]:
    """What became of queries and connections."""
    return {name: count for name, count in server.bulk_queries.counts.items() if count}


async def let_name_networks(site: Site, server: Serving, requester: str) -> None:
    """Its entry has vss from now on."""
    await add(site.connection, "trusted_relay", cidr=ip_network(requester), vss=True)
    await site.record(None, "trusted_relay")
    await server.plan.read_changes()
