"""Data that is kept for a time only: answers to idempotent creates for a day, events for three months, the audit trail,
the history of leases, freed IPv6 leases and nodes for as long as is set.

Every API process looks after it. For the audit trail one at a time holds the row by whose update it is forgotten, a
batch a transaction, so that neither writers nor the disk feel it; the database lets no other way to delete it.
"""

import asyncio
import contextlib
from ipaddress import IPv6Address

import asyncpg
import structlog

from ipam_core.db import queries
from ipam_core.db.lease_days import close_days
from ipam_core.db.lease_log import LeaseLog
from ipam_core.db.lease_retention import forget_days
from ipam_core.db.outage import FAILED, reason
from ipam_core.services import events, managed_limit
from ipam_core.services.entity.entity import Connection

SQL = queries.load("retention")
USE = queries.load("tenant_use")

EVERY = 600.0
FREED_EVERY = 3600.0
BATCH = 5000
PAUSE = 0.2
AGAIN = 10.0
FIRST = 30.0  # a process that has just begun has other things to do

log = structlog.get_logger()


async def keep(pool: asyncpg.Pool, audit_days: int, node_days: int = 0) -> None:
    """Forget now and then, and goes on when the database is away; 0 days keep all."""
    more = False
    while True:
        await asyncio.sleep(PAUSE if more else EVERY)
        more = False
        with contextlib.suppress(*FAILED):
            async with pool.acquire() as connection:
                await SQL.forget_old_answers(connection)
                await events.forget_old(connection)
                await SQL.forget_claims(connection)
                await managed_limit.fold(connection)
                await USE.fold_use(connection)
                if node_days > 0:
                    await SQL.forget_nodes(connection, days=node_days)
                more = audit_days > 0 and await forget_changes(connection, audit_days, BATCH) == BATCH


async def keep_days(pool: asyncpg.Pool, lease_event_days: int) -> None:
    """Make the days of the lease history ahead, which the API writes to as well, and forget old ones; 0 keeps all.
    What the account may not do is said once."""
    lease_log, said = LeaseLog(), ""
    while True:
        try:
            async with pool.acquire() as connection:
                await lease_log.tend(connection)
                if lease_event_days > 0:
                    await forget_days(connection, lease_event_days)
            said = ""
        except FAILED as error:
            if str(error) != said:
                log.warning("the lease history could not be looked after", error=reason(error))
            said = str(error)
        await asyncio.sleep(min(EVERY, AGAIN) if said else EVERY)


async def keep_closed(pool: asyncpg.Pool) -> None:
    """Give days of the lease history that are over their indexes. It is beside keep_days because it waits for whoever
    reads a day, and the days ahead do not. What it cannot do is said once."""
    said, pause = "", FIRST
    while True:
        await asyncio.sleep(pause)
        pause = EVERY
        try:
            async with pool.acquire() as connection:
                await close_days(connection)
            said = ""
        except FAILED as error:
            if str(error) != said:
                log.warning("days of the lease history got no indexes", error=reason(error))
            said = str(error)


async def keep_freed(pool: asyncpg.Pool, days: int) -> None:
    """Walk over the IPv6 leases once an hour, in small steps, and delete those that have been free for so many days;
    0 keeps all. DHCPv4 needs none of this: its rows are never more than its addresses."""
    while days > 0:
        await asyncio.sleep(FREED_EVERY)
        with contextlib.suppress(*FAILED):
            await forget_freed(pool, days, BATCH)


async def forget_freed(pool: asyncpg.Pool, days: int, at_most: int) -> int:
    """Return how many rows are gone."""
    async with pool.acquire() as connection:
        tenants = [row["no"] async for row in SQL.tenants_with_leases(connection)]
    return sum([await forget_freed_of(pool, tenant_no, days, at_most) for tenant_no in tenants])


async def forget_freed_of(pool: asyncpg.Pool, tenant_no: int, days: int, at_most: int) -> int:
    address, total = IPv6Address(0), 0
    while True:
        async with pool.acquire() as connection:
            step = await SQL.forget_freed(
                connection, tenant_no=tenant_no, address=address, at_most=at_most, days=days
            )
        if step is None:
            return total
        address, total = step["address"], total + step["forgotten"]
        await asyncio.sleep(PAUSE)


async def forget_changes(connection: Connection, days: int, at_most: int) -> int:
    """Return how many of the oldest rows were older than so many days and are gone; none while another process is at
    it."""
    return await SQL.forget_changes(connection, days=days, at_most=at_most) or 0
