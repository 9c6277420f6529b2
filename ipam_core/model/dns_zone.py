"""Zones and their static records: names and data as DNS itself understands them (dnspython).

A zone's name is stored in lower case, ASCII, without the closing dot. A record's owner is relative to its
zone (`@` is the zone itself); data is in presentation format with absolute names. In a client's data a name
of one label is relative to the zone and any other absolute, with or without a closing dot.
"""

from typing import Annotated, Literal

import dns.exception
import dns.name
import dns.rdata
import dns.rdataclass
import dns.rdatatype
from msgspec import Meta

from ipam_core.errors import ValidationError
from ipam_core.model.base import Command, Id, Model, Text

Ttl = Annotated[int, Meta(ge=0, le=2**31 - 1)]
DomainName = Annotated[str, Meta(min_length=1, max_length=1004, extra_json_schema={"format": "domain-name"})]
RecordType = Literal["A", "AAAA", "CNAME", "MX", "TXT", "SRV", "PTR", "NS", "CAA"]

APEX = "@"
# Their data ends with a name.
NAMING = ("CNAME", "MX", "SRV", "PTR", "NS")
TXT_OCTETS = 255


class DnsZoneFields(Command, kw_only=True, frozen=True):
    """What may be changed later."""

    dns_server_id: Id | None = None
    description: Text = ""
    # Whether the built-in DNS server answers for the zone.
    dns_enabled: bool = False
    default_ttl: Ttl = 3600
    mname: DomainName | None = None
    rname: DomainName | None = None
    refresh_seconds: Ttl = 7200
    retry_seconds: Ttl = 900
    expire_seconds: Ttl = 1209600
    minimum_seconds: Ttl = 3600


class NewDnsZone(DnsZoneFields, kw_only=True, frozen=True):
    name: DomainName
    tenant_id: Id | None = None


class DnsZone(Model, kw_only=True, frozen=True):
    tenant_id: str
    name: str
    dns_server_id: str | None
    description: str
    dns_enabled: bool
    default_ttl: int
    mname: str | None
    rname: str | None
    refresh_seconds: int
    retry_seconds: int
    expire_seconds: int
    minimum_seconds: int
    serial: int


class NewDnsRecord(Command, kw_only=True, frozen=True):
    name: DomainName
    type: RecordType
    data: Annotated[str, Meta(max_length=16384)]
    ttl: Ttl | None = None
    description: Text = ""


class DnsRecord(Model, kw_only=True, frozen=True):
    zone_id: str
    name: str
    # The owner in full.
    fqdn: str
    type: str
    data: str
    ttl: int | None
    description: str


def read_name(field: str, text: str, origin: dns.name.Name | None = dns.name.root) -> dns.name.Name:
    try:
        if not text.isprintable() or " " in text:
            raise ValueError(text)
        return dns.name.from_text(text, origin).canonicalize()
    except (dns.exception.DNSException, ValueError):
        raise ValidationError(field, "must be a domain name, such as example.net") from None


def zone_name(text: str) -> str:
    name = read_name("name", text)
    if name == dns.name.root or name.is_wild():
        raise ValidationError("name", "must be the name of a zone, such as example.net")
    return name.to_text(omit_final_dot=True)


def mailbox(text: str) -> str:
    """RFC 1035 8: the first label is the part before the @, dots and all."""
    local, at, domain = text.partition("@")
    label = local.replace(".", "\\.")
    return domain_text("rname", f"{label}.{domain}" if at else text)


def domain_text(field: str, text: str) -> str:
    return read_name(field, text).to_text(omit_final_dot=True)


def owner_name(text: str, zone: str) -> str:
    """Relative to the zone. What ends with the zone's name is meant in full: nobody wants it twice."""
    origin = dns.name.from_text(zone)
    name = read_name("name", text, None)
    if not name.is_absolute():
        whole = name.concatenate(dns.name.root) if len(name.labels) else origin
        name = whole if whole.is_subdomain(origin) else read_name("name", text, origin)
    if not name.is_subdomain(origin):
        raise ValidationError("name", f"does not lie in the zone {zone}")
    if any(label == b"*" for label in name.labels[1:]):
        raise ValidationError("name", "only the first label may be *")
    return name.relativize(origin).to_text()


def record_data(kind: str, text: str, zone: str) -> str:
    """The data in one spelling; raises ValidationError where it is not of the type."""
    wire_class = dns.rdataclass.IN
    try:
        if not text.strip() or any(ord(c) < 32 for c in text):
            raise ValueError(text)
        written = quoted(text) if kind == "TXT" else absolute(kind, text.strip())
        rdata = dns.rdata.from_text(
            wire_class, dns.rdatatype.from_text(kind), written, dns.name.from_text(zone), relativize=False
        )
        found: str = rdata.to_text()
    except (dns.exception.DNSException, ValueError) as error:
        raise ValidationError("data", f"is not the data of a record of type {kind}: {shape(kind)}") from error
    return found


def quoted(text: str) -> str:
    """A text without quotes is one text, blanks and semicolons included."""
    if text.lstrip().startswith('"'):
        return text
    octets = text.encode()
    parts = [octets[at : at + TXT_OCTETS] for at in range(0, len(octets), TXT_OCTETS)]
    return " ".join('"' + "".join(map(escaped, part)) + '"' for part in parts)


def escaped(octet: int) -> str:
    plain = 32 <= octet < 127 and chr(octet) not in '"\\'
    return chr(octet) if plain else f"\\{octet:03}"


def absolute(kind: str, text: str) -> str:
    target = text.rpartition(" ")[2]
    dotted = kind in NAMING and "." in target and not target.endswith(".")
    return text + "." if dotted else text


SHAPES = {
    "A": "192.0.2.10",
    "AAAA": "2001:db8::10",
    "CNAME": "www.example.net.",
    "MX": "10 mail.example.net.",
    "TXT": '"any text"',
    "SRV": "0 5 5060 sip.example.net. (priority, weight, port, target)",
    "PTR": "host.example.net.",
    "NS": "ns1.example.net.",
    "CAA": '0 issue "ca.example.net"',
}


def shape(kind: str) -> str:
    return f"it looks like {SHAPES[kind]}"


def check_record(name: str, kind: str) -> None:
    if kind == "CNAME" and name == APEX:
        raise ValidationError("type", "the zone itself has other records, so it cannot be an alias")
