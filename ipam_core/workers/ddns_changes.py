"""Changes that updates of the outbox make at their server, and the names that their addresses may have.

A name belongs to one owner in each zone (ddns_owner): a client, known by its identities, or the tenant's operators,
whose names all assignments and reservations share. An operator's name takes the place of a client's; the client's lease
waits in `conflict` and gets the name back when the last of them is gone (decisions: Client names in DNS).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ipam_core.db import queries
from ipam_core.dns import content
from ipam_core.dns.names import cuts
from ipam_core.model.ids import new_id
from ipam_core.services import events
from ipam_core.services.entity.entity import Connection, Row
from ipam_core.workers.adapters import LEASE, Change, NameConflict, PutOff, UpdateError

SQL = queries.load("ddns")

TAKEN = "an assignment or reservation has the name {fqdn}"
ANOTHERS = "{fqdn} is the name of another client"
AFTER = "the records of a client at {fqdn} are removed first"
APEX = "{fqdn} is the name of the zone itself"
CHILD = "{fqdn} is in a zone of its own below {forward_zone}"
MOST_ADDRESSES = content.MOST_IN_RRSET
FULL = "{fqdn} has " + str(MOST_ADDRESSES) + " addresses already"

Place = tuple[str, str]  # zone and name


def scope_of(row: Row) -> dict[str, int]:
    """Return where names are unique, in each zone: the tenant and its DNS server, 0 for its own zones."""
    is_own = row["adapter"] == "embedded" or row["dns_server_no"] is None
    return {"tenant_no": row["tenant_no"], "dns_server_no": 0 if is_own else row["dns_server_no"]}


async def changes_of(connection: Connection, rows: Sequence[Row]) -> list[tuple[Row, Change | UpdateError]]:
    """Return the changes that updates of one tenant make at one server, each of another name; an error for those that
    may not have their name, or not yet."""
    where = scope_of(rows[0])
    await narrow(connection, where, [name_of(row) for row in rows if leaves_name(row)])
    refused = await claim(connection, where, [row for row in rows if takes_name(row)])
    named = [
        {
            "no": row["no"],
            "zone": row["forward_zone"],
            "fqdn": row["fqdn"],
            "ip": str(row["ip"]),
            "is_alias": row["is_alias"],
            "target": row["target"],
        }
        for row in rows
    ]
    found = SQL.names_of_updates(connection, **where, names=named, most=MOST_ADDRESSES)
    names = {row["no"]: row async for row in found}
    return [(row, refused.get(place_of(row)) or change_of(row, names[row["no"]])) for row in rows]


def takes_name(row: Row) -> bool:
    return row["action"] == "add" and row["forward_zone"] is not None


def leaves_name(row: Row) -> bool:
    """Return whether it removes what an operator entered."""
    return row["action"] == "remove" and row["source"] != LEASE and row["forward_zone"] is not None


def place_of(row: Row) -> Place | None:
    """Return where an update takes a name; None: it takes none."""
    return name_of(row) if takes_name(row) else None


def name_of(row: Row) -> Place:
    return row["forward_zone"], row["fqdn"]


async def claim(
    connection: Connection, where: Mapping[str, int], rows: Sequence[Row]
) -> dict[Place | None, UpdateError]:
    """Take the names for their addresses; return the faults of those that cannot be had."""
    refused: dict[Place | None, UpdateError] = {**await outside_zone(connection, where, rows)}
    for checked in (True, False):
        group = [
            row
            for row in rows
            if (row["conflict_mode"] == "check_dhcid") == checked and place_of(row) not in refused
        ]
        if group:
            refused |= await claim_group(connection, where, group, checked=checked)
    return refused


async def narrow(connection: Connection, where: Mapping[str, int], places: Sequence[Place]) -> None:
    """Let clients whose reservations are gone have no part in what is left of the names."""
    if not places:
        return
    named = {"zones": [place[0] for place in places], "names": [place[1] for place in places]}
    async with connection.transaction():
        await SQL.narrow_owners(connection, **where, **named)
        await displace(connection, where, places)


async def outside_zone(
    connection: Connection, where: Mapping[str, int], rows: Sequence[Row]
) -> dict[Place | None, NameConflict]:
    """Return names that are in use whoever asks: that of the zone itself, and what a zone below answers for."""
    refused = {place_of(row): conflict(APEX, row) for row in rows if is_apex(row)}
    names = [
        {"zone": row["forward_zone"], "fqdn": row["fqdn"], "below": cuts(row["fqdn"], row["forward_zone"])}
        for row in rows
    ]
    asked = {"tenant_no": where["tenant_no"], "names": names, "embedded": where["dns_server_no"] == 0}
    found = {tuple(row) async for row in SQL.names_of_children(connection, **asked)}
    return refused | {place_of(row): conflict(CHILD, row) for row in rows if place_of(row) in found}


def is_apex(row: Row) -> bool:
    """Return whether the name is the zone's own. An operator may enter an address of it, beside its SOA; a CNAME record
    stands alone."""
    is_kept = row["source"] == LEASE or row["target"] is not None
    return bool(is_kept and row["fqdn"] == row["forward_zone"])


async def claim_group(
    connection: Connection, where: Mapping[str, int], rows: Sequence[Row], *, checked: bool
) -> dict[Place | None, UpdateError]:
    """Return those that are another's, and whose; leases whose names are taken over are told so in the same
    transaction. A CNAME record waits until what they had is gone, for it stands alone."""
    async with connection.transaction():
        names = [claimed(row) for row in rows]
        claims = SQL.claim_names(connection, **where, names=names, checked=checked)
        won = {(row["zone"], row["fqdn"]): row["replaces"] async for row in claims}
        moved = await displace(connection, where, [place for place, replaces in won.items() if replaces])
        behind = [row for row in rows if row["target"] is not None and name_of(row) in moved]
        if behind:
            await SQL.enqueue(connection, rows=[update_of(row, "add") for row in behind])
        lost = [row for row in rows if place_of(row) not in won]
        operators = await of_operators(connection, where, [name_of(row) for row in lost])
    put_off: dict[Place | None, UpdateError] = {place_of(row): PutOff(AFTER.format(**row)) for row in behind}
    return put_off | {
        place_of(row): conflict(TAKEN if name_of(row) in operators else ANOTHERS, row) for row in lost
    }


async def of_operators(
    connection: Connection, where: Mapping[str, int], places: Sequence[Place]
) -> set[Place]:
    """Return the names that assignments and reservations have."""
    if not places:
        return set()
    named = {"zones": [place[0] for place in places], "names": [place[1] for place in places]}
    return {(row["zone"], row["fqdn"]) async for row in SQL.operators_names(connection, **where, **named)}


def claimed(row: Row) -> dict[str, object]:
    return {
        "zone": row["forward_zone"],
        "fqdn": row["fqdn"],
        "by_operator": row["source"] != LEASE,
        "identities": [each.hex() for each in row["identities"]],
        "dhcid": hexadecimal(row["dhcid"]),
    }


async def displace(connection: Connection, where: Mapping[str, int], places: Sequence[Place]) -> set[Place]:
    """Remove what leases wrote under names that are an operator's now, and let them wait for their names. Return the
    names."""
    if not places:
        return set()
    zones, names = [place[0] for place in places], [place[1] for place in places]
    rows = [row async for row in SQL.displaced(connection, **where, zones=zones, names=names)]
    if not rows:
        return set()
    updates = [update_of(row, "remove") for row in rows]
    waiting = [waiting_update(row) for row in rows]
    await SQL.enqueue(connection, rows=updates + waiting)
    await events.record_all(connection, [displacement(each) for each in waiting])
    return set(map(name_of, rows))


def waiting_update(binding: Row) -> dict[str, Any]:
    """Return the update that gives a lease its name back."""
    told = {"state": "conflict", "last_error": TAKEN.format(**binding), "regains": True}
    return update_of(binding, "add") | told


def displacement(update: Mapping[str, Any]) -> events.Told:
    data = {name: update[name] for name in ("id", "action", "ip", "fqdn")} | {"error": update["last_error"]}
    return events.Told("ddns.conflict", data, update["tenant_no"])


def update_of(binding: Row, action: str) -> dict[str, Any]:
    """Return a row of the outbox that adds or removes what the binding asks for."""
    fields = {name: value for name, value in binding.items() if name != "updated_at"}
    return fields | {
        "id": str(new_id()),
        "action": action,
        "ip": str(binding["ip"]),
        "identities": [each.hex() for each in binding["identities"]],
        "dhcid": hexadecimal(binding["dhcid"]),
    }


def hexadecimal(octets: bytes | None) -> str | None:
    return None if octets is None else octets.hex()


def conflict(said: str, row: Row) -> NameConflict:
    return NameConflict(said.format(**row))


def change_of(row: Row, name: Row) -> Change | UpdateError:
    """Return the change; the owner's mark goes before the client's own, which may be known by several. Aliases by CNAME
    have none: where they are all that the owner has, a client's records still have the client's."""
    data = name["data"]
    if takes_name(row) and len(data) == MOST_ADDRESSES and str(row["ip"]) not in data:
        return conflict(FULL, row)
    is_clients = row["action"] == "remove" and row["source"] == LEASE and name["only_aliases"]
    return Change(
        fqdn=row["fqdn"],
        ip=row["ip"],
        forward_zone=row["forward_zone"],
        reverse_zone=row["reverse_zone"],
        ttl=row["ttl"] or 0,
        dhcid=name["dhcid"] if name["is_owned"] and not is_clients else row["dhcid"],
        conflict_mode=row["conflict_mode"],
        keeps_name=bool(name["keeps_name"]),
        is_claimed=bool(name["is_claimed"]),
        source=row["source"],
        entries=data if name["is_owned"] else None,
        shares=bool(name["by_operator"] or row["regains"]),
        before=name["before"],
        target=row["target"],
    )
