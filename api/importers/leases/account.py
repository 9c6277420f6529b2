"""Outcomes of the entries of a file of leases, with the lines: a million of them are four megabytes here."""

from array import array
from collections.abc import Iterator

import msgspec

WHY = {
    "pinned": "made into reservations",
    "reserved": "reserved already",
    "client_reserved": "of a client that has a reservation already",
    "assigned": "assigned to a host",
    "excluded": "excluded",
    "outside": "outside of the plan's subnets",
    "superseded": "superseded by a later line of the same address",
    "moved": "of a client that has a later lease in the same subnet",
    "expired": "expired",
    "released": "given back",
    "declined": "declined, because somebody else was found to use the address",
    "temporary": "temporary",
    "registered": "chosen by the client itself",
    "nameless": "without a client that a reservation could know",
}
"""The outcomes in the order in which they are told; others are sentences of their own."""


class Outcome(msgspec.Struct, frozen=True):
    """`lines`: 3-5, 9."""

    why: str
    count: int
    lines: str


class LeaseFile(msgspec.Struct, frozen=True):
    """File of leases. `at`: the moment at which a lease counts as active."""

    file: str
    format: str
    at: str
    entries: int
    outcomes: list[Outcome]


class Account:
    """Each entry is noted once."""

    def __init__(self) -> None:
        self.lines: dict[str, array[int]] = {}

    def note(self, outcome: str, line: int) -> None:
        found = self.lines.get(outcome)
        if found is None:
            found = self.lines[outcome] = array("Q")
        found.append(line)

    def told(self, file: str, format_: str, at: str) -> LeaseFile:
        order = [each for each in WHY if each in self.lines]
        order += sorted(each for each in self.lines if each not in WHY)
        outcomes = [
            Outcome(WHY.get(each, each), len(self.lines[each]), ranges(self.lines[each])) for each in order
        ]
        return LeaseFile(file, format_, at, sum(each.count for each in outcomes), outcomes)


def ranges(lines: "array[int]") -> str:
    return ", ".join(f"{first}-{last}" if first != last else str(first) for first, last in runs(lines))


def runs(lines: "array[int]") -> Iterator[tuple[int, int]]:
    """Yield runs of adjacent lines; several entries may be on one line."""
    first = last = 0
    for line in sorted(lines):
        if first and line > last + 1:
            yield first, last
            first = 0
        first, last = first or line, line
    if first:
        yield first, last
