"""RRsets as the database has them, as octets for the zones in memory: owners in full and in lower case, records without
owners (dns/zone_image.pyx)."""

import ipaddress
import struct
from collections.abc import Iterable, Mapping
from typing import Any

import dns.name
import dns.rdata
import dns.rdataclass
import dns.rdatatype

from ipam_core.dns.names import APEX
from ipam_core.dns.zone_file import Soa

HEAD = struct.Struct("!HHIH")  # type, class, TTL, length of the data
IN = dns.rdataclass.IN


def zone_name(text: str) -> bytes:
    """Return the name in wire format."""
    return wire(dns.name.from_text(text))


def owner_name(text: str, zone: bytes) -> bytes:
    """Return the owner. `text`: relative to the zone."""
    if text == APEX:
        return zone
    return wire(dns.name.from_text(text))[:-1] + zone


def wire(name: dns.name.Name) -> bytes:
    return bytes(name.canonicalize().to_wire() or b"")


def type_number(text: str) -> int:
    return int(dns.rdatatype.from_text(text))


def data_of(kind: str, text: str) -> bytes:
    """Return the data in wire format with names in full; addresses, which most records are, without a detour."""
    if kind in ("A", "AAAA"):
        return ipaddress.ip_address(text).packed
    return bytes(dns.rdata.from_text(IN, kind, text, relativize=False).to_wire() or b"")


def records_of(rrset: Mapping[str, Any]) -> bytes:
    """Return the records. `rrset` has `type`, `ttl` and `data`, as dns_rrset does."""
    return b"".join(each_record(rrset["type"], rrset["ttl"], rrset["data"]))


def each_record(kind: str, ttl: int, data: Iterable[str]) -> Iterable[bytes]:
    number = type_number(kind)
    for text in data:
        octets = data_of(kind, text)
        yield HEAD.pack(number, IN, ttl, len(octets)) + octets


def soa_record(row: Mapping[str, Any]) -> bytes:
    """Return the SOA record of a row of dns_published."""
    soa = Soa(
        row["mname"],
        row["rname"],
        row["serial"],
        row["refresh_seconds"],
        row["retry_seconds"],
        row["expire_seconds"],
        row["minimum_seconds"],
    )
    return next(iter(each_record("SOA", row["default_ttl"], [soa.data])))
