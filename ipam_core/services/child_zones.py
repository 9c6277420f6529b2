"""Zones of one tenant above and below each other: the nearest enabled zone of a name has its records, and the zone
above delegates it (NS records and the addresses of servers, `source: delegation`).

Delegations are derived. They are written with what they follow, by the API in the same transaction; what workers write
is followed by the publisher, which is also the one that finds what a process of the release before has left out.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ipam_core.db import queries
from ipam_core.dns.content import MOST_IN_RRSET
from ipam_core.dns.names import APEX, cuts, is_within, names_above
from ipam_core.errors import Conflict
from ipam_core.model.base import Model
from ipam_core.model.ids import new_id
from ipam_core.services.entity.change_log import Recorded
from ipam_core.services.entity.entity import Connection, Row, Write

SQL = queries.load("dns_delegation")

RECORD = "dns_record"
ADDRESSES = ("A", "AAAA")
OLD = ("zone_id", "name", "ttl", "served_ttl", "updated_at")
Hidden = Callable[[str, str], str | None]
Present = Callable[[Row], Model]


async def take_records(write: Write, zone: Row, present: Present) -> None:
    """Move what the zone, enabled now, or one below it answers for out of the zones that had it. Raises Conflict for
    records of operators, unless the request permits it (move_records), and where an alias would have company."""
    tenant_no, name = write.parent.tenant_no, zone["name"]
    where = {"tenant_no": tenant_no, "name": name, "above": names_above(name)[1:]}
    await SQL.hold_line(write.connection, zone_no=zone["no"], **where)
    await refuse_redirected(write, zone["name"], where)
    hidden = await SQL.hidden(write.connection, **where, most=MOST_IN_RRSET)
    if hidden["count"] and "move_records" not in write.actor.flags:
        raise hiding(name, hidden)
    if hidden["fixed"]:
        reason = (
            f"{text(hidden['fixed'])} cannot move into the zone that answers for it. An alias has no other records, "
            f"a DNAME record has no names below its own, and a name has at most {MOST_IN_RRSET} records of a type"
        )
        raise Conflict(reason, {"field": "dns_enabled", "conflicts_with": hidden["fixed"]})
    gone = [row async for row in SQL.drop_hidden(write.connection, **where)]
    moved = [row async for row in SQL.move_hidden(write.connection, **where)]
    write.batch.record(
        tenant_no, None, *(Recorded(RECORD, present(told(row)), None) for row in gone if is_static(row))
    )
    write.batch.record(tenant_no, None, *(move(row, present) for row in moved if is_static(row)))


async def refuse_redirected(write: Write, name: str, where: dict[str, Any]) -> None:
    """Raise Conflict for a zone below a DNAME, which leaves no names below its own (RFC 6672 section 2.4): secondaries
    would refuse the zone above with its delegation."""
    record = await SQL.redirecting(write.connection, **where)
    if record is not None:
        reason = f"{name} is below {text(record['record'])}, which redirects it. Delete that record first"
        raise Conflict(reason, {"field": "dns_enabled", "conflicts_with": record["record"]})


def hiding(name: str, hidden: Row) -> Conflict:
    count, one = hidden["count"], hidden["one"]
    reason = (
        f"enabling {name} would hide {count} record{'s' * (count > 1)}, such as {text(one)}. "
        "Repeat the request with ?move_records=true to move them into the zone that answers for them"
    )
    return Conflict(reason, {"field": "dns_enabled", "records": count, "conflicts_with": one})


def text(record: dict[str, str]) -> str:
    return f"{record['fqdn']} {record['record_type']} {record['data']}"


def is_static(row: Row) -> bool:
    """Return whether somebody wrote it, so that its change is recorded."""
    found: bool = row["source"] == "static"
    return found


def told(row: Row) -> dict[str, Any]:
    return {key: value for key, value in row.items() if not key.startswith("old_")} | {"warnings": {}}


def move(row: Row, present: Present) -> Recorded:
    after = told(row)
    before = after | {key: row[f"old_{key}"] for key in OLD}
    return Recorded(RECORD, present(before), present(after))


async def refuse_hidden(write: Write, name: str, kind: str) -> None:
    """Raise Conflict for a record that an enabled zone below its own would hide."""
    assert write.parent.row is not None
    zone_no, zone = write.parent.keys["zone_no"], write.parent.row["name"]
    if kind == "DNAME":
        await refuse_redirecting(write, name)
    between = between_zone(name, kind, zone)
    child = await SQL.zone_of_name(write.connection, zone_no=zone_no, between=between) if between else None
    if child is not None:
        reason = f"zone {child['name']} answers for {between[0]}. Create the record in that zone"
        found = {"type": "dns_zone", "id": str(child["id"]), "name": child["name"]}
        raise Conflict(reason, {"field": "name", "conflicts_with": found})


async def refuse_redirecting(write: Write, owner: str) -> None:
    """Raise Conflict for a DNAME above an enabled zone, which it would redirect."""
    assert write.parent.row is not None
    find = await hidden_names(write.connection, write.parent.row)
    child = find(owner, "DNAME")
    if child is not None:
        reason = f"zone {child} lies below the name. Disable the zone, or choose another name"
        raise Conflict(reason, {"field": "type", "conflicts_with": {"type": "dns_zone", "name": child}})


def between_zone(owner: str, kind: str, zone: str) -> list[str]:
    """Return the names of zones that would answer for a record of this one. What is signed of a zone below stands above
    it (RFC 4035 section 2.4)."""
    if owner == APEX:
        return []
    return cuts(f"{owner}.{zone}", zone)[kind == "DS" :]


async def hidden_names(connection: Connection, zone: Row) -> Hidden:
    """Return a function of owner and type: the zone below this one that answers for such a record, or that a DNAME
    would redirect."""
    below = {row["name"] async for row in SQL.zones_below(connection, zone_no=zone["no"])}

    def find(owner: str, kind: str) -> str | None:
        if kind == "DNAME":
            full = zone["name"] if owner == APEX else f"{owner}.{zone['name']}"
            return next((each for each in sorted(below) if is_within(each, full)), None)
        return next((each for each in between_zone(owner, kind, zone["name"]) if each in below), None)

    return find if below else lambda _owner, _kind: None


async def follow(connection: Connection, zone_no: int, records: Iterable[Row]) -> None:
    """Bring what is said above to what records of a zone say, as they were and as they are."""
    touched = [zone_no for each in records if each["name"] == APEX and each["type"] == "NS"]
    hosts = [each["fqdn"] for each in records if each["type"] in ADDRESSES]
    if (touched or hosts) and (names := await concerned(connection, touched, hosts)):
        await delegate(connection, names)


async def concerned(connection: Connection, touched: Sequence[int], hosts: Sequence[str]) -> list[str]:
    """Return zones of which what is said above may differ, by the numbers of zones whose NS records or fields were
    touched and the names of hosts."""
    return sorted({row["name"] async for row in SQL.concerned(connection, touched=touched, hosts=hosts)})


async def all_names(connection: Connection) -> list[str]:
    """Return names of which something is said, and of which something may have to be said."""
    return sorted({row["name"] async for row in SQL.delegated(connection)})


async def delegate(
    connection: Connection, names: Sequence[str], widened: Sequence[str] = (), *, waits: bool = True
) -> bool:
    """Bring what is said of zones, by name, to what is to be said, and of those above them, whose servers may have
    addresses there. `widened`: zones that appeared or disappeared, so that those below them have another one above.
    False: something is left, because another transaction holds the zone and this one does not wait for it."""
    told = {"names": names, "widened": widened}
    numbers = sorted({row["zone_no"] async for row in SQL.differing(connection, **told)})
    if not numbers:
        return True
    hold = SQL.hold_zones if waits else SQL.hold_idle_zones
    held = {row["no"] async for row in hold(connection, numbers=numbers)}
    rows = [row async for row in SQL.differing(connection, **told) if row["zone_no"] in held]
    await SQL.drop(connection, numbers=[row["no"] for row in rows if row["no"] is not None])
    missing = [row for row in rows if row["no"] is None]
    await SQL.put(
        connection,
        ids=[new_id() for _ in missing],
        zones=[row["zone_no"] for row in missing],
        names=[row["name"] for row in missing],
        types=[row["type"] for row in missing],
        ttls=[row["ttl"] for row in missing],
        data=[row["data"] for row in missing],
    )
    return len(held) == len(numbers)
