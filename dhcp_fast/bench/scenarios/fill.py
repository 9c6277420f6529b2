"""Nearly full pools: the cost of finding and leasing a free address when few are left.

Each pool is measured by turns with an empty one of the same kind, on a server of its own, so that
disturbances of the machine affect both. A random client releases its address and a new one starts,
which keeps the fill constant. At most a quarter of the free addresses may be in flight, so both
pools use that window. New clients fill the pool up from one level to the next. Every free address
of either pool was leased before, as in any old pool, so both have a row of every address. With
--fresh nobody ever had it, and the empty one's server has as many leases elsewhere as the full pool
begins with. One address of a hundred is leased in the empty pool: with only a few leases,
everything would fit into the processor's caches.

After a checkpoint of PostgreSQL the log takes each page whole when it is first changed, which makes
a large table slow for a while. The turns lie in the later part of the cycle: one checkpoint is made
before the server starts, then leases are replaced until nearly every page has been changed, and no
other checkpoint falls due. Dead rows are removed before each fill's turns, or autovacuum would run
beside them.

A large pool that is full of leases is PostgreSQL's load: sixteen million rows that are written at
random. With --excluded excludes fill all but 20,000 addresses of it, so that the search is
compared. Its free addresses had no lease before. Where a turn leases more, they are leased anew in
the full pool and for the first time in the empty one.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from ipaddress import IPv4Network
from statistics import median

import msgspec
from rich.console import Console

from dhcp_fast.bench.report.figures import Fact, Figures, Step, merged
from dhcp_fast.bench.scenarios.bench_options import BenchOptions
from dhcp_fast.bench.scenarios.scenario import Contestant
from dhcp_fast.bench.scenarios.session import Session, session
from dhcp_fast.bench.servers import bench_plan
from dhcp_fast.bench.servers.servers import OurServer, Setup, wait_for_calm

POOLS = (16,)
BRIEF_POOLS = (18,)
BRIEF_FILLS = (50, 99, 99.9)
# Kea searches a larger pool for minutes when it is nearly full.
LARGEST_OF_PEERS = 16
WINDOW = 256
FEWEST_FREE = 4
TURNS = 15
SECONDS = 1.5
WARM_UP = 2000
# A page has some thirty rows: with a tenth of all that are written at random, nearly every page is met.
WORN_IN = 0.1
EMPTY = 0.01
FILLING_TRIES = 5
LEASED_AMONG_EXCLUDES = 20_000

Start = Callable[[Setup], AbstractContextManager[Session]]


class Fill:
    name = "fill"
    summary = (
        "Nearly full pools (--fill, in percent) of a size (--pool; a /8 needs 70 GB), hashed and sequential. One "
        "lease is released for each new client, so their use stays the same. `of empty` is the rate relative to an "
        "empty pool on a second server, measured alternately at the same load. Peers: sequential pools up to /16."
    )
    admits_peers = True

    def measure(self, contestant: Contestant, options: BenchOptions, console: Console) -> Figures:
        found: list[Figures] = []
        if options.brief:
            options = msgspec.structs.replace(options, fills=BRIEF_FILLS)
        for length in options.pools or (BRIEF_POOLS if options.brief else POOLS):
            if contestant.is_peer and (length < LARGEST_OF_PEERS or options.excluded):
                continue
            # Kea 2.2 knows no other than its iterative allocator.
            for sequential in (True,) if contestant.is_peer else (False, True):
                found += Pool(length, sequential, options).measure(self.name, contestant, console)
        return joined(self.name, contestant.name, found)


class Pool:
    """A pool of one kind at all its fills. `empty` are the turns of the empty one by what was in flight."""

    def __init__(self, length: int, sequential: bool, options: BenchOptions) -> None:
        self.network = IPv4Network(("10.0.0.0", length))
        self.sequential = sequential
        self.options = options
        self.name = f"/{length} {'sequential' if sequential else 'hashed'}"
        first, last = bench_plan.single_pool(self.network)
        self.size = int(last) - int(first) + 1
        self.lived_in = not options.fresh and not options.excluded
        self.empty: dict[int, list[Step]] = {}

    def measure(self, scenario: str, contestant: Contestant, console: Console) -> list[Figures]:
        """Measure the empty pool first, then the full one."""
        fills = sorted(percent for percent in self.options.fills if self.free(percent) >= FEWEST_FREE)
        if not fills:
            return []
        most = max(self.window(percent) for percent in fills)
        start = partial(started, contestant, console)
        first = self.filled(fills[0]).leases
        leases = max(2 * most, min(int(self.size * EMPTY), first))
        elsewhere = 0 if self.lived_in else first
        drive = self.drive_excluded if self.options.excluded else self.drive_leased
        with start(self.setup(leases, elsewhere=elsewhere)) as empty:
            empty.warm_up(min(WARM_UP, 2 * most), mix="replace", window=most)
            self.wear_in(empty, leases if self.sequential else self.size, most)
            found = drive(scenario, start, fills, empty)
            empty.steps = [merged(steps[0].label, steps) for _, steps in sorted(self.empty.items())]
            return [empty.figures(scenario), *found]

    def drive_leased(self, scenario: str, start: Start, fills: list[float], empty: Session) -> list[Figures]:
        """Drive new clients, which fill the pool up from one fill to the next."""
        taken = self.taken(fills[0])
        with start(self.filled(fills[0])) as full:
            self.wear_in(full, self.size, self.window(fills[0]))
            for percent in fills:
                self.fill_up(full, percent, self.taken(percent) - taken)
                taken = self.taken(percent)
                self.drive(percent, empty, full)
            return [full.figures(scenario)]

    def drive_excluded(
        self, scenario: str, start: Start, fills: list[float], empty: Session
    ) -> list[Figures]:
        """Return each fill on a server of its own."""
        found = []
        for percent in fills:
            with start(self.filled(percent)) as full:
                self.drive(percent, empty, full)
                found.append(full.figures(scenario))
        return found

    def taken(self, percent: float) -> int:
        return self.size - self.free(percent)

    def free(self, percent: float) -> int:
        return int(self.size * (100 - percent) / 100)

    def window(self, percent: float) -> int:
        most = max(self.options.windows, default=WINDOW)
        return min(most, self.free(percent) // 4, self.size // 8)

    def filled(self, percent: float) -> Setup:
        taken = self.taken(percent)
        leases = min(taken, LEASED_AMONG_EXCLUDES) if self.options.excluded else taken
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
            workers=self.options.workers,
            recycled_log=True,
            long_cycle=True,
            packed=self.lived_in,
        )

    def wear_in(self, run: Session, rows: int, window: int) -> None:
        """Change nearly all pages of so many rows once. Where nobody had what is free, new rows go to new pages."""
        if self.lived_in:
            run.drive("wearing in", mix="replace", exchanges=int(rows * WORN_IN), window=window)

    def fill_up(self, full: Session, percent: float, missing: int) -> None:
        """Fill the pool up by new clients; clients that get a NAK try again.

        Report a pool that stays less full.
        """
        for _ in range(FILLING_TRIES):
            if not missing:
                return
            missing -= full.drive("filling up", exchanges=missing, window=WINDOW).acks
        if missing:
            full.console.print(f"{self.name}: {missing:,} leases short of {percent:g} %")

    def drive(self, percent: float, empty: Session, full: Session) -> None:
        """Drive the turns of one fill as one step."""
        window = self.window(percent)
        for run in (empty, full):
            if isinstance(run.server, OurServer):
                run.server.sweep()
        empty.warm_up(WARM_UP, mix="replace", window=window)
        full.warm_up(WARM_UP, mix="replace", window=window)
        shares, turns = [], []
        for number in range(TURNS):
            one, other = self.pair(number, empty, full, percent)
            self.empty.setdefault(window, []).append(one)
            turns.append(other)
            shares.append(other.per_second / max(one.per_second, 1e-9))
        step = merged(turns[0].label, turns)
        step.facts["of_empty"] = round(median(shares), 3)
        full.steps = [*full.steps[:-TURNS], step]

    def pair(self, number: int, empty: Session, full: Session, percent: float) -> tuple[Step, Step]:
        """Return a turn of each, the empty one's and the full one's. They begin by turns, so that neither always meets
        what the other left the disk to do."""
        window = self.window(percent)
        if number % 2:
            other = self.turn(full, percent, window)
            return self.turn(empty, 0, window), other
        return self.turn(empty, 0, window), self.turn(full, percent, window)

    def turn(self, run: Session, percent: float, window: int) -> Step:
        label = f"{self.name} {percent:g} %, {window} in flight"
        facts: dict[str, Fact] = {"pool": self.name, "fill": percent, "of_empty": 1.0}
        return run.step(label, mix="replace", window=window, facts=facts, **self.options.amount(SECONDS))


@contextmanager
def started(contestant: Contestant, console: Console, setup: Setup) -> Iterator[Session]:
    with contestant.start(setup) as server, session(server, console, holders=setup.leases) as run:
        wait_for_calm(server, console)
        yield run


def joined(name: str, server: str, found: list[Figures]) -> Figures:
    """Return the figures of several starts of one server as one, with every verdict that is not clean."""
    steps = [step for figures in found for step in figures.steps]
    unclean = [str(figures.verdict) for figures in found if not figures.clean]
    audited = [figures for figures in found if figures.verdict]
    clean = f"clean: every ACK on {len(audited)} servers" if audited else None
    return Figures(name, server, steps, "\n".join(unclean) or clean, not unclean)


FILL = Fill()
