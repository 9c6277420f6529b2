"""The three logs read on and on as one stream: nothing is lost, and of one object the order is that of the writes.

A reading takes what one snapshot of the database sees and an earlier one did not. Transaction numbers alone would not
do: they are given before what is written can be seen, so a cursor made of one would either skip those that commit
later or wait for the slowest of all. A snapshot names the few that were running, and they are looked for by name.

What lies between two snapshots may be much, when nobody has read for a while, so it is read in pages, by transaction.
A page is sorted by log and key, which is the order of one object's writes; only where two transactions wrote one
object at once, and a page of such a backlog ends between them, they may come the other way round. `version` tells
with leases.

A position is a text, and good for ever: in another history of the database (a promotion, a restore) it stands for its
time, a little earlier, so that what is read twice there has the same ids.
"""

import base64
import binascii
import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

import msgspec

from ipam_core import faults
from ipam_core.db import queries
from ipam_core.errors import ValidationError
from ipam_core.model.event import TYPES
from ipam_core.model.page import read_cursor
from ipam_core.services.entity.entity import Connection, Row
from ipam_core.services.entity.scans import NUMBER
from ipam_core.services.event_items import LOGS, Item, Log, Place
from ipam_core.services.lease_walk import micros, moment

SQL = queries.load("event_stream")

PAGE = 1000
LONGEST_TRANSACTION = timedelta(days=1)  # an event has the time at which its transaction began
AGAIN = timedelta(minutes=1)  # read again after a failover, since the standby may have lacked it
ITEM_MARGIN = timedelta(seconds=10)
BEGINNING = "3:3:"  # a snapshot that sees nothing
SNAPSHOT = re.compile(r"\d{1,18}:\d{1,18}:(?:\d{1,18}(?:,\d{1,18})*)?")
BEFORE_ALL: Place = (0, 0, -1)
LAST_KEY = 2**63 - 1
UNREADABLE = ""
END: Place = (LAST_KEY, 0, -1)


class Position(msgspec.Struct, frozen=True, array_like=True, kw_only=True):
    """Position of a reader.

    `seen`: what this snapshot sees is done; it was drawn at `drawn` (microseconds since 1970). `until`, drawn at
    `until_drawn`: the snapshot up to which is being read, with all places up to `after` done; empty: none is.
    `page_end` and `item`: of the page behind `after`, which ends there, what is sorted up to this log and key is done.
    """

    history: str
    seen: str
    drawn: int
    until: str = ""
    until_drawn: int = 0
    after: Place = BEFORE_ALL
    page_end: Place | None = None
    item: tuple[int, int] | None = None

    @property
    def floor(self) -> datetime:
        """Nothing that is not done is older."""
        drawn = moment(self.drawn)
        return drawn if self.seen == BEGINNING else drawn - LONGEST_TRANSACTION

    @property
    def is_between(self) -> bool:
        """Whether a snapshot is half read."""
        return bool(self.until)

    def text(self) -> str:
        return base64.urlsafe_b64encode(msgspec.json.encode(self)).rstrip(b"=").decode()


class Reading(NamedTuple):
    """Items in order; `after` is where to go on. `page_end`: of the items' page."""

    items: Sequence[Item]
    before: Position
    after: Position
    page_end: Place

    def position_of(self, item: Item) -> Position:
        """Return the position up to this item, which is done."""
        return msgspec.structs.replace(self.before, page_end=self.page_end, item=item.place[1:])


class Snapshot(NamedTuple):
    running: list[int]
    next: int


def parse_snapshot(text: str) -> Snapshot:
    """Parse a pg_snapshot: the oldest that runs, the next number, all that run. Raises ValueError."""
    if not SNAPSHOT.fullmatch(text):
        raise ValueError(text)
    first, end = (int(each) for each in text.split(":")[:2])
    numbers = [int(each) for each in text.rpartition(":")[2].split(",") if each]
    if first > end or numbers != sorted(set(numbers)) or not all(first <= each < end for each in numbers):
        raise ValueError(text)
    return Snapshot(numbers, end)


def read_position(text: str) -> Position:
    """Raise ValidationError for what no stream gave."""
    try:
        data = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        position = msgspec.json.decode(data, type=Position)
        for snapshot in filter(None, (position.seen, position.until)):
            parse_snapshot(snapshot)
        if not all(map(is_place, filter(None, (position.after, position.page_end)))):
            raise ValueError(text)
        position.floor  # noqa: B018 - raises where the time is none
    except (binascii.Error, ValueError, OverflowError, RecursionError, msgspec.MsgspecError):
        raise unknown() from None
    return position


def is_place(place: Place) -> bool:
    transaction, log, key = place
    return 0 <= transaction <= LAST_KEY and log in range(len(LOGS)) and -1 <= key <= LAST_KEY


def unknown() -> ValidationError:
    return ValidationError(
        "last-event-id", "is not an event id of this service; leave it out to start with new events"
    )


async def position_after(connection: Connection, text: str) -> Position:
    """Return the position after an event by its id, as a stream gave it or as a list shows it: then slightly older
    events come again. Raises ValidationError."""
    try:
        _, key, at = read_cursor(text, str, str, str)
    except ValidationError:
        return read_position(text)
    if not (NUMBER.fullmatch(key) and NUMBER.fullmatch(at)):
        raise unknown()
    return await since(connection, moment(int(at)) - ITEM_MARGIN)


async def head(connection: Connection) -> Position:
    """Return where the logs stand now."""
    row = await SQL.head(connection)
    return Position(history=row["history"], seen=row["snapshot"], drawn=row["clock"])


async def since(connection: Connection, at: datetime) -> Position:
    """Return the position before the first event of that time."""
    now = await head(connection)
    found = await SQL.first_since(connection, at=at)
    if found["xid"] is None:
        return now
    after = (found["xid"], 0, -1)
    return Position(
        history=now.history,
        seen=BEGINNING,
        drawn=micros(at),
        until=now.seen,
        until_drawn=now.drawn,
        after=after,
    )


async def read(
    connection: Connection,
    position: Position,
    types: frozenset[str] = TYPES,
    upto: Position | None = None,
    at_most: int = PAGE,
) -> Reading:
    """Return the next page behind a position, of these types alone. It reads up to where the logs stand, or where they
    stood at `upto`, and is the last one when the position behind it `is_between` no snapshots."""
    target = upto or await head(connection)
    if position.history != target.history:
        position = await since(connection, moment(position.drawn) - AGAIN)
        if not position.is_between:
            return Reading([], position, position, BEFORE_ALL)
    if not position.is_between:
        if position.seen == target.seen:
            return Reading([], position, position, BEFORE_ALL)
        position = msgspec.structs.replace(
            position, until=target.seen, until_drawn=target.drawn, after=BEFORE_ALL
        )
    found = [item for log in LOGS for item in await read_log(connection, log, position, types, at_most)]
    found.sort(key=lambda item: item.place)
    page = found if position.page_end else found[:at_most]
    return bounded(position, page, len(page) < at_most)


def bounded(position: Position, page: list[Item], is_last: bool) -> Reading:
    """Return the page in order, without what was done of it."""
    end = position.page_end or (END if is_last else page[-1].place)
    page.sort(key=lambda item: item.place[1:])
    if position.item is not None:
        page = [item for item in page if item.place[1:] > position.item]
    before = msgspec.structs.replace(position, page_end=None, item=None)
    if end == END:
        after = Position(history=position.history, seen=position.until, drawn=position.until_drawn)
    else:
        after = msgspec.structs.replace(before, after=end)
    return Reading(page, before, after, end)


async def read_log(
    connection: Connection, log: Log, position: Position, types: frozenset[str], at_most: int
) -> list[Item]:
    """Return the first of one log in the order of transactions."""
    words = log.words(types)
    if not words:
        return []
    seen = parse_snapshot(position.seen)
    end = position.page_end or END
    values = [
        position.until,
        *bound(position.after, log.rank),
        *bound(end, log.rank),
        position.floor,
        words,
        None if position.page_end else at_most,
    ]
    rows = []
    if any(number >= position.after[0] for number in seen.running):
        rows += await connection.fetch(statement(log, NAMED), list(map(str, seen.running)), *values)
    first = max(seen.next, position.after[0])
    rows += await connection.fetch(statement(log, LATER), str(first), *values)
    return [readable(log, row) for row in rows]


def readable(log: Log, row: Row) -> Item:
    """Return a row as an event. One that cannot be read keeps its place, and has a type that nobody asks for."""
    try:
        return log.item(row)
    except Exception as error:  # noqa: BLE001 - the other events are sent
        faults.caught("event", error, log=log.table, key=row["key"])
        return Item((row["xid"], log.rank, row["key"]), row["happened"], UNREADABLE, None, None, {})


# Two statements, since the index leads to either at once, and to both by one condition it does not.
NAMED = "xid = any($1::text[]::xid8[])"
LATER = "xid >= $1::text::xid8"


def statement(log: Log, which: str) -> str:
    """Return VIEW where WHICH and pg_visible_in_snapshot(xid, $2) and (xid, KEY) > ($3, $4) and (xid, KEY) <= ($5, $6)
    and at >= $7 and TYPE = any($8) order by xid, KEY limit $9."""
    place = f"({log.table}.xid, {log.table}.{log.key})"
    return (
        f"{log.view} where {log.table}.{which}"
        f" and pg_visible_in_snapshot({log.table}.xid, $2::text::pg_snapshot)"
        f" and {place} > ($3::text::xid8, $4::bigint) and {place} <= ($5::text::xid8, $6::bigint)"
        f" and {log.table}.at >= $7::timestamptz and {log.type_} = any($8::text[])"
        f" order by {log.table}.xid, {log.table}.{log.key} limit $9::bigint"
    )


def bound(place: Place, rank: int) -> tuple[str, int]:
    """Return a place as one of the log: its transaction, and which keys there are before it or at it."""
    transaction, log, key = place
    return str(transaction), key if rank == log else LAST_KEY if rank < log else -1
