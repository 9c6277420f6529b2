"""DNS messages over TCP (RFC 7766) to a server that somebody may have written through the API.

An answer has 65,535 octets at most. What is large is parsed in a thread, because names made of pointers to pointers
take a parser most of a second.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, NamedTuple, TypeVar

from ipam_core.outbound.faults import Kind, OutboundError
from ipam_core.outbound.guard import Guard, Reach, words

T = TypeVar("T")

SECONDS = 5.0
AT_ONCE_OCTETS = 4096  # of a message that is parsed on the event loop


class Stream(NamedTuple):
    """An open conversation."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def receive(self) -> bytes:
        """Return the next message. Raises OSError and EOFError."""
        size = int.from_bytes(await self.reader.readexactly(2), "big")
        return await self.reader.readexactly(size)


class DnsPeer:
    """A DNS server and on whose behalf it is asked. Raises OutboundError."""

    def __init__(self, guard: Guard, reach: Reach, host: str, port: int) -> None:
        self.guard, self.reach = guard, reach
        self.host, self.port = host, port

    async def exchange(self, message: Callable[[], bytes]) -> bytes:
        """Return the octets of the answer. The message, which has its length in front, is made when it is sent."""
        async with self.opened(SECONDS) as stream:
            stream.writer.write(message())
            return await stream.receive()

    @asynccontextmanager
    async def opened(self, seconds: float, *, large: bool = False) -> AsyncIterator[Stream]:
        """Yield a conversation that ends within so many seconds; `large`: a transfer."""
        async with self.guard.turn(self.reach, large=large):
            try:
                async with asyncio.timeout(seconds):
                    stream = await self.connected()
                    try:
                        yield stream
                    finally:
                        stream.writer.transport.abort()
            except TimeoutError:
                said = f"{self.host} port {self.port} does not answer within {seconds:.0f} s"
                raise OutboundError(Kind.SILENT, said) from None
            except (OSError, EOFError) as error:
                said = f"{self.host} port {self.port} ends the conversation: {words(error)}"
                raise OutboundError(Kind.CONNECT, said) from None

    async def connected(self) -> Stream:
        reader = asyncio.StreamReader()
        protocol = await self.guard.connect(
            lambda: asyncio.StreamReaderProtocol(reader), self.host, self.port, self.reach, direct=True
        )
        transport: Any = protocol._transport  # type: ignore[attr-defined]  # as asyncio.open_connection has it
        return Stream(reader, asyncio.StreamWriter(transport, protocol, reader, asyncio.get_running_loop()))


async def parsed(octets: bytes, parse: Callable[[bytes], T]) -> T:
    """Return what `parse` makes of a message, in a thread if it is large."""
    if len(octets) <= AT_ONCE_OCTETS:
        return parse(octets)
    return await asyncio.to_thread(parse, octets)
