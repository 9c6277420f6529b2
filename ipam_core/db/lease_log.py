"""The days of `lease_event`: each has a partition, made two weeks ahead (engine rules 14 and 23).

Without a partition no lease can be written. So processes that write leases check them at their start, every minute, and
when PostgreSQL reports that one is missing. The database's clock may have jumped over the two weeks, or an old copy of
the database was restored. A failure to create one is reported long before it is needed.
"""

import asyncio
import contextlib
from datetime import date, timedelta

import asyncpg
import structlog

from ipam_core.db import queries
from ipam_core.db.outage import AWAY

SQL = queries.load("lease_log")

DAYS_AHEAD = 14
FEW_DAYS = 3
LOOK_SECONDS = 60.0
TRY_SECONDS = 5.0
BUSY = "another session is changing the table"
AGAIN_SECONDS = 0.5  # after PostgreSQL said that one is missing

log = structlog.get_logger()


class LeaseLog:
    """Result of the last look. `ahead`: for how many days from tomorrow on without a gap there is a partition; -1 when
    today has none, None before the first look."""

    def __init__(self) -> None:
        self.ahead: int | None = None
        self.trouble = ""
        self.missed = asyncio.Event()

    async def tend(self, connection: asyncpg.Connection) -> None:
        """Make what is missing from yesterday to two weeks ahead, and note how far it goes."""
        found = await SQL.read_days(connection)
        today, days = found["today"], set(found["days"])
        wanted = [today + timedelta(days=n) for n in range(-1, DAYS_AHEAD + 1)]
        trouble = ""
        for day in sorted(set(wanted) - days, key=lambda day: abs(day - today)):
            trouble = await make(connection, day, days) or trouble
            if trouble == BUSY:  # so it would be for the next one, and for as long
                break
        self.ahead = days_ahead(today, days)
        self.tell(trouble)

    def tell(self, trouble: str) -> None:
        """Report the text once, until it is another one."""
        if trouble and trouble != self.trouble:
            log.error(
                "a partition of the lease history cannot be created", error=trouble, days_ahead=self.ahead
            )
        elif self.trouble and not trouble:
            log.info("partitions of the lease history are created again", days_ahead=self.ahead)
        self.trouble = trouble

    def missing(self) -> None:
        """Look for partitions at once, because PostgreSQL found none for a row."""
        self.missed.set()

    async def pause(self, seconds: float) -> None:
        """Wait between two looks; a missing partition is looked after at once, but not more often than twice a
        second."""
        await asyncio.sleep(AGAIN_SECONDS)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(min(seconds, TRY_SECONDS) if self.trouble else seconds):
                await self.missed.wait()
        self.missed.clear()

    def not_ready(self) -> str:
        """Return why leases cannot be written, now or from midnight (UTC) on; empty when they can."""
        if self.ahead is None or self.ahead >= 1:
            return ""
        day = "today" if self.ahead < 0 else "tomorrow"
        return f"the lease history has no partition for {day}{self.because}"

    def warnings(self) -> list[str]:
        """Return what an operator must see to, although leases can be written."""
        if self.ahead is None or self.ahead >= FEW_DAYS:
            return []
        return [f"the lease history has partitions for only {self.ahead} more days{self.because}"]

    @property
    def because(self) -> str:
        return f": {self.trouble}" if self.trouble else ""


async def make(connection: asyncpg.Connection, day: date, days: set[date]) -> str:
    """Return why the day's partition cannot be made; empty, and the day among `days`, when it is there."""
    try:
        await SQL.make_partition(connection, day=day)
    except asyncpg.InsufficientPrivilegeError as error:
        return f"{error}: the database account must own lease_event and be allowed to create tables"
    except asyncpg.LockNotAvailableError:
        return BUSY
    except AWAY:
        raise
    except asyncpg.PostgresError as error:
        return str(error)
    days.add(day)
    return ""


def days_ahead(today: date, days: set[date]) -> int:
    ahead = -1
    while today + timedelta(days=ahead + 1) in days:
        ahead += 1
    return ahead
