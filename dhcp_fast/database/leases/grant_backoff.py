"""Rule for when the server trusts its memory that an address has no row yet.

It may then grant the address by a plain insert (grant_leases), which costs PostgreSQL a ninth less than asking first.
Where other servers grant the same addresses, or an operator wrote rows, memory may be wrong: the statement fails as a
whole, and for a while all grants ask. The while doubles with each surprise that follows soon after it, so that a
network where memory is often wrong pays for a failed statement once in some minutes.
"""

import asyncio
from collections.abc import Callable

FIRST_SECONDS = 1.0
LONGEST_SECONDS = 300.0


class GrantBackoff:
    """`surprised` by a row: `be_cautious(True)` now, and `be_cautious(False)` some time later."""

    def __init__(self, be_cautious: Callable[[bool], None]) -> None:
        self.be_cautious = be_cautious
        self.seconds = FIRST_SECONDS
        self.until = 0.0
        self.surprises = 0

    def surprised(self) -> None:
        """Note surprising rows. Two batches under way may meet the same ones: the second one changes nothing."""
        self.surprises += 1
        loop = asyncio.get_running_loop()
        now = loop.time()
        if now < self.until:
            return
        soon = now - self.until < self.seconds
        self.seconds = min(self.seconds * 2, LONGEST_SECONDS) if soon else FIRST_SECONDS
        self.until = now + self.seconds
        self.be_cautious(True)
        loop.call_later(self.seconds, self.be_cautious, False)
