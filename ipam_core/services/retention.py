"""What is kept for a time only: answers to idempotent creates for a day, events for three
months, the audit trail for as long as is set.

Every API process looks after it. For the audit trail one at a time holds the row by whose update it is forgotten, a
batch a transaction, so that neither writers nor the disk feel it; the database lets no other way to delete it.
"""

import asyncio
import contextlib

import asyncpg

from ipam_core.db import queries
from ipam_core.db.away import FAILED
from ipam_core.services import events
from ipam_core.services.noun import Connection

SQL = queries.load("retention")

EVERY = 600.0
BATCH = 5000
PAUSE = 0.2


async def keep(pool: asyncpg.Pool, audit_days: int) -> None:
    """Forgets now and then, and goes on when the database is away."""
    more = False
    while True:
        await asyncio.sleep(PAUSE if more else EVERY)
        more = False
        with contextlib.suppress(*FAILED):
            async with pool.acquire() as connection:
                await SQL.forget_old_answers(connection)
                await events.forget_old(connection)
                more = audit_days > 0 and await forget_changes(connection, audit_days, BATCH) == BATCH


async def forget_changes(connection: Connection, days: int, at_most: int) -> int:
    """How many of the oldest rows were older than so many days and are gone; none while another process is at it."""
    return await SQL.forget_changes(connection, days=days, at_most=at_most) or 0
