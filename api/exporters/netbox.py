"""The plan as tables that NetBox 4 imports (Bulk Import, or POST of CSV): prefixes, ranges and addresses.

Prefixes in which subnets lie are containers there. Pools are ranges; reservations and assignments are addresses with
the mask of their subnet. DHCP itself NetBox has none.
"""

import csv
import io
from collections.abc import Iterator, Mapping
from ipaddress import ip_network
from typing import Any

Row = dict[str, str]
LONGEST = 200
"""Characters of a description there."""


def write(document: Mapping[str, Any]) -> dict[str, str]:
    """Return the texts of files by their names."""
    lists = [document, *(document.get("tenants") or ())]
    found = {
        "prefixes.csv": [row for each in lists for row in prefixes(each)],
        "ip-ranges.csv": [row for subnet in subnets(lists) for row in ranges(subnet)],
        "ip-addresses.csv": [row for subnet in subnets(lists) for row in addresses(subnet)],
    }
    return {name: table(rows) for name, rows in found.items() if rows}


def subnets(lists: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    prefixes = [prefix for each in lists for prefix in each.get("prefixes") or ()]
    return [subnet for prefix in prefixes for subnet in prefix.get("subnets") or ()]


def prefixes(lists: Mapping[str, Any]) -> Iterator[Row]:
    for prefix in lists.get("prefixes") or ():
        inside = [each for each in prefix.get("subnets") or () if each["cidr"] != prefix["cidr"]]
        own = {"prefix": prefix["cidr"], "status": "container" if inside else "active"}
        yield own | {"description": described(prefix)}
        for each in inside:
            yield {"prefix": each["cidr"], "status": "active", "description": described(each)}


def ranges(subnet: Mapping[str, Any]) -> Iterator[Row]:
    length = ip_network(subnet["cidr"]).prefixlen
    for each in subnet.get("pools") or ():
        if each.get("start_ip"):
            ends = {f"{end}_address": f"{each[f'{end}_ip']}/{length}" for end in ("start", "end")}
            yield ends | {"status": "active", "description": described(each)}


def addresses(subnet: Mapping[str, Any]) -> Iterator[Row]:
    length = ip_network(subnet["cidr"]).prefixlen
    for family, status in (("reservations", "reserved"), ("assignments", "active")):
        for each in subnet.get(family) or ():
            if each.get("ip"):
                name = (each.get("hostname") or "").lower()
                said = {"status": status, "dns_name": name, "description": described(each)}
                yield {"address": f"{each['ip']}/{length}"} | said | {"comments": aliases_of(each)}


def aliases_of(fields: Mapping[str, Any]) -> str:
    """Return a comment, since an address has one name in NetBox."""
    aliases = fields.get("aliases") or ()
    return f"Aliases: {', '.join(aliases)}" if aliases else ""


def described(fields: Mapping[str, Any]) -> str:
    found: str = fields.get("description") or fields.get("name") or ""
    return found[:LONGEST]


def table(rows: list[Row]) -> str:
    to = io.StringIO()
    writer = csv.DictWriter(to, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return to.getvalue()
