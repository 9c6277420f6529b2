"""Duties: what a server leaves undone while its database takes no leases.

It goes on hearing, and answers a REQUEST as soon as it can. But it offers nothing: a client that takes its offer asks
it alone for a minute, while another server, whose database is there, could have served it. And it answers no early
renewal from what may be lost yet (commit_stats.py).
"""

from dhcp_fast.database.leases.commit_stats import Waiting
from dhcp_fast.database.leases.lease_writers import LeaseWriters

# A session that is ended and made again is no outage: who asks for an address meanwhile gets it in time.
GRACE_SECONDS = 1.0


class Unavailability:
    """`note` some times a second."""

    def __init__(self) -> None:
        self.away = Waiting()
        self.offers_nothing = False

    def note(self, writers: LeaseWriters, heart_trouble: str, reason: str, *, drains: bool) -> None:
        """Note the state. `reason`: why no lease can be committed now; empty when it can. A commit that hangs, or a
        heartbeat that does or is refused, puts in doubt what other servers' writes are worth that the feed has told of.
        A server that `drains` makes no offers either, for a reason of its own."""
        if writers.hung() or heart_trouble:
            writers.commits.doubted()
        if not reason:
            self.away.end()
        elif not self.away.since:
            self.away.begin()
        self.offers_nothing = self.away.seconds() > GRACE_SECONDS
        writers.engine.set_away(self.offers_nothing, drains)

    def not_ready(self) -> str:
        """Return a server that could commit again but was not `note`d to since offers nothing yet, and says so."""
        return "the database was unavailable until now; offers resume shortly" if self.offers_nothing else ""
