"""Our own zones: records are written to the database, and the publisher gives them a serial.

Static records are never touched: a name that an operator wrote is the operator's, and a lease that would bear it is in
conflict.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import asyncpg

from ipam_core.db import queries
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


class Record(NamedTuple):
    """`name` is relative to the zone."""

    zone: str
    name: str
    type: str
    data: str


class Addition(NamedTuple):
    """`at`: its place among the changes."""

    at: int
    change: Change
    records: list[Record]


Errors = list[UpdateError | None]
Zones = Mapping[str, int]
Places = set[tuple[int, str, str]]  # number of the zone, name and type


class Embedded:
    """The zones of one tenant. Raises NameConflict, and Refused where a zone is not there."""

    def __init__(self, pool: asyncpg.Pool, tenant_no: int) -> None:
        self.pool = pool
        self.tenant_no = tenant_no

    async def close(self) -> None:
        """The sessions are the worker's."""

    async def add(self, change: Change) -> None:
        await self.write_one(change, adds=True)

    async def remove(self, change: Change) -> None:
        await self.write_one(change, adds=False)

    async def write_one(self, change: Change, *, adds: bool) -> None:
        (error,) = await self.write([(adds, change)])
        if error is not None:
            raise error

    async def write(self, changes: Sequence[tuple[bool, Change]]) -> Errors:
        """Additions (true) and removals of as many names and addresses, in one transaction: a commit that notifies
        waits for all others that do. What was wrong with each; None: it is done."""
        errors: Errors = [None] * len(changes)
        wanted: list[Addition] = []
        gone: list[Record] = []
        for at, (adds, change) in enumerate(changes):
            try:
                records = records_of(change)
            except UpdateError as error:
                errors[at] = error
                continue
            if adds:
                wanted.append(Addition(at, change, records))
            else:
                gone += records
        async with self.pool.acquire() as connection, connection.transaction():
            if gone:  # a zone that is gone has taken its records along
                rows = [record._asdict() for record in sorted(gone)]
                await SQL.drop_records(connection, tenant_no=self.tenant_no, records=rows)
            if wanted:
                await self.put(connection, wanted, errors)
        return errors

    async def put(self, connection: Connection, wanted: Sequence[Addition], errors: Errors) -> None:
        """In place of what else follows a lease under each name and type; both records of a change, or none."""
        names = sorted({record.zone for each in wanted for record in each.records})
        found = SQL.find_zones(connection, tenant_no=self.tenant_no, names=names)
        zones = {row["name"]: row["no"] async for row in found}
        rows = rows_of(wanted, zones)
        statics = {tuple(row) async for row in SQL.static_in_the_way(connection, records=rows)}
        for each in wanted:
            errors[each.at] = fault(each, zones, statics)
        rows = rows_of([each for each in wanted if errors[each.at] is None], zones)
        if rows:
            await SQL.drop_others(connection, records=rows)
            await SQL.put_records(connection, records=rows)

    async def read(self, zone: str, names: Collection[str]) -> Found:  # noqa: ARG002 - it is read whole
        records: dict[tuple[str, str], set[str]] = {}
        ours = set()
        async with self.pool.acquire() as connection:
            rows = SQL.records(connection, tenant_no=self.tenant_no, zone=zone, types=list(COMPARED))
            async for row in rows:
                name = f"{zone}." if row["name"] == "@" else f"{row['name']}.{zone}."
                data = row["data"].lower()
                records.setdefault((name, row["type"]), set()).add(data)
                if row["source"] not in ("static", "delegation"):
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
                    else "there is no such zone here"
                )
                steps.append(Step(f"zone {zone}", row is not None, detail))
        return TestResult(all(step.ok for step in steps), steps, takes_dhcid=None)


def records_of(change: Change) -> list[Record]:
    """Forward and reverse, as far as they are written. Raises Refused where a name does not lie in its zone."""
    found = []
    if (zone := change.forward_zone) is not None:
        found.append(Record(zone, relative(change.fqdn, zone), change.kind, str(change.ip)))
    if (zone := change.reverse_zone) is not None:
        found.append(Record(zone, relative(change.pointer, zone), "PTR", f"{change.fqdn}."))
    return found


def rows_of(additions: Iterable[Addition], zones: Zones) -> list[dict[str, object]]:
    """Of those whose zones are all there, in an order that two workers have in common."""
    rows = [
        {
            "id": str(new_id()),
            "zone_no": zones[record.zone],
            "name": record.name,
            "type": record.type,
            "data": record.data,
            "ttl": each.change.ttl,
            "source": each.change.source,
        }
        for each in additions
        if all(record.zone in zones for record in each.records)
        for record in each.records
    ]
    return sorted(rows, key=lambda row: (row["zone_no"], row["name"], row["type"]))


def fault(addition: Addition, zones: Zones, statics: Places) -> UpdateError | None:
    for record in addition.records:
        if record.zone not in zones:
            return Refused(f"there is no zone {record.zone} here")
        if (zones[record.zone], record.name, record.type) in statics:
            owner = record.zone if record.name == "@" else f"{record.name}.{record.zone}"
            return NameConflict(f"{owner} is a record of an operator")
    return None


def relative(name: str, zone: str) -> str:
    """The owner as the zone's records have it. Raises Refused for a name outside the zone."""
    whole = name.removesuffix(".").lower()
    if whole == zone:
        return "@"
    if not whole.endswith("." + zone):
        raise Refused(f"{whole} does not lie in the zone {zone}")
    return whole.removesuffix("." + zone)
