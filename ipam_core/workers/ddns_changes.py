"""What updates of the outbox are to change at their server, and whose the names are by our own database."""

from collections.abc import Sequence

from ipam_core.db import queries
from ipam_core.services.entity.entity import Connection, Row
from ipam_core.workers.adapters import Change

SQL = queries.load("ddns")


DEFAULT_TENANT = 1  # the number that the first migration gives it


def scope_of(row: Row) -> int:
    """Return where the name of an update is unique: the number of the tenant's DNS server, or for the tenant's own
    zones a number that is not positive. The default tenant's is 0, as in the release before."""
    server_no: int = row["dns_server_no"] or 0
    tenant_no: int = row["tenant_no"]
    return DEFAULT_TENANT - tenant_no if row["adapter"] == "embedded" or not server_no else server_no


async def changes_of(connection: Connection, rows: Sequence[Row]) -> list[tuple[Row, Change | None]]:
    """Of updates of one tenant to one server, each of another name and another address; None: the name is another
    client's."""
    scope = scope_of(rows[0])
    refused = await claim(connection, scope, [row for row in rows if takes_name(row)])
    named = [{"fqdn": row["fqdn"], "tenant_no": row["tenant_no"], "ip": str(row["ip"])} for row in rows]
    found = SQL.marks_of_names(connection, scope=scope, names=named)
    marks = {row["fqdn"]: row async for row in found}
    return [(row, None if row["fqdn"] in refused else change_of(row, marks[row["fqdn"]])) for row in rows]


def takes_name(row: Row) -> bool:
    return row["action"] == "add" and row["forward_zone"] is not None


async def claim(connection: Connection, scope: int, rows: Sequence[Row]) -> set[str]:
    """Take the names for their clients; those that are another's."""
    refused: set[str] = set()
    for checked in (True, False):
        names = {
            row["fqdn"]: claimed(row) for row in rows if (row["conflict_mode"] == "check_dhcid") == checked
        }
        if names:
            told = {"scope": scope, "names": list(names.values()), "checked": checked}
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
