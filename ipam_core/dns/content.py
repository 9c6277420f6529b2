"""Rules on which records may be together in one zone. Writes of records, imports, the publisher and the zone check
share these rules; rdata.py has the rules of a single record's data.

An owner is relative to its zone (`@`: the zone itself).
"""

from collections.abc import Collection, Iterable

from ipam_core.dns.names import APEX, names_above
from ipam_core.dns.owner_order import Owners
from ipam_core.errors import ValidationError

MOST_IN_RRSET = 100
"""BIND's default limit (max-records-per-type); secondaries refuse a zone that exceeds it."""

LARGE = 600
"""Characters of a record's data; 100 records of less fit into a response in any case."""
MOST_LARGE = 64_000
"""Characters of all large records of an RRset: a response has 65,535 octets, and no part of an RRset helps anybody."""

MOST_TYPES = 100
"""Of one name: BIND's default limit too (max-types-per-name)."""

NEVER_WILD = {"NS": "RFC 4592 section 4.2", "DNAME": "RFC 4592 section 4.4"}
"""Types that no wildcard may have. BIND refuses a zone with NS records at one."""

ALIAS = "a CNAME record must be the only record of its name"
SECOND = "a name has at most one DNAME record (RFC 6672 section 2.4): change or delete the other one"
DELEGATED = (
    "the name is delegated by NS records, so a DNAME record belongs in the zone below (RFC 6672 section 2.3)"
)
DELEGATING = "the name has a DNAME record, so it cannot be delegated by NS records (RFC 6672 section 2.3)"
NULL_MX = "0 . means that the name takes no mail, so it is its only MX record (RFC 7505 section 3)"
BELOW = "the DNAME record at {other} redirects all names below it (RFC 6672 section 2.4): delete that record first"
ABOVE = "{other} is below the name, and a DNAME record allows no names below its own (RFC 6672 section 2.4)"


def check_place(name: str, kind: str) -> None:
    """Raise ValidationError for a record that may not be at the name, whatever else the zone has."""
    if reason := misplaced(name, kind):
        raise ValidationError("type", reason)


def misplaced(name: str, kind: str) -> str | None:
    """Return why no zone can have such a record; None where one can."""
    if kind == "CNAME" and name == APEX:
        return "the zone itself has other records, so it cannot be an alias"
    if kind in NEVER_WILD and (name == "*" or name.startswith("*.")):
        return f"a record of type {kind} at a wildcard has no defined meaning ({NEVER_WILD[kind]})"
    return None


def obstacle(name: str, kind: str, data: str, other: str, other_kind: str, other_data: str) -> str | None:
    """Return why a record cannot be added beside another one of the zone; None where it can."""
    if name == other:
        if kind == other_kind and (is_null_mx(kind, data) or is_null_mx(kind, other_data)):
            return NULL_MX
        return obstacle_at(name, kind, other_kind)
    if other_kind == "DNAME" and other in above(name):
        return BELOW.format(other=other)
    if kind == "DNAME" and name in above(other):
        return ABOVE.format(other=other)
    return None


def obstacle_at(name: str, kind: str, other_kind: str) -> str | None:
    if "CNAME" in (kind, other_kind):
        return ALIAS
    if kind == other_kind == "DNAME":
        return SECOND
    if name != APEX and {kind, other_kind} == {"DNAME", "NS"}:
        return DELEGATED if kind == "DNAME" else DELEGATING
    return None


def is_null_mx(kind: str, data: str) -> bool:
    """Return whether a record means that its name takes no mail (RFC 7505)."""
    return kind == "MX" and data.split()[-1:] == ["."]


def above(name: str) -> list[str]:
    """Return the owners above a name, the zone itself last."""
    if name == APEX:
        return []
    return [*names_above(name)[1:], APEX]


def full(name: str, kind: str) -> str:
    """Return why an RRset that has as many records as it may have takes no other one."""
    return (
        f"{name} has {MOST_IN_RRSET} records of type {kind}, which is the limit of an RRset: "
        "delete some, or use several names"
    )


def too_large(name: str, kind: str, characters: int) -> str:
    """Return why an RRset whose data is large takes no other record."""
    return (
        f"with it the records of type {kind} at {name} would have {characters} characters of data, and responses have "
        f"room for {MOST_LARGE}: delete some, or use several names"
    )


class Names:
    """Names and types of a zone's records, and which of them are null MX records, for many questions about what may be
    added."""

    def __init__(self, records: Iterable[tuple[str, str, str]]) -> None:
        self.counts: dict[str, dict[str, int]] = {}
        self.owners = Owners()
        self.has_dname = False
        self.large: dict[tuple[str, str], int] = {}  # characters of the large records of an RRset
        self.null_mx: set[str] = set()
        for name, kind, data in records:
            self.add(name, kind, data)

    def add(self, name: str, kind: str, data: str) -> None:
        kinds = self.counts.setdefault(name, {})
        if not kinds:
            self.owners.add(name)
        self.has_dname = self.has_dname or kind == "DNAME"
        kinds[kind] = kinds.get(kind, 0) + 1
        if is_null_mx(kind, data):
            self.null_mx.add(name)
        if len(data) > LARGE:
            self.large[name, kind] = self.large.get((name, kind), 0) + len(data)

    def found(self, name: str) -> dict[str, int] | None:
        """Return the types that a question for a name finds and how many records of each, a wildcard's too (RFC 4592
        section 3.3.1); None where the name does not exist."""
        if self.exists(name):
            return self.counts.get(name, {})
        closest = next(filter(self.exists, above(name)), None)
        return None if closest is None else self.counts.get("*" if closest == APEX else f"*.{closest}")

    def exists(self, name: str) -> bool:
        """Return whether there is a record at the name or below it."""
        return name in self.counts or self.owners.below(name) is not None

    def obstacle(self, name: str, kind: str, data: str) -> str | None:
        """Return why a record cannot be added; None where it can."""
        if reason := misplaced(name, kind):
            return reason
        here = self.counts.get(name, {})
        if here.get(kind, 0) >= MOST_IN_RRSET:
            return full(name, kind)
        if (
            len(data) > LARGE
            and (size := self.large.get((name, kind), 0) + len(data)) > MOST_LARGE
            and kind in here
        ):
            return too_large(name, kind, size)
        if kind in here and ((name in self.null_mx and kind == "MX") or is_null_mx(kind, data)):
            return NULL_MX
        for other in here:
            if reason := obstacle_at(name, kind, other):
                return reason
        for each in above(name) if self.has_dname else ():
            if "DNAME" in self.counts.get(each, {}):
                return BELOW.format(other=each)
        if kind == "DNAME" and (below := self.owners.below(name)) is not None:
            return ABOVE.format(other=below)
        return None


def redirected(names: Iterable[str], redirecting: Collection[str]) -> set[str]:
    """Return the names that lie below owners of DNAME records."""
    if not redirecting:
        return set()
    owners = set(redirecting)
    return {name for name in names if not owners.isdisjoint(above(name))}
