"""Moment up to which the events of other servers are known.

A snapshot shows everything that began before its oldest running transaction. The moments of
snapshots are stored, so the result is exact even while a long transaction runs.
"""

from collections import deque

MOMENTS = 4096


class Horizon:
    """Horizon: at which moment was everything begun before it visible? `known`, 0 as long as none is; moments are
    microseconds of the boot clock."""

    def __init__(self) -> None:
        self.moments: deque[tuple[int, int]] = deque(maxlen=MOMENTS)
        self.known = 0

    def note(self, moment: int, xmin: int, xmax: int) -> int:
        """Return a snapshot drawn not before `moment`; the latest moment whose transactions have all ended."""
        self.moments.append((xmax, moment))
        while self.moments and self.moments[0][0] <= xmin:
            self.known = self.moments.popleft()[1]
        return self.known
