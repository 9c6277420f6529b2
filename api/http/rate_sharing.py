"""The API processes of one database tell one another whom they have served, in one exchange for all clients.

Each counts by itself when the database is away.
"""

import asyncio
import contextlib
from collections.abc import Sequence
from uuid import UUID, uuid4

import asyncpg

from api.http.ratelimit import RateLimit
from ipam_core.db.outage import FAILED
from ipam_core.services import rates
from ipam_core.services.rates import Asker

EVERY = 0.5
TIDY_EVERY = 120


async def keep_sharing(pool: asyncpg.Pool, policies: Sequence[RateLimit]) -> None:
    """Keep sharing for ever; nothing is asked while no client asks."""
    process, turns = uuid4(), 0
    while True:
        await asyncio.sleep(EVERY)
        with contextlib.suppress(*FAILED):
            await share(pool, policies, process)
            turns += 1
            if turns % TIDY_EVERY == 1:
                async with pool.acquire() as connection:
                    await rates.forget(connection)


async def share(pool: asyncpg.Pool, policies: Sequence[RateLimit], process: UUID) -> None:
    taken: dict[Asker, int] = {}
    for policy in policies:
        if policy.limit:
            taken |= policy.take_unreported()
    if not taken:
        return
    async with pool.acquire() as connection:
        found = await rates.exchange(connection, process, taken)
    for policy in policies:
        for asker in taken:
            if asker.policy == policy.name:
                policy.note_elsewhere(asker.client, found.get(asker))
