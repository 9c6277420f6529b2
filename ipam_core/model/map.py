"""Maps of a network: what is used by what, from its first address to its last.

A map is made of runs, or of blocks with counts where there would be too many runs. All of it is arithmetic on
the ends of intervals, so a /8 and a /64 cost what their contents cost.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec

from ipam_core.model.values import Address, Network

MAX_PIECES = 4096
BLOCK_BITS = 12  # 4,096 blocks


class Run(msgspec.Struct, frozen=True):
    """Neighbouring addresses that are the same: of one object, or free, or in a pool and free to clients."""

    start_ip: str
    end_ip: str
    addresses: int
    type: str
    id: str | None


class SubnetBlock(msgspec.Struct, frozen=True):
    """What an aligned block of a subnet holds. `pool` counts the block's addresses inside pools, used or not."""

    cidr: str
    addresses: int
    excluded: int
    reserved: int
    assigned: int
    leased: int
    pool: int
    free: int


class PrefixBlock(msgspec.Struct, frozen=True):
    """How much of an aligned block of a prefix lies in subnets."""

    cidr: str
    addresses: int
    subnets: int
    allocated: int
    free: int


class SubnetMap(msgspec.Struct, frozen=True):
    """Runs, or blocks where there are more than 4,096 runs; the other list is empty."""

    cidr: str
    runs: list[Run]
    blocks: list[SubnetBlock]


class PrefixMap(msgspec.Struct, frozen=True):
    cidr: str
    runs: list[Run]
    blocks: list[PrefixBlock]


class Span(NamedTuple):
    """An interval of addresses as numbers, both ends included."""

    start: int
    end: int
    type: str
    id: str | None = None


def layered(layers: Iterable[Iterable[Span]]) -> list[Span]:
    """One line of disjoint spans; each layer shows only where none above it does. Spans of a layer are disjoint."""
    line: list[Span] = []
    for layer in layers:
        ends = [span.end for span in line]
        seen = [part for span in layer for part in uncovered(span, line, ends)]
        line = sorted(line + seen)
    return line


def uncovered(span: Span, line: list[Span], ends: list[int]) -> Iterator[Span]:
    start = span.start
    for above in range(bisect_left(ends, span.start), len(line)):
        if line[above].start > span.end:
            break
        if line[above].start > start:
            yield span._replace(start=start, end=line[above].start - 1)
        start = line[above].end + 1
    if start <= span.end:
        yield span._replace(start=start)


def whole(cidr: Network, kind: str = "free") -> Span:
    return Span(int(cidr.network_address), int(cidr.broadcast_address), kind)


def shown(line: Iterable[Span], cidr: Network) -> list[Run]:
    address: type[Address] = type(cidr.network_address)
    return [
        Run(str(address(span.start)), str(address(span.end)), span.end - span.start + 1, span.type, span.id)
        for span in line
    ]


def block_length(cidr: Network) -> int:
    return min(cidr.prefixlen + BLOCK_BITS, cidr.max_prefixlen)


def spread(span: Span, cidr: Network) -> Iterator[tuple[int, int]]:
    """The blocks that a span touches, by index, with how many of its addresses lie in each."""
    shift = cidr.max_prefixlen - block_length(cidr)
    base = int(cidr.network_address)
    for index in range((span.start - base) >> shift, ((span.end - base) >> shift) + 1):
        low = base + (index << shift)
        yield index, min(span.end, low + (1 << shift) - 1) - max(span.start, low) + 1
