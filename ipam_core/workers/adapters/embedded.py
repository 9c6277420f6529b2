"""Our own zones: records are written to the database, and the publisher gives them a serial.

Static records are never touched. A client gets no name at which an operator's records are, but keeps the one it has
when an operator adds records of other types. Assignments and reservations share their names with those.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import asyncpg

from ipam_core.db import queries
from ipam_core.dns.content import above
from ipam_core.dns.names import cuts, is_within
from ipam_core.model.ids import new_id
from ipam_core.services.entity.entity import Connection
from ipam_core.workers.adapters import (
    COMPARED,
    Change,
    Found,
    NameConflict,
    Refused,
    Step,
    TestResult,
    UpdateError,
)

SQL = queries.load("ddns_embedded")

FOLLOWING = ("lease", "assignment", "reservation")  # sources of what is written here
IN_USE = {
    "record": "belongs to an operator",
    "delegation": "is at or below a delegation",
    "redirected": "is at or below a DNAME record",
    "alias": "cannot have a CNAME record beside other records",
}


class Record(NamedTuple):
    """A record set that follows addresses: `data` with the sources of its members, `gone` what is removed of it. `name`
    and the places of possible delegations (`cuts`) are relative to the zone."""

    zone: str
    name: str
    type: str
    data: Mapping[str, str]
    gone: Sequence[str] = ()
    cuts: Sequence[str] = ()


class Write(NamedTuple):
    """Write of a change. `at`: its place among the changes."""

    at: int
    adds: bool
    change: Change
    records: list[Record]


Errors = list[UpdateError | None]
Zones = Mapping[str, int]
Places = dict[tuple[int, str, str], str]  # by zone number, name and type: the record that conflicts


class Embedded:
    """The zones of one tenant. Raises NameConflict, and Refused where a zone is not there."""

    def __init__(self, pool: asyncpg.Pool, tenant_no: int) -> None:
        self.pool = pool
        self.tenant_no = tenant_no

    async def close(self) -> None:
        """Close nothing: the sessions are the worker's."""

    async def add(self, change: Change) -> None:
        await self.write_one(change, adds=True)

    async def remove(self, change: Change) -> None:
        await self.write_one(change, adds=False)

    async def write_one(self, change: Change, *, adds: bool) -> None:
        (error,) = await self.write([(adds, change)])
        if error is not None:
            raise error

    async def write(self, changes: Sequence[tuple[bool, Change]]) -> Errors:
        """Return additions (true) and removals of as many names and addresses, in one transaction: a commit that
        notifies waits for all others that do. What was wrong with each; None: it is done."""
        errors: Errors = [None] * len(changes)
        writes: list[Write] = []
        for at, (adds, change) in enumerate(changes):
            try:
                writes.append(Write(at, adds, change, records_of(change, adds=adds)))
            except UpdateError as error:
                errors[at] = error
        async with self.pool.acquire() as connection, connection.transaction():
            names = sorted({record.zone for each in writes for record in each.records})
            found = SQL.find_zones(connection, tenant_no=self.tenant_no, names=names)
            zones = {row["name"]: row["no"] async for row in found}
            await self.remove_all(connection, [each for each in writes if not each.adds], zones)
            if additions := [each for each in writes if each.adds]:
                await self.add_all(connection, additions, zones, errors)
        return errors

    async def remove_all(self, connection: Connection, writes: Sequence[Write], zones: Zones) -> None:
        """Remove the records; a zone that is gone has taken them along. What the name is to have stays, or comes back
        where a newer address of its client had taken its place."""
        rows = rows_of(writes, zones)
        if rows:
            await SQL.restore_records(connection, records=members_of(rows))
            await SQL.drop_records(connection, records=rows)

    async def add_all(
        self, connection: Connection, writes: Sequence[Write], zones: Zones, errors: Errors
    ) -> None:
        """Add all records of a change, or none, in place of other records that follow addresses under each name and
        type."""
        found = SQL.in_the_way(connection, records=rows_of(writes, zones))
        taken = {(row["zone_no"], row["name"], row["type"]): row["what"] async for row in found}
        for each in writes:
            errors[each.at] = fault(each, zones, taken)
        rows = rows_of([each for each in writes if errors[each.at] is None], zones)
        if rows:
            await SQL.drop_others(connection, records=rows)
            members = members_of(rows)
            await SQL.renew_records(connection, records=members)
            await SQL.put_records(connection, records=members)

    async def read(self, zone: str, names: Collection[str]) -> Found:  # noqa: ARG002 - it is read whole
        records: dict[tuple[str, str], set[str]] = {}
        ours = set()
        async with self.pool.acquire() as connection:
            rows = SQL.records(connection, tenant_no=self.tenant_no, zone=zone, types=list(COMPARED))
            async for row in rows:
                name = f"{zone}." if row["name"] == "@" else f"{row['name']}.{zone}."
                data = row["data"].lower()
                records.setdefault((name, row["type"]), set()).add(data)
                if row["source"] in FOLLOWING:
                    ours.add((name, row["type"], data))
        return Found(records, complete=True, ours=frozenset(ours))

    async def test(self, zones: list[str]) -> TestResult:
        steps = []
        async with self.pool.acquire() as connection:
            rows = SQL.find_zones(connection, tenant_no=self.tenant_no, names=zones)
            served_by = {row["name"]: row async for row in rows}
            for zone in zones:
                row = served_by.get(zone)
                served = row is not None and row["dns_enabled"]
                detail = (
                    "served"
                    if served
                    else "not served (dns_enabled)"
                    if row
                    else "there is no such zone on this server"
                )
                steps.append(Step(f"zone {zone}", row is not None, detail))
        return TestResult(all(step.ok for step in steps), steps, takes_dhcid=None)


def records_of(change: Change, *, adds: bool) -> list[Record]:
    """Forward and reverse, as far as they are written. Raises Refused where a name does not lie in its zone."""
    found = []
    if (zone := change.forward_zone) is not None:
        name, data = relative(change.fqdn, zone), change.data(adds=adds)
        gone = [change.own_data] if not adds and change.own_data not in data else []
        delegations = [relative(each, zone) for each in change.cuts]
        found.append(Record(zone, name, change.kind, data, gone, delegations))
        found += [] if adds else moved(found[-1], change.fqdn, zone)
    if (zone := change.reverse_zone) is not None:
        target = f"{change.fqdn}."
        data = {target: change.source} if adds else {}
        found.append(Record(zone, relative(change.pointer, zone), "PTR", data, [] if adds else [target]))
        found += [] if adds else moved(found[-1], change.pointer.removesuffix("."), zone)
    return found


def moved(record: Record, name: str, zone: str) -> list[Record]:
    """Return the record set in every zone below that may have taken it from its own (services/child_zones.py)."""
    return [record._replace(zone=each, name=relative(name, each), cuts=()) for each in cuts(name, zone)]


def rows_of(writes: Iterable[Write], zones: Zones) -> list[dict[str, Any]]:
    """Return rows of updates whose zones all exist, sorted so that two workers cannot deadlock."""
    rows = [
        {
            "zone_no": zones[record.zone],
            "name": record.name,
            "type": record.type,
            "data": list(record.data),
            "sources": list(record.data.values()),
            "gone": list(record.gone),
            "cuts": list(record.cuts),
            "above": above(record.name),
            "ttl": each.change.ttl,
            "shares": each.change.shares,
        }
        for each in writes
        if not each.adds or all(record.zone in zones for record in each.records)
        for record in each.records
        if record.zone in zones
    ]
    return sorted(rows, key=lambda row: (row["zone_no"], row["name"], row["type"]))


def members_of(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return a row a record."""
    return [
        {name: row[name] for name in ("zone_no", "name", "type", "ttl")}
        | {"id": str(new_id()), "data": data, "source": source}
        for row in rows
        for data, source in zip(row["data"], row["sources"], strict=True)
    ]


def fault(write: Write, zones: Zones, taken: Places) -> UpdateError | None:
    for record in write.records:
        if record.zone not in zones:
            return Refused(f"there is no zone {record.zone} on this server")
        what = taken.get((zones[record.zone], record.name, record.type))
        if what is not None:
            owner = record.zone if record.name == "@" else f"{record.name}.{record.zone}"
            return NameConflict(f"{owner} {IN_USE[what]}")
    return None


def relative(name: str, zone: str) -> str:
    """Return the owner as the zone's records have it. Raises Refused for a name outside the zone."""
    whole = name.removesuffix(".").lower()
    if whole == zone:
        return "@"
    if not is_within(whole, zone):
        raise Refused(f"{whole} is not in the zone {zone}")
    return whole.removesuffix("." + zone)
