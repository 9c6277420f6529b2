"""Near-full pools: what does it cost to find a free address when there are few?

Each exchange is a RELEASE of one lease at random and a new client that needs an address, so the pool stays as full
as it is. At most a quarter of what is free is in flight: while one exchange has its offer, the one before it may
still wait for the commit of its RELEASE. An empty pool is driven with the same windows and the same exchange, and
each rate is set against it. A fill that would leave fewer than four addresses free is left out.
"""

from collections.abc import Iterator
from ipaddress import IPv4Network

import msgspec
from rich.console import Console

from dhcp_fast.load import plan
from dhcp_fast.load.figures import Fact, Figures, Step
from dhcp_fast.load.request import Request
from dhcp_fast.load.scenarios.scenario import Contestant
from dhcp_fast.load.servers import Setup
from dhcp_fast.load.session import session

POOLS = (18, 16, 12)
BRIEF_POOLS = (18,)
BRIEF_FILLS = (50, 99, 99.9)
# Kea searches a larger pool for minutes when it is nearly full.
LARGEST_OF_PEERS = 16
WINDOW = 256
FEWEST_FREE = 4
SECONDS = 3.0
WARM_UP = 2000


class Fill:
    name = "fill"
    summary = (
        "Nearly full pools (--fill, in percent) of several sizes (--pool), hashed and sequential, kept as full as "
        "they are: one lease is released for each new client. `of empty` is the rate relative to an empty pool's "
        "in the same run, with as many in flight. Peers: sequential ones up to /16."
    )
    admits_peers = True

    def measure(self, contestant: Contestant, request: Request, console: Console) -> Figures:
        found: list[Figures] = []
        if request.brief:
            request = msgspec.structs.replace(request, fills=BRIEF_FILLS)
        for length in request.pools or (BRIEF_POOLS if request.brief else POOLS):
            if contestant.is_peer and length < LARGEST_OF_PEERS:
                continue
            # Kea 2.2 knows no other than its iterative allocator.
            for sequential in (True,) if contestant.is_peer else (False, True):
                pool = Pool(length, sequential, request)
                found += pool.measure(self.name, contestant, console)
        return joined(self.name, found)


class Pool:
    """One pool of one kind at all its fills."""

    def __init__(self, length: int, sequential: bool, request: Request) -> None:
        self.network = IPv4Network(("10.0.0.0", length))
        self.sequential = sequential
        self.request = request
        self.name = f"/{length} {'sequential' if sequential else 'hashed'}"
        first, last = plan.single_pool(self.network)
        self.size = int(last) - int(first) + 1
        self.empty: dict[int, float] = {}

    def measure(self, scenario: str, contestant: Contestant, console: Console) -> Iterator[Figures]:
        fills = [percent for percent in self.request.fills if self.free(percent) >= FEWEST_FREE]
        windows = sorted({self.window(percent) for percent in fills})
        yield self.drive(scenario, contestant, console, 0, self.few(max(windows)), windows)
        for percent in fills:
            leases = self.size - self.free(percent)
            yield self.drive(scenario, contestant, console, percent, leases, [self.window(percent)])

    def free(self, percent: float) -> int:
        return int(self.size * (100 - percent) / 100)

    def window(self, percent: float) -> int:
        most = max(self.request.windows, default=WINDOW)
        return min(most, self.free(percent) // 4, self.size // 8)

    def few(self, window: int) -> int:
        """The leases of the pool that counts as empty: enough that there is always one to give back."""
        return 2 * window

    def drive(
        self,
        scenario: str,
        contestant: Contestant,
        console: Console,
        percent: float,
        leases: int,
        windows: list[int],
    ) -> Figures:
        setup = Setup(
            leases=leases,
            cache_threshold=0.0,
            network=self.network,
            sequential=self.sequential,
            workers=self.request.workers,
        )
        with contestant.start(setup) as server, session(server, console) as run:
            run.warm_up(min(WARM_UP, leases), mix="replace", window=max(windows))
            for window in windows:
                label = f"{self.name} {percent:g} %, {window} in flight"
                facts: dict[str, Fact] = {"pool": self.name, "fill": percent, "leases": leases}
                amount = self.request.amount(SECONDS)
                step = run.step(label, mix="replace", window=window, facts=facts, **amount)
                step.facts["of_empty"] = self.of_empty(step, percent)
            return run.figures(scenario)

    def of_empty(self, step: Step, percent: float) -> float:
        if percent == 0:
            self.empty[step.in_flight] = step.per_second
        return round(step.per_second / max(self.empty[step.in_flight], 1e-9), 3)


def joined(name: str, found: list[Figures]) -> Figures:
    """The figures of several starts of one server as one; a verdict that is not clean is told in full."""
    steps = [step for figures in found for step in figures.steps]
    unclean = [str(figures.verdict) for figures in found if not figures.clean]
    audited = [figures for figures in found if figures.verdict]
    clean = f"clean: every ACK of {len(audited)} fills" if audited else None
    return Figures(name, found[0].server, steps, "\n".join(unclean) or clean, not unclean)


FILL = Fill()
