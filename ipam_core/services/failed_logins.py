"""Failed logins in the audit trail: requests whose token is unknown, expired, revoked or used from a wrong address.

They are counted by address and token, and written once a minute, the most frequent first; so neither memory nor the
trail grows with what strangers send (decisions: Refusals). An entry that names a token belongs to the token's tenant.
"""

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import asyncpg

from ipam_core.db import queries
from ipam_core.db.outage import FAILED
from ipam_core.model.values import rfc3339
from ipam_core.services.entity.entity import Connection

SQL = queries.load("failed_login")

EVERY = 60.0
MOST_SOURCES = 1000
TOKENS_OF_ONE = 4
"""Tokens from one address that are told apart."""
MOST_ENTRIES = 10
"""A minute and process, beside one for all others."""


@dataclass
class Attempts:
    """Failed logins of one source since the last writing."""

    address: str | None
    secret_hash: str | None
    request_id: str
    first: datetime
    last: datetime
    count: int = 1

    @property
    def row(self) -> dict[str, Any]:
        return {
            "address": self.address,
            "secret_hash": self.secret_hash,
            "request_id": self.request_id,
            "attempts": self.count,
            "first_at": rfc3339(self.first),
            "last_at": rfc3339(self.last),
        }


class FailedLogins:
    """Failed logins of one process."""

    def __init__(self, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self.clock = clock
        self.sources: dict[str, dict[str | None, Attempts]] = {}
        self.others = 0

    def note(self, source: str, address: str | None, secret_hash: bytes | None, request_id: str) -> None:
        """Count a failed login from `source`, the address or its network."""
        if source not in self.sources and len(self.sources) >= MOST_SOURCES:
            self.others += 1
            return
        tokens = self.sources.setdefault(source, {})
        tried = None if secret_hash is None else secret_hash.hex()
        if tried not in tokens and len(tokens) >= TOKENS_OF_ONE:
            tried = None
        now = self.clock()
        if tried not in tokens:
            tokens[tried] = Attempts(address, tried, request_id, now, now)
            return
        tokens[tried].count += 1
        tokens[tried].last = now

    async def write(self, connection: Connection) -> None:
        """Write what was counted since the last writing; it is counted on if the database is away."""
        found = sorted(
            (each for tokens in self.sources.values() for each in tokens.values()),
            key=lambda each: each.count,
            reverse=True,
        )
        if not found:
            return
        others = self.others + sum(each.count for each in found[MOST_ENTRIES:])
        sources, self.sources, self.others = self.sources, {}, 0
        try:
            rows = [each.row for each in found[:MOST_ENTRIES]]
            await SQL.record_failed_logins(connection, rows=rows, others=others)
        except BaseException:
            self.sources, self.others = sources, others
            raise

    async def keep(self, pool: asyncpg.Pool) -> None:
        """Write for ever, once a minute."""
        while True:
            await asyncio.sleep(EVERY)
            if self.sources:
                with contextlib.suppress(*FAILED):
                    async with pool.acquire() as connection:
                        await self.write(connection)
