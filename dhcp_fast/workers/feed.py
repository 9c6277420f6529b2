"""The lease feed as a worker hears it: its supervisor reads what all servers wrote, and passes it on.

A worker loads the table by itself, with a position from which it has to hear everything. A window that begins later
(the worker has just started, or fell so far behind that windows were left out for it) shows a gap, which it reads for
itself. Windows that begin earlier repeat what is known, and older versions change nothing. Its own writes come back to
it in the same way; it knows them already.
"""

from asyncpg import Connection

from dhcp_fast.database.lease_feed import POSTGRES_EPOCH_MICROSECONDS, LeaseFeed
from dhcp_fast.database.log_bounds import UNBOUNDED
from dhcp_fast.engine.engine import Engine
from dhcp_fast.engine.lease_rows import RowReader
from dhcp_fast.workers.channel import Window

NOBODY = -1  # a node number that no server has: everybody's events are wanted


class HeardFeed(LeaseFeed):
    """`load` as any server does, then `begin`, `piece` and `end` as they are heard."""

    def __init__(self, engine: Engine, node_no: int) -> None:
        super().__init__(engine, node_no)
        self.reader: RowReader | None = None
        self.window: Window | None = None

    def knows(self, window: Window) -> bool:
        """Whether the window belongs to the history that was loaded, and what came before it is still there."""
        if window.history != self.history or window.version < self.version:
            return False
        return not self.bounds.was_asleep(unix(window))

    def has_gap(self, window: Window) -> bool:
        return window.since > int(self.cursor)

    async def close_gap(self, connection: Connection, window: Window) -> None:
        since, until = self.cursor, str(window.since)
        self.rows += await self.copy(
            connection, self.queries.copy_events.sql, since, until, NOBODY, *UNBOUNDED
        )
        self.cursor = until

    def begin(self, window: Window) -> None:
        self.engine.set_clock(window.clock, window.before, window.after)
        self.version = window.version
        self.bounds.note_clock(unix(window))
        self.reader, self.window = RowReader(self.engine), window

    def piece(self, data: bytes) -> None:
        if self.reader is not None:
            self.reader.feed(data)

    def end(self, known: int) -> bool:
        """The window is complete: everything that was begun before the moment `known` has been heard. False: it was
        one that was not listened to."""
        if self.reader is None or self.window is None:
            return False
        self.rows += self.reader.count
        self.cursor = str(max(int(self.cursor), self.window.until))
        self.horizon.known = known
        self.engine.note_feed_read(known)
        self.reader = self.window = None
        return True


def unix(window: Window) -> int:
    """The window's time, as the database's clock has it since 1970."""
    return window.clock + POSTGRES_EPOCH_MICROSECONDS
