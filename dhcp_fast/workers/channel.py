"""Frames between the supervisor and one worker, over a socket pair: a letter, a length, a body.

The supervisor sends the worker's `part` first, then the node as which it writes and whether it
writes expiry. The lease feed is `begin` with a Window, pieces of PostgreSQL's COPY as they came,
and `end`. The worker sends its state. Bodies are JSON, the COPY's pieces excepted. A window without
its `end` was incomplete and does not move the cursor.
"""

import asyncio
import contextlib
import socket
import struct
from collections.abc import AsyncIterator, Callable
from typing import Any

import msgspec

from dhcp_fast.database.work_rates import Work

PART, NODES, EXPIRER, BEGIN, PIECE, END, STATE = b"P", b"N", b"X", b"B", b"D", b"E", b"S"
HEADER = struct.Struct("!cI")
MOST_WAITING = 16 << 20  # octets that a worker may be behind before it is left to read for itself


class Nodes(msgspec.Struct, frozen=True):
    """The host's number among the nodes, the other live ones (`no`, `commits`, `interfaces`), and whether this one is
    to drain."""

    mine: int
    others: list[dict[str, Any]]
    drain: bool = False


class Window(msgspec.Struct, frozen=True):
    """Transactions of a reading of the feed: `since` <= xid < `until`, in one history of the database.

    `version` is the last one that a row had. `clock` is the database's time in microseconds since
    2000, read between two moments of the boot clock.
    """

    history: str
    version: int
    since: int
    until: int
    clock: int
    before: int
    after: int


class State(msgspec.Struct, frozen=True):
    """State of a worker: the reason why it is not ready, empty if it is; its warnings; its work
    since its start.
    """

    reason: str
    warnings: list[str] = []
    work: Work = Work()


def frame(kind: bytes, body: bytes) -> bytes:
    return HEADER.pack(kind, len(body)) + body


class Line(asyncio.Protocol):
    """The supervisor's end; `on_state` is called with each State."""

    def __init__(self, on_state: Callable[[State], None]) -> None:
        self.on_state = on_state
        self.pending = bytearray()
        self.transport: asyncio.Transport | None = None
        self.skipping = False

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def connection_lost(self, error: Exception | None) -> None:  # noqa: ARG002 - its end is what counts
        self.transport = None

    def data_received(self, data: bytes) -> None:
        self.pending += data
        while len(self.pending) >= HEADER.size:
            _, length = HEADER.unpack_from(self.pending)
            if len(self.pending) < HEADER.size + length:
                return
            body = bytes(self.pending[HEADER.size : HEADER.size + length])
            del self.pending[: HEADER.size + length]
            self.on_state(msgspec.json.decode(body, type=State))

    def tell(self, kind: bytes, value: Any) -> None:
        self.write(frame(kind, msgspec.json.encode(value)))

    def begin(self, window: Window) -> None:
        """Begin a reading, unless the worker is so far behind that it must read this one for itself."""
        self.skipping = self.is_behind()
        if not self.skipping:
            self.tell(BEGIN, window)

    def piece(self, framed: bytes) -> None:
        """Handle a piece of the COPY, framed already. One reading may hold all that was written in an hour; when it is
        more than the worker takes, its rest is left out, and the worker sees a gap before the next one."""
        self.skipping = self.skipping or self.is_behind()
        if not self.skipping:
            self.write(framed)

    def end(self, known: int) -> None:
        if not self.skipping:
            self.tell(END, known)

    def is_behind(self) -> bool:
        return self.transport is None or self.transport.get_write_buffer_size() > MOST_WAITING

    def write(self, data: bytes) -> None:
        if self.transport is not None:
            self.transport.write(data)

    def close(self) -> None:
        if self.transport is not None:
            self.transport.abort()


async def open_line(sock: socket.socket, on_state: Callable[[State], None]) -> Line:
    sock.setblocking(False)
    _, line = await asyncio.get_running_loop().create_connection(lambda: Line(on_state), sock=sock)
    return line


def receive(sock: socket.socket) -> bytes:
    """Return the body of the next frame, waiting for it; for a worker whose event loop does not run yet. Raises
    EOFError where the supervisor exited."""
    _, length = HEADER.unpack(receive_exactly(sock, HEADER.size))
    return receive_exactly(sock, length)


def receive_exactly(sock: socket.socket, length: int) -> bytes:
    found = b""
    while len(found) < length:
        piece = sock.recv(length - len(found))
        if not piece:
            raise EOFError("the supervisor exited")
        found += piece
    return found


async def frames(reader: asyncio.StreamReader) -> AsyncIterator[tuple[bytes, bytes]]:
    """Yield the supervisor's messages, a letter and a body each, until it has gone."""
    with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
        while True:
            kind, length = HEADER.unpack(await reader.readexactly(HEADER.size))
            yield kind, await reader.readexactly(length)
