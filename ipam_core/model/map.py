"""Maps of a network: what is used by what, from its first address to its last.

A map is made of runs, or of blocks with counts where there would be too many runs. All of it is arithmetic on
the ends of intervals, so a /8 and a /64 cost what their contents cost.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from ipaddress import IPv6Address
from socket import inet_ntoa
from typing import NamedTuple

import msgspec

from ipam_core.model.values import Network

MAX_PIECES = 4096
BLOCK_BITS = 12  # 4,096 blocks


class Run(msgspec.Struct, frozen=True):
    """Range of adjacent addresses with the same use: one object, free, or in a pool and free for clients."""

    start_ip: str
    """First address of the range."""

    end_ip: str
    """Last address of the range."""

    addresses: int
    """Number of addresses."""

    type: str
    """Use of the addresses: the kind of an object, `free`, or `pool` for addresses that clients can get."""

    id: str | None
    """Object that the addresses belong to. Null: none."""

    addresses_exact: str
    """addresses as a decimal string: JavaScript and others round integers above 2^53."""


class SubnetBlock(msgspec.Struct, frozen=True):
    """Aligned block of a subnet. `pool` counts the block's addresses in pools, used or not."""

    cidr: str
    """The network."""

    addresses: int
    excluded: int
    """Number of excluded addresses."""

    reserved: int
    """Number of reserved addresses."""

    assigned: int
    """Number of assigned addresses."""

    leased: int
    """Number of leased addresses."""

    pool: int
    """Number of addresses in pools, used or not."""

    free: int
    """Number of free addresses."""

    addresses_exact: str
    excluded_exact: str
    """excluded as a decimal string."""

    pool_exact: str
    """pool as a decimal string."""

    free_exact: str
    """free as a decimal string."""


class PrefixBlock(msgspec.Struct, frozen=True):
    """Aligned block of a prefix, and how much of it lies in subnets."""

    cidr: str
    addresses: int
    subnets: int
    """Number of subnets that overlap the block."""

    allocated: int
    """Number of addresses in subnets."""

    free: int
    addresses_exact: str
    allocated_exact: str
    """allocated as a decimal string."""

    free_exact: str


class SubnetMap(msgspec.Struct, frozen=True):
    """Ranges, or blocks if there would be more than 4,096 ranges; the other list is empty."""

    cidr: str
    runs: list[Run]
    """Ranges of adjacent addresses with the same use, in order. Empty if there would be more than 4,096."""

    blocks: list[SubnetBlock]
    """Counts by aligned block, if there would be more than 4,096 ranges. Else empty."""


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
    """Return one line of disjoint spans; each layer shows only where none above it does. Spans of a layer are
    disjoint."""
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


class Block(NamedTuple):
    """A part of a map that has too many runs, before it is filled."""

    cidr: str
    size: int


def blocks_of(cidr: Network) -> Iterator[Block]:
    length = block_length(cidr)
    size = 1 << (cidr.max_prefixlen - length)
    for first in range(int(cidr.network_address), int(cidr.broadcast_address) + 1, size):
        yield Block(f"{spelled(first, cidr)}/{length}", size)


def spelled(value: int, cidr: Network) -> str:
    """Return an address of the family: of IPv4 by the C library, because a map has thousands."""
    return inet_ntoa(value.to_bytes(4, "big")) if cidr.version == 4 else str(IPv6Address(value))


def shown(line: Iterable[Span], cidr: Network) -> list[Run]:
    return [run(span, cidr) for span in line]


def run(span: Span, cidr: Network) -> Run:
    size = span.end - span.start + 1
    return Run(
        spelled(span.start, cidr),
        spelled(span.end, cidr),
        size,
        span.type,
        span.id,
        addresses_exact=str(size),
    )


def block_length(cidr: Network) -> int:
    return min(cidr.prefixlen + BLOCK_BITS, cidr.max_prefixlen)


def spread(span: Span, cidr: Network) -> Iterator[tuple[int, int]]:
    """Yield the blocks that a span touches, by index, with how many of its addresses lie in each."""
    shift = cidr.max_prefixlen - block_length(cidr)
    base = int(cidr.network_address)
    for index in range((span.start - base) >> shift, ((span.end - base) >> shift) + 1):
        low = base + (index << shift)
        yield index, min(span.end, low + (1 << shift) - 1) - max(span.start, low) + 1
