"""Rows that refused an operation, compared with the database to see whether our configuration was old.

A change of a busy subnet refuses many batches at once. Each of them needs the comparison, but one
reads the subnet for all (`catch_up`), and none holds a session while it waits for that.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping

from asyncpg import Connection, Pool

from dhcp_fast.database.leases.lease_feed import LeaseFeed
from dhcp_fast.database.leases.recollection import Owner, read_recalled
from dhcp_fast.database.leases.tenures import read_holders
from dhcp_fast.engine.batch import Batch
from dhcp_fast.engine.tenures import tell, to_look_up
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
        keys = [(tenant_no, feed.address(address)) for tenant_no, address, _ in rows]
        await feed.read_rows(connection, keys)
        fences = queries.load("dhcp_feed").read_fences(connection, numbers=list(numbers))
        fence = {row["no"]: row["fence"] async for row in fences}
        await recall(connection, feed, batch, batch.to_recall(indexes))
        await tell_holders(connection, feed, batch, to_look_up(batch, indexes))
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


async def recall(connection: Connection, feed: LeaseFeed, batch: Batch, indexes: list[int]) -> None:
    """Give messages what relay and client sent with the grant (dhcp4/recall.pyx)."""
    owners = [Owner(one[0], feed.address(one[1]), *one[2:]) for one in batch.owners(indexes)]
    for index, found in zip(indexes, await read_recalled(connection, owners), strict=True):
        batch.recall(index, *found)


async def tell_holders(connection: Connection, feed: LeaseFeed, batch: Batch, indexes: list[int]) -> None:
    """Record the holders of reserved leases under another key, for the packets that wait for them
    (clients/tenure.pxd).
    """
    if not indexes:
        return
    keys = [(tenant_no, feed.address(address)) for tenant_no, address, _ in batch.losers(indexes)]
    holders = await read_holders(connection, keys)
    for index, key in zip(indexes, keys, strict=True):
        tell(batch, index, holders.get(key))
