"""Events: recorded in the transaction of what they tell, listed newest first, delivered by whoever reads the log.

Their types are those that webhooks subscribe to. Old ones are forgotten: an event is a message, not a record.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ipam_core.db import queries
from ipam_core.model.actor import Actor
from ipam_core.model.event import Event
from ipam_core.model.ids import new_id
from ipam_core.model.page import Page, read_limit, write_cursor
from ipam_core.model.values import encode_value, parse_instant
from ipam_core.model.webhook import EVENTS
from ipam_core.services.entity.entity import Connection, Filter, Row, view_text
from ipam_core.services.entity.filters import TENANT, equal, one_of
from ipam_core.services.entity.lists import Conditions
from ipam_core.services.entity.scans import read_numbers, walk_back

SQL = queries.load("event")
VIEW = view_text(SQL.event_view)

KEPT_DAYS = 90
FORGOTTEN_AT_ONCE = 10_000
FIRST_STEP = 1000
FILTERS = {
    **TENANT,
    "type": equal("event.type", one_of(*sorted(EVENTS))),
    "since": Filter("event.at >= {}", parse_instant),
    "until": Filter("event.at < {}", parse_instant),
}


class Told(NamedTuple):
    """An event that is to be recorded: its payload, and whose it is."""

    type: str
    data: Mapping[str, Any]
    tenant_no: int | None


async def record(connection: Connection, type_: str, data: Mapping[str, Any], tenant_no: int | None) -> None:
    """One event, as a webhook will tell it: `data` is its payload. It stands if the transaction does. Raises ValueError
    for a type that is none."""
    await record_all(connection, [Told(type_, data, tenant_no)])


async def record_all(connection: Connection, events: Sequence[Told]) -> None:
    """Several, by one statement."""
    for each in events:
        if each.type not in EVENTS:
            raise ValueError(f"{each.type} is not an event that a webhook can subscribe to")
    rows = [each._asdict() | {"id": str(new_id()), "data": dict(each.data)} for each in events]
    await SQL.record_events(connection, events=rows)


async def forget_old(connection: Connection) -> None:
    await SQL.forget_events(connection, days=KEPT_DAYS, at_most=FORGOTTEN_AT_ONCE)


async def find(connection: Connection, actor: Actor, query: Mapping[str, str]) -> Page[Event]:
    """A page of what the actor may see, the newest first. Raises ValidationError for a parameter that is unknown or
    cannot be read."""
    limit = read_limit(query.get("limit"))
    conditions = Conditions()
    if actor.tenant_no is not None:
        conditions.add("event.tenant_no = {}", actor.tenant_no)
    conditions.add_filters(FILTERS, query)
    span = await SQL.event_span(connection)
    top = read_numbers(query["cursor"], 1)[0] if "cursor" in query else span["last"] + 1
    low, high = conditions.placeholder(0), conditions.placeholder(0)
    conditions.texts.append(f"event.no >= {low}::bigint and event.no < {high}::bigint")

    async def read(first: int, end: int, wanted: int) -> list[Row]:
        text = conditions.page(VIEW, "event.no desc", wanted - 1)
        found: list[Row] = await connection.fetch(text, *conditions.values[:-2], first, end)
        return found

    rows, edge = await walk_back(read, top, span["first"], FIRST_STEP, limit + 1)
    page = rows[:limit]
    after = page[-1]["no"] if len(rows) > limit else edge if edge > span["first"] else None
    return Page([present(row) for row in page], None if after is None else write_cursor(str(after)))


def present(row: Row) -> Event:
    shown = {name: encode_value(value) for name, value in row.items() if name != "no"}
    return Event(created_at=shown["at"], updated_at=shown["at"], **shown)
