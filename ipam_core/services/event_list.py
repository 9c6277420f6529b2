"""The list of events, newest first: three logs, each read backwards in stretches of time, in one order."""

from collections.abc import Mapping
from datetime import UTC, datetime, time, timedelta
from typing import Any

from ipam_core.db import queries
from ipam_core.model.actor import Actor
from ipam_core.model.event import Event, parse_types, types_of
from ipam_core.model.page import Page, read_limit, write_cursor
from ipam_core.model.values import parse_instant
from ipam_core.services import redaction
from ipam_core.services.entity.entity import Connection, Filter
from ipam_core.services.entity.filters import TENANT
from ipam_core.services.entity.lists import PAGING, Conditions, read_filter
from ipam_core.services.entity.scans import read_numbers, walk_back
from ipam_core.services.event_items import LOGS, Item, Log
from ipam_core.services.lease_walk import EPOCH, micros, moment

SQL = queries.load("event_stream")

FIRST_STEP = 1_000_000  # microseconds
LARGEST_KEY = 10**18 - 1
TYPE = Filter("", parse_types)
SPAN = {"since": Filter("", parse_instant), "until": Filter("", parse_instant)}
OWN = ("type", *SPAN)
FILTERS = {**TENANT, "type": TYPE, **SPAN}

Order = tuple[int, int, int]  # time in microseconds, log, key


class Asked:
    """Query of a request. Raises ValidationError for a parameter that is unknown or cannot be read."""

    def __init__(self, actor: Actor, query: Mapping[str, str]) -> None:
        self.actor = actor
        self.types = types_asked(actor, query)
        self.since = read_filter("since", SPAN["since"], query["since"]) if "since" in query else EPOCH
        self.until = read_filter("until", SPAN["until"], query["until"]) if "until" in query else None
        self.before = read_numbers(query["cursor"], 3) if "cursor" in query else None
        self.scope = {name: text for name, text in query.items() if name not in (*PAGING, *OWN)}
        Conditions().add_filters(TENANT, self.scope)

    @property
    def top(self) -> int:
        """Nothing is shown from that moment on."""
        top = micros(self.until or datetime.now(UTC) + timedelta(days=1))
        return top if self.before is None else min(top, self.before[0] + 1)

    def of_log(self, log: Log, low: int, high: int) -> Conditions:
        """Return events of the log from `low` up to `high`."""
        conditions = Conditions()
        conditions.add(f"{log.table}.at >= {{}}::timestamptz", moment(low))
        conditions.add(f"{log.table}.at < {{}}::timestamptz", moment(high))
        conditions.add(f"{log.type_} = any({{}}::text[])", log.words(self.types))
        if self.before is not None:
            at, key = conditions.placeholder(moment(self.before[0])), conditions.placeholder(self.key(log))
            place = f"({log.table}.at, {log.table}.{log.key})"
            conditions.texts.append(f"{place} < ({at}::timestamptz, {key}::bigint)")
        if self.actor.tenant_no is not None:
            conditions.add(f"{log.table}.tenant_no = {{}}", self.actor.tenant_no)
        conditions.add_filters(TENANT, self.scope)
        return conditions

    def key(self, log: Log) -> int:
        """Return which of this log's keys at the moment of the last event shown are still to be shown: those below."""
        assert self.before is not None
        _, rank, key = self.before
        return key if log.rank == rank else LARGEST_KEY if log.rank < rank else -1


def types_asked(actor: Actor, query: Mapping[str, str]) -> frozenset[str]:
    """Raise ValidationError."""
    asked: frozenset[str] = read_filter("type", TYPE, query["type"]) if "type" in query else types_of(())
    return frozenset(type_ for type_ in asked if redaction.sees_type(actor, type_))


async def find(connection: Connection, actor: Actor, query: Mapping[str, str]) -> Page[Event]:
    """Return a page of what the actor may see. Raises ValidationError for a parameter that is unknown or cannot be
    read."""
    limit, asked = read_limit(query.get("limit")), Asked(actor, query)
    bottom = max(micros(asked.since), await oldest(connection))

    async def read(low: int, high: int, wanted: int) -> list[Any]:
        found = [item for log in LOGS for item in await read_log(connection, log, asked, low, high, wanted)]
        return sorted(found, key=order, reverse=True)[:wanted]

    found, edge = await walk_back(read, asked.top, bottom, FIRST_STEP, limit + 1)
    items: list[Any] = found[:limit]
    after = (edge, 0, 0) if edge > bottom else None
    if len(found) > limit:
        after = order(items[-1])
    shown = [item.shown(actor) for item in items]
    return Page(shown, None if after is None else write_cursor(*map(str, after)))


def order(item: Item) -> Order:
    return micros(item.at), item.place[1], item.place[2]


async def oldest(connection: Connection) -> int:
    """Return the time before which there is nothing, microseconds since 1970."""
    found = await SQL.oldest(connection)
    times = [found["change"], found["event"]]
    if found["day"] is not None:
        times.append(datetime.combine(found["day"], time(), UTC))
    return min((micros(at) for at in times if at is not None), default=0)


async def read_log(
    connection: Connection, log: Log, asked: Asked, low: int, high: int, wanted: int
) -> list[Item]:
    if not log.words(asked.types):
        return []
    conditions = asked.of_log(log, low, high)
    text = conditions.page(log.view, f"{log.table}.at desc, {log.table}.{log.key} desc", wanted - 1)
    return [log.item(row) for row in await connection.fetch(text, *conditions.values)]
