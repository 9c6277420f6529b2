"""DNS messages over TCP (RFC 7766) to a server that somebody may have written through the API.

An answer has 65,535 octets at most, and dnspython can need half a minute for one of those. So a message whose names
make too much work is refused (name_work.py), and what is large is parsed in a thread, two of a tenant's at a time.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, NamedTuple, TypeVar

from ipam_core.outbound import name_work
from ipam_core.outbound.faults import Kind, OutboundError
from ipam_core.outbound.guard import Guard, Reach, words

T = TypeVar("T")

SECONDS = 5.0
AT_ONCE_OCTETS = 1024  # of a message that is parsed on the event loop


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
                said = f"{self.host} port {self.port} closed the connection: {words(error)}"
                raise OutboundError(Kind.CONNECT, said) from None

    async def parsed(self, octets: bytes, parse: Callable[[bytes], T]) -> T:
        """Return what `parse` makes of a message, in a thread if it is large. Raises TooMuchWorkError."""
        if len(octets) <= AT_ONCE_OCTETS:
            name_work.check(octets)
            return parse(octets)
        async with self.guard.turn(self.reach, large=True):
            return await self.parsed_beside(octets, parse)

    async def parsed_beside(self, octets: bytes, parse: Callable[[bytes], T]) -> T:
        """Return the parsed octets, always from one of the tenant's threads. The caller has a turn already."""

        def read() -> T:
            name_work.check(octets)
            return parse(octets)

        return await self.guard.threads.run(self.reach.tenant_no, read)

    async def connected(self) -> Stream:
        reader = asyncio.StreamReader()
        protocol = await self.guard.connect(
            lambda: asyncio.StreamReaderProtocol(reader), self.host, self.port, self.reach, direct=True
        )
        transport: Any = protocol._transport  # type: ignore[attr-defined]  # as asyncio.open_connection has it
        return Stream(reader, asyncio.StreamWriter(transport, protocol, reader, asyncio.get_running_loop()))
