"""The steady state: clients that hold leases from the beginning do one thing, a step for each window."""

from dataclasses import dataclass

from rich.console import Console

from dhcp_fast.bench.generator.storm import SLOTS
from dhcp_fast.bench.report.figures import Figures
from dhcp_fast.bench.scenarios.bench_options import BenchOptions
from dhcp_fast.bench.scenarios.scenario import Contestant
from dhcp_fast.bench.scenarios.session import session
from dhcp_fast.bench.servers.servers import Setup

WINDOWS = (64, 256, 1024)
LEASES = 200_000
SECONDS = 5.0
WARM_UP = 5000


@dataclass(frozen=True)
class Steady:
    """`mix` is the storm's; `cache_threshold` 0 makes each renewal a write."""

    name: str
    summary: str
    mix: str
    cache_threshold: float = 0.0
    leases: int = LEASES
    warm_up: int = WARM_UP
    admits_peers: bool = True

    def measure(self, contestant: Contestant, options: BenchOptions, console: Console) -> Figures:
        setup = Setup(
            leases=options.leases or self.leases,
            cache_threshold=self.cache_threshold,
            workers=options.workers,
        )
        with contestant.start(setup) as server, session(server, console) as run:
            run.warm_up(min(self.warm_up, setup.leases), mix=self.mix)
            for window, rate in loads(options):
                label = f"{rate:,}/s begun" if rate else f"{window:,} in flight"
                run.step(label, mix=self.mix, window=window, rate=rate, **options.amount(SECONDS))
            return run.figures(self.name)


def loads(options: BenchOptions) -> list[tuple[int, int]]:
    """Return window and rate of each step; an open loop may have as many in flight as there are slots."""
    if options.rates:
        return [(SLOTS, rate) for rate in options.rates]
    return [(window, 0) for window in options.windows or WINDOWS]
