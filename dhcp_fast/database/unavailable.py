"""Duties that a server suspends while its database takes no leases.

It still receives packets, and answers a REQUEST as soon as it can. But it makes no offers: a client
that accepts one waits a minute for it, while another server with a working database could have
served it. It also answers no early renewal from leases that may be lost yet (commit_stats.py).
"""

from dhcp_fast.database.leases.commit_stats import Waiting
from dhcp_fast.database.leases.lease_writers import LeaseWriters

# A session that is replaced is no outage: clients that ask meanwhile get their address in time.
GRACE_SECONDS = 1.0


class Unavailability:
    """`note` some times a second."""

    def __init__(self) -> None:
        self.away = Waiting()
        self.offers_nothing = False

    def note(self, writers: LeaseWriters, heart_trouble: str, reason: str, *, drains: bool) -> None:
        """Note the state.

        `reason`: why no lease can be committed now; empty when it can. A commit that hangs, or a
        heartbeat that hangs or is refused, makes leases of other servers unsure that the feed has
        delivered. A server that `drains` makes no offers either, for a reason of its own.
        """
        if writers.hung() or heart_trouble:
            writers.commits.doubted()
        if not reason:
            self.away.end()
        elif not self.away.since:
            self.away.begin()
        self.offers_nothing = self.away.seconds() > GRACE_SECONDS
        writers.engine.set_away(self.offers_nothing, drains)

    def not_ready(self) -> str:
        """Return the reason why the server is not ready: one that could commit again offers nothing
        until the next `note`.
        """
        return "the database was unavailable until now; offers resume shortly" if self.offers_nothing else ""
