"""Live events: any number of streams of one process follow the logs by one reader, each from where its client was.

A stream reads by itself up to where the common reader stands, a page at a time, and then gets what that reads. It is
let in only between two readings, so that there is neither a gap nor anything twice. What waits for a slow client is
bounded: one that does not keep up is cut, and comes back with the id of what it saw last.

The format is that of server-sent events (HTML, section 9.2): `id` is a position of the stream, which every line of
silence brings too, so that a client with a narrow filter need not begin far back.
"""

import asyncio
import random
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, suppress
from typing import Any
from uuid import uuid4

import asyncpg
import msgspec
from litestar.response.base import ASGIResponse

from api.http.answers import encode
from ipam_core import faults
from ipam_core.db.outage import FAILED
from ipam_core.errors import Unavailable
from ipam_core.faults import Rests
from ipam_core.model.actor import Actor
from ipam_core.services import event_stream, live_streams, redaction
from ipam_core.services.event_items import Item
from ipam_core.services.event_stream import Position, Reading

MEDIA = "text/event-stream"

LOOK_SECONDS = 0.25
AGAIN_SECONDS = 1.0
CHUNK = 200  # events sent at once

Still = Callable[[], Awaitable[bool]]


class Bounds(msgspec.Struct, frozen=True):
    streams: int = 1000
    """Of one process. Those of a tenant are limited over all processes (services.live_streams)."""
    waiting: int = 5000
    """Events that wait for one client."""
    beat: float = 15.0
    """Seconds between comments, which show that it lives. Before each, and as often while a client catches up,
    it is asked whether the token is still good."""
    slow: float = 20.0
    """Seconds that a client may take nothing."""


class Asked(msgspec.Struct, frozen=True):
    """Query of a stream; `position`: from there on, None: from now on."""

    actor: Actor
    types: frozenset[str]
    tenant_id: str | None
    position: Position | None

    def wants(self, item: Item) -> bool:
        """Return whether the actor may see it and asked for it."""
        asked = item.type in self.types and self.tenant_id in (None, item.tenant_id)
        return asked and redaction.may_see(self.actor, item.type, item.tenant_no)


class Streams:
    """Streams of one application."""

    def __init__(self, pool: asyncpg.Pool, bounds: Bounds | None = None) -> None:
        self.pool = pool
        self.bounds = bounds or Bounds()
        self.streams: set[Stream] = set()
        self.joined: set[Stream] = set()
        self.waiting: list[Stream] = []
        self.woken = asyncio.Event()
        self.position: Position | None = None
        self.reading: asyncio.Task[None] | None = None
        self.renewing: asyncio.Task[None] | None = None
        self.process = uuid4()
        self.ending = False

    async def open(self, asked: Asked, still: Still) -> "Stream":
        """Raise Unavailable where this process has too many or ends, LimitReached where a tenant or a token has."""
        if self.ending or len(self.streams) >= self.bounds.streams:
            raise Unavailable(
                "this process is stopping or has too many streams; retry later", "there are too many streams"
            )
        stream = Stream(self, asked, still)
        self.streams.add(stream)  # before the wait, in which others open theirs
        try:
            await self.record(stream)
            self.start_readers()
            if (
                stream.position is None
            ):  # "from now on" is decided before the client learns that the stream is open
                await self.place(stream)
        except BaseException:  # a request that is canceled opens no stream either
            self.leave(stream)
            await self.forget(stream)
            raise
        return stream

    def start_readers(self) -> None:
        if self.reading is None or self.reading.done():
            self.reading = asyncio.get_running_loop().create_task(self.read())
        if self.renewing is None or self.renewing.done():
            self.renewing = asyncio.get_running_loop().create_task(self.renew())

    async def record(self, stream: "Stream") -> None:
        """Record a stream of a tenant's token; no others are limited."""
        if stream.asked.actor.tenant_no is not None:
            async with self.pool.acquire() as connection:
                await live_streams.open_one(connection, self.process, stream.id, stream.asked.actor)

    async def forget(self, stream: "Stream") -> None:
        """Make room for another one of the tenant; if the database is away, the row runs out by itself."""
        if stream.asked.actor.tenant_no is not None:
            with suppress(*FAILED):
                async with self.pool.acquire() as connection:
                    await live_streams.close_one(connection, stream.id)

    async def renew(self) -> None:
        """Renew as long as there are streams."""
        while self.streams:
            await asyncio.sleep(live_streams.RENEW_SECONDS)
            living = [each.id for each in self.streams if each.asked.actor.tenant_no is not None]
            with suppress(*FAILED):
                async with self.pool.acquire() as connection:
                    await live_streams.renew(connection, self.process, living)

    def leave(self, stream: "Stream") -> None:
        self.streams.discard(stream)
        self.joined.discard(stream)
        if not self.streams and self.renewing is not None:
            self.renewing.cancel()
        self.wake()

    def wake(self) -> None:
        self.woken.set()

    def close(self) -> None:
        """End every stream; clients come back to another process."""
        self.ending = True
        for stream in self.streams:
            stream.end()

    async def read(self) -> None:
        """Read as long as there are streams; they end if this does."""
        rests = Rests()
        try:
            while self.streams:
                try:
                    await self.look()
                    rests.end()
                except FAILED:  # streams wait until the database is back
                    await asyncio.sleep(AGAIN_SECONDS)
                except Exception as error:  # noqa: BLE001 - they wait for the next look
                    faults.caught("event streams", error)
                    await asyncio.sleep(rests.next())
        finally:
            self.position = None
            for stream in self.streams:
                stream.end()

    async def look(self) -> None:
        self.woken.clear()
        nobody = not self.joined and all(stream.position is None for stream in self.waiting)
        if self.position is None or nobody:  # a new stream begins with the next event
            async with self.pool.acquire() as connection:
                self.position = await event_stream.head(connection)
        self.admit(self.position)
        if self.joined:
            wanted = frozenset().union(*(each.asked.types for each in self.joined))
            async with self.pool.acquire() as connection:
                reading = await event_stream.read(connection, self.position, wanted)
            for stream in list(self.joined):
                self.offer(stream, reading)
            self.position = reading.after
        if not self.position.is_between:
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    await self.woken.wait()

    def offer(self, stream: "Stream", reading: Reading) -> None:
        """Offer events to the streams. A fault of one stream ends it alone; its client comes back."""
        try:
            stream.offer(reading)
        except Exception as error:  # noqa: BLE001 - as above
            faults.caught("event stream", error)
            stream.end()

    def admit(self, position: Position) -> None:
        """Admit streams between two readings: those that have read as far, and tell others how far to read."""
        if position.is_between:
            return
        for stream in self.waiting:
            if stream.target.done():  # it has ended
                continue
            if stream.position is None or stands_at(stream.position, position):
                self.joined.add(stream)
            stream.position = stream.position or position
            stream.target.set_result(position)
        self.waiting = []

    async def place(self, stream: "Stream") -> Position | None:
        """Return where the common reader stands; the stream is one of its own then if it stands there too. None: it
        ended."""
        stream.target = asyncio.get_running_loop().create_future()
        self.waiting.append(stream)
        self.wake()
        return await stream.target


def stands_at(position: Position, other: Position) -> bool:
    return not position.is_between and (position.history, position.seen) == (other.history, other.seen)


class Stream:
    """One client's; `chunks` until it ends."""

    def __init__(self, streams: Streams, asked: Asked, still: Still) -> None:
        self.id = uuid4()
        self.streams = streams
        self.asked = asked
        self.still = still
        self.position = asked.position
        self.target: asyncio.Future[Position | None] = asyncio.get_running_loop().create_future()
        self.queue: deque[tuple[Item, Reading]] = deque()
        self.woken = asyncio.Event()
        self.ended = False
        self.due = asyncio.get_running_loop().time() + streams.bounds.beat
        self.patience: asyncio.Timeout | None = None  # with the client that something is sent to now

    def offer(self, reading: Reading) -> None:
        """Offer the events that the common reader found."""
        if len(self.queue) > self.streams.bounds.waiting:
            self.end()
            if self.patience is not None:
                self.patience.reschedule(asyncio.get_running_loop().time())
            return
        self.queue.extend((item, reading) for item in reading.items if self.asked.wants(item))
        self.position = reading.after
        if self.queue:
            self.woken.set()

    def end(self) -> None:
        self.ended = True
        self.woken.set()
        if not self.target.done():
            self.target.set_result(None)

    async def chunks(self) -> AsyncGenerator[bytes, None]:
        """Yield what is to be sent, until the stream ends. A client that lost it waits for some seconds, not all the
        same."""
        yield b"retry: %d\n\n" % random.randint(1000, 5000)  # noqa: S311 - spreads load, keeps no secret
        async for chunk in self.catch_up():
            if self.is_due() and not await self.still():
                return
            yield chunk
        while not self.ended:
            if self.is_due():
                if not await self.still():
                    return
                yield self.beat()
            if self.queue:
                yield self.take()
                continue
            self.woken.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout_at(self.due):
                    await self.woken.wait()

    def is_due(self) -> bool:
        """Return whether a beat has passed since this was last true."""
        now = asyncio.get_running_loop().time()
        if now < self.due:
            return False
        self.due = now + self.streams.bounds.beat
        return True

    async def catch_up(self) -> AsyncGenerator[bytes, None]:
        """Yield events up to the position of the common reader."""
        while not self.ended and self not in self.streams.joined:
            target = await self.streams.place(self)
            if target is None or self in self.streams.joined:
                return
            async for chunk in self.read_up_to(target):
                yield chunk

    async def read_up_to(self, target: Position) -> AsyncGenerator[bytes, None]:
        while not self.ended:
            assert self.position is not None
            async with self.streams.pool.acquire() as connection:
                reading = await event_stream.read(connection, self.position, self.asked.types, target)
            self.position = reading.after
            found = [(item, reading) for item in reading.items if self.asked.wants(item)]
            if found:
                yield b"".join(self.line(*each) for each in found)
            if not reading.after.is_between:
                return

    def take(self) -> bytes:
        some = [self.queue.popleft() for _ in range(min(CHUNK, len(self.queue)))]
        return b"".join(self.line(*each) for each in some)

    def line(self, item: Item, reading: Reading) -> bytes:
        place = reading.position_of(item).text().encode()
        try:
            data = encode(item.shown(self.asked.actor))
        except Exception as error:  # noqa: BLE001 - the other events are sent
            faults.caught("event shown", error, type=item.type)
            return b""
        return b"id: %b\nevent: %b\ndata: %b\n\n" % (place, item.type.encode(), data)

    def beat(self) -> bytes:
        """Return a comment; where nothing waits, with the id up to which there was nothing."""
        if self.queue or self.position is None:
            return b": \n\n"
        return b": \nid: %b\n\n" % self.position.text().encode()


class EventStream(ASGIResponse):
    """The answer that goes on; `abort` ends its connection."""

    _should_set_content_length = False

    def __init__(self, stream: Stream, abort: Callable[[], None], bodiless: bool) -> None:
        headers = {"vary": "accept", "x-accel-buffering": "no"}
        super().__init__(media_type=MEDIA, headers=headers)
        self.stream = stream
        self.abort = abort
        self.bodiless = bodiless

    async def send_body(self, send: Any, receive: Any) -> None:
        gone = asyncio.create_task(disconnected(receive, self.stream))
        try:
            if not self.bodiless:
                await self.send_chunks(send)
            await self.give(send, b"", more=False)
        except FAILED:  # the client takes nothing, or the database is away: it comes back with its last id
            self.abort()
            await asyncio.sleep(0)  # that the connection ends is noticed
        finally:
            self.stream.streams.leave(self.stream)
            gone.cancel()
            await self.stream.streams.forget(self.stream)

    async def send_chunks(self, send: Any) -> None:
        async with aclosing(self.stream.chunks()) as chunks:
            async for chunk in chunks:
                await self.give(send, chunk, more=True)

    async def give(self, send: Any, body: bytes, more: bool) -> None:
        async with asyncio.timeout(self.stream.streams.bounds.slow) as self.stream.patience:
            await send({"type": "http.response.body", "body": body, "more_body": more})
        self.stream.patience = None


async def disconnected(receive: Any, stream: Stream) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    stream.end()
