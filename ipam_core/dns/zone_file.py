"""Master files (RFC 1035 section 5, RFC 2308 for $TTL): what other servers write, and what they read.

Read is what a zone holds; its SOA becomes the zone's own fields. What cannot be stored (signatures, names outside the
zone) is named with its reason, so that nothing is lost without a word. $INCLUDE is
refused: there is no file to include.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import dns.exception
import dns.name
import dns.rdataclass
import dns.rdatatype
import dns.tokenizer
import dns.zone
import dns.zonefile

from ipam_core.dns.names import APEX
from ipam_core.dns.rdata import ELSEWHERE, spelt
from ipam_core.dns.rrsets import Record, RRset
from ipam_core.errors import ValidationError

LINE = re.compile(r"^<string>:\d+: ")
DIRECTIVES = {"$TTL", "$ORIGIN", "$GENERATE"}
SOA_FIELDS = ("mname", "rname", "refresh_seconds", "retry_seconds", "expire_seconds", "minimum_seconds")


class Skipped(NamedTuple):
    """A record that is not taken, and why; `name` in full."""

    name: str
    type: str
    reason: str


class ZoneFile(NamedTuple):
    """`soa`: the zone's fields that the file says; empty when it has no SOA."""

    records: list[Record]
    soa: dict[str, Any]
    skipped: list[Skipped]


class Soa(NamedTuple):
    """Times in seconds; names in full without the closing dot (RFC 1035 section 3.3.13)."""

    mname: str
    rname: str
    serial: int
    refresh: int
    retry: int
    expire: int
    minimum: int

    @property
    def data(self) -> str:
        return f"{self.mname}. {self.rname}. {' '.join(map(str, self[2:]))}"


class Everything(dns.zone.Zone):
    """Holds what lies outside the zone too, which dnspython's own would leave out without a word."""

    def __init__(self, zone: dns.name.Name) -> None:
        super().__init__(dns.name.root, relativize=False)
        self.apex = zone

    def origin_information(self) -> tuple[dns.name.Name, bool, dns.name.Name]:
        """The last says where the SOA stands."""
        return dns.name.root, False, self.apex


class Reader(dns.zonefile.Reader):
    """Knows on which line the record begins that it reads; the first line, which is ours, is not counted."""

    def __init__(self, text: str, writer: Any, default_ttl: int) -> None:
        tokens = dns.tokenizer.Tokenizer(text, "<string>")
        super().__init__(tokens, dns.rdataclass.IN, writer, allow_directives=DIRECTIVES)
        self.default_ttl, self.default_ttl_known = default_ttl, True
        self.line = 1

    def _rr_line(self) -> None:
        self.line = self.tok.where()[1] - 1
        super()._rr_line()


def read(text: str, zone: str, default_ttl: int) -> ZoneFile:
    """The TTL is of records that bear none in a file without $TTL. Raises ValidationError on `zone_file`, with the
    line where there is one."""
    origin = dns.name.from_text(zone)
    found = Everything(origin)
    try:
        with found.writer(True) as writer:
            reader = Reader(f"$ORIGIN {origin}\n{text}", writer, default_ttl)
            reader.read()
    except (dns.exception.DNSException, ValueError) as error:
        reason = LINE.sub("", str(error))
        raise ValidationError("zone_file", f"line {reader.line}: {reason}") from None
    records: list[Record] = []
    skipped: list[Skipped] = []
    soa: dict[str, Any] = {}
    for name, ttl, rdata in found.iterate_rdatas():
        kind = dns.rdatatype.to_text(rdata.rdtype)
        if not name.is_subdomain(origin):
            skipped.append(Skipped(name.to_text(omit_final_dot=True), kind, f"does not lie in {zone}"))
        elif kind == "SOA":
            soa = soa_fields(rdata)
        elif kind in ELSEWHERE:
            skipped.append(Skipped(name.to_text(omit_final_dot=True), kind, f"{kind} {ELSEWHERE[kind]}"))
        else:
            records.append(Record(owner(name, origin), kind, ttl, spelt(rdata)))
    return ZoneFile(records, soa, skipped)


def owner(name: dns.name.Name, origin: dns.name.Name) -> str:
    relative: str = name.canonicalize().relativize(origin).to_text()
    return relative


def soa_fields(rdata: Any) -> dict[str, Any]:
    values = (
        rdata.mname.canonicalize().to_text(omit_final_dot=True),
        rdata.rname.canonicalize().to_text(omit_final_dot=True),
        rdata.refresh,
        rdata.retry,
        rdata.expire,
        rdata.minimum,
    )
    return dict(zip(SOA_FIELDS, values, strict=True))


def head(zone: str, soa: Soa, default_ttl: int) -> str:
    """Where a master file begins."""
    return f"$ORIGIN {zone}.\n$TTL {default_ttl}\n{APEX} {default_ttl} IN SOA {soa.data}\n"


def lines(rrsets: Iterable[RRset]) -> Iterator[str]:
    """A line a record, owners relative to the zone."""
    for rrset in rrsets:
        for data in rrset.data:
            yield f"{rrset.name} {rrset.ttl} IN {rrset.type} {data}\n"
