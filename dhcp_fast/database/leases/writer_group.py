"""Interface to what the writers of one engine share, as each of them sees it: `LeaseWriters` of lease_writers.py is
one."""

from collections.abc import Awaitable, Callable
from typing import Protocol

import asyncpg

from dhcp_fast.database.leases.commit_stats import CommitStats
from dhcp_fast.database.leases.grant_backoff import GrantBackoff
from dhcp_fast.database.leases.lease_session import IsKnown
from dhcp_fast.engine.batch import Batch

# Called with a batch and the indexes of its rejected rows.
Losers = Callable[[Batch, list[int]], Awaitable[None]]


class WriterGroup(Protocol):
    """`unknown`: (tenant_no, address as a number, subnet_no) of rows without a known outcome.

    `halved`: parts of refused batches, which are tried again separately. `under_way`: statements.
    `sessions`: others than those of the writers.
    """

    node_no: int
    realtime: bool
    sessions: asyncpg.Pool
    losers: Losers
    is_known: IsKnown
    unknown: list[tuple[int, int, int]]
    halved: list[Batch]
    under_way: int
    commits: CommitStats
    backoff: GrantBackoff
    receive: Callable[[], object]

    def kick(self) -> None:
        """Give every idle writer what is ready and worth a statement."""

    def ended(self) -> None:
        """Note that a statement is no longer under way."""

    def connect_anew(self) -> None:
        """End every session that has nothing under way; its writer connects again at once."""

    def hold(self) -> None:
        """Write nothing until there is a partition for the day."""
