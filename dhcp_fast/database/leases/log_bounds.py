"""Bounds of the times of events in a reading, so that PostgreSQL opens two or three days of the log
and not all.

A reading selects transactions by number. An event has the database's time at which its transaction
began, or a later one. So the lower bound must be a moment such that every transaction begun before
it has been read already. Numbers alone do not prove it: a transaction that has been open for a week
may have no number yet, and get one above the cursor when it writes. Therefore, once a minute:

    1  note the time, then which transactions run, whether they have a number or not
    2  wait until none of those runs any more; from then on each of them that had a number is below the next snapshot's
       upper end
    3  wait until the cursor has passed that end: the time noted is a bound

A transaction that stays open holds the bound where it is. No bound exists before the first round
has ended, nor after the database's clock went backwards, because later events then have earlier
times. An hour on either side covers the time between taking a time and being visible.
"""

import time
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from asyncpg import Connection

from ipam_core.db import queries

POSTGRES_EPOCH_MICROSECONDS = 946_684_800_000_000  # 2000, from which timestamps count, since 1970
LOOK_SECONDS = 60.0
MARGIN = timedelta(hours=1)
BACK_MICROSECONDS = 60_000_000
ASLEEP_MICROSECONDS = 86_400_000_000

Bounds = tuple[datetime, datetime]  # from the first on, up to the second

UNBOUNDED: Bounds = datetime.min, datetime.max  # for asyncpg these are -infinity and infinity
SQL = queries.load("dhcp_feed")


class Round(NamedTuple):
    """`running`: the transactions that ran at `clock`; `end`: once they are over, the number that all are below."""

    clock: int
    running: frozenset[str]
    over: bool = False
    end: int | None = None


class LogBounds:
    """Bounds of one reader of the log; moments are microseconds of the database's clock since 1970."""

    def __init__(self) -> None:
        self.clock = 0  # the latest that was seen
        self.since: int | None = None
        self.round: Round | None = None
        self.looked = 0.0

    async def around(self, connection: Connection, cursor: int, position: Any) -> Bounds:
        """Return the bounds for the transactions from `cursor` up to `position`, as read_position gave it. The
        connection is in no transaction."""
        self.note_clock(position["clock"])
        self.advance(cursor, int(position["xmax"]))
        if self.since is None or time.monotonic() - self.looked >= LOOK_SECONDS:
            self.looked = time.monotonic()
            self.look(position["clock"], frozenset((await SQL.read_running(connection))["running"]))
        if self.since is None:
            return UNBOUNDED
        return moment(self.since) - MARGIN, moment(self.clock) + MARGIN

    def note_clock(self, clock: int) -> None:
        if clock < self.clock - BACK_MICROSECONDS:
            self.since = self.round = None
            self.clock = clock
        self.clock = max(self.clock, clock)

    def was_asleep(self, clock: int) -> bool:
        """Return whether more than a day has passed since the last reading: unread partitions may
        be dropped by now.
        """
        return self.clock > 0 and clock - self.clock > ASLEEP_MICROSECONDS

    def advance(self, cursor: int, xmax: int) -> None:
        """Advance to a snapshot that was drawn after the last `look`."""
        if self.round is None or not self.round.over:
            return
        if self.round.end is None:
            self.round = self.round._replace(end=xmax)
        if self.round.end is not None and cursor >= self.round.end:
            self.since, self.round = self.round.clock, None

    def look(self, clock: int, running: frozenset[str]) -> None:
        """Look at `running`, which was read after `clock`."""
        if self.round is None:
            self.round = Round(clock, running)
        elif not self.round.running & running:
            self.round = self.round._replace(over=True)


def moment(microseconds: int) -> datetime:
    return datetime.fromtimestamp(microseconds / 1e6, UTC)
