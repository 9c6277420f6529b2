"""What updates of the outbox are to change at their server, and whose the names are by our own database."""

from collections.abc import Sequence

from ipam_core.db import queries
from ipam_core.services.entity.entity import Connection, Row
from ipam_core.workers.adapters import Change

SQL = queries.load("ddns")


async def changes_of(
    connection: Connection, server_no: int, rows: Sequence[Row]
) -> list[tuple[Row, Change | None]]:
    """Of updates to one server (the embedded one: 0), each of another name and another address; None: the name is
    another client's."""
    refused = await claim(connection, server_no, [row for row in rows if takes_name(row)])
    named = [{"fqdn": row["fqdn"], "tenant_no": row["tenant_no"], "ip": str(row["ip"])} for row in rows]
    found = SQL.marks_of_names(connection, dns_server_no=server_no, names=named)
    marks = {row["fqdn"]: row async for row in found}
    return [(row, None if row["fqdn"] in refused else change_of(row, marks[row["fqdn"]])) for row in rows]


def takes_name(row: Row) -> bool:
    return row["action"] == "add" and row["forward_zone"] is not None


async def claim(connection: Connection, server_no: int, rows: Sequence[Row]) -> set[str]:
    """Take the names for their clients; those that are another's."""
    refused: set[str] = set()
    for checked in (True, False):
        names = {
            row["fqdn"]: claimed(row) for row in rows if (row["conflict_mode"] == "check_dhcid") == checked
        }
        if names:
            told = {"dns_server_no": server_no, "names": list(names.values()), "checked": checked}
            refused |= names.keys() - {row["fqdn"] async for row in SQL.claim_names(connection, **told)}
    return refused


def claimed(row: Row) -> dict[str, object]:
    dhcid = row["dhcid"]
    identities = [each.hex() for each in row["identities"]]
    return {"fqdn": row["fqdn"], "identities": identities, "dhcid": None if dhcid is None else dhcid.hex()}


def change_of(row: Row, mark: Row) -> Change:
    """The name's mark goes before the client's own, which may be known by several."""
    dhcid = mark["dhcid"]
    return Change(
        fqdn=row["fqdn"],
        ip=row["ip"],
        forward_zone=row["forward_zone"],
        reverse_zone=row["reverse_zone"],
        ttl=row["ttl"] or 0,
        dhcid=dhcid if takes_name(row) else dhcid or row["dhcid"],
        conflict_mode=row["conflict_mode"],
        keeps_name=mark["keeps_name"],
        source=row["source"],
    )
