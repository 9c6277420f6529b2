"""Reader of the stream of events into deliveries, one of each event for each webhook and notification that wants it.

Deliveries and the stream's position are written in one transaction: a worker that is killed anywhere loses nothing and
repeats nothing. Whoever comes first reads; the others find nothing to do.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import asyncpg
import structlog

from ipam_core import faults
from ipam_core.db import queries
from ipam_core.db.outage import AWAY
from ipam_core.model.event import DIRECT, types_of
from ipam_core.model.ids import new_id
from ipam_core.model.values import rfc3339
from ipam_core.services import event_stream, redaction
from ipam_core.services.entity.entity import Connection
from ipam_core.services.event_items import Item
from ipam_core.services.event_stream import Position, Reading
from ipam_core.workers import notification_events
from ipam_core.workers.notification_events import Notified
from ipam_core.workers.webhook_outcomes import disable

SQL = queries.load("webhook_worker")

MOST_WAITING = 100_000  # deliveries of one endpoint
KEEP_MICROSECONDS = 5_000_000
LOOK_EVERY = 50_000  # events between two looks at how many wait

log = structlog.get_logger("webhooks")


class Listener(NamedTuple):
    """A webhook: whose events it hears (None: all), of which types, from when on."""

    no: int
    tenant_no: int | None
    types: frozenset[str]
    since: datetime

    def hears(self, item: Item) -> bool:
        mine = self.tenant_no is None or self.tenant_no == item.tenant_no
        return mine and item.type in self.types and item.at >= self.since


class Audience(NamedTuple):
    """Receivers that may get an event; `now` is the time of the database."""

    listening: Sequence[Listener]
    notified: Sequence[Notified]
    now: datetime

    @property
    def types(self) -> frozenset[str]:
        """Types of the stream that somebody wants."""
        wanted = [each.types for each in self.listening] + [each.types for each in self.notified]
        return frozenset().union(*wanted) - DIRECT

    @property
    def has_summaries(self) -> bool:
        return any(each.due(self.now) for each in self.notified)


class WebhookEvents:
    """`step` by any worker."""

    def __init__(self, pool: asyncpg.Pool, most_waiting: int = MOST_WAITING) -> None:
        self.pool = pool
        self.most_waiting = most_waiting
        self.enqueued = 0  # deliveries that this process made
        self.position: Position | None = None  # up to here there was nothing to do
        self.unlooked = 0

    async def step(self) -> bool:
        """Read a page of what was committed since the last reading of any worker. True: there is more."""
        async with self.pool.acquire() as connection:
            if not await self.has_news(connection):
                return False
            async with connection.transaction():
                more = await self.read(connection)
            await self.refuse_floods(connection)
        return more

    async def has_news(self, connection: Connection) -> bool:
        """Return whether anything is behind where this process or another one has read. Without a webhook there is
        nothing to be read, and the position goes along, so that a later one does not hear of what was before."""
        stored = await SQL.peek_cursor(connection)
        if stored is None:
            await SQL.begin_cursor(connection, position=(await event_stream.head(connection)).text())
            return False
        found = event_stream.read_position(stored)
        if found.is_between:  # later events are visible only after the cursor has left the snapshot
            return True
        if self.position is None or self.position.drawn < found.drawn:
            self.position = found
        target, audience = await hearing(connection)
        reading = await event_stream.read(connection, self.position, audience.types, target, at_most=1)
        if reading.items or reading.after.is_between or audience.has_summaries:
            return True
        self.position = reading.after
        if reading.after.drawn - found.drawn > KEEP_MICROSECONDS:
            await self.keep(connection, stored, reading.after)
        return False

    async def keep(self, connection: Connection, stored: str, position: Position) -> None:
        """Keep the position up to which no event was wanted; a webhook that is enabled later does not get these
        events."""
        async with connection.transaction():
            held = await SQL.lock_cursor(connection)
            if held is not None and held["position"] == stored:
                await SQL.set_cursor(connection, position=position.text())

    async def read(self, connection: Connection) -> bool:
        stored = await SQL.lock_cursor(connection)
        if stored is None:
            return False
        target, audience = await hearing(connection)
        reading = await event_stream.read(
            connection, event_stream.read_position(stored["position"]), audience.types, target
        )
        await self.write(connection, audience, reading)
        return reading.after.is_between

    async def write(self, connection: Connection, audience: "Audience", reading: Reading) -> None:
        messages = notification_events.summaries(audience.notified, audience.now)
        messages += [made for item in reading.items for made in sound(item, audience)]
        if messages:
            messages = await enqueue(connection, messages)
            await SQL.tell_senders(connection)
        await notification_events.keep(connection, audience.notified)
        await SQL.set_cursor(connection, position=reading.after.text())
        self.position = reading.after
        made = sum(len(each["deliveries"]) for each in messages)
        self.enqueued += made
        self.unlooked += made

    async def refuse_floods(self, connection: Connection) -> None:
        """Refuse floods: an endpoint that accepts too little must not fill the disk, so it is disabled."""
        if self.unlooked < min(LOOK_EVERY, self.most_waiting):
            return
        self.unlooked = 0
        numbers = [row["no"] async for row in SQL.overfull(connection, at_most=self.most_waiting)]
        if numbers:
            await disable(connection, numbers, f"more than {self.most_waiting} deliveries are waiting")
            log.warning("webhooks disabled: too many undelivered events", webhooks=len(numbers))


async def hearing(connection: Connection) -> tuple[Position, Audience]:
    """Return up to where to read, and all webhooks and notifications that may hear of it. They are asked for after the
    logs, so that what follows the creation of one is never read without it."""
    target = await event_stream.head(connection)
    listening = await listeners(connection)
    return target, Audience(listening, *await notification_events.notified(connection))


async def listeners(connection: Connection) -> list[Listener]:
    return [
        Listener(row["no"], row["tenant_no"], types_of(row["events"]), row["created_at"])
        async for row in SQL.listeners(connection)
    ]


def sound(item: Item, audience: Audience) -> list[dict[str, Any]]:
    """Return the messages of an event; none of one that cannot be told."""
    try:
        return list(messages_of(item, audience))
    except Exception as error:  # noqa: BLE001 - the other events are delivered
        faults.caught("webhook event", error, type=item.type, id=item.id)
        return []


async def enqueue(connection: Connection, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return those that are deliveries now; of many that fail together each half by itself, until the one that causes
    it is found and left out."""
    try:
        async with connection.transaction():
            await SQL.enqueue(connection, messages=messages)
    except AWAY:
        raise
    except Exception as error:  # noqa: BLE001 - the other events are delivered
        if len(messages) == 1:
            faults.caught("webhook event", error, type=messages[0]["event"], id=messages[0]["message_id"])
            return []
    else:
        return messages
    middle = len(messages) // 2
    return await enqueue(connection, messages[:middle]) + await enqueue(connection, messages[middle:])


def messages_of(item: Item, audience: Audience) -> Iterator[dict[str, Any]]:
    """Yield the event for each kind of receiver that wants it: those of its tenant, and those of all tenants."""
    for tenant_no in {None, item.tenant_no}:
        receivers = [
            {"webhook_no": each.no}
            for each in audience.listening
            if each.tenant_no == tenant_no and each.hears(item)
        ]
        receivers += [
            {"notification_no": each.no}
            for each in audience.notified
            if each.tenant_no == tenant_no and each.hears(item) and each.admit(item.type, audience.now)
        ]
        if receivers:
            yield message(item, tenant_no, receivers)


def message(item: Item, tenant_no: int | None, receivers: Sequence[dict[str, int]]) -> dict[str, Any]:
    """Return the event as receivers of this tenant (None: of all) get it, with an id for the delivery to each."""
    data = item.data_for(redaction.owner(tenant_no))
    payload = {
        "type": item.type,
        "timestamp": rfc3339(item.at),
        "data": {"tenant_id": item.tenant_id} | data,
    }
    return {
        "message_id": item.id,
        "event": item.type,
        "payload": payload,
        "deliveries": [{"id": str(new_id()), **each} for each in receivers],
    }
