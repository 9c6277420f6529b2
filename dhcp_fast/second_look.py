"""The second look at rows that refused an operation: what stands in the database, and was it our configuration?"""

from ipaddress import IPv4Address
from typing import Protocol

import asyncpg

from dhcp_fast.engine.batches import Batch
from dhcp_fast.engine.core import Engine
from dhcp_fast.feed import LeaseFeed
from ipam_core.db import queries


class Looks(Protocol):
    """What is asked of a server."""

    def known_engine(self) -> Engine: ...
    def known_feed(self) -> LeaseFeed: ...
    def known_pool(self) -> asyncpg.Pool: ...
    async def reload(self, connection: asyncpg.Connection, numbers: set[int] | None) -> None: ...


async def look_again(server: Looks, batch: Batch, places: list[int]) -> None:
    """Read the rows that refused, and the subnets whose configuration has changed; then decide (rules 8, 12)."""
    rows = batch.losers(places)
    numbers = {subnet_no for _, _, subnet_no in rows}
    async with server.known_pool().acquire() as connection:
        await server.known_feed().read_rows(
            connection, [(tenant_no, IPv4Address(address)) for tenant_no, address, _ in rows]
        )
        fences = queries.load("dhcp_feed").read_fences(connection, numbers=list(numbers))
        fence = {row["no"]: row["fence"] async for row in fences}
        stale = {p for p, row in zip(places, rows, strict=True) if batch.is_stale(p, fence.get(row[2]))}
        if stale:
            changed = {row[2] for p, row in zip(places, rows, strict=True) if p in stale}
            await server.reload(connection, changed)
    for place in places:
        if place in stale:
            batch.again(place)
        else:
            batch.refused(place)
    server.known_engine().send()
