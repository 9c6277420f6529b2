"""Nearly full pools: does the search for a free address take longer the fewer there are?

Each pool is driven beside an empty one of the same kind on a server of its own, by turns, so that the machine's own ups
and downs meet both: a client at random gives its address back and a new one asks, which keeps the pool as full as it
is. A window has to leave room for those who wait: at most a quarter of what is free may be in flight, so both have as
many in flight. What is compared is the search, not how large PostgreSQL's tables are or whether it has a row of an
address already: what is free in either pool was leased before, as it soon is in a nearly full one. With --fresh nobody
ever had it, and the empty one's server has as many leases elsewhere as the fullest pool has.

A pool larger than a /12 is filled by excludes all over it and by 20,000 leases: sixteen million leases would be
PostgreSQL's load, which the scenario scale has, and the search sees only what is free. Nobody ever had that.
"""

from ipaddress import IPv4Network
from statistics import median

import msgspec
from rich.console import Console

from dhcp_fast.load import plan
from dhcp_fast.load.figures import Fact, Figures, Step, merged
from dhcp_fast.load.request import Request
from dhcp_fast.load.scenarios.scenario import Contestant
from dhcp_fast.load.servers import Setup
from dhcp_fast.load.session import Session, session

POOLS = (16, 8)
BRIEF_POOLS = (18,)
BRIEF_FILLS = (50, 99, 99.9)
# Kea searches a larger pool for minutes when it is nearly full.
LARGEST_OF_PEERS = 16
LARGEST_LEASED = 12
LEASED_OF_LARGER = 20_000
WINDOW = 256
FEWEST_FREE = 4
TURNS = 5
SECONDS = 1.5
WARM_UP = 2000


class Fill:
    name = "fill"
    summary = (
        "Nearly full pools (--fill, in percent) of several sizes (--pool), hashed and sequential, kept as full as "
        "they are: one lease is released for each new client. `of empty` is the rate relative to that of an empty "
        "pool on a second server, driven by turns with as many in flight. Peers: sequential ones up to /16."
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
                found += Pool(length, sequential, request).measure(self.name, contestant, console)
        return joined(self.name, found)


class Pool:
    """One pool of one kind at all its fills. `empty` are the turns of the empty one by what was in flight."""

    def __init__(self, length: int, sequential: bool, request: Request) -> None:
        self.network = IPv4Network(("10.0.0.0", length))
        self.sequential = sequential
        self.request = request
        self.name = f"/{length} {'sequential' if sequential else 'hashed'}"
        first, last = plan.single_pool(self.network)
        self.size = int(last) - int(first) + 1
        self.leased = length >= LARGEST_LEASED
        self.lived_in = self.leased and not request.fresh
        self.empty: dict[int, list[Step]] = {}

    def measure(self, scenario: str, contestant: Contestant, console: Console) -> list[Figures]:
        """First the empty one's figures, then each fill's."""
        fills = [percent for percent in self.request.fills if self.free(percent) >= FEWEST_FREE]
        most = max(self.window(percent) for percent in fills)
        found = []
        beginning = self.setup(2 * most, elsewhere=self.elsewhere(fills))
        with contestant.start(beginning) as server, session(server, console) as empty:
            empty.warm_up(min(WARM_UP, 2 * most), mix="replace", window=most)
            for percent in fills:
                with contestant.start(self.filled(percent)) as other, session(other, console) as full:
                    found.append(self.drive(scenario, percent, empty, full))
            empty.steps = [merged(steps[0].label, steps) for _, steps in sorted(self.empty.items())]
            return [empty.figures(scenario), *found]

    def free(self, percent: float) -> int:
        return int(self.size * (100 - percent) / 100)

    def window(self, percent: float) -> int:
        most = max(self.request.windows, default=WINDOW)
        return min(most, self.free(percent) // 4, self.size // 8)

    def filled(self, percent: float) -> Setup:
        taken = self.size - self.free(percent)
        leases = taken if self.leased else min(taken, LEASED_OF_LARGER)
        return self.setup(leases, excluded=taken - leases)

    def setup(self, leases: int, *, excluded: int = 0, elsewhere: int = 0) -> Setup:
        return Setup(
            leases=leases,
            cache_threshold=0.0,
            network=self.network,
            sequential=self.sequential,
            excluded=excluded,
            elsewhere=elsewhere,
            given_back=self.size - leases if self.lived_in else 0,
            workers=self.request.workers,
        )

    def elsewhere(self, fills: list[float]) -> int:
        return 0 if self.lived_in else max(self.filled(percent).leases for percent in fills)

    def drive(self, scenario: str, percent: float, empty: Session, full: Session) -> Figures:
        """The turns of one fill as one step."""
        window = self.window(percent)
        full.warm_up(WARM_UP, mix="replace", window=window)
        shares = []
        for _ in range(TURNS):
            one, other = self.turn(empty, 0, window), self.turn(full, percent, window)
            self.empty.setdefault(window, []).append(one)
            shares.append(other.per_second / max(one.per_second, 1e-9))
        step = merged(full.steps[0].label, full.steps)
        step.facts["of_empty"] = round(median(shares), 3)
        full.steps = [step]
        return full.figures(scenario)

    def turn(self, run: Session, percent: float, window: int) -> Step:
        label = f"{self.name} {percent:g} %, {window} in flight"
        facts: dict[str, Fact] = {"pool": self.name, "fill": percent, "of_empty": 1.0}
        return run.step(label, mix="replace", window=window, facts=facts, **self.request.amount(SECONDS))


def joined(name: str, found: list[Figures]) -> Figures:
    """The figures of several starts of one server as one; a verdict that is not clean is told in full."""
    steps = [step for figures in found for step in figures.steps]
    unclean = [str(figures.verdict) for figures in found if not figures.clean]
    audited = [figures for figures in found if figures.verdict]
    clean = f"clean: every ACK of {len(audited)} fills" if audited else None
    return Figures(name, found[0].server, steps, "\n".join(unclean) or clean, not unclean)


FILL = Fill()
