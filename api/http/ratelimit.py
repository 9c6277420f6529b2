"""Rate limits: so many requests in any minute a client, over all API processes of one database.

The moments of the last minute are kept in memory, so the limit holds over every minute and not only over clock
minutes. A refused request is not counted: who waits as long as told is served. What other processes have taken of a
client is learnt twice a second while it asks (see ratesharing), so together they may exceed a limit by what comes in
that time, and no request waits for the database. The headers follow draft-ietf-httpapi-ratelimit-headers.
"""

import math
import time
from collections import deque
from collections.abc import Callable
from ipaddress import ip_network
from typing import NamedTuple

from ipam_core.errors import RateLimited
from ipam_core.model.values import Address
from ipam_core.services.rates import Asker, Elsewhere

WINDOW = 60.0
MOST_CLIENTS = 10_000
# A network of one host: it may choose any address of it for every request.
IPV6_LENGTH = 64


class Others(NamedTuple):
    """Requests of other processes, until a moment of this process's clock."""

    requests: int
    until: float


def key_of(address: Address | None) -> str:
    """Return the key of the client's counter; clients of unknown address share one."""
    if address is None:
        return "unknown"
    return str(ip_network((address, IPV6_LENGTH), strict=False)) if address.version == 6 else str(address)


class RateLimit:
    """One policy; a limit of 0 is none."""

    def __init__(self, name: str, limit: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.name = name
        self.limit = limit
        self.clock = clock
        self.seen: dict[str, deque[float]] = {}
        """By client, who asked last stands last."""
        self.others: dict[str, Others] = {}
        self.unreported: dict[str, int] = {}
        """Requests that the other processes do not know of yet; 0 for a client that was refused."""

    def take(self, client: str) -> tuple[int, int]:
        """Count a request; return the remaining number and for how many seconds. Raises RateLimited."""
        now = self.clock()
        moments, others = self.recent(client, now), self.elsewhere(client, now)
        self.unreported.setdefault(client, 0)
        ends = [others.until] if others.requests else []
        ends += [moments[0] + WINDOW] if moments else []
        wait = max(1, math.ceil(min(ends) - now)) if ends else int(WINDOW)
        left = self.limit - len(moments) - others.requests
        if left <= 0:
            raise RateLimited(self.limit, wait)
        moments.append(now)
        self.unreported[client] += 1
        return left - 1, wait

    def recent(self, client: str, now: float) -> deque[float]:
        """Return the client's moments within the window. Of too many clients the one that asked longest ago is
        forgotten."""
        moments = self.seen.pop(client, None) or deque()
        while moments and moments[0] <= now - WINDOW:
            moments.popleft()
        self.seen[client] = moments
        if len(self.seen) > MOST_CLIENTS:
            forgotten = next(iter(self.seen))
            del self.seen[forgotten]
            self.others.pop(forgotten, None)
            self.unreported.pop(forgotten, None)
        return moments

    def elsewhere(self, client: str, now: float) -> Others:
        found = self.others.get(client)
        return found if found and found.until > now else Others(0, now)

    def take_unreported(self) -> dict[Asker, int]:
        """Return counts that the other processes do not know of yet, and the keys to ask them about."""
        unreported, self.unreported = self.unreported, {}
        return {Asker(self.name, client): count for client, count in unreported.items()}

    def note_elsewhere(self, client: str, found: Elsewhere | None) -> None:
        self.others.pop(client, None)
        if found is not None and client in self.seen:
            self.others[client] = Others(found.requests, self.clock() + found.seconds)

    @property
    def policy(self) -> str:
        return f'"{self.name}";q={self.limit};w={int(WINDOW)}'


def charge(policies: list[RateLimit], client: str, headers: dict[str, str]) -> None:
    """Count a request against every policy and write the state into the response's headers."""
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
