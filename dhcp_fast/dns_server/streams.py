"""Queries over TCP (RFC 7766): each message has its length in two octets before it, and a connection has as many
queries as its client likes.

Connections are bounded, in all and of one address; who does not finish what it began to say, says nothing, or does not
read is cut off after a time.
"""

import asyncio
import contextlib
import socket
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Sequence
from ipaddress import ip_address

from ipam_core.model.values import Address

MOST_CONNECTIONS = 512
MOST_OF_ONE = 64
IDLE_SECONDS = 10.0
MESSAGE_SECONDS = 5.0
SLOW_SECONDS = 20.0
ON_THE_WAY = 65536  # octets that wait for a client who does not read

# A query and who asks it -> the messages of its response, none where there is none.
Respond = Callable[[bytes, Address], AsyncGenerator[bytes, None]]


class Streams:
    """Answers who connects, from `open` until `close`."""

    def __init__(self, listeners: Sequence[socket.socket], respond: Respond) -> None:
        self.listeners = listeners
        self.respond = respond
        self.servers: list[asyncio.Server] = []
        self.conversations: dict[asyncio.Task[None], Address] = {}

    async def open(self) -> None:
        for listener in self.listeners:
            self.servers.append(await asyncio.start_server(self.accept, sock=listener))

    def close(self) -> None:
        for server in self.servers:
            server.close()
        for task in self.conversations:
            task.cancel()

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        peer = address_of(writer)
        if task is None or not self.admits(peer):
            writer.transport.abort()
            return
        self.conversations[task] = peer
        try:
            with contextlib.suppress(OSError, EOFError, TimeoutError):
                await self.converse(reader, writer, peer)
        finally:
            del self.conversations[task]
            writer.close()

    def admits(self, peer: Address) -> bool:
        of_one = Counter(self.conversations.values())[peer]
        return len(self.conversations) < MOST_CONNECTIONS and of_one < MOST_OF_ONE

    async def converse(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, peer: Address
    ) -> None:
        """Until the client has closed; raises what ends it otherwise."""
        writer.transport.set_write_buffer_limits(high=ON_THE_WAY)
        while True:
            data = await read_message(reader)
            async with contextlib.aclosing(self.respond(data, peer)) as messages:
                async for message in messages:
                    writer.write(len(message).to_bytes(2, "big") + message)
                    async with asyncio.timeout(SLOW_SECONDS):
                        await writer.drain()


async def read_message(reader: asyncio.StreamReader) -> bytes:
    """Raises EOFError at the end, TimeoutError."""
    async with asyncio.timeout(IDLE_SECONDS):
        first = await reader.readexactly(1)
    async with asyncio.timeout(MESSAGE_SECONDS):
        size = int.from_bytes(first + await reader.readexactly(1), "big")
        return await reader.readexactly(size)


def address_of(writer: asyncio.StreamWriter) -> Address:
    """The peer's, without the zone of a link-local one."""
    return ip_address(str(writer.get_extra_info("peername")[0]).partition("%")[0])
