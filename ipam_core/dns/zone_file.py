"""Master files (RFC 1035 section 5, RFC 2308 for $TTL): read from other servers and written for them.

The reader returns the records of a zone; its SOA becomes the zone's own fields. Records that cannot be stored
(signatures, names outside the zone) are reported with the reason. $INCLUDE is refused: there is no file to include.

A file's work is bounded before it is done (decisions: Work that expands): the records of $GENERATE are counted from its
range. Since dnspython copies an RRset for each record that it adds, an RRset has a limit too.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import dns.exception
import dns.grange
import dns.name
import dns.rdataclass
import dns.rdatatype
import dns.tokenizer
import dns.zone
import dns.zonefile

from ipam_core.dns.content import BELOW, MOST_IN_RRSET, above, obstacle_at, redirected
from ipam_core.dns.names import APEX
from ipam_core.dns.rdata import ELSEWHERE, spelt
from ipam_core.dns.rrsets import Record, RRset
from ipam_core.errors import ValidationError
from ipam_core.stoppable import Steps

MOST_RECORDS = 262_144
MOST_GENERATED = 65_536
"""Records that all $GENERATE lines of a file make together; the data of each is one word, 255 octets at most."""
LONGEST_LINE = 262_144
"""Characters: 65,535 octets of record data, each escaped as \\DDD."""

UNEVEN = (
    "records of one name and type have the TTLs {high} and {low}: {low} counts for all (RFC 2181 section 5.2)"
)
LINE = re.compile(r"^<string>:\d+: ")
DIRECTIVES = {"$TTL", "$ORIGIN", "$GENERATE"}
MOST_SHOWN = 40
MOST_NOTED = 10_000  # records without effect that are named
SOA_FIELDS = ("mname", "rname", "refresh_seconds", "retry_seconds", "expire_seconds", "minimum_seconds")


class Skipped(NamedTuple):
    """A record that is not taken, and why; `name` in full."""

    name: str
    type: str
    reason: str


class Warned(NamedTuple):
    """A record that is taken, and what is odd about it; `name` in full."""

    name: str
    type: str
    data: str
    reason: str


class ZoneFile(NamedTuple):
    """`soa`: the zone's fields from the file, empty without an SOA; `serial`: its serial, None then."""

    records: list[Record]
    soa: dict[str, Any]
    skipped: list[Skipped]
    serial: int | None = None
    warned: Sequence[Warned] = ()


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
    """Zone that also holds records outside of it, which dnspython's own would leave out without a word."""

    def __init__(self, zone: dns.name.Name) -> None:
        super().__init__(dns.name.root, relativize=False)
        self.apex = zone
        self.overwritten: list[Skipped] = []
        self.uneven: list[Warned] = []

    def origin_information(self) -> tuple[dns.name.Name, bool, dns.name.Name]:
        """Return the origin, and in its last part the place of the SOA."""
        return dns.name.root, False, self.apex


class Tokens(dns.tokenizer.Tokenizer):
    """Tokens of a file, each one a step of the work."""

    def __init__(self, text: str, steps: Steps) -> None:
        super().__init__(text, "<string>")
        self.step = steps.step

    def skip_whitespace(self) -> int:
        """Skip whitespace before each token and each comment line between parentheses."""
        self.step()
        return super().skip_whitespace()


class Writer:
    """Counts the records on their way into the zone, refuses those beyond the limits, and notes those without effect:
    dnspython replaces a record of which a name has one."""

    def __init__(
        self, writer: Any, steps: Steps, without_effect: list[Skipped], uneven: list[Warned]
    ) -> None:
        self.writer, self.manager = writer, writer.manager
        self.check_put_rdataset = writer.check_put_rdataset
        self._set_origin = writer._set_origin
        self.check_put_rdataset(check_size)
        self.step = steps.step
        self.records = 0
        self.without_effect = without_effect
        self.uneven = uneven

    def add(self, name: dns.name.Name, ttl: int, rdata: Any) -> None:
        self.step()
        self.records += 1
        if self.records > MOST_RECORDS:
            raise ValueError(f"this is record {self.records}; a file may have {MOST_RECORDS}: split it")
        self.note(name, rdata)
        self.note_ttl(name, ttl, rdata)
        self.writer.add(name, ttl, rdata)

    def note(self, name: dns.name.Name, rdata: Any) -> None:
        """Note what the record repeats, or takes the place of."""
        there = self.writer.get(name, rdata.rdtype)
        kind = dns.rdatatype.to_text(rdata.rdtype)
        if there is not None and rdata in there:
            self.tell(name, kind, "occurs twice in the file")
        elif there and dns.rdatatype.is_singleton(rdata.rdtype):
            self.tell(
                name,
                kind,
                f"{shortened(there[0].to_text())} is replaced by a later line: a name has one {kind}",
            )

    def note_ttl(self, name: dns.name.Name, ttl: int, rdata: Any) -> None:
        """Note a record whose TTL differs from that of records before it: the lowest counts for all."""
        there = self.writer.get(name, rdata.rdtype)
        if there is None or there.ttl == ttl or dns.rdatatype.is_singleton(rdata.rdtype):
            return
        if len(self.uneven) < MOST_NOTED:
            kind = dns.rdatatype.to_text(rdata.rdtype)
            reason = UNEVEN.format(high=max(ttl, there.ttl), low=min(ttl, there.ttl))
            self.uneven.append(Warned(name.to_text(omit_final_dot=True), kind, spelt(rdata), reason))

    def tell(self, name: dns.name.Name, kind: str, reason: str) -> None:
        if len(self.without_effect) < MOST_NOTED:
            self.without_effect.append(Skipped(name.to_text(omit_final_dot=True), kind, reason))


def check_size(_: Any, name: dns.name.Name, rdataset: Any) -> None:
    if len(rdataset) > MOST_IN_RRSET:
        kind = dns.rdatatype.to_text(rdataset.rdtype)
        raise ValueError(
            f"{name.to_text(omit_final_dot=True)} has more than {MOST_IN_RRSET} records of type {kind}, "
            "which is the limit of an RRset: remove some"
        )


class Reader(dns.zonefile.Reader):
    """Reader of a file within its limits, with the line where the current record begins. The first line, which is ours,
    is not counted."""

    def __init__(self, text: str, writer: Writer, default_ttl: int, steps: Steps) -> None:
        tokens = Tokens(text, steps)
        super().__init__(tokens, dns.rdataclass.IN, writer, allow_directives=DIRECTIVES)  # type: ignore[arg-type]
        self.default_ttl, self.default_ttl_known = default_ttl, True
        self.line = 1
        self.generated = 0

    def _rr_line(self) -> None:
        self.line = self.tok.where()[1] - 1
        super()._rr_line()

    def _generate_line(self) -> None:
        self.line = self.tok.where()[1] - 1
        token = self.tok.get()
        self.check_range(token.value)
        self.tok.unget(token)
        super()._generate_line()  # type: ignore[no-untyped-call]  # the library does not annotate it

    def check_range(self, text: str) -> None:
        """Count what a $GENERATE line will make, before it makes any."""
        try:
            start, stop, step = dns.grange.from_text(text)
        except (dns.exception.DNSException, ValueError, AssertionError):
            raise ValueError(
                f"$GENERATE {shortened(text)}: the range must be START-STOP or START-STOP/STEP"
            ) from None
        self.generated += (stop - start) // step + 1
        if self.generated > MOST_GENERATED:
            raise ValueError(
                f"$GENERATE {shortened(text)} brings the generated records to {shortened(str(self.generated))}, "
                f"and a file may generate {MOST_GENERATED}: choose a smaller range or a larger step"
            )


def shortened(text: str) -> str:
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}..."


def check_lines(text: str, steps: Steps) -> None:
    """Check the length of lines, because the tokenizer reads a line's token without a step."""
    number, at = 1, 0
    while len(text) - at > LONGEST_LINE:
        steps.step()
        end = text.find("\n", at, at + LONGEST_LINE + 1)
        if end < 0:
            raise ValidationError("zone_file", f"line {number}: is longer than {LONGEST_LINE} characters")
        number += 1
        at = end + 1


def read(text: str, zone: str, default_ttl: int, steps: Steps | None = None) -> ZoneFile:
    """Read a master file. The TTL is of records that have none in a file without $TTL. Raises ValidationError on
    `zone_file`, with the line where there is one, and Stopped."""
    steps = steps or Steps()
    origin = dns.name.from_text(zone)
    check_lines(text, steps)
    found = parsed(text, origin, default_ttl, steps)
    records: list[Record] = []
    skipped: list[Skipped] = []
    soa: dict[str, Any] = {}
    serial = None
    for name, ttl, rdata in found.iterate_rdatas():
        steps.step()
        kind = dns.rdatatype.to_text(rdata.rdtype)
        if not name.is_subdomain(origin):
            skipped.append(Skipped(name.to_text(omit_final_dot=True), kind, f"is not in {zone}"))
        elif kind == "SOA":
            soa, serial = soa_fields(rdata), serial_of(rdata)
        elif kind in ELSEWHERE:
            skipped.append(Skipped(name.to_text(omit_final_dot=True), kind, f"{kind} {ELSEWHERE[kind]}"))
        else:
            records.append(Record(owner(name, origin), kind, ttl, data_of(name, rdata)))
    check_redirected(records)
    return ZoneFile(records, soa, skipped + found.overwritten, serial, found.uneven)


def data_of(name: dns.name.Name, rdata: Any) -> str:
    """Return the data of a record. Raises ValidationError for one that is too large."""
    try:
        return spelt(rdata)
    except ValidationError as error:
        kind = dns.rdatatype.to_text(rdata.rdtype)
        where = f"{name.to_text(omit_final_dot=True)} {kind}"
        raise ValidationError("zone_file", f"{where}: {error.reason}") from None


def check_redirected(records: Iterable[Record]) -> None:
    """Raise ValidationError for a file with records that its own DNAME records leave no place for."""
    kinds: dict[str, set[str]] = {}
    for record in records:
        kinds.setdefault(record.name, set()).add(record.type)
    redirecting = {name for name, found in kinds.items() if "DNAME" in found}
    for name in sorted(redirecting):
        if reason := next(
            filter(None, (obstacle_at(name, "DNAME", each) for each in kinds[name] - {"DNAME"})), None
        ):
            raise ValidationError("zone_file", f"{name}: {reason}")
    for name in sorted(redirected(kinds, redirecting)):
        over = next(each for each in above(name) if each in redirecting)
        raise ValidationError("zone_file", f"{name}: {BELOW.format(other=over)}")


def parsed(text: str, origin: dns.name.Name, default_ttl: int, steps: Steps) -> Everything:
    found = Everything(origin)
    with found.writer(True) as writer:
        watched = Writer(writer, steps, found.overwritten, found.uneven)
        reader = Reader(f"$ORIGIN {origin}\n{text}", watched, default_ttl, steps)
        try:
            reader.read()
        except (dns.exception.DNSException, ValueError, RecursionError) as error:
            reason = LINE.sub("", str(error))
            raise ValidationError("zone_file", f"line {reader.line}: {reason}") from None
    return found


def owner(name: dns.name.Name, origin: dns.name.Name) -> str:
    relative: str = name.canonicalize().relativize(origin).to_text()
    return relative


def serial_of(rdata: Any) -> int:
    serial: int = rdata.serial
    return serial


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
    """Return where a master file begins."""
    return f"$ORIGIN {zone}.\n$TTL {default_ttl}\n{APEX} {default_ttl} IN SOA {soa.data}\n"


def lines(rrsets: Iterable[RRset]) -> Iterator[str]:
    """Yield a line a record, owners relative to the zone."""
    for rrset in rrsets:
        for data in rrset.data:
            yield f"{rrset.name} {rrset.ttl} IN {rrset.type} {data}\n"
