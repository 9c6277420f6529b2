"""Addresses in quarantine when a pool has no other left: the oldest return to service (decisions: DECLINE).

They are pinged first. Addresses that answer stay and are skipped for a while, so that the next ones
have their turn. If no ping can be sent (no raw socket, no route), only the oldest one is taken back
each time. Without it the clients would get nothing, and a client that finds it in use declines it
again.
"""

import time
from ipaddress import IPv4Address, IPv6Address
from typing import NamedTuple, TypeAlias

import structlog
from asyncpg import Connection, Pool

from dhcp_fast.database.leases import echo
from dhcp_fast.database.leases.lease_feed import LeaseFeed
from dhcp_fast.engine.engine import Engine
from dhcp_fast.engine.pool_usage import full_ranges
from ipam_core.db import queries

AT_ONCE = 8  # of a pool, at a look
PASSED_OVER_SECONDS = 600.0  # that an address which answered is not asked again
MOST_PASSED_OVER = 4096
REST_SECONDS = 10  # that each has been out of service at the least

SQL = queries.load("quarantine")
Address: TypeAlias = IPv4Address | IPv6Address

log = structlog.get_logger()


class Quarantined(NamedTuple):
    tenant_no: int
    address: Address
    version: int


class InUse:
    """Addresses in quarantine that have answered lately. Where there are too many, the earliest is forgotten."""

    def __init__(self) -> None:
        self.until: dict[tuple[int, Address], float] = {}

    def add(self, tenant_no: int, address: Address) -> None:
        self.until.pop((tenant_no, address), None)
        if len(self.until) >= MOST_PASSED_OVER:
            del self.until[next(iter(self.until))]
        self.until[tenant_no, address] = time.monotonic() + PASSED_OVER_SECONDS

    def of(self, tenant_no: int, first: Address, last: Address) -> list[Address]:
        """Return those of a tenant's range."""
        now = time.monotonic()
        self.until = {key: until for key, until in self.until.items() if until > now}
        return [
            address
            for no, address in self.until
            if no == tenant_no and int(first) <= int(address) <= int(last)
        ]


async def look(engine: Engine, feed: LeaseFeed, pool: Pool, subnets: list[int], in_use: InUse) -> None:
    """Look at pools of these subnets that have nothing free."""
    async with pool.acquire() as connection:
        found = [
            await oldest(connection, feed, in_use, *span)
            for no in subnets
            for span in full_ranges(engine, no)
        ]
    free = await not_in_use(found, in_use)
    if free:
        async with pool.acquire() as connection:
            await end(connection, feed, free)


async def oldest(
    connection: Connection, feed: LeaseFeed, in_use: InUse, tenant_no: int, first: int, last: int
) -> list[Quarantined]:
    """Return the oldest of a range of addresses, those declined longest ago first."""
    span = feed.address(first), feed.address(last)
    rows = SQL.oldest_quarantined(
        connection,
        tenant_no=tenant_no,
        first=span[0],
        last=span[1],
        besides=in_use.of(tenant_no, *span),
        at_most=AT_ONCE,
        rest=REST_SECONDS,
    )
    return [Quarantined(tenant_no, row["address"], row["version"]) async for row in rows]


async def not_in_use(found: list[list[Quarantined]], in_use: InUse) -> list[Quarantined]:
    heard = await echo.ask([each.address for range_ in found for each in range_])
    free: list[Quarantined] = []
    for range_ in found:
        for each in range_:
            if each.address in heard.answered:
                in_use.add(each.tenant_no, each.address)
        silent = [each for each in range_ if each.address in heard.silent]
        free += silent or [each for each in range_ if each.address in heard.unasked][:1]
    return free


async def end(connection: Connection, feed: LeaseFeed, free: list[Quarantined]) -> None:
    """End quarantines, which others may have ended or taken meanwhile."""
    await SQL.end_quarantines(
        connection,
        tenants=[each.tenant_no for each in free],
        addresses=[each.address for each in free],
        versions=[each.version for each in free],
    )
    await feed.read_rows(connection, [(each.tenant_no, each.address) for each in free])
    log.info(
        "quarantine ended early: the pool has no other address left", addresses=[str(e.address) for e in free]
    )
