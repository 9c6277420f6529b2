"""DHCPv6 clients: SOLICIT, ADVERTISE, REQUEST, REPLY, for an address, or for an address and a prefix; and renewals."""

from dataclasses import dataclass

from rich.console import Console

from dhcp_fast.bench.generator.storm import SLOTS
from dhcp_fast.bench.report.figures import Figures
from dhcp_fast.bench.scenarios.bench_options import BenchOptions
from dhcp_fast.bench.scenarios.dora import SECONDS, WARM_UP, WINDOWS
from dhcp_fast.bench.scenarios.scenario import Contestant
from dhcp_fast.bench.scenarios.session import session
from dhcp_fast.bench.servers.servers import Setup

HOLDERS = 50_000


@dataclass(frozen=True)
class Sarr:
    """A window or a rate a step. With `mix` renew, clients that got a lease in the warm-up renew it."""

    name: str
    summary: str
    mix: str = "dora"
    delegation: bool = False
    admits_peers: bool = True

    def measure(self, contestant: Contestant, options: BenchOptions, console: Console) -> Figures:
        setup = Setup(family=6, delegation=self.delegation, recycled_log=True, cache_threshold=0.0)
        with contestant.start(setup) as server, session(server, console) as run:
            first = run.warm_up(HOLDERS if self.mix == "renew" else WARM_UP)
            if self.mix == "renew":
                run.storm.ledger.hold(first.log, shuffled_by=1)
            for rate in options.rates:
                run.step(
                    f"{rate:,}/s begun", mix=self.mix, window=SLOTS, rate=rate, **options.amount(SECONDS)
                )
            for window in () if options.rates else options.windows or WINDOWS:
                label = f"{window:,} in flight"
                run.step(label, mix=self.mix, window=window, **options.amount(SECONDS))
            return run.figures(self.name)


SARR = Sarr("sarr", "DHCPv6: new clients, one address each: SOLICIT, ADVERTISE, REQUEST, REPLY.")
SARR_PD = Sarr("sarr-pd", "As sarr, with an address and a delegated prefix each.", delegation=True)
RENEW6 = Sarr("renew6", "DHCPv6 clients with an address renew it; each renewal is a write.", mix="renew")
