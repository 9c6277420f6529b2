"""Initial load of the leases, before the first packet is served.

A server must know the holder and the end of each lease; ten million of them take seconds to read.
Two connections copy half of the table each, from one snapshot, straight from the socket into the
cache (pg/copy_out.pyx, engine/lease_preload.pyx). More connections gain nothing, since the rows
meet in one thread. The rest, which shows that an early renewal changes nothing, is loaded in small
pieces while packets are served. Until then such a renewal is written like any other.
"""

import asyncio
import contextlib
import gc
import struct
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

import asyncpg

from dhcp_fast.engine.engine import Engine
from dhcp_fast.engine.lease_preload import BriefReader, mark_leases, open_pools, reserve
from dhcp_fast.pg.copy_out import CopyOut
from ipam_core.db import queries
from ipam_core.db.asyncpg_internals import hand_over
from ipam_core.db.connect import LIVENESS, connect_any

STREAMS = 2
FEW_PAGES = 1000
MARK_SECONDS = 0.02
LAST_PAGE = 0xFFFFFFFF
SESSION = {"application_name": "ipam lease loader", "jit": "off", **LIVENESS}


class Stream(asyncio.BufferedProtocol):
    """A COPY on a connection that asyncpg has made; `done` when it has ended."""

    def __init__(self, reader: BriefReader) -> None:
        self.reader = reader
        self.source = CopyOut()
        self.done = asyncio.get_running_loop().create_future()

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002 - the room is what it is
        return self.source.buffer()

    def buffer_updated(self, nbytes: int) -> None:
        if self.done.done():
            return
        try:
            self.source.received(nbytes)
            self.reader.read(self.source)
        except (ValueError, MemoryError) as error:
            self.done.set_exception(error)
        else:
            self.end()

    def end(self) -> None:
        if self.source.error is not None:
            self.done.set_exception(ConnectionError(f"the leases cannot be read: {self.source.error}"))
        elif self.source.ended:
            self.done.set_result(self.reader.count)

    def eof_received(self) -> bool:
        return False

    def connection_lost(self, error: Exception | None) -> None:  # noqa: ARG002 - what it was does not matter
        if not self.done.done():
            self.done.set_exception(ConnectionResetError("the database closed the connection"))


async def load_beside(
    leases: Coroutine[Any, Any, None], plan: Coroutine[Any, Any, None], engine: Engine
) -> None:
    """Load leases and plan in parallel, because PostgreSQL and this process use a processor each;
    leased addresses are marked when the plan is complete.
    """
    loading = asyncio.create_task(leases)
    marked = 1
    try:
        await plan
        while not loading.done():
            marked = mark_leases(engine, marked)
            await asyncio.wait({loading}, timeout=MARK_SECONDS)
        await loading
    finally:
        loading.cancel()
    mark_leases(engine, marked)
    open_pools(engine)


async def load_in_turn(
    leases: Coroutine[Any, Any, None], plan: Coroutine[Any, Any, None], engine: Engine
) -> None:
    """Load in turn: the plan first: of other workers' leases a worker keeps a bit in the plan's address spaces, and no
    entry that could be marked afterwards."""
    try:
        await plan
        await leases
    finally:
        leases.close()
    mark_leases(engine, 1)
    open_pools(engine)


@contextmanager
def without_collecting() -> Iterator[None]:
    """Disable the garbage collector: nothing of what is made at the start is garbage, and a million objects are long to
    look through."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


async def load_leases(dsn: str, connection: asyncpg.Connection, engine: Engine) -> int:
    """Return all rows as of one moment, in brief; how many. `connection` is in no transaction. Raises ConnectionError
    where a session ends or refuses, ValueError where rows are not as copy_brief has them.

    In an engine that knew none, what they hold is not marked: `load_beside` does that.
    """
    known = engine.counters()["leases_known"]
    size = await queries.load("dhcp_feed").measure_leases(connection)
    if not known:
        reserve(engine, max(size["rows"], 0))
    async with connection.transaction(isolation="repeatable_read", readonly=True):
        snapshot = await connection.fetchval("select pg_export_snapshot()")
        sessions = [
            await open_session(dsn, snapshot) for _ in range(STREAMS if size["pages"] > FEW_PAGES else 1)
        ]
    bounds = [size["pages"] * n // len(sessions) for n in range(len(sessions))] + [LAST_PAGE]
    try:
        streams = [
            begin(session, BriefReader(engine, not known), first, last, engine.family)
            for session, first, last in zip(sessions, bounds, bounds[1:], strict=False)
        ]
        return int(sum(await asyncio.gather(*(stream.done for stream in streams))))
    finally:
        for session in sessions:
            # Where the database went away meanwhile nothing is left to be ended.
            with contextlib.suppress(RuntimeError):
                session.terminate()


async def open_session(dsn: str, snapshot: str) -> asyncpg.Connection:
    session = await connect_any(dsn, server_settings=SESSION)
    await session.execute("begin isolation level repeatable read read only")
    await session.execute(f"set transaction snapshot '{snapshot}'")
    return session


def begin(session: asyncpg.Connection, reader: BriefReader, first: int, last: int, family: int) -> Stream:
    """Copy the family's rows in the pages from `first` up to `last`; the socket's octets then come to the stream."""
    stream = Stream(reader)
    transport = hand_over(session, stream)
    query = f"copy ({part_of(queries.load('dhcp_feed').copy_brief.sql, first, last, family)}) to stdout (format binary)"
    text = query.encode() + b"\0"
    transport.write(b"Q" + struct.pack("!i", 4 + len(text)) + text)
    return stream


def part_of(query: str, first: int, last: int, family: int) -> str:
    """Return the query with its two pages and the family in it: COPY takes no parameters."""
    told = {"$1": f"'({first},0)'", "$2": f"'({last},0)'", "$3": str(family)}
    query = query.rstrip().rstrip(";")
    for mark, value in told.items():
        query = query.replace(mark, value)
    return query
