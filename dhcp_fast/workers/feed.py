"""The lease feed as a worker receives it: its supervisor reads the events of all servers, and forwards them.

A worker loads the table by itself, with a position after which it needs every event. A window that
begins later (the worker has just started, or fell so far behind that windows were left out for it)
shows a gap, which it reads for itself. Windows that begin earlier repeat known events, and older
versions change nothing. Its own writes come back to it in the same way; they change nothing.
"""

from typing import NamedTuple

from asyncpg import Connection

from dhcp_fast.database.leases.lease_feed import LeaseFeed
from dhcp_fast.database.leases.log_bounds import POSTGRES_EPOCH_MICROSECONDS, UNBOUNDED
from dhcp_fast.engine.lease_rows import RowReader
from dhcp_fast.workers.channel import Window

NOBODY = -1  # a node number that no server has: everybody's events are wanted


class OpenWindow(NamedTuple):
    """A window that has begun, and what reads its rows."""

    window: Window
    reader: RowReader


class ForwardedFeed:
    """Feed that applies forwarded events to a loaded feed: `begin`, `piece` and `end`."""

    def __init__(self, feed: LeaseFeed) -> None:
        self.feed = feed
        self.open: OpenWindow | None = None  # between two windows, or while one is not listened to

    def knows(self, window: Window) -> bool:
        """Return whether the window belongs to the history that was loaded, and what came before it is still there."""
        if window.history != self.feed.history or window.version < self.feed.version:
            return False
        return not self.feed.bounds.was_asleep(unix(window))

    def has_gap(self, window: Window) -> bool:
        return window.since > int(self.feed.cursor)

    async def close_gap(self, connection: Connection, window: Window) -> None:
        feed, until = self.feed, str(window.since)
        events = feed.queries.copy_events.sql
        family = feed.engine.family
        feed.rows += await feed.copy(connection, events, feed.cursor, until, NOBODY, *UNBOUNDED, family)
        feed.cursor = until

    def leave(self) -> None:
        """Listen to nothing before the next `begin`."""
        self.open = None

    def begin(self, window: Window) -> None:
        self.feed.engine.set_clock(window.clock, window.before, window.after)
        self.feed.version = window.version
        self.feed.bounds.note_clock(unix(window))
        self.open = OpenWindow(window, RowReader(self.feed.engine))

    def piece(self, data: bytes) -> None:
        if self.open is not None:
            self.open.reader.feed(data)

    def end(self, known: int) -> bool:
        """End the window, and return whether it was used.

        Then everything that began before the moment `known` has been received.
        """
        if self.open is None:
            return False
        window, reader = self.open
        feed = self.feed
        feed.rows += reader.count
        feed.cursor = str(max(int(feed.cursor), window.until))
        feed.horizon.known = known
        feed.engine.note_feed_read(known)
        self.leave()
        return True


def unix(window: Window) -> int:
    """Return the window's time, as the database's clock has it since 1970."""
    return window.clock + POSTGRES_EPOCH_MICROSECONDS
