"""New clients: DISCOVER, OFFER, REQUEST, ACK, each with an address that nobody had before."""

from dataclasses import dataclass

from rich.console import Console

from dhcp_fast.bench.generator.storm import SLOTS
from dhcp_fast.bench.report.figures import Figures, Step
from dhcp_fast.bench.scenarios.bench_options import BenchOptions
from dhcp_fast.bench.scenarios.scenario import Contestant
from dhcp_fast.bench.scenarios.session import Session, session
from dhcp_fast.bench.servers.servers import Setup

WINDOWS = (64, 256, 1024, 2048)
HALF_OF = 1024
SECONDS = 5.0
WARM_UP = 5000


@dataclass(frozen=True)
class Dora:
    """A window or a rate a step; then half of what the server did at 1,024 in flight, for its latency there."""

    name: str
    summary: str
    admits_peers: bool = True

    def measure(self, contestant: Contestant, options: BenchOptions, console: Console) -> Figures:
        setup = Setup(workers=options.workers, recycled_log=True)
        with contestant.start(setup) as server, session(server, console) as run:
            run.warm_up(WARM_UP)
            if options.rates:
                self.drive_open(run, options)
            else:
                self.drive_closed(run, options)
            return run.figures(self.name)

    def drive_open(self, run: Session, options: BenchOptions) -> None:
        """Drive an open loop; as many may be in flight as there are slots."""
        for rate in options.rates:
            run.step(f"{rate:,}/s begun", mix=self.name, window=SLOTS, rate=rate, **options.amount(SECONDS))

    def drive_closed(self, run: Session, options: BenchOptions) -> None:
        for window in options.windows or WINDOWS:
            run.step(f"{window:,} in flight", mix=self.name, window=window, **options.amount(SECONDS))
        if options.half:
            full = half_of(run.steps)
            rate = max(int(full.per_second / 2), 1)
            label = f"half the rate of {full.in_flight:,}"
            run.step(label, mix=self.name, window=SLOTS, rate=rate, **options.amount(SECONDS))


def half_of(steps: list[Step]) -> Step:
    """Return the step at 1,024 in flight, or the one nearest to it."""
    return min(steps, key=lambda step: abs(step.in_flight - HALF_OF))


DORA = Dora(
    "dora",
    "New clients and unused addresses: DISCOVER, OFFER, REQUEST, ACK. One step per number in flight, and one at "
    "half the rate of 1,024 in flight; with --rate an open loop.",
)
DISCOVER = Dora("discover", "As dora, but only up to the OFFER, which no server stores.")
