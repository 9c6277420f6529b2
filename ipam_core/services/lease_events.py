"""Lease history, newest first: who had which address, and when.

`at` asks for the event that was in force at a moment: a grant or renewal that had begun, had not ended, and
was followed by nothing else of the address.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, time, timedelta

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
from ipam_core.services.entity.scans import read_numbers, walk_back
from ipam_core.services.leases import mac_octets, starts

SQL = queries.load("lease_event")
VIEW = view_text(SQL.lease_event_view)
ORDER = "lease_event.at desc, lease_event.version desc"

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
FIRST_STEP = 1_000_000
KINDS = {word: kind for kind, word in EVENTS.items()}

IN_FORCE = (
    "lease_event.at <= {}::timestamptz and lease_event.kind in ('g', 'n') and lease_event.expires_at > {}"
    " and not exists (select from lease_event later where later.address = lease_event.address"
    " and later.tenant_no = lease_event.tenant_no and later.version > lease_event.version and later.at <= {})"
)
FILTERS = {
    **host_filters("lease_event.address"),
    **SUBNET,
    "mac": equal("lease_event.hw_address", mac_octets),
    "duid": equal("lease_event.duid", parse_octets),
    "client_id": equal("lease_event.client_id", parse_octets),
    "hostname": Filter("lower(lease_event.hostname) like {}", starts),
    "event": Filter("lease_event.kind = {}", Words(KINDS)),
    "at": Filter(IN_FORCE, parse_instant),
    "since": Filter("lease_event.at >= {}", parse_instant),
    "until": Filter("lease_event.at < {}", parse_instant),
}


def present(row: Row) -> LeaseEvent:
    shown = {name: encode_value(value) for name, value in row.items()}
    for name in ("version", "kind", "tenant_no"):
        del shown[name]
    return LeaseEvent(
        id=str(row["version"]),
        created_at=shown["at"],
        updated_at=shown["at"],
        event=EVENTS[row["kind"]],
        lease_id=lease_id(row["tenant_no"], row["ip"]),
        **shown | relayed(row),
    )


async def find(connection: Connection, actor: Actor, query: Mapping[str, str]) -> Page[LeaseEvent]:
    """A page of what the actor may see, the newest first. Raises ValidationError for a parameter that is unknown or
    cannot be read."""
    limit = read_limit(query.get("limit"))
    conditions = Conditions()
    if actor.tenant_no is not None:
        conditions.add("lease_event.tenant_no = {}", actor.tenant_no)
    conditions.add_filters(FILTERS, query)
    top, bottom = await bounds(connection, query)
    if "cursor" in query:
        top = min(top, after_last(conditions, query["cursor"]) + 1)
    low, high = conditions.placeholder(EPOCH), conditions.placeholder(EPOCH)
    conditions.texts.append(f"lease_event.at >= {low}::timestamptz and lease_event.at < {high}::timestamptz")

    async def read(first: int, end: int, wanted: int) -> list[Row]:
        text = conditions.page(VIEW, ORDER, wanted - 1)
        found: list[Row] = await connection.fetch(text, *conditions.values[:-2], moment(first), moment(end))
        return found

    # The events of one address are found by its index, all at once.
    step = max(1, top - bottom) if "ip" in query else FIRST_STEP
    rows, edge = await walk_back(read, top, bottom, step, limit + 1)
    page = [present(row) for row in rows[:limit]]
    if len(rows) > limit:
        last = rows[limit - 1]
        return Page(page, write_cursor(str(micros(last["at"])), str(last["version"])))
    return Page(page, write_cursor(str(edge), "0") if edge > bottom else None)


async def bounds(connection: Connection, query: Mapping[str, str]) -> tuple[int, int]:
    """What lies outside is not looked at: before the oldest partition there is nothing."""
    given = {
        name: read_filter(name, FILTERS[name], query[name])
        for name in ("since", "until", "at")
        if name in query
    }
    day = await SQL.oldest_day(connection)
    oldest = datetime.combine(day, time(), UTC) if day else EPOCH
    tops = [micros(datetime.now(UTC) + timedelta(days=1))]
    # In numbers: the last moment of the calendar has no next one.
    tops += [micros(given[name]) + 1 for name in ("until", "at") if name in given]
    return min(tops), micros(max(oldest, given.get("since", oldest)))


def after_last(conditions: Conditions, cursor: str) -> int:
    """Adds what is older than the last row shown; answers that row's moment."""
    at, version = read_numbers(cursor, 2)
    instant, number = conditions.placeholder(moment(at)), conditions.placeholder(version)
    conditions.texts.append(
        f"(lease_event.at, lease_event.version) < ({instant}::timestamptz, {number}::bigint)"
    )
    return at


def micros(at: datetime) -> int:
    return (at - EPOCH) // MICROSECOND


def moment(number: int) -> datetime:
    try:
        return EPOCH + number * MICROSECOND
    except OverflowError:
        raise ValidationError("cursor", "is not one that this list gave") from None
