"""Records of one name and type together (RFC 2181 section 5), as zones are published, transferred and compared."""

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from ipam_core.dns.content import redirected
from ipam_core.dns.names import APEX

SINGLE = ("CNAME", "DNAME")  # types of which a name has one record


class Record(NamedTuple):
    """`name` is relative to the zone; `ttl` None: the zone's default."""

    name: str
    type: str
    ttl: int | None
    data: str
    source: str = "static"


class RRset(msgspec.Struct, frozen=True, order=True):
    """`data` in presentation format, sorted."""

    name: str
    type: str
    ttl: int
    data: list[str]

    @property
    def key(self) -> tuple[str, str]:
        return self.name, self.type


Keyed = dict[tuple[str, str], RRset]


class Difference(NamedTuple):
    """RRsets as they were and as they are; one that changed is in both."""

    removed: list[RRset]
    added: list[RRset]

    def __bool__(self) -> bool:
        return bool(self.removed or self.added)


def gather(records: Iterable[Record], default_ttl: int) -> Keyed:
    """Gather records by name and type. The records of a set have one TTL: the shortest of theirs. An alias has no
    records beside it (RFC 1034 section 3.6.2). An operator's records of a name have precedence over those of leases.
    Below a DNAME there is nothing (RFC 6672 section 2.4): that could be written only by two at one moment, or before it
    was refused."""
    parts: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        parts.setdefault((record.name, record.type), []).append(record)
    for name in {name for name, kind in parts if kind == "CNAME"}:
        leave_one_kind(parts, name)
    if redirecting := {name for name, kind in parts if kind == "DNAME"}:
        leave_out_redirected(parts, redirecting)
    return {key: rrset_of(key, found, default_ttl) for key, found in parts.items()}


def leave_one_kind(parts: dict[tuple[str, str], list[Record]], name: str) -> None:
    """Leave one kind where an alias has company: the alias alone if it is the operator's, else all but the alias."""
    others = [key for key in parts if key[0] == name and key[1] != "CNAME"]
    if not others:
        return
    if any(record.source == "static" for record in parts[name, "CNAME"]):
        for key in others:
            del parts[key]
    else:
        del parts[name, "CNAME"]


def leave_out_redirected(parts: dict[tuple[str, str], list[Record]], redirecting: set[str]) -> None:
    """Drop what lies below a DNAME; a DNAME at a delegation counts for nothing (RFC 6672 section 2.3)."""
    for name in [name for name in redirecting if name != APEX and (name, "NS") in parts]:
        del parts[name, "DNAME"]
        redirecting.discard(name)
    gone = redirected({name for name, _ in parts}, redirecting)
    for key in [key for key in parts if key[0] in gone]:
        del parts[key]


def rrset_of(key: tuple[str, str], records: list[Record], default_ttl: int) -> RRset:
    ttl = min(default_ttl if record.ttl is None else record.ttl for record in records)
    data = sorted({record.data for record in records})
    return RRset(*key, ttl, data[:1] if key[1] in SINGLE else data)


def difference(before: Keyed, after: Keyed) -> Difference:
    return Difference(
        sorted(rrset for key, rrset in before.items() if after.get(key) != rrset),
        sorted(rrset for key, rrset in after.items() if before.get(key) != rrset),
    )
