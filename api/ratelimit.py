"""Rate limits: so many requests in any minute a client address, counted in memory of this process.

The moments of the last minute are kept, so the limit holds over every minute and not only over clock
minutes. A refused request is not counted: who waits as long as told is served. The headers follow
draft-ietf-httpapi-ratelimit-headers.
"""

import math
import time
from collections import deque
from collections.abc import Callable

from ipam_core.errors import RateLimited

WINDOW = 60.0
SWEEP_EVERY = 4096


class RateLimit:
    """One policy; a limit of 0 is none."""

    def __init__(self, name: str, limit: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.name = name
        self.limit = limit
        self.clock = clock
        self.seen: dict[str, deque[float]] = {}
        self.until_sweep = SWEEP_EVERY

    def take(self, client: str) -> tuple[int, int]:
        """Counts a request; what remains and for how many seconds. Raises RateLimited."""
        now = self.clock()
        moments = self.recent(client, now)
        wait = math.ceil(moments[0] + WINDOW - now) if moments else int(WINDOW)
        if len(moments) >= self.limit:
            raise RateLimited(self.limit, max(wait, 1))
        moments.append(now)
        return self.limit - len(moments), wait

    def recent(self, client: str, now: float) -> deque[float]:
        self.sweep(now)
        moments = self.seen.setdefault(client, deque())
        while moments and moments[0] <= now - WINDOW:
            moments.popleft()
        return moments

    def sweep(self, now: float) -> None:
        """Forgets clients that have been quiet for a window, once in a while."""
        self.until_sweep -= 1
        if self.until_sweep:
            return
        self.until_sweep = SWEEP_EVERY
        quiet = [
            client for client, moments in self.seen.items() if not moments or moments[-1] <= now - WINDOW
        ]
        for client in quiet:
            del self.seen[client]

    @property
    def policy(self) -> str:
        return f'"{self.name}";q={self.limit};w={int(WINDOW)}'


def charge(policies: list[RateLimit], client: str, headers: dict[str, str]) -> None:
    """Counts a request against every policy and writes where it stands into the response's headers."""
    active = [policy for policy in policies if policy.limit]
    if not active:
        return
    headers["ratelimit-policy"] = ", ".join(policy.policy for policy in active)
    stands = []
    for policy in active:
        try:
            remaining, seconds = policy.take(client)
        except RateLimited as error:
            headers["ratelimit"] = f'"{policy.name}";r=0;t={error.retry_after}'
            raise
        stands.append(f'"{policy.name}";r={remaining};t={seconds}')
    headers["ratelimit"] = ", ".join(stands)
