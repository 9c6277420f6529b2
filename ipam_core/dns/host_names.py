"""What DNS shall say of one address: rules over what the plan and the leases say, by the subnet's ddns_* fields.

An assignment goes before a reservation, a reservation before a lease. A name of one label is made whole by the subnet's
domain, else by its forward zone; without a name the subnet may make one of the address.
"""

from collections.abc import Iterable, Mapping
from ipaddress import IPv4Address, IPv6Address
from typing import Any, NamedTuple

import dns.exception
import dns.name

from ipam_core.dns import reverse
from ipam_core.dns.dhcid import dhcid, identities

LEAST_TTL = 600
SHARE_OF_LEASE = 3
LONGEST_LABEL = 63
GENERATES = ("always", "when_not_present")
REPLACES = ("always", "when_present")

# lease.fqdn_flags: what the client said by option 81 or 39 of who updates DNS
SERVER, NOBODY, SENT, PLANNED = 1, 2, 4, 8

Row = Mapping[str, Any]


class Wanted(NamedTuple):
    """The fields of `ddns_binding`."""

    source: str
    subnet_no: int
    fqdn: str
    identities: list[bytes]
    dhcid: bytes | None
    conflict_mode: str
    dns_server_no: int | None
    adapter: str
    forward_zone: str | None
    reverse_zone: str | None
    ttl: int


class Zone(NamedTuple):
    """`dns_server_no` and `adapter` of the server that answers for it; None: none is named."""

    name: str
    dns_server_no: int | None
    adapter: str | None


def wanted(row: Row, ip: IPv4Address | IPv6Address, zones: Iterable[Zone]) -> Wanted | None:
    """`row`: an address as ddns.sql's `addresses` tells it; `zones`: those of its tenant. None: DNS shall say nothing
    of it."""
    if not row["ddns_enabled"] or row["source"] is None or is_declined(row):
        return None
    fqdn = full_name(row, ip)
    if fqdn is None:
        return None
    forward = row["ddns_forward_zone"] or longest(fqdn, zones)
    pointed = row["ddns_reverse_zone"] or reverse_zone(ip, zones)
    server, adapter = server_of(row, (forward, pointed), zones)
    if is_clients(row):
        forward = None
    if adapter is None or (forward is None and pointed is None):
        return None
    known = identities(row["hw_type"], row["hw_address"], row["client_id"], row["duid"])
    return Wanted(
        row["source"],
        row["subnet_no"],
        fqdn,
        [each.key for each in known],
        dhcid(known[0], fqdn) if known else None,
        row["ddns_conflict_mode"],
        server,
        adapter,
        forward if forward is not None and is_in(fqdn, forward) else None,
        pointed,
        row["ddns_ttl"] or max(LEAST_TTL, row["lease_time_seconds"] // SHARE_OF_LEASE),
    )


def said(row: Row) -> int:
    """The flags by which a client may change what its lease means; 0 where there is nothing for it to say."""
    flags: int = row["fqdn_flags"] if row["source"] == "lease" else 0
    return flags if flags & SENT else 0


def is_declined(row: Row) -> bool:
    """Whether the client wants no record at all (N) and is heard (RFC 4702 section 3.3.1)."""
    return bool(said(row) & NOBODY) and not row["ddns_override_no_update"]


def is_clients(row: Row) -> bool:
    """Whether the client writes its forward record itself (neither S nor N) and is let to: the server then writes the
    pointer alone (RFC 4702 section 4, RFC 4704 section 6)."""
    return said(row) & (SENT | SERVER | NOBODY) == SENT and not row["ddns_override_client_update"]


def is_replaced(row: Row) -> bool:
    """Whether a name that the client gave by option 12 makes way; of option 81 and 39 the DHCP server has seen to
    that."""
    return row["source"] == "lease" and not row["fqdn_flags"] and row["ddns_replace_client_name"] in REPLACES


def full_name(row: Row, ip: IPv4Address | IPv6Address) -> str | None:
    """In lower case, without the closing dot; None where there is none, or DNS could not hold it."""
    name = row["hostname"] or ""
    if (name and is_replaced(row)) or (not name and row["ddns_replace_client_name"] in GENERATES):
        name = generated(row["ddns_generated_prefix"], ip)
    if name and "." not in name:
        domain = row["ddns_domain"] or row["ddns_forward_zone"]
        name = f"{name}.{domain}" if domain else ""
    if not name:
        return None
    try:
        return dns.name.from_text(name).canonicalize().to_text(omit_final_dot=True)
    except dns.exception.DNSException:
        return None


def generated(prefix: str, ip: IPv4Address | IPv6Address) -> str:
    """As the DHCP servers make it: the prefix, and the address with hyphens."""
    text = "-".join(f"{int(group, 16):x}" for group in ip.exploded.split(":")) if ip.version == 6 else str(ip)
    made = "-" + text.replace(".", "-")
    return prefix[: LONGEST_LABEL - len(made)] + made


def is_in(name: str, zone: str) -> bool:
    return name == zone or name.endswith("." + zone)


def longest(name: str, zones: Iterable[Zone]) -> str | None:
    """The zone of the tenant that the name lies in; of several the one nearest to it."""
    return max((zone.name for zone in zones if is_in(name, zone.name)), key=len, default=None)


def reverse_zone(ip: IPv4Address | IPv6Address, zones: Iterable[Zone]) -> str | None:
    holding = (zone.name for zone in zones if reverse.pointer_name(ip, zone.name) is not None)
    return max(holding, key=len, default=None)


def server_of(row: Row, names: Iterable[str | None], zones: Iterable[Zone]) -> tuple[int | None, str | None]:
    """The subnet's, else that of its zones, and how it is spoken to."""
    if row["dns_server_no"] is not None:
        return row["dns_server_no"], row["ddns_adapter"] or row["server_adapter"]
    by_name = {zone.name: zone for zone in zones if zone.dns_server_no is not None}
    zone = next((by_name[name] for name in names if name in by_name), None)
    if zone is None:
        return None, row["ddns_adapter"] or "embedded"
    return zone.dns_server_no, row["ddns_adapter"] or zone.adapter
