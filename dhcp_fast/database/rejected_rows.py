"""Rows that refused an operation: what stands in the database, and was it our configuration?

A change of a busy subnet refuses many batches at once. Each of them looks, but one reads the subnet for them all
(`catch_up`), and none holds a session while it waits for that.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping

from asyncpg import Pool

from dhcp_fast.database.lease_feed import LeaseFeed
from dhcp_fast.engine.batch import Batch
from ipam_core.db import queries

# Subnets up to their fences (None: it is gone), and those that are to be read in any case.
CatchUp = Callable[[Mapping[int, int | None], Collection[int]], Awaitable[None]]


async def decide_rejected(
    feed: LeaseFeed, pool: Pool, catch_up: CatchUp, batch: Batch, indexes: list[int]
) -> None:
    """Read the rows that refused, and the subnets whose configuration has changed; then decide (rules 8, 12)."""
    rows = batch.losers(indexes)
    numbers = {subnet_no for _, _, subnet_no in rows}
    async with pool.acquire() as connection:
        await feed.read_rows(
            connection, [(tenant_no, feed.address(address)) for tenant_no, address, _ in rows]
        )
        fences = queries.load("dhcp_feed").read_fences(connection, numbers=list(numbers))
        fence = {row["no"]: row["fence"] async for row in fences}
    stale = {i for i, row in zip(indexes, rows, strict=True) if batch.is_stale(i, fence.get(row[2]))}
    changed = {row[2] for i, row in zip(indexes, rows, strict=True) if i in stale}
    delegating = {row[2] for i, row in zip(indexes, rows, strict=True) if batch.delegates(i)} - changed
    await catch_up({no: fence.get(no) for no in changed}, delegating)
    for index in indexes:
        if index in stale:
            batch.again(index)
        else:
            batch.refused(index)
    feed.engine.send()
