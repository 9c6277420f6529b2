"""What a question must get, by dnspython's zones and RFC 1034, 2308, 4592, 6672: slow, and nothing shared with ours."""

from typing import NamedTuple

import dns.name
import dns.rcode
import dns.rdataset
import dns.rdatatype
import dns.zone
from dns.name import Name
from dns.rdatatype import RdataType

Section = set[tuple[str, str, int, tuple[str, ...]]]


class Expected(NamedTuple):
    """Sections as sets of (owner, type, TTL, data); `additional` are those that may follow, `glue` must."""

    code: int
    authoritative: bool
    answer: Section
    authority: Section


def load(zones: dict[str, str]) -> dict[Name, dns.zone.Zone]:
    return {
        dns.name.from_text(zone): dns.zone.from_text(text, zone, relativize=False)
        for zone, text in zones.items()
    }


def shown(
    owner: Name, rdataset: dns.rdataset.Rdataset, ttl: int | None = None
) -> tuple[str, str, int, tuple[str, ...]]:
    data = tuple(sorted(rdata.to_text().lower() for rdata in rdataset))
    kind = dns.rdatatype.to_text(rdataset.rdtype)
    return owner.to_text().lower(), kind, rdataset.ttl if ttl is None else ttl, data


def ask(zones: dict[Name, dns.zone.Zone], name: Name, kind: RdataType) -> Expected:
    answer: Section = set()
    authoritative: bool | None = None
    seen: set[Name] = set()
    while True:
        zone = zone_for(zones, name, kind)
        if zone is None:
            refused = authoritative is None
            code = dns.rcode.REFUSED if refused else dns.rcode.NOERROR
            return Expected(code, not refused, answer, set())
        cut = cut_at(zone, name, kind)
        if cut is not None:
            servers = {shown(cut, zone.get_rdataset(cut, "NS"))}
            return Expected(dns.rcode.NOERROR, bool(authoritative), answer, servers)
        authoritative = True
        redirecting = dname_above(zone, name)
        if redirecting is not None:
            rdataset = zone.get_rdataset(redirecting, "DNAME")
            answer.add(shown(redirecting, rdataset))
            try:
                target = Name(name.relativize(redirecting).labels + rdataset[0].target.labels)
            except dns.name.NameTooLong:
                return Expected(dns.rcode.YXDOMAIN, True, answer, set())
            made = (name.to_text().lower(), "CNAME", rdataset.ttl, (target.to_text().lower(),))
            if made in answer:
                return Expected(dns.rcode.NOERROR, True, answer, set())
            answer.add(made)
            if kind == dns.rdatatype.CNAME:
                return Expected(dns.rcode.NOERROR, True, answer, set())
            name = target
            continue
        source = source_of(zone, name)
        if source is None:
            return Expected(dns.rcode.NXDOMAIN, True, answer, negative(zone))
        found = zone.get_rdataset(source, kind)
        alias = zone.get_rdataset(source, "CNAME")
        if found is not None:
            return Expected(dns.rcode.NOERROR, True, answer | {shown(name, found)}, set())
        if alias is None:
            return Expected(dns.rcode.NOERROR, True, answer, negative(zone))
        answer.add(shown(name, alias))
        seen.add(name)
        name = alias[0].target
        if name in seen:
            return Expected(dns.rcode.NOERROR, True, answer, set())


def zone_for(zones: dict[Name, dns.zone.Zone], name: Name, kind: RdataType) -> dns.zone.Zone | None:
    holding = [apex for apex in zones if name.is_subdomain(apex)]
    if kind == dns.rdatatype.DS and len(holding) > 1 and name in holding:
        holding.remove(name)
    return zones[max(holding, key=len)] if holding else None


def cut_at(zone: dns.zone.Zone, name: Name, kind: RdataType) -> Name | None:
    """The highest name on the way down that is delegated."""
    assert zone.origin is not None
    for depth in range(len(zone.origin) + 1, len(name) + 1):
        step = Name(name.labels[-depth:])
        if step == name and kind == dns.rdatatype.DS:
            return None
        if zone.get_rdataset(step, "NS") is not None:
            return step
    return None


def dname_above(zone: dns.zone.Zone, name: Name) -> Name | None:
    """The highest DNAME above the name, which leaves its own owner alone."""
    assert zone.origin is not None
    for depth in range(len(zone.origin), len(name)):
        step = Name(name.labels[-depth:])
        if zone.get_rdataset(step, "DNAME") is not None:
            return step
    return None


def exists(zone: dns.zone.Zone, name: Name) -> bool:
    return any(other.is_subdomain(name) for other in zone.nodes)


def source_of(zone: dns.zone.Zone, name: Name) -> Name | None:
    if exists(zone, name):
        return name
    encloser = name.parent()
    while not exists(zone, encloser):
        encloser = encloser.parent()
    wildcard = Name((b"*", *encloser.labels))
    return wildcard if exists(zone, wildcard) else None


def negative(zone: dns.zone.Zone) -> Section:
    soa = zone.get_rdataset(zone.origin, "SOA")
    assert zone.origin is not None
    assert soa is not None
    return {shown(zone.origin, soa, min(soa.ttl, soa[0].minimum))}
