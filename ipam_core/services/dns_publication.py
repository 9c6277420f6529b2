"""Publication for DNS servers: committed changes of zones and records get a serial here, and only here.

Whoever writes a record leaves the name in `dns_change` (a trigger does). `publish` takes all that is there, compares
each named RRset with what was published, and writes the difference under the next serial in one transaction: the
RRsets, the delta that IXFR and the servers read, the serial itself. A zone that is switched on is published whole; one
that is switched off or deleted disappears. It is called by one process at a time (workers/publisher), but two at once
do no harm: the second waits for the first one's change rows and finds them gone.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from ipam_core.db import queries
from ipam_core.dns import content
from ipam_core.dns.names import APEX
from ipam_core.dns.rrsets import Difference, Keyed, Record, RRset, difference, gather
from ipam_core.dns.serials import following, is_later
from ipam_core.services import child_zones
from ipam_core.services.entity.entity import Connection, Row
from ipam_core.services.zone_files import soa_of

SQL = queries.load("dns_publication")

FEW = 256
"""Names above each of which a DNAME record is looked for; of more, all DNAME records of the zone are read."""
MOST_CHANGES = 10_000  # taken at once; the rest is the next batch

OWN_FIELDS = (
    "name",
    "default_ttl",
    "mname",
    "rname",
    "refresh_seconds",
    "retry_seconds",
    "expire_seconds",
    "minimum_seconds",
)


class Published(NamedTuple):
    """A zone's new serial; None: it is served no more."""

    zone_no: int
    serial: int | None


async def changed_zones(connection: Connection, but: Sequence[int]) -> list[int]:
    """Return the zones that `publish` would take next."""
    found = SQL.changed_zones(connection, but=list(but), at_most=MOST_CHANGES)
    return [row["zone_no"] async for row in found]


async def publish(
    connection: Connection,
    late: set[str] | None = None,
    *,
    one: int | None = None,
    but: Sequence[int] = (),
) -> list[Published]:
    """Publish what was committed until now and notify the DNS servers; empty when there was nothing. `late` gets the
    names of zones that could not be delegated, because somebody was writing to the zone above. `one`: that zone alone;
    `but`: without these."""
    async with connection.transaction():
        taken = SQL.take_changes(connection, one=one, but=list(but), at_most=MOST_CHANGES)
        changes = [row async for row in taken]
        touched = by_zone(changes)
        zones = {row["no"]: row async for row in SQL.zones(connection, numbers=list(touched))}
        if left := await follow_servers(connection, changes, zones):
            (set() if late is None else late).update(left)
        found = [
            published
            for zone_no, names in sorted(touched.items())
            if (published := await publish_zone(connection, zone_no, zones.get(zone_no), names))
        ]
        for each in found:
            await SQL.tell(connection, zone_no=each.zone_no, serial=each.serial)
    return found


async def follow_servers(
    connection: Connection, changes: Iterable[Row], zones: Mapping[int, Row]
) -> list[str]:
    """Bring what zones above say of these to what workers wrote, to be published by the next call; return the names
    that are left."""
    touched = {change["zone_no"] for change in changes if change["name"] in (None, APEX)}
    hosts = {
        full_name(change["name"], zones[change["zone_no"]])
        for change in changes
        if change["zone_no"] in zones
    }
    names = await child_zones.concerned(connection, sorted(touched), sorted(hosts))
    return names if names and not await child_zones.delegate(connection, names, waits=False) else []


def full_name(owner: str | None, zone: Row) -> str:
    name: str = zone["name"]
    return name if owner in (None, APEX) else f"{owner}.{name}"


def by_zone(changes: Iterable[Row]) -> dict[int, set[str]]:
    """Return the touched names by zone; always with the apex, which has the SOA."""
    touched: dict[int, set[str]] = {}
    for change in changes:
        touched.setdefault(change["zone_no"], {APEX}).add(change["name"] or APEX)
    return touched


async def publish_zone(
    connection: Connection, zone_no: int, zone: Row | None, names: set[str]
) -> Published | None:
    """Return None where nothing that is served has changed."""
    before = await SQL.published_zone(connection, zone_no=zone_no)
    if zone is None or not zone["dns_enabled"]:
        return await withdraw(connection, zone_no) if before else None
    own = own_fields(zone)
    if before is None or before["default_ttl"] != own["default_ttl"]:
        names = await every_name(connection, zone_no)
    difference = await find_difference(connection, zone, sorted(names))
    if redirects(difference):
        difference = await find_difference(connection, zone, sorted(await every_name(connection, zone_no)))
    wanted = zone["wanted_serial"]
    if before is not None and not difference and own_fields(before) == own and wanted is None:
        return None
    serial = next_serial(zone, before)
    await put_rrsets(connection, zone_no, difference)
    await SQL.put_zone(connection, zone_no=zone_no, serial=serial, **own)
    if wanted is not None:
        await SQL.take_wanted(connection, zone_no=zone_no)
    if before is not None:
        await append_delta(connection, zone_no, difference, before, own | {"serial": serial})
    return Published(zone_no, serial)


def own_fields(zone: Mapping[str, Any]) -> dict[str, Any]:
    """Return the own fields of a zone's row, or of its published state, without open fields."""
    soa = soa_of(zone)
    return {name: zone[name] for name in OWN_FIELDS} | {"mname": soa.mname, "rname": soa.rname}


def next_serial(zone: Mapping[str, Any], before: Mapping[str, Any] | None) -> int:
    """Return the serial that was asked for, if secondaries follow to it, else the one after that by which the zone was
    served last."""
    last: int = before["serial"] if before else zone["serial"]
    wanted: int | None = zone["wanted_serial"]
    return wanted if wanted is not None and is_later(wanted, last) else following(last)


async def every_name(connection: Connection, zone_no: int) -> set[str]:
    """Return every name of a zone that is published whole: its present and its former ones."""
    return {APEX} | {row["name"] async for row in SQL.names_of_zone(connection, zone_no=zone_no)}


def redirects(difference: Difference) -> bool:
    """Return whether a DNAME appears or disappears, so that names below it do the opposite."""
    return any(rrset.type == "DNAME" for rrset in (*difference.removed, *difference.added))


async def find_difference(connection: Connection, zone: Row, names: list[str]) -> Difference:
    what = {"zone_no": zone["no"], "names": names}
    touched = set(names)
    # All DNAME records of the zone are fewer than the names above many others.
    above = {each for name in names for each in content.above(name)} if len(names) <= FEW else set()
    rows = SQL.records_of_names(
        connection, **what, above=sorted(above.difference(names)), every=len(names) > FEW
    )
    records = [Record(r["name"], r["type"], r["ttl"], r["data"], r["source"]) async for r in rows]
    sets = SQL.rrsets_of_names(connection, **what)
    before = {(row["name"], row["type"]): RRset(**row) async for row in sets}
    after = gather(records, zone["default_ttl"])
    own = {key: rrset for key, rrset in after.items() if key[0] in touched}
    return difference(before, with_server(own, zone))


def with_server(rrsets: Keyed, zone: Row) -> Keyed:
    """Return name a first server in a zone without NS records, which could not be served otherwise."""
    key = APEX, "NS"
    return (
        rrsets
        if key in rrsets
        else rrsets | {key: RRset(*key, zone["default_ttl"], [soa_of(zone).mname + "."])}
    )


async def put_rrsets(connection: Connection, zone_no: int, difference: Difference) -> None:
    gone = sorted({rrset.key for rrset in difference.removed} - {rrset.key for rrset in difference.added})
    names, types = [name for name, _ in gone], [kind for _, kind in gone]
    await SQL.delete_rrsets(connection, zone_no=zone_no, names=names, types=types)
    await SQL.put_rrsets(connection, zone_no=zone_no, rrsets=msgspec.to_builtins(difference.added))


async def append_delta(
    connection: Connection, zone_no: int, difference: Difference, before: Row, after: Mapping[str, Any]
) -> None:
    await SQL.append_delta(
        connection,
        zone_no=zone_no,
        serial=after["serial"],
        previous=before["serial"],
        soa=soa_of(after).data,
        previous_soa=soa_of(before).data,
        removed=msgspec.to_builtins(difference.removed),
        added=msgspec.to_builtins(difference.added),
    )


async def withdraw(connection: Connection, zone_no: int) -> Published:
    """Withdraw the zone. Its serial is kept in its own row, so that later changes continue from there."""
    await SQL.keep_serial(connection, zone_no=zone_no)
    await SQL.delete_zone(connection, zone_no=zone_no)
    return Published(zone_no, None)


async def forget_deltas(connection: Connection, keep: int, days: int) -> None:
    """Forget older serials; a secondary that asks from one of them gets the whole zone."""
    await SQL.forget_deltas(connection, keep=keep, days=days)
