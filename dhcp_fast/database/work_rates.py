"""Rates of the recent work of a host's servers for its heartbeats: packets, acknowledgements, commits.

Servers count from their start. A heartbeat contains the difference to the one before. A restarted
worker counts from zero, and the sum of the host may fall by its count.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise, zip_longest
from typing import NamedTuple

import msgspec

from dhcp_fast.database.leases.commit_stats import SECONDS

SHORTEST_SECONDS = (
    1.0  # a heartbeat that follows at once, because the state changed, repeats the rates of the last one
)


class Work(msgspec.Struct, frozen=True):
    """Work since a start: packets received, ACKs sent (in DHCPv6 Replies), and lease statements by the time until their
    COMMIT, in the classes of commit_stats.SECONDS."""

    packets: int = 0
    acks: int = 0
    commits: list[int] = []


class Rates(NamedTuple):
    """Null: no value."""

    packets_per_second: float | None = None
    acks_per_second: float | None = None
    commit_p50_ms: float | None = None
    commit_p99_ms: float | None = None


class WorkRates:
    """Rates of one host."""

    def __init__(self) -> None:
        self.before: Work | None = None
        self.at = 0.0
        self.rates = Rates()

    def note(self, work: Work, now: float) -> Rates:
        """Return what was done since the last time; `now` in seconds."""
        seconds = now - self.at
        if self.before is not None and seconds < SHORTEST_SECONDS:
            return self.rates
        if self.before is not None:
            self.rates = rates(self.before, work, seconds)
        self.before, self.at = work, now
        return self.rates


def together(works: Iterable[Work]) -> Work:
    """Return the rates of all workers of a host."""
    told = list(works)
    commits = [sum(counts) for counts in zip_longest(*(work.commits for work in told), fillvalue=0)]
    return Work(sum(work.packets for work in told), sum(work.acks for work in told), commits)


def rates(before: Work, after: Work, seconds: float) -> Rates:
    commits = [max(0, new - old) for new, old in zip_longest(after.commits, before.commits, fillvalue=0)]
    return Rates(
        round(max(0, after.packets - before.packets) / seconds, 1),
        round(max(0, after.acks - before.acks) / seconds, 1),
        quantile_ms(commits, 0.5),
        quantile_ms(commits, 0.99),
    )


def quantile_ms(counts: Sequence[int], share: float) -> float | None:
    """Return the quantile by the rule of Prometheus' histogram_quantile: linear within its class;
    values above the last bound count as that bound. Null if nothing was counted.
    """
    total = sum(counts)
    if not total:
        return None
    wanted, passed = share * total, 0
    for count, (low, high) in zip(counts, pairwise((0.0, *SECONDS)), strict=False):
        if count and passed + count >= wanted:
            return round(1000 * (low + (high - low) * (wanted - passed) / count), 3)
        passed += count
    return 1000 * SECONDS[-1]
