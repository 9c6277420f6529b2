"""Zones as master files: imported, record by record what is new, and written out.

An import is one transaction. It takes the file's records as the zone's static ones; what follows leases, and what is
there already, stays. Only `replace` deletes, and only static records that the file does not name.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, TypeVar

import msgspec

from ipam_core.db import queries
from ipam_core.dns import content, target_warnings, zone_file
from ipam_core.dns.rrsets import Record, RRset, gather
from ipam_core.dns.serials import is_later
from ipam_core.dns.zone_file import SOA_FIELDS, Soa, ZoneFile
from ipam_core.model.actor import Actor
from ipam_core.model.dns_zone import DnsRecord, SkippedRecord, WarnedRecord, ZoneImport, ZoneImported
from ipam_core.model.ids import new_id
from ipam_core.services import child_zones
from ipam_core.services.child_zones import Hidden
from ipam_core.services.dns_zones import DNS_RECORDS, DNS_ZONES
from ipam_core.services.entity import crud
from ipam_core.services.entity.change_log import Recorded
from ipam_core.services.entity.entity import Connection, Row
from ipam_core.services.entity.tenant_limits import refuse_planned
from ipam_core.services.entity.write_batch import writing
from ipam_core.stoppable import in_thread

SQL = queries.load("zone_file")

T = TypeVar("T")

PORTION = 400
"""Records that are planned or written between two turns of other requests."""
MOST_SKIPPED = 1000  # that are named; more are only counted

Key = tuple[str, str, str]  # name, type, data


class Plan(msgspec.Struct):
    """Plan of an import. `there`: records that stay as they are; `retimed`: records that get another TTL."""

    created: list[Record]
    deleted: list[Row]
    retimed: list[tuple[Row, Record]]
    there: int
    skipped: list[SkippedRecord]
    warnings: list[WarnedRecord]


async def import_zone(connection: Connection, actor: Actor, id_: str, wanted: ZoneImport) -> ZoneImported:
    """Raise NotFound, LimitReached (rehearsed too), and ValidationError on `zone_file` for what cannot be read."""
    row = await crud.fetch(connection, DNS_ZONES, actor, id_)
    found = await in_thread(partial(zone_file.read, wanted.zone_file, row["name"], row["default_ttl"]))
    async with writing(connection, actor, {"no": 0}) as batch:
        parent, row = await crud.lock(connection, DNS_ZONES, actor, id_)
        hidden = await child_zones.hidden_names(connection, row)
        replace = wanted.mode == "replace"
        plan = await plan_import(connection, row, found, hidden, replace=replace, soa=wanted.soa)
        if wanted.dry_run:
            made, gone = len(plan.created), len(plan.deleted)
            await refuse_planned(connection, parent.tenant_no, DNS_RECORDS.name, made, gone)
        else:
            async for written in carry_out(connection, row, plan):
                batch.record(parent.tenant_no, None, *written)
                await batch.tell(connection)
            batch.record(parent.tenant_no, None, *await take_soa(connection, row, found, wanted))
            await child_zones.delegate(connection, [row["name"]])
    return ZoneImported(
        len(plan.created),
        len(plan.deleted),
        plan.there,
        plan.skipped[:MOST_SKIPPED],
        wanted.dry_run,
        plan.warnings[:MOST_SKIPPED],
        len(plan.retimed),
    )


async def plan_import(
    connection: Connection, zone: Row, found: ZoneFile, hidden: Hidden, *, replace: bool, soa: bool
) -> Plan:
    rows = [row async for row in SQL.records_of_zone(connection, zone_no=zone["no"])]
    wanted = {(record.name, record.type, record.data): record for record in found.records}
    served = served_ttls(rows, zone["default_ttl"])
    deleted = [row for row in rows if replace and row["source"] == "static" and key_of(row) not in wanted]
    gone = {row["no"] for row in deleted}
    kept = [row for row in rows if row["no"] not in gone]
    plan = Plan([], deleted, [], 0, [SkippedRecord(*each) for each in found.skipped], [])
    plan.skipped += soa_left(zone, found, soa=replace or soa)
    plan.warnings += [WarnedRecord(*each) for each in found.warned]
    there = {key_of(row): row for row in kept}
    names = content.Names(map(key_of, kept))
    for at, (key, record) in enumerate(wanted.items()):
        if at % PORTION == 0:
            await give_way(connection)
        if key in there:
            note_there(plan, there[key], record, served[key[:2]], zone["default_ttl"], replace=replace)
        elif (child := hidden(record.name, record.type)) is not None:
            plan.skipped.append(SkippedRecord(record.name, record.type, f"zone {child} answers for it"))
        elif (reason := names.obstacle(*key)) is not None:
            plan.skipped.append(SkippedRecord(record.name, record.type, reason))
        else:
            names.add(*key)
            plan.created.append(with_default(record, zone["default_ttl"]))
    await warn(connection, plan, zone["name"], names)
    return plan


async def give_way(connection: Connection) -> None:
    """Let other requests have a turn. A transaction without statements would be ended after ten seconds."""
    await SQL.stay(connection)


async def warn(connection: Connection, plan: Plan, zone: str, names: content.Names) -> None:
    """Note records that are taken although they are probably mistakes. `names`: the zone's, with them."""
    for at, record in enumerate(plan.created):
        if at % PORTION == 0:
            await give_way(connection)
        for reason in target_warnings.warnings(record.name, record.type, record.data, zone, names):
            plan.warnings.append(WarnedRecord(record.name, record.type, record.data, reason))
        if len(plan.warnings) >= MOST_SKIPPED:
            return


def key_of(row: Row) -> Key:
    return row["name"], row["type"], row["data"]


def served_ttls(rows: Iterable[Row], default_ttl: int) -> dict[tuple[str, str], int]:
    """Return the TTL of each RRset, by name and type: the lowest of its records (RFC 2181 section 5.2)."""
    found: dict[tuple[str, str], int] = {}
    for row in rows:
        ttl = default_ttl if row["ttl"] is None else row["ttl"]
        key = row["name"], row["type"]
        found[key] = min(ttl, found.get(key, ttl))
    return found


def note_there(plan: Plan, row: Row, record: Record, ttl: int, default_ttl: int, *, replace: bool) -> None:
    """Note a record that the zone has already, served with `ttl`: a file that replaces the zone brings its own TTL."""
    if record.ttl == ttl:
        plan.there += 1
    elif replace and row["source"] == "static":
        plan.retimed.append((row, with_default(record, default_ttl)))
    else:
        plan.there += 1
        keeps = "a merge keeps it" if row["source"] == "static" else f"it follows its {row['source']}"
        reason = f"{zone_file.shortened(record.data)} exists with TTL {ttl}, not {record.ttl}: {keeps}"
        plan.skipped.append(SkippedRecord(record.name, record.type, reason))


def with_default(record: Record, default_ttl: int) -> Record:
    """Return the record without a TTL of its own where it has the zone's."""
    return record._replace(ttl=None) if record.ttl == default_ttl else record


async def carry_out(connection: Connection, zone: Row, plan: Plan) -> AsyncIterator[list[Recorded]]:
    """Yield each record has its change row, as if it had been written by itself. In portions, so that neither memory
    nor the event loop holds all of them at once."""
    name = DNS_RECORDS.name
    for doomed in portions([row["no"] for row in plan.deleted]):
        rows = SQL.delete_records(connection, numbers=doomed, default_ttl=zone["default_ttl"])
        yield [Recorded(name, shown(zone, row), None) async for row in rows]
    for retimed in portions(plan.retimed):
        yield [each async for each in retime(connection, zone, retimed)]
    for created in portions(plan.created):
        rows = insert(connection, zone, created)
        yield [Recorded(name, None, shown(zone, row)) async for row in rows]


async def retime(
    connection: Connection, zone: Row, retimed: list[tuple[Row, Record]]
) -> AsyncIterator[Recorded]:
    """Write the file's TTLs. The lowest of an RRset is served, and a file has one for all of it."""
    rows = {row["no"]: (row, record) for row, record in retimed}
    found = SQL.set_ttls(connection, numbers=list(rows), ttls=[record.ttl for _, record in rows.values()])
    async for after in found:
        before = rows[after["no"]][0]
        told = (shown(zone, served_with(each, zone["default_ttl"])) for each in (before, {**before, **after}))
        yield Recorded(DNS_RECORDS.name, *told)


def served_with(row: Mapping[str, Any], default_ttl: int) -> dict[str, Any]:
    return {**row, "served_ttl": default_ttl if row["ttl"] is None else row["ttl"]}


def portions(items: list[T]) -> Iterator[list[T]]:
    return (items[at : at + PORTION] for at in range(0, len(items), PORTION))


def insert(connection: Connection, zone: Row, created: list[Record]) -> AsyncIterator[Row]:
    rows: AsyncIterator[Row] = SQL.insert_records(
        connection,
        zone_no=zone["no"],
        default_ttl=zone["default_ttl"],
        ids=[new_id() for _ in created],
        names=[record.name for record in created],
        types=[record.type for record in created],
        ttls=[record.ttl for record in created],
        data=[record.data for record in created],
    )
    return rows


def shown(zone: Row, row: Mapping[str, Any]) -> DnsRecord:
    name = zone["name"] if row["name"] == "@" else f"{row['name']}.{zone['name']}"
    return DNS_RECORDS.present({**row, "zone_id": zone["id"], "fqdn": name, "warnings": {}})


def soa_left(zone: Row, found: ZoneFile, *, soa: bool) -> list[SkippedRecord]:
    """Say so where the file's SOA has no effect on the zone's own fields, or its serial none."""
    if soa and found.serial is not None and is_later(zone["serial"], found.serial):
        reason = (
            f"its serial {found.serial} is before the zone's {zone['serial']}, which secondaries may have"
        )
        return [SkippedRecord("@", "SOA", reason)]
    if soa or all(zone[field] == value for field, value in found.soa.items()):
        return []
    differing = ", ".join(field for field, value in found.soa.items() if zone[field] != value)
    return [
        SkippedRecord("@", "SOA", f"a merge keeps the zone's own ({differing}): soa=true takes the file's")
    ]


async def take_soa(connection: Connection, row: Row, found: ZoneFile, wanted: ZoneImport) -> list[Recorded]:
    """Write the zone's own fields where the file says others and its SOA is wanted, and the serial where secondaries of
    the file's server would not follow to the zone's."""
    told = dict(found.soa) if wanted.soa or wanted.mode == "replace" else {}
    if found.serial and is_later(found.serial, row["serial"]):
        told["serial"] = found.serial
    changed = {field: value for field, value in told.items() if row[field] != value}
    if not changed:
        return []
    before = DNS_ZONES.present(row)
    own = {field: row[field] for field in SOA_FIELDS} | {k: v for k, v in changed.items() if k != "serial"}
    await SQL.set_soa(connection, no=row["no"], serial=changed.get("serial"), **own)
    return [Recorded(DNS_ZONES.name, before, msgspec.structs.replace(before, **changed))]


async def export_zone(connection: Connection, actor: Actor, id_: str) -> Iterator[str]:
    """Return the lines of the zone's master file, in the order of its names, the apex first. Raises NotFound."""
    row = await crud.fetch(connection, DNS_ZONES, actor, id_)
    rows = [each async for each in SQL.records_of_zone(connection, zone_no=row["no"])]
    return written(row, await asyncio.to_thread(in_order, rows, row["default_ttl"]))


def in_order(rows: list[Row], default_ttl: int) -> list[RRset]:
    records = (Record(row["name"], row["type"], row["ttl"], row["data"], row["source"]) for row in rows)
    return sorted(gather(records, default_ttl).values(), key=lambda each: (each.name != "@", each))


def written(zone: Row, rrsets: list[RRset]) -> Iterator[str]:
    yield zone_file.head(zone["name"], soa_of(zone), zone["default_ttl"])
    yield from zone_file.lines(rrsets)


def soa_of(zone: Any) -> Soa:
    """Return the SOA of a zone's row or of its published state. Who is not told which server is the first is told that
    it is the zone's own name, and that its administrator is `hostmaster` (RFC 2142)."""
    return Soa(
        zone["mname"] or zone["name"],
        zone["rname"] or f"hostmaster.{zone['name']}",
        zone["serial"],
        zone["refresh_seconds"],
        zone["retry_seconds"],
        zone["expire_seconds"],
        zone["minimum_seconds"],
    )
