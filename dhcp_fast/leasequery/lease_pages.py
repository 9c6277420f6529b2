"""The lease table read for a bulk leasequery, a page at a time in the order of its key.

Between two pages no session is held and no transaction is open, so that a requester who reads slowly costs the database
nothing. A page is small because rows are decoded on the loop that answers clients: a hundred take 1.5 ms.
"""

from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from ipaddress import IPv4Address, IPv6Address, IPv6Network, collapse_addresses
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from asyncpg import Pool

from ipam_core.db import queries
from ipam_core.model.values import Address

SQL = queries.load("leasequery")

TOLD = 100  # rows of a page
LOOKED_AT = 2000  # of which those are taken
FOR_EVER = 1 << 40

Row = Mapping[str, Any]


class Range(NamedTuple):
    """Part of the key, both ends in it."""

    tenant_no: int
    first: Address
    last: Address

    def holds(self, row: Row) -> bool:
        return bool(row["tenant_no"] == self.tenant_no and self.first <= row["address"] <= self.last)


class Selection(NamedTuple):
    """Selection of rows; None matches any. `since` and `until`: seconds since 1970 of the last change."""

    subnets: Sequence[int] | None = None
    relay_id: bytes | None = None
    remote_id: bytes | None = None
    running: bool = True
    since: int = 0
    until: int = FOR_EVER


def whole_family(tenants: Iterable[int], family: int) -> list[Range]:
    ends = (IPv4Address(0), IPv4Address("255.255.255.255")) if family == 4 else (IPv6Address(0), LAST6)
    return [Range(tenant_no, *ends) for tenant_no in tenants]


LAST6 = IPv6Address((1 << 128) - 1)


async def of_subnets(connection: Any, subnets: Sequence[int]) -> list[Range]:
    """Return the pages of subnets apart from each other, in the order of the key."""
    rows = [row async for row in SQL.ranges_of_subnets(connection, subnets=subnets)]
    return [
        Range(tenant_no, network[0], network[-1])
        for tenant_no, group in groupby(
            sorted(rows, key=itemgetter("tenant_no")), key=itemgetter("tenant_no")
        )
        for network in collapse_addresses(IPv6Network(row["cidr"]) for row in group)
    ]


async def pages(
    connections: Pool, ranges: Sequence[Range], selection: Selection
) -> AsyncGenerator[Sequence[Row], None]:
    """Yield pages of at least one row. Raises one of FAILED where the database does not answer."""
    for rest in ranges:
        left: Range | None = rest
        while left is not None:
            stretch = await first_stretch(connections, left)
            left = beyond(left, stretch.last)
            more: Range | None = stretch
            while more is not None:
                rows = await page(connections, more, selection)
                more = beyond(more, rows[-1]["address"]) if len(rows) == TOLD else None
                if rows:
                    yield rows


async def first_stretch(connections: Pool, rest: Range) -> Range:
    """Return so much of it as one statement may look at."""
    async with connections.acquire() as connection:
        end = await SQL.page_end(connection, **rest._asdict(), size=LOOKED_AT)
    return rest if end is None else rest._replace(last=end)


async def page(connections: Pool, stretch: Range, selection: Selection) -> Sequence[Row]:
    told = stretch._asdict() | selection._asdict()
    async with connections.acquire() as connection:
        return [row async for row in SQL.page(connection, **told, most=TOLD)]


def beyond(part: Range, address: Address) -> Range | None:
    """Return what of it comes after an address; None: nothing."""
    return None if int(address) >= int(part.last) else part._replace(first=address + 1)
