"""Queries over TCP (RFC 7766): each message has its length in two octets before it, and a connection has as many
queries as its client likes.

Connections are bounded, in all and by network (ipam_core/processes/connections.py); the zones' secondaries have places
of their own, so that no crowd keeps them from a transfer. A client that does not finish its message, is silent, or does
not read is disconnected after a time.
"""

import asyncio
import contextlib
import socket
from collections.abc import AsyncGenerator, Callable, Sequence

from ipam_core import faults
from ipam_core.model.values import Address
from ipam_core.processes.connections import Connection, Connections, most_connections, peer_address

MOST_CONNECTIONS = 512
KEPT_FOR_SECONDARIES = 64
OF_ONE_SECONDARY = 16
IDLE_SECONDS = 10.0
MESSAGE_SECONDS = 5.0
SLOW_SECONDS = 20.0
ON_THE_WAY = 65536  # octets that wait for a client who does not read

# A query and who asks it -> the messages of its response, none where there is none.
Respond = Callable[[bytes, Address], AsyncGenerator[bytes, None]]


class Streams:
    """Answers clients that connect, from `open` until `close`. `is_secondary`: whether a zone names that address as one
    of its secondaries."""

    def __init__(
        self,
        listeners: Sequence[socket.socket],
        respond: Respond,
        is_secondary: Callable[[Address], bool],
        most_of_one: int,
    ) -> None:
        self.listeners = listeners
        self.respond = respond
        self.is_secondary = is_secondary
        self.servers: list[asyncio.Server] = []
        self.conversations: set[asyncio.Task[None]] = set()
        self.everybody = Connections(most_connections(MOST_CONNECTIONS), most_of_one)
        self.secondaries = Connections(KEPT_FOR_SECONDARIES, OF_ONE_SECONDARY)

    async def open(self) -> None:
        for listener in self.listeners:
            self.servers.append(await asyncio.start_server(self.accept, sock=listener))

    def close(self) -> None:
        for server in self.servers:
            server.close()
        for task in self.conversations:
            task.cancel()

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task, peer = asyncio.current_task(), address_of(writer)
        if task is None or peer is None:
            writer.transport.abort()
            return
        places = self.secondaries if self.is_secondary(peer) else self.everybody
        connection = places.admit(peer, writer.transport.abort)
        if connection is None:
            writer.transport.abort()
            return
        self.conversations.add(task)
        try:
            with contextlib.suppress(EOFError):
                await self.converse(reader, writer, peer, connection)
            await end(writer)
        except (OSError, TimeoutError):
            pass  # the client has gone, or is too slow
        except Exception as error:  # noqa: BLE001 - the other connections go on
            faults.caught("dns connection", error)
        finally:
            writer.transport.abort()
            self.conversations.discard(task)
            places.leave(connection)

    async def converse(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        peer: Address,
        connection: Connection,
    ) -> None:
        """Serve until the client has closed; raises what ends it otherwise."""
        writer.transport.set_write_buffer_limits(high=ON_THE_WAY)
        while True:
            data = await read_message(reader)
            connection.begin()
            async with contextlib.aclosing(self.respond(data, peer)) as messages:
                async for message in messages:
                    connection.rest()  # from here on it depends on the client
                    writer.write(len(message).to_bytes(2, "big") + message)
                    async with asyncio.timeout(SLOW_SECONDS):
                        await writer.drain()
            connection.rest()


async def read_message(reader: asyncio.StreamReader) -> bytes:
    """Raise EOFError at the end, TimeoutError."""
    async with asyncio.timeout(IDLE_SECONDS):
        first = await reader.readexactly(1)
    async with asyncio.timeout(MESSAGE_SECONDS):
        size = int.from_bytes(first + await reader.readexactly(1), "big")
        return await reader.readexactly(size)


async def end(writer: asyncio.StreamWriter) -> None:
    """End after the pending answers. Raises OSError."""
    writer.close()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(SLOW_SECONDS):
            await writer.wait_closed()


def address_of(writer: asyncio.StreamWriter) -> Address | None:
    """Return the peer's; None: it has gone already."""
    name = writer.get_extra_info("peername")
    return None if name is None else peer_address(str(name[0]))
