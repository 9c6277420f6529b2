"""Rows that refused an operation: what stands in the database, and was it our configuration?

A change of a busy subnet refuses many batches at once. Each of them looks, but one reads the subnet for them all
(`catch_up`), and none holds a session while it waits for that.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Any

from asyncpg import Connection, Pool

from dhcp_fast.database.lease_feed import LeaseFeed
from dhcp_fast.database.tenures import read_holders
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
    """Tell renewals what relay and client said when the lease was granted (dhcp4/recall.pyx)."""
    if not indexes:
        return
    keys = [(tenant_no, feed.address(address)) for tenant_no, address, _ in batch.losers(indexes)]
    tenants, addresses = zip(*keys, strict=True)
    rows = queries.load("dhcp_feed").read_relays(connection, tenants=tenants, addresses=addresses)
    said = {(row["tenant_no"], row["address"]): row async for row in rows}
    for index, key in zip(indexes, keys, strict=True):
        batch.recall(index, *recalled(said.get(key)))


async def tell_holders(connection: Connection, feed: LeaseFeed, batch: Batch, indexes: list[int]) -> None:
    """Tell packets whose reserved leases are under another key whose these are (state/tenure.pxd)."""
    if not indexes:
        return
    keys = [(tenant_no, feed.address(address)) for tenant_no, address, _ in batch.losers(indexes)]
    holders = await read_holders(connection, keys)
    for index, key in zip(indexes, keys, strict=True):
        tell(batch, index, holders.get(key))


def recalled(row: Mapping[str, Any] | None) -> tuple[int, bytes, bytes]:
    """The relay's address as a number (0: there was none, or it was one of DHCPv6), its option 82, and the client's
    vendor class."""
    if row is None:
        return 0, b"", b""
    vendor_class = row["vendor_class"] or b""
    if row["relay"] is None or row["relay"].version == 6:
        return 0, b"", vendor_class
    return int(row["relay"]), row["said"], vendor_class
