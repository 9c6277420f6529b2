"""Names of zones and of what is in them.

A zone's name is kept in lower case, ASCII, without the closing dot. A record's owner is relative to its zone (`@` is
the zone itself).
"""

from collections.abc import Iterable, Iterator
from ipaddress import ip_address

import dns.exception
import dns.name

from ipam_core.dns.reverse import BITS, Network, zone_at, zones_of
from ipam_core.errors import ValidationError
from ipam_core.model.values import parse_network

APEX = "@"
MOST_SHOWN = 8
"""Zones that an error message lists by name: all of an IPv6 network, few of an IPv4 network."""


def read_name(field: str, text: str, origin: dns.name.Name | None = dns.name.root) -> dns.name.Name:
    """Return a name in lower case. Raises ValidationError on the field."""
    try:
        if not text.isprintable() or " " in text:
            raise ValueError(text)
        return dns.name.from_text(text, origin).canonicalize()
    except (dns.exception.DNSException, ValueError):
        raise ValidationError(field, "must be a domain name, such as example.net") from None


def zone_name(text: str, field: str = "name") -> str:
    """Return the name of a zone as it is stored; a network stands for its reverse zone. Raises ValidationError on the
    field for text that cannot name one zone."""
    name = read_name(field, network_zone(text, field) or text)
    if name == dns.name.root or name.is_wild():
        raise ValidationError(field, "must be the name of a zone, such as example.net")
    return name.to_text(omit_final_dot=True)


def network_zone(text: str, field: str) -> str | None:
    """Return the reverse zone of a network: 50.10.in-addr.arpa for 10.50.0.0/16, and 64/26.2.0.192.in-addr.arpa (RFC
    2317) for 192.0.2.64/26. None: the text is a name. Raises ValidationError for a network that is not one zone."""
    head, slash, _ = text.strip().partition("/")
    try:
        address = ip_address(head)
    except ValueError:
        return None
    if not slash:
        whole = f"{address}/{24 if address.version == 4 else 64}"
        raise ValidationError(field, f"{address} is an address: give a network, such as {whole}, or a name")
    try:
        network = parse_network(text)
    except ValueError as error:
        raise ValidationError(field, str(error)) from None
    zones = zones_of(network)
    if len(zones) > 1:
        raise ValidationError(field, several_zones(network, zones))
    return zones[0]


def several_zones(network: Network, zones: list[str]) -> str:
    """Return the message for a network that ends between two labels of reverse names."""
    shown = ", ".join(zones) if len(zones) <= MOST_SHOWN else f"{zones[0]} to {zones[-1]}"
    bits = BITS[network.version]
    length = network.prefixlen // bits * bits
    above = network.supernet(new_prefix=length)
    larger = f"; or create {zone_at(above)} for all of {above}" if length else ""
    return f"{network} has {len(zones)} reverse zones: create {shown}{larger}"


def suffix_names(texts: Iterable[str]) -> list[str]:
    """Return a tenant's suffixes as they are stored, each once. Raises ValidationError."""
    return list(dict.fromkeys(zone_name(text, "dns_suffixes") for text in texts))


def names_above(text: str) -> list[str]:
    """Return a zone's name and the names above it, the longest first; the root is left out."""
    if "\\" not in text and not text.endswith("."):
        return [text[at:] for at in beginnings(text)] if text else []
    name = dns.name.from_text(text)
    found = []
    while name != dns.name.root:
        found.append(name.to_text(omit_final_dot=True))
        name = name.parent()
    return found


def beginnings(text: str) -> Iterator[int]:
    """Yield where each label of a name begins that has no escaped character."""
    at = -1
    while True:
        yield at + 1
        at = text.find(".", at + 1)
        if at < 0:
            return


def is_within(name: str, zone: str) -> bool:
    """Return whether a name in full lies at or below a zone; both as they are stored. An escaped dot ends no label."""
    return name == zone or (name.endswith("." + zone) and ("\\" not in name or zone in names_above(name)))


def mailbox(text: str) -> str:
    """Return the name that stands for a mail address: the first label is the part before the @, dots and all (RFC 1035
    section 8)."""
    local, at, domain = text.partition("@")
    label = local.replace(".", "\\.")
    return domain_text("rname", f"{label}.{domain}" if at else text)


def domain_text(field: str, text: str) -> str:
    """Return a name in full, without the closing dot. Raises ValidationError on the field."""
    return read_name(field, text).to_text(omit_final_dot=True)


def cuts(name: str, zone: str) -> list[str]:
    """Return the name and those above it, below the zone's own: where a delegation would take it out of the zone."""
    above = names_above(name)
    return above[: above.index(zone)] if zone in above else []


def owner_name(text: str, zone: str) -> str:
    """Return the owner's name relative to the zone. A name that ends with the zone's name is already complete. Raises
    ValidationError for a name outside the zone, and for a * that is not the first label."""
    origin = dns.name.from_text(zone)
    name = read_name("name", text, None)
    if not name.is_absolute():
        whole = name.concatenate(dns.name.root) if len(name.labels) else origin
        name = whole if whole.is_subdomain(origin) else read_name("name", text, origin)
    if not name.is_subdomain(origin):
        raise ValidationError("name", f"is not in the zone {zone}")
    if any(label == b"*" for label in name.labels[1:]):
        raise ValidationError("name", "only the first label may be *")
    return name.relativize(origin).to_text()
