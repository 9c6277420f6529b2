"""Bulk leasequery over TCP (RFC 6926, RFC 5460). Requesters connect to the port of the clients'
datagrams and send one query after the other; each message has its length in two octets before it.

It runs beside the packet path, on the same loop, with bounds. There are limits of connections, of
queries (one per connection at a time), of octets on the way to each requester, and of sessions of
the database (two in all, held for a page only). Between two pieces the loop has its turn. A
requester that does not read, or does not complete its message, is disconnected after a time.
"""

import asyncio
import socket
from collections import Counter
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing, suppress
from ipaddress import IPv4Address, ip_address
from typing import Protocol

import asyncpg
import structlog
from prometheus_client.core import CounterMetricFamily, Metric

from dhcp_fast.engine.configure import server_id
from dhcp_fast.engine.engine import Engine
from dhcp_fast.leasequery import tcp4, tcp6
from ipam_core import faults
from ipam_core.db.connect import create_pool
from ipam_core.db.outage import FAILED, reason
from ipam_core.model.values import Address, Network
from ipam_core.processes.connections import Connection, Connections, peer_address

MOST_CONNECTIONS, MOST_OF_ONE = 20, 10  # in all, and of one network: BULK_LQ_MAX_CONNS of both RFCs
SESSIONS = 2
DATA_SECONDS = 30.0  # BULK_LQ_DATA_TIMEOUT of RFC 5460
IDLE_SECONDS = 300.0
COMMAND_SECONDS = 30.0
PIECE = 4096  # octets that are made before the loop has its turn

ANSWERED, TERMINATED, MALFORMED, CUT_OFF, NOT_ALLOWED, TOO_MANY = OUTCOMES = (
    "answered", "terminated", "malformed", "cut_off", "not_allowed", "too_many",
)  # fmt: skip

log = structlog.get_logger()


class Answer(Protocol):
    """Answer to one query; see tcp6.py."""

    def messages(self) -> AsyncGenerator[bytes, None]: ...
    def terminated(self, reason: str) -> bytes: ...


class RequesterGone(Exception):
    """The requester reads no more, or has closed."""


class BulkLeaseQueries:
    """Answers, while it runs, who connects to `listeners` and is one of `requesters`."""

    def __init__(
        self, engine: Engine, listeners: Sequence[socket.socket], dsn: str, requesters: Sequence[Network]
    ) -> None:
        self.family = engine.family
        self.plan = engine.plan
        self.engine = engine
        self.listeners = listeners
        self.dsn = dsn
        self.requesters = requesters
        self.places = Connections(MOST_CONNECTIONS, MOST_OF_ONE)
        self.counts: Counter[str] = Counter()
        self.conversations: set[asyncio.Task[None]] = set()
        self.servers: list[asyncio.Server] = []
        self.sessions: asyncpg.Pool | None = None

    async def run(self) -> None:
        """Run until canceled, then `close`. Sessions are made when they are needed."""
        self.sessions = await create_pool(
            self.dsn,
            min_size=0,
            max_size=SESSIONS,
            command_timeout=COMMAND_SECONDS,
            reset=leave_as_it_is,
            server_settings={"application_name": "ipam leasequery"},
        )
        for listener in self.listeners:
            self.servers.append(await asyncio.start_server(self.accept, sock=listener))
        await asyncio.Event().wait()

    def close(self) -> None:
        for server in self.servers:
            server.close()
        for task in self.conversations:
            task.cancel()
        if self.sessions is not None:
            self.sessions.terminate()

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Accept by RFC 5460 section 7.1: a connection that is not allowed, or exceeds the limit,
        is closed at once. Idle connections lock nobody out: the one that was idle longest is closed
        for a new one (decisions: Connections).
        """
        task = asyncio.current_task()
        place = self.place(writer)
        if task is None or place is None:
            writer.transport.abort()
            return
        self.conversations.add(task)
        try:
            await self.converse(reader, writer, place)
        finally:
            self.conversations.discard(task)
            self.places.leave(place)
            writer.transport.abort()

    def place(self, writer: asyncio.StreamWriter) -> Connection | None:
        """Count who gets none."""
        sender = peer_of(writer)
        if sender is None or not any(sender in network for network in self.requesters):
            self.counts[NOT_ALLOWED] += 1
            return None
        place = self.places.admit(sender, writer.transport.abort)
        self.counts[TOO_MANY] += place is None
        return place

    async def converse(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, place: Connection
    ) -> None:
        writer.transport.set_write_buffer_limits(high=PIECE)
        try:
            while (data := await read_message(reader)) is not None:
                place.begin()
                answer = self.answer(data, writer)
                if answer is None:
                    self.counts[MALFORMED] += 1
                    return
                self.counts[await self.stream(writer, answer)] += 1
                place.rest()
            await end(writer)
        except (RequesterGone, OSError, EOFError, TimeoutError):
            self.counts[CUT_OFF] += 1
        except Exception as error:  # noqa: BLE001 - the other requesters are answered
            self.counts[CUT_OFF] += 1
            faults.caught("bulk leasequery", error)

    def answer(self, data: bytes, writer: asyncio.StreamWriter) -> Answer | None:
        """Return None for what is no query: RFC 5460 section 7.2 closes the connection."""
        sessions, requester = self.sessions, address_of(writer, "peername")
        if sessions is None:
            return None
        if self.family == 6:
            return tcp6.answer(sessions, data, server_id(self.engine), requester, self.plan)
        server = IPv4Address(str(address_of(writer, "sockname")))
        return tcp4.answer(sessions, data, server, requester, self.plan)

    async def stream(self, writer: asyncio.StreamWriter, answer: Answer) -> str:
        """Return the outcome. Raises RequesterGone."""
        try:
            async with aclosing(answer.messages()) as messages:
                await send(writer, messages)
        except FAILED as error:
            log.warning("bulk leasequery terminated", error=reason(error))
            await push(writer, framed(answer.terminated("the database does not answer")))
            return TERMINATED
        except (RequesterGone, asyncio.CancelledError):
            raise
        except Exception as error:  # noqa: BLE001 - the conversation goes on
            faults.caught("bulk leasequery", error)
            await push(writer, framed(answer.terminated("the query cannot be answered")))
            return TERMINATED
        return ANSWERED

    def families(self) -> Iterator[Metric]:
        family = CounterMetricFamily(
            "ipam_dhcp4_bulk_leasequeries",
            "Queries over TCP by outcome, and connections that were closed or refused.",
            labels=["outcome"],
        )
        for outcome in OUTCOMES:
            family.add_metric([outcome], self.counts[outcome])
        yield family


async def leave_as_it_is(session: asyncpg.Connection) -> None:
    """Leave the session as it is: nothing is set in it, so that a page costs no second round trip."""


def address_of(writer: asyncio.StreamWriter, end: str) -> Address:
    """Return the address of either end; without the zone of a link-local address."""
    found = writer.get_extra_info(end)
    return ip_address(str(found[0]).partition("%")[0])


def peer_of(writer: asyncio.StreamWriter) -> Address | None:
    """Return None: it has gone already."""
    name = writer.get_extra_info("peername")
    return None if name is None else peer_address(str(name[0]))


async def read_message(reader: asyncio.StreamReader) -> bytes | None:
    """Return a message, or None at the end of what the requester has to say. Raises EOFError in the midst of it,
    TimeoutError."""
    try:
        async with asyncio.timeout(IDLE_SECONDS):
            first = await reader.readexactly(1)
    except asyncio.IncompleteReadError:
        return None
    async with asyncio.timeout(DATA_SECONDS):
        size = int.from_bytes(first + await reader.readexactly(1), "big")
        return await reader.readexactly(size)


async def send(writer: asyncio.StreamWriter, messages: AsyncGenerator[bytes, None]) -> None:
    piece = bytearray()
    async for message in messages:
        piece += framed(message)
        if len(piece) >= PIECE:
            await push(writer, piece)
            piece = bytearray()
    await push(writer, piece)


async def push(writer: asyncio.StreamWriter, data: bytes | bytearray) -> None:
    """Wait until the requester has read most of it. Raises RequesterGone."""
    writer.write(data)
    await asyncio.sleep(0)
    try:
        async with asyncio.timeout(DATA_SECONDS):
            await writer.drain()
    except (OSError, TimeoutError) as error:
        raise RequesterGone(reason(error)) from None


async def end(writer: asyncio.StreamWriter) -> None:
    """End after the pending answers."""
    writer.close()
    with suppress(OSError, TimeoutError):
        async with asyncio.timeout(DATA_SECONDS):
            await writer.wait_closed()


def framed(message: bytes) -> bytes:
    return len(message).to_bytes(2, "big") + message
