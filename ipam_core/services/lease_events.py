"""Lease history, newest first: who had which address, when, and until when in the end.

`at` asks for the event that was in force at a moment: a grant or renewal that had begun, had not ended, and
was followed by nothing else of the address. Of one address that is its last event before; else candidates are looked
for in days whose leases had not all ended, and each must have no follower.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from ipam_core.db import queries
from ipam_core.errors import ValidationError
from ipam_core.model.actor import Actor
from ipam_core.model.history import EVENTS, LeaseEvent
from ipam_core.model.lease import lease_id, relayed
from ipam_core.model.page import Page, read_limit, write_cursor
from ipam_core.model.values import encode_value, parse_instant, parse_octets
from ipam_core.services.entity.entity import Connection, Filter, Row, view_text
from ipam_core.services.entity.filters import SUBNET, Words, equal, host_filters
from ipam_core.services.entity.lists import Conditions, read_filter
from ipam_core.services.entity.scans import ReadBack, read_numbers
from ipam_core.services.lease_ends import NONE, End, key_of, read_ends
from ipam_core.services.lease_walk import (
    EPOCH,
    Day,
    micros,
    moment,
    newest_of_address,
    read_days,
    stretches,
    walk,
)
from ipam_core.services.leases import mac_octets, starts

SQL = queries.load("lease_event")
VIEW = view_text(SQL.lease_event_view)
ORDER = "lease_event.at desc, lease_event.version desc"

KINDS = {word: kind for kind, word in EVENTS.items()}

IN_FORCE = (
    "lease_event.at <= {}::timestamptz and lease_event.kind in ('g', 'n') and lease_event.expires_at > {}"
)
# Versions of an address rise with time, as far as clocks do.
FOLLOWED = """exists (select from lease_event later where later.address = lease_event.address
  and later.tenant_no = lease_event.tenant_no and later.version > lease_event.version and later.at <= {at}
  and later.at >= lease_event.at - interval '1 hour' and later.at >= {low}::timestamptz - interval '1 hour')"""
FILTERS = {
    **host_filters("lease_event.address"),
    **SUBNET,
    "mac": equal("lease_event.hw_address", mac_octets),
    "duid": equal("lease_event.duid", parse_octets),
    "client_id": equal("lease_event.client_id", parse_octets),
    "hostname": Filter("lower(lease_event.hostname) like {}", starts),
    "event": Filter("lease_event.kind = {}", Words(KINDS)),
    "at": Filter(IN_FORCE, parse_instant),  # and nothing follows: `Question`
    "since": Filter("lease_event.at >= {}", parse_instant),
    "until": Filter("lease_event.at < {}", parse_instant),
}


def present(row: Row, ended: End = NONE) -> LeaseEvent:
    """Return the event; `ended` is what became of its lease."""
    shown = {name: encode_value(value) for name, value in row.items()}
    for name in ("version", "kind", "tenant_no"):
        del shown[name]
    return LeaseEvent(
        id=str(row["version"]),
        created_at=shown["at"],
        updated_at=shown["at"],
        event=EVENTS[row["kind"]],
        lease_id=lease_id(row["tenant_no"], row["ip"]),
        ended_at=encode_value(ended.at),
        end=ended.how,
        **shown | relayed(row),
    )


class Span(NamedTuple):
    """Microseconds since 1970, from `bottom` up to but not with `top`."""

    top: int
    bottom: int


async def find(connection: Connection, actor: Actor, query: Mapping[str, str]) -> Page[LeaseEvent]:
    """Return a page of what the actor may see, the newest first. Raises ValidationError for a parameter that is unknown
    or cannot be read."""
    limit = read_limit(query.get("limit"))
    question = Question(actor, query)
    days = await read_days(connection, query, question.at)
    async with connection.transaction():
        await SQL.plan_for_values(connection)
        rows, edge, bottom = await question.rows(connection, days, limit + 1)
        ends = await read_ends(connection, rows[:limit])
    page = [present(row, ends[key_of(row)]) for row in rows[:limit]]
    if len(rows) > limit:
        last = rows[limit - 1]
        return Page(page, write_cursor(str(micros(last["at"])), str(last["version"])))
    return Page(page, write_cursor(str(edge), "0") if edge > bottom else None)


class Question:
    """A list as it was asked for."""

    def __init__(self, actor: Actor, query: Mapping[str, str]) -> None:
        self.query = query
        self.tenant_no = actor.tenant_no
        self.conditions = Conditions()
        if actor.tenant_no is not None:
            self.conditions.add("lease_event.tenant_no = {}", actor.tenant_no)
        self.conditions.add_filters(FILTERS, query)
        self.given = {
            name: read_filter(name, FILTERS[name], query[name])
            for name in ("ip", "at", "since", "until")
            if name in query
        }
        self.at: datetime | None = self.given.get("at")
        self.span = self.bounds()

    def bounds(self) -> Span:
        """Return the bounds; times outside are not looked at."""
        tops = [micros(datetime.now(UTC) + timedelta(days=1))]
        # In numbers: the last moment of the calendar has no next one.
        tops += [micros(self.given[name]) + 1 for name in ("until", "at") if name in self.given]
        if "cursor" in self.query:
            tops.append(after_last(self.conditions, self.query["cursor"]) + 1)
        return Span(min(tops), micros(self.given.get("since", EPOCH)))

    async def rows(self, connection: Connection, days: list[Day], wanted: int) -> tuple[list[Row], int, int]:
        """Return at most so many rows, the moment down to which all was looked at, and the one where history begins."""
        if self.at is not None and "ip" in self.query:
            await self.settle_holders(connection, days)
        elif self.at is not None:
            days = [day for day in days if not day.over]
        over = stretches(days, *self.span)
        found = await walk(self.reader(connection), over, wanted)
        return found.rows, found.edge, over[-1].bottom if over else 0

    async def settle_holders(self, connection: Connection, days: list[Day]) -> None:
        """Settle holders: the last event of an address decides who holds it, whatever else is asked."""
        top = micros(self.given["at"]) + 1
        begins = min((day.begins for day in days if not day.over), default=top)
        over = stretches(days, top, begins)
        found = await newest_of_address(connection, self.given["ip"], self.given["at"], self.tenant_no, over)
        held = [micros(row["at"]) for row in found.values()]
        self.conditions.add(
            "lease_event.version = any({}::bigint[])", [row["version"] for row in found.values()]
        )
        top, bottom = max(held, default=0) + 1, min(held, default=1)
        self.span = Span(min(self.span.top, top), max(self.span.bottom, bottom))

    def reader(self, connection: Connection) -> ReadBack:
        conditions = self.conditions
        low, high = conditions.placeholder(EPOCH), conditions.placeholder(EPOCH)
        conditions.texts.append(
            f"lease_event.at >= {low}::timestamptz and lease_event.at < {high}::timestamptz"
        )
        if self.at is not None and "ip" not in self.query:
            at = f"${conditions.values.index(self.at) + 1}"
            conditions.texts.append("not " + FOLLOWED.format(at=at, low=low))

        async def read(first: int, end: int, wanted: int) -> list[Row]:
            text = conditions.page(VIEW, ORDER, wanted - 1)
            found: list[Row] = await connection.fetch(
                text, *conditions.values[:-2], moment(first), moment(end)
            )
            return found

        return read


def after_last(conditions: Conditions, cursor: str) -> int:
    """Add what is older than the last row shown; answers that row's moment."""
    at, version = read_numbers(cursor, 2)
    try:
        instant = conditions.placeholder(moment(at))
    except OverflowError:
        raise ValidationError("cursor", "is not one that this list gave") from None
    number = conditions.placeholder(version)
    conditions.texts.append(
        f"(lease_event.at, lease_event.version) < ({instant}::timestamptz, {number}::bigint)"
    )
    return at
