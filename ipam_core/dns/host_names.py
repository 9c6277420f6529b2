"""Name of one address in DNS: rules over what the plan and the leases contain, by the subnet's ddns_* fields.

An assignment goes before a reservation, a reservation before a lease. Names of assignments and reservations are the
operator's: any name, completed by the subnet's domain if it is one label. A client chooses one label below that domain
(decisions: Client names in DNS); without a usable one the subnet may make a name of the address.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from ipaddress import IPv4Address, IPv6Address
from typing import Any, NamedTuple

import dns.exception
import dns.name

from ipam_core.dns import reverse
from ipam_core.dns.dhcid import OPERATOR, Identity, dhcid, identities
from ipam_core.dns.names import is_within
from ipam_core.host_labels import BLOCKED_NAMES, LONGEST_LABEL, host_label
from ipam_core.model.lifetimes import STORED_INFINITE

LEAST_TTL = 600
SHARE_OF_LEASE = 3
TTL_OF_INFINITE = 86400
GENERATES = ("always", "when_not_present")
REPLACES = ("always", "when_present")

# lease.fqdn_flags: the client's choice in option 81 or 39 of the party that updates DNS. A name is unmade if the server
# noted it while the subnet did not update DNS: it is as the client sent it, and empty if the server was to choose it.
SERVER, NOBODY, SENT, PLANNED, EMPTY, UNMADE = 1, 2, 4, 8, 16, 32

Row = Mapping[str, Any]


class Wanted(NamedTuple):
    """The fields of `ddns_published`. `target` of an alias: the name that its CNAME record points to; None: the name
    has address records."""

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
    is_alias: bool = False
    target: str | None = None


class Zone(NamedTuple):
    """`dns_server_no` and `adapter` of the server that answers for it; None: none is named. `enabled`: our own does."""

    name: str
    dns_server_no: int | None
    adapter: str | None
    enabled: bool = True


def wanted(
    row: Row, ip: IPv4Address | IPv6Address, zones: Iterable[Zone], blocked: Collection[str] = BLOCKED_NAMES
) -> Wanted | None:
    """Return what DNS is to contain of an address, None: nothing. `row` is one of ddns.sql's `addresses`, `zones` are
    those of its tenant, `blocked` labels that no client gets."""
    if not may_have_name(row):
        return None
    fqdn = full_name(row, ip, blocked)
    if fqdn is None:
        return None
    served = served_at(row, zones)
    forward = nearest(fqdn, zone_text(row["ddns_forward_zone"]), served)
    reverse_zone = nearest_reverse(ip, zone_text(row["ddns_reverse_zone"]), served)
    server, adapter = server_of(row, (forward, reverse_zone), zones)
    published = forward if forward is not None and is_in(fqdn, forward) and not is_clients(row) else None
    pointed = reverse_zone if published is not None or is_in(fqdn, domain_of(row)) else None
    if adapter is None or (published is None and pointed is None):
        return None
    known = [OPERATOR] if row["source"] == "assignment" else identities_of(row)
    return Wanted(
        row["source"],
        row["subnet_no"],
        fqdn,
        [each.key for each in known if each is not OPERATOR],
        dhcid(known[0], fqdn) if known else None,
        row["ddns_conflict_mode"],
        server,
        adapter,
        published,
        pointed,
        row["ddns_ttl"] or usual_ttl(row["lease_time_seconds"]),
    )


def wanted_aliases(
    row: Row, ip: IPv4Address | IPv6Address, zones: Iterable[Zone], blocked: Collection[str] = BLOCKED_NAMES
) -> Iterator[Wanted]:
    """Yield what DNS is to contain of the further names of an address, by the parameters of `wanted`. They are the
    operators' alone: no client has a part in them."""
    if not row["aliases"] or not may_have_name(row):
        return
    target, is_cname = full_name(row, ip, blocked), row["alias_records"] == "cname"
    served = served_at(row, zones)
    for fqdn in dict.fromkeys(canonical(completed(alias, row)) for alias in row["aliases"]):
        if fqdn is None or fqdn == target or (is_cname and target is None):
            continue
        zone = nearest(fqdn, zone_text(row["ddns_forward_zone"]), served)
        server, adapter = server_of(row, (zone,), zones)
        if zone is not None and is_in(fqdn, zone) and adapter is not None:
            yield Wanted(
                row["source"],
                row["subnet_no"],
                fqdn,
                [],
                dhcid(OPERATOR, fqdn),
                row["ddns_conflict_mode"],
                server,
                adapter,
                zone,
                None,
                row["ddns_ttl"] or usual_ttl(row["lease_time_seconds"]),
                is_alias=True,
                target=target if is_cname else None,
            )


def usual_ttl(lease_time: int) -> int:
    """Apply RFC 4702 section 5: a third of the lease, and of an infinite one a day; `lease_time` as its column has
    it."""
    if lease_time == STORED_INFINITE:
        return TTL_OF_INFINITE
    return max(LEAST_TTL, lease_time // SHARE_OF_LEASE)


def may_have_name(row: Row) -> bool:
    """Return whether something has the address, and nothing forbids a name for it."""
    return bool(row["ddns_enabled"]) and row["source"] is not None and not is_declined(row)


def lacks_domain(row: Row) -> bool:
    """Return whether the address would have a name if its subnet had a domain: an operator is warned then."""
    name = row["hostname"] or ""
    if domain_of(row) or not may_have_name(row):
        return False
    if row["source"] != "lease":
        return any(each and "." not in each for each in (name, *row["aliases"]))
    return bool(name) and listed_name(name, row["ddns_client_domains"]) is None


def identities_of(row: Row) -> list[Identity]:
    return identities(row["hw_type"], row["hw_address"], row["client_id"], row["duid"])


def said(row: Row) -> int:
    """Return the flags by which a client may change what its lease means; 0 where there is nothing for it to say."""
    flags: int = row["fqdn_flags"] if row["source"] == "lease" else 0
    return flags if flags & SENT else 0


def is_declined(row: Row) -> bool:
    """Return whether the client requests no record at all (N) and the request is obeyed (RFC 4702 section 3.3.1)."""
    return bool(said(row) & NOBODY) and not row["ddns_override_no_update"]


def is_clients(row: Row) -> bool:
    """Return whether the client writes its forward record itself (neither S nor N) and is let to: the server then
    writes the pointer alone (RFC 4702 section 4, RFC 4704 section 6)."""
    return said(row) & (SENT | SERVER | NOBODY) == SENT and not row["ddns_override_client_update"]


def is_replaced(row: Row) -> bool:
    """Return whether the client's name is replaced. Of option 81 and 39 the DHCP server has done that, unless it is
    unmade."""
    flags = row["fqdn_flags"]
    if row["source"] != "lease" or (flags and not flags & UNMADE):
        return False
    return bool(flags & EMPTY) or (bool(row["hostname"]) and row["ddns_replace_client_name"] in REPLACES)


def full_name(row: Row, ip: IPv4Address | IPv6Address, blocked: Collection[str]) -> str | None:
    """Return the full name in lower case, without the closing dot; None: there is none, or DNS could not hold it."""
    return canonical(client_name(row, ip, blocked) if row["source"] == "lease" else operator_name(row))


def canonical(name: str) -> str | None:
    """Return a name as DNS compares it; None where there is none, or DNS could not hold it."""
    if not name:
        return None
    try:
        return dns.name.from_text(name).canonicalize().to_text(omit_final_dot=True)
    except dns.exception.DNSException:
        return None


def domain_of(row: Row) -> str:
    """Return the domain of the subnet's names; empty: it has none."""
    return zone_text(row["ddns_domain"]) or zone_text(row["ddns_forward_zone"])


def zone_text(name: str | None) -> str:
    """Return the name as zones are called: in lower case, without the closing dot."""
    return (name or "").rstrip(".").lower()


def operator_name(row: Row) -> str:
    """Return the name as it was entered, with the domain behind a single label; empty: there is none."""
    return completed(row["hostname"] or "", row)


def completed(name: str, row: Row) -> str:
    """Return the name, with the subnet's domain behind a single label; empty: there is none."""
    return name if "." in name else below(name, domain_of(row))


def client_name(row: Row, ip: IPv4Address | IPv6Address, blocked: Collection[str]) -> str:
    """Return the name that the client gets, whatever it sent; empty: none."""
    name = row["hostname"] or ""
    replaced = is_replaced(row)
    label = "" if replaced else client_label(name, blocked)
    if label and (listed := listed_name(name, row["ddns_client_domains"])):
        return below(label, listed)
    if replaced or (not label and row["ddns_replace_client_name"] in GENERATES):
        label = generated(row["ddns_generated_prefix"], ip)
    return below(label, domain_of(row))


def client_label(name: str, blocked: Collection[str]) -> str:
    """Return the first label as a host name's; empty: it gives none, or none that clients may have."""
    label = host_label(name.partition(".")[0])
    return "" if label in blocked else label


def listed_name(name: str, domains: Iterable[str]) -> str | None:
    """Return the domain behind the first label, if the subnet lists it."""
    domain = zone_text(name).partition(".")[2]
    return domain if domain and domain in map(zone_text, domains) else None


def below(label: str, domain: str) -> str:
    return f"{label}.{domain}" if label and domain else ""


def generated(prefix: str, ip: IPv4Address | IPv6Address) -> str:
    """Return the generated name as the DHCP servers make it: the prefix, and the address with hyphens."""
    text = "-".join(f"{int(group, 16):x}" for group in ip.exploded.split(":")) if ip.version == 6 else str(ip)
    made = "-" + text.replace(".", "-")
    return host_label(prefix)[: LONGEST_LABEL - len(made)] + made


def is_in(name: str, zone: str) -> bool:
    return bool(zone) and is_within(name, zone)


def served_at(row: Row, zones: Iterable[Zone]) -> list[tuple[bool, Zone]]:
    """Return the zones, each with whether something answers for it: a server of its own, our own, or the subnet's."""
    at_subnets = row["dns_server_no"] is not None
    return [(zone.enabled or at_subnets or zone.dns_server_no is not None, zone) for zone in zones]


def nearest(name: str, named: str, zones: Iterable[tuple[bool, Zone]]) -> str | None:
    """Return the zone of the tenant that the name lies in, at or below the one that the subnet names. Of several
    the nearest one answers for it; a zone for which nothing answers counts only where no other one holds the name."""
    holding = [each for each in zones if is_in(name, each[1].name) and is_at_or_below(each[1].name, named)]
    return first_choice(holding, named)


def nearest_reverse(
    ip: IPv4Address | IPv6Address, named: str, zones: Iterable[tuple[bool, Zone]]
) -> str | None:
    """Return the same for the name of the address's pointer."""
    holding = [
        each
        for each in zones
        if reverse.pointer_name(ip, each[1].name) is not None and is_at_or_below(each[1].name, named)
    ]
    return first_choice(holding, named)


def first_choice(holding: Iterable[tuple[bool, Zone]], named: str) -> str | None:
    """Return the nearest zone that answers, else the nearest, else the one that the subnet names."""
    found = max(holding, key=lambda each: (each[0], len(each[1].name)), default=None)
    return found[1].name if found else named or None


def is_at_or_below(zone: str, named: str) -> bool:
    """Return whether the zone is in question where the subnet names one; empty: it names none."""
    return not named or is_in(zone, named)


def server_of(row: Row, names: Iterable[str | None], zones: Iterable[Zone]) -> tuple[int | None, str | None]:
    """Return the subnet's, else that of its zones, and how it is spoken to."""
    if row["dns_server_no"] is not None:
        return row["dns_server_no"], row["ddns_adapter"] or row["server_adapter"]
    by_name = {zone.name: zone for zone in zones if zone.dns_server_no is not None}
    zone = next((by_name[name] for name in names if name in by_name), None)
    if zone is None:
        return None, row["ddns_adapter"] or "embedded"
    return zone.dns_server_no, row["ddns_adapter"] or zone.adapter
