"""Rates of updates and deliveries of a tenant, kept by each worker for its share.

The limits are the tenant's (decisions: Outbound connections). What is above one stays in its queue. Workers do not ask
each other: each takes the limit divided by the number of live workers, read every few seconds.
"""

import asyncio
import time
from collections.abc import Mapping

import asyncpg
import msgspec

from ipam_core.db import queries

SQL = queries.load("tenant_rates")

LEAST_SHARE = (
    0.1  # seconds whose tokens are collected before any is given, so that a queue is not looked at for each
)


class Bucket(msgspec.Struct):
    """Tokens of one tenant: `rate` a second, at most those of a second."""

    rate: float
    tokens: float
    filled: float

    def fill(self) -> float:
        now = time.monotonic()
        self.tokens = min(self.tokens + (now - self.filled) * self.rate, max(self.rate, 1.0))
        self.filled = now
        return self.tokens


class Rates:
    """Rates of one kind, `ddns_updates_per_second` or `deliveries_per_second`; a tenant that is not listed has no
    limit."""

    def __init__(self, pool: asyncpg.Pool, limit: str) -> None:
        self.pool = pool
        self.limit = limit
        self.buckets: dict[int, Bucket] = {}

    async def refresh(self) -> None:
        """Read the limits as they are now."""
        async with self.pool.acquire() as connection:
            rows = [row async for row in SQL.limits(connection, limit=self.limit)]
        self.take({row["tenant_no"]: row["per_second"] / row["workers"] for row in rows})

    def take(self, rates: Mapping[int, float]) -> None:
        """Apply limits as they are now; what was used up stays used up."""
        now = time.monotonic()
        for no in self.buckets.keys() - rates.keys():
            del self.buckets[no]
        for no, rate in rates.items():
            bucket = self.buckets.setdefault(no, Bucket(rate, max(rate, 1.0), now))
            bucket.rate = rate

    def allowances(self) -> dict[int, int]:
        """Return how many may begin now, of each tenant that has a limit."""
        return {no: allowance(bucket) for no, bucket in self.buckets.items()}

    def spend(self, tenant_no: int, count: int) -> None:
        if tenant_no in self.buckets:
            self.buckets[tenant_no].tokens -= count

    async def wait(self, tenant_no: int | None, until: float) -> bool:
        """Wait until one more may begin, at most to `until` on the monotonic clock. Return whether it may."""
        while (bucket := self.buckets.get(tenant_no or 0)) is not None:
            if bucket.fill() >= 1.0:
                bucket.tokens -= 1.0
                return True
            pause = (1.0 - bucket.tokens) / bucket.rate
            if time.monotonic() + pause > until:
                return False
            await asyncio.sleep(pause)
        return True


def allowance(bucket: Bucket) -> int:
    tokens = bucket.fill()
    return int(tokens) if tokens >= max(1.0, LEAST_SHARE * bucket.rate) else 0
