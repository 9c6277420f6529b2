"""Objects of one plan held against each other: what the server would refuse as a conflict is settled here, and said.

The first of two that exclude each other stays. An exclude gives way: it is split around reservations and other
excludes.
"""

from bisect import bisect_right, insort
from collections.abc import Callable, Iterable, Iterator
from ipaddress import ip_address, ip_network
from typing import Any

from api.importers.plan import Planned, Planner
from ipam_core.model.reservation import IDENTITIES
from ipam_core.model.values import parse_mac, parse_octets

Span = tuple[int, int]
PARSERS: dict[str, Callable[[str], Any]] = {
    "ip": ip_address,
    "prefix": ip_network,
    "mac": parse_mac,
    "duid": parse_octets,
    "client_id": parse_octets,
}


def settle(planner: Planner) -> None:
    """Leave a plan whose objects can all be made on an empty server."""
    drop(planner, overlapping(planner, "prefixes", network_span), "overlaps")
    drop(planner, overlapping(planner, "subnets", network_span), "overlaps")
    drop(planner, overlapping(planner, "pools", range_span), "overlaps")
    drop(planner, overlapping(planner, "pools", delegated_span), "overlaps")
    drop(planner, twins(planner), "has an address or an identity of")
    split_excludes(planner)


def drop(planner: Planner, clashing: Iterable[tuple[Planned, Planned]], why: str) -> None:
    """Take objects out of the plan, with all that stands in them."""
    gone = set()
    for planned, other in list(clashing):
        gone.add(planned.ref)
        planner.warn(planned.line, "dropped", planned.what, f"{why} {other.what} in line {other.line}")
    objects = planner.plan.objects
    while falling := [each for each in objects if each.inside in gone and each.ref not in gone]:
        for each in falling:
            gone.add(each.ref)
            planner.warn(each.line, "dropped", each.what, "is inside a dropped part")
    planner.plan.objects = [each for each in objects if each.ref not in gone]


def overlapping(planner: Planner, family: str, span: Any) -> Iterator[tuple[Planned, Planned]]:
    """Yield each object with the earlier one that it overlaps."""
    spans = [(found, at, each) for at, each in enumerate(of(planner, family)) if (found := span(each))]
    reached: dict[int, tuple[int, int, Planned]] = {}  # by family of addresses: how far, whose turn, who
    for (version, first, last), at, each in sorted(spans, key=lambda each: each[:2]):
        end, turn, other = reached.get(version, (-1, -1, each))
        if first > end:
            reached[version] = last, at, each
        elif at > turn:
            yield each, other
        else:
            yield other, each
            reached[version] = last, at, each


def of(planner: Planner, family: str) -> list[Planned]:
    return [each for each in planner.plan.objects if each.family == family]


def network_span(planned: Planned) -> tuple[int, int, int]:
    return span_of(planned.fields["cidr"])


def delegated_span(planned: Planned) -> tuple[int, int, int] | None:
    prefix = planned.fields.get("prefix")
    return span_of(prefix) if prefix else None


def span_of(cidr: str) -> tuple[int, int, int]:
    network = ip_network(cidr)
    return network.version, int(network.network_address), int(network.broadcast_address)


def range_span(planned: Planned) -> tuple[int, int, int] | None:
    """Return the span as (version, first, last)."""
    if not planned.fields.get("start_ip"):
        return None
    first, last = (ip_address(planned.fields[name]) for name in ("start_ip", "end_ip"))
    return first.version, int(first), int(last)


def twins(planner: Planner) -> Iterator[tuple[Planned, Planned]]:
    """Yield reservations and assignments with what an earlier one of the same subnet has."""
    seen: dict[tuple[Any, ...], Planned] = {}
    for each in (*of(planner, "reservations"), *of(planner, "assignments")):
        keys = [
            (each.inside, name, spelt(name, each.fields[name]))
            for name in ("ip", "prefix", *IDENTITIES)
            if each.fields.get(name)
        ]
        other = next((seen[key] for key in keys if key in seen), None)
        if other is None:
            seen |= dict.fromkeys(keys, each)
        else:
            yield each, other


def spelt(name: str, value: str) -> Any:
    """Return what is equal in whatever notation."""
    read = PARSERS.get(name)
    return read(value) if read else value


def split_excludes(planner: Planner) -> None:
    """Split excludes around a reserved address, which cannot be excluded; the reservation keeps others from it."""
    excludes = of(planner, "excludes")
    held: dict[str | None, Held] = {each.inside: Held() for each in excludes}
    for each in of(planner, "reservations"):
        if each.fields.get("ip") and each.inside in held:
            address = int(ip_address(each.fields["ip"]))
            held[each.inside].add((address, address), each)
    gone = {each.ref for each in excludes if not stays(planner, each, held[each.inside])}
    planner.plan.objects = [each for each in planner.plan.objects if each.ref not in gone]


class Held:
    """Spans of a subnet that do not overlap, in order, and whose they are."""

    def __init__(self) -> None:
        self.starts: list[int] = []
        self.spans: dict[int, tuple[int, Planned]] = {}

    def add(self, span: Span, planned: Planned) -> None:
        first, last = span
        if first not in self.spans:
            insort(self.starts, first)
        self.spans[first] = last, planned

    def within(self, first: int, last: int) -> dict[Span, Planned]:
        """Return those that overlap a span."""
        at = max(bisect_right(self.starts, first) - 1, 0)
        found = {}
        while at < len(self.starts) and (start := self.starts[at]) <= last:
            end, planned = self.spans[start]
            if end >= first:
                found[start, end] = planned
            at += 1
        return found


def stays(planner: Planner, exclude: Planned, held: Held) -> bool:
    """Return whether it can be made as it is; else its pieces are planned."""
    _, first, last = range_span(exclude) or (4, 0, 0)
    holes = held.within(first, last)
    pieces = list(rest_of((first, last), list(holes)))
    for piece in pieces:
        held.add(piece, exclude)
    if pieces == [(first, last)]:
        return True
    for other in {id(each): each for each in holes.values()}.values():
        why = f"is made around {other.what} of line {other.line}"
        planner.warn(exclude.line, "approximated", exclude.what, why)
    kind = ip_address(exclude.fields["start_ip"]).__class__
    parent = planner.by_ref[exclude.inside or ""]
    for start, end in pieces:
        ends = {"start_ip": str(kind(start)), "end_ip": str(kind(end))}
        planner.add("excludes", exclude.line, exclude.fields | ends, parent)
    return False


def rest_of(span: Span, holes: list[Span]) -> Iterator[Span]:
    """Yield what the holes, in order, leave of a span."""
    first, last = span
    for start, end in holes:
        if start > first:
            yield first, start - 1
        first = max(first, end + 1)
    if first <= last:
        yield first, last
