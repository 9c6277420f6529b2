"""Columns of a table and their fields.

The user says it as `ip=Address,mac=HW`, or in a file with a line for each; a value behind a second equals sign is that
of all rows: `network==192.0.2.0/24`. Fields of which nothing is said are those of columns with a usual name.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from api.importers.faults import SourceError
from ipam_core.errors import IpamError

USUAL = {
    "kind": ("kind", "objecttype"),
    "ip": ("ip", "ipaddress", "ipv4address", "ipv6address", "ipv4", "ipv6", "address", "ipaddr"),
    "mac": (
        "mac",
        "macaddress",
        "macaddr",
        "hw",
        "hwaddress",
        "hardwareaddress",
        "ethernetaddress",
        "physicaladdress",
    ),
    "client": ("clientid", "clientidentifier", "dhcpclientidentifier"),
    "duid": ("duid", "clientduid"),
    "hostname": ("hostname", "name", "host", "fqdn", "dnsname", "computername", "devicename"),
    "aliases": ("aliases", "alias", "cnames", "cname", "hostaliases"),
    "description": ("description", "comment", "comments", "note", "notes", "descr"),
    "network": ("network", "networkaddress", "subnet", "cidr", "prefix", "scope", "scopeid"),
    "mask": ("mask", "netmask", "subnetmask", "prefixlength", "masklength"),
    "start": ("start", "startip", "startaddress", "startrange", "rangestart", "first", "firstip", "from"),
    "end": ("end", "endip", "endaddress", "endrange", "rangeend", "last", "lastip", "to"),
    "gateway": ("gateway", "defaultgateway", "router", "routers"),
    "dns": ("dns", "dnsserver", "dnsservers", "nameserver", "nameservers", "domainnameservers"),
    "domain": ("domain", "domainname", "dnsdomain"),
    "lease": ("lease", "leasetime", "leaseduration", "leasetimeseconds"),
    "vlan": ("vlan", "vlanid"),
    "code": ("code", "optioncode", "optionid"),
    "value": ("value", "optionvalue"),
}
"""Fields, and how columns of theirs are called where letters and digits alone count."""
CONSTANT = "="


@dataclass(eq=False)
class MapError(IpamError):
    """{said!r} says no column: write field=Column, or field==value for all rows; fields are {fields}"""

    said: str
    fields: str = ", ".join(USUAL)


def columns_from(said: Iterable[str]) -> dict[str, str]:
    """Return the columns that the user gives, in one text or several, or in a file. Raises MapError."""
    found: dict[str, str] = {}
    for each in said:
        for part in parts_of(each):
            name, equals, column = (one.strip() for one in part.partition("="))
            if name not in USUAL or not equals or not column:
                raise MapError(part)
            found[name] = column
    return found


def parts_of(said: str) -> list[str]:
    """Return lines of a file; in a text what stands between commas."""
    try:
        file = "=" not in said or Path(said).is_file()
        parts = Path(said).read_text("utf-8-sig").splitlines() if file else said.split(",")
    except (OSError, ValueError):
        raise MapError(said) from None
    return [each for each in parts if each.strip() and not each.startswith("#")]


def plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def fields_of(header: list[str], said: Mapping[str, str], line: int) -> list[str]:
    """Return the field of each column, or its name where it is of none. Raises SourceError for a column that is not
    there."""
    found = list(header)
    for field, column in said.items():
        if column.startswith(CONSTANT):
            continue
        at = next((at for at, name in enumerate(header) if name.strip().lower() == column.lower()), None)
        if at is None:
            there = ", ".join(filter(None, header))
            raise SourceError(line, f"has no column {column} for {field}: there are {there}")
        found[at] = field
    for field, names in USUAL.items():
        if field in said:
            continue
        at = next((at for at, name in enumerate(header) if plain(name) in names and found[at] == name), None)
        if at is not None:
            found[at] = field
    return [each if each in USUAL else f"column {each.strip()}".strip() for each in found]
