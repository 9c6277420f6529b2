"""Walk over the stretches of the lease history, from the newest back, and its speed.

A day has a partition of its own. Where an index leads to what is asked for (the address everywhere, a client in days
that are over: lease_days.py) days are walked over by the handful; else, as in today's, by as much as is read quickly.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, NamedTuple

from ipam_core.db import queries
from ipam_core.services.entity.entity import Connection
from ipam_core.services.entity.scans import ReadBack, Walked, walk_back

SQL = queries.load("lease_event")

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
SECOND = 1_000_000
DAY = 86_400 * SECOND
FEW_DAYS = 2 * DAY  # today, and the day before or after if clocks differ
LOOK_OCTETS = 64 << 20  # are read within a tenth of a second or so
# Of each filter that one serves, the index that days have when they are over.
ENDINGS = {"mac": "hw_address", "duid": "duid", "client_id": "client_id", "hostname": "hostname"}


class Day(NamedTuple):
    """Day or a part of one, in microseconds since 1970. `step`: how far the first look may reach; `over`: all leases of
    that day had ended by the moment asked for."""

    begins: int
    ends: int
    step: int
    over: bool = False


class Stretch(NamedTuple):
    """Stretch of time, in microseconds; `step` is how far the first look reaches."""

    top: int
    bottom: int
    step: int


async def read_days(connection: Connection, filters: Collection[str], at: datetime | None) -> list[Day]:
    """Return the newest first."""
    ending = next((ending for name, ending in ENDINGS.items() if name in filters), None)
    rows = SQL.read_days(connection, ending=ending, at=at)
    return [part async for row in rows for part in parts(row, row["indexed"] or "ip" in filters)]


def parts(row: Mapping[str, Any], indexed: bool) -> Iterator[Day]:
    """Yield the parts: of a day without an index that is not over yet what is still to come, where only clocks that
    were set back have left something, is a part of its own: looks that find nothing grow."""
    begins, now = midnight(row["day"]), micros(row["now"])
    ends = begins + DAY
    if indexed:
        yield Day(begins, ends, FEW_DAYS, row["over"])
    elif begins < now < ends:
        yield Day(now, ends, DAY, row["over"])
        yield Day(begins, now, first_step(now - begins, row["octets"]), row["over"])
    else:
        yield Day(begins, ends, first_step(DAY, row["octets"]), row["over"])


def first_step(span: int, octets: int) -> int:
    """Return all of a day, or a part of it that is not too large if events are spread evenly."""
    return span if octets <= LOOK_OCTETS else max(SECOND, span * LOOK_OCTETS // octets)


def stretches(days: Iterable[Day], top: int, bottom: int) -> list[Stretch]:
    """Return adjacent days that are read alike as one, as far as they lie between the bounds."""
    found: list[Stretch] = []
    for day in days:
        upper, lower = min(top, day.ends), max(bottom, day.begins)
        if upper <= lower:
            continue
        if found and found[-1].bottom == upper and found[-1].step == day.step:
            found[-1] = found[-1]._replace(bottom=lower)
        else:
            found.append(Stretch(upper, lower, day.step))
    return found


async def walk(read: ReadBack, over: Iterable[Stretch], wanted: int) -> Walked:
    """Return rows from the newest stretch to the oldest, until there are enough or a stretch takes too long; `edge` is
    then above the bottom of the last one."""
    rows: list[Any] = []
    edge = 0
    for stretch in over:
        found = await walk_back(read, stretch.top, stretch.bottom, stretch.step, wanted - len(rows))
        rows, edge = rows + found.rows, found.edge
        if len(rows) >= wanted or edge > stretch.bottom:
            break
    return Walked(rows, edge)


async def newest_of_address(
    connection: Connection, address: Any, at: datetime, tenant_no: int | None, over: Iterable[Stretch]
) -> Mapping[int, Any]:
    """Return the last row of an address up to a moment, by tenant; looked for until the tenant, or each of all, has
    one."""
    wanted = await SQL.count_tenants(connection) if tenant_no is None else 1
    found: dict[int, Any] = {}
    for bounds in windows(over):
        first, end = map(moment, bounds)
        rows = SQL.newest_of_address(connection, address=address, at=at, first=first, end=end)
        async for row in rows:
            if tenant_no in (None, row["tenant_no"]):
                found.setdefault(row["tenant_no"], row)
        if len(found) >= wanted:
            break
    return found


def windows(over: Iterable[Stretch]) -> Iterator[tuple[int, int]]:
    """Yield windows from the newest back, each four times the one before."""
    for stretch in over:
        top, step = stretch.top, stretch.step
        while top > stretch.bottom:
            low = max(stretch.bottom, top - step)
            yield low, top
            top, step = low, 4 * step


def midnight(day: date) -> int:
    return micros(datetime.combine(day, time(), UTC))


def micros(at: datetime) -> int:
    return (at - EPOCH) // MICROSECOND


def moment(number: int) -> datetime:
    """Raise OverflowError for what no calendar has."""
    return EPOCH + number * MICROSECOND
