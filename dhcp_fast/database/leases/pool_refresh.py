"""Subnets that seem exhausted, with their free addresses in the database (engine rule 19).

A cache may keep addresses that are free by now, such as an expired lease of another worker's
client. The reading runs beside the feed and pauses much longer than it took: searching a full
subnet of millions of addresses takes seconds, and the feed must not wait for it. Only rows of free
addresses are transferred. A database of another history is loaded first (engine rule 26), because
it may no longer know who has an address.
"""

import asyncio
import time

from asyncpg import Pool

from dhcp_fast.database.leases import reclaim
from dhcp_fast.database.leases.lease_feed import LeaseFeed
from dhcp_fast.engine.engine import Engine

REST = 20.0  # times as long as the reading took


async def look(engine: Engine, feed: LeaseFeed, pool: Pool, in_use: reclaim.InUse) -> None:
    """Look once at each subnet where a client found nothing since the last look; then at the quarantines of pools in
    which there is nothing else."""
    wanted = engine.refresh_wanted()
    for no in wanted:
        view = engine.plan.subnets.get(no)
        if view is None:
            continue
        async with pool.acquire() as connection:
            began = time.monotonic()
            if await feed.is_of(connection):
                for span in view.spans:
                    await feed.read_vacant(connection, *span)
        await asyncio.sleep((time.monotonic() - began) * REST)
    if wanted:
        await reclaim.look(engine, feed, pool, wanted, in_use)
