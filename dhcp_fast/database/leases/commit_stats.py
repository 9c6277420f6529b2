"""Statistics of the lease statements: times and sizes for /metrics, and refusals by the database for /readyz.

Everything is counted once per batch, never per packet. A refusal counts until a statement succeeds,
or until none has failed for some seconds. Then there was no traffic, and the heartbeat shows
whether the database accepts writes.
"""

from bisect import bisect_left
from collections.abc import Callable
from itertools import accumulate
from time import monotonic

REMEMBERED_SECONDS = 10.0
REMARK_SECONDS = 60.0
ABANDONED, WARNED = "abandoned", "warned"  # unknown outcomes, counted beside the SQLSTATEs
HUNG_SECONDS = 2.0

# A commit on a good disk takes a millisecond; from two seconds on, clients have asked again.
SECONDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
SIZES = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0)


class Histogram:
    """Counts by fixed upper bounds."""

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.sum = 0.0

    def note(self, value: float) -> None:
        self.counts[bisect_left(self.bounds, value)] += 1
        self.sum += value

    def buckets(self) -> list[tuple[str, float]]:
        """Return cumulated buckets, by `le`, as Prometheus has them."""
        names = [*map(str, self.bounds), "+Inf"]
        return list(zip(names, accumulate(map(float, self.counts)), strict=True))


class CommitStats:
    """Statistics of all writers of one server together.

    `be_unsure` is called with True when the outcome of a commit is unknown, and with False when a
    commit that began later succeeds: committed leases may be lost in between. With a synchronous
    standby, that success proves that everything before it is on the standby.
    """

    def __init__(
        self, be_unsure: Callable[[bool], None] = lambda _: None, clock: Callable[[], float] = monotonic
    ) -> None:
        self.be_unsure = be_unsure
        self.clock = clock
        self.doubted_at = 0.0
        self.remarks = 0
        self.remarked_at = -REMARK_SECONDS
        self.hangs = False  # the refusal is a wait that did not end well
        self.seconds = Histogram(SECONDS)
        self.sizes = Histogram(SIZES)
        self.retries = 0
        self.failures: dict[str, int] = {}
        self.failed_at = 0.0
        self.refusal = ""

    @property
    def leases(self) -> int:
        return int(self.sizes.sum)

    def succeeded(self, leases: int, seconds: float, began: float, *, wrote: bool = True) -> None:
        """Note a success. A statement that `wrote` nothing, all its rows having refused, waited for no standby: it
        proves nothing."""
        self.sizes.note(leases)
        self.seconds.note(seconds)
        if not wrote:
            return
        self.refusal = ""
        if self.doubted_at and began > self.doubted_at:
            self.doubted_at = 0.0
            self.be_unsure(False)

    def doubted(self) -> None:
        """Note a commit that hangs or has an unknown outcome."""
        self.doubted_at = self.clock()
        self.be_unsure(True)

    def proved(self) -> None:
        """Note that a commit of no lease that hung like theirs has ended well, which proves that theirs will."""
        if self.hangs:
            self.refusal = ""

    def remarked(self) -> bool:
        """Note an unrelated warning of PostgreSQL; return whether it is worth a line in the log again."""
        self.remarks += 1
        if self.clock() - self.remarked_at < REMARK_SECONDS:
            return False
        self.remarked_at = self.clock()
        return True

    def retried(self) -> None:
        self.retries += 1

    def failed(self, sqlstate: str, why: str) -> None:
        """Note a failed statement, which had no effect or an unknown one; no reply left."""
        self.failures[sqlstate] = self.failures.get(sqlstate, 0) + 1
        self.refusal = why
        self.failed_at = self.clock()
        self.hangs = sqlstate in (ABANDONED, WARNED)
        if self.hangs:
            self.doubted()

    def refused(self) -> str:
        """Return why the database takes no leases, as its last answer said; empty when that is over."""
        return self.refusal if self.clock() - self.failed_at < REMEMBERED_SECONDS else ""


class Waiting:
    """Wait for something that ends in a commit and may hang: the heartbeat, or a writer's batch."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self.clock = clock
        self.since = 0.0

    def begin(self) -> None:
        self.since = self.clock()

    def end(self) -> None:
        self.since = 0.0

    def seconds(self) -> float:
        """Return for how long by now; 0 when there is nothing to wait for."""
        return self.clock() - self.since if self.since else 0.0

    def hung(self) -> float:
        """Return the seconds of the hang, if they are too many; else 0."""
        seconds = self.seconds()
        return seconds if seconds > HUNG_SECONDS else 0.0
