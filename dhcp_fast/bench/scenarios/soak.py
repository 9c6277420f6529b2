"""An hour of half load: growth of memory, HOT renewals, bloat of the table and its indexes.

The clients renew in the order in which their leases were granted, then in random order; then some
of them release and new ones come. A round takes a minute, and the number of clients is the same at
the end. The server's full rate is measured first; the load is half of it. After each round a sample
is taken. The first round fills caches and is not counted as growth.
"""

import asyncio
import time

from rich.console import Console

from dhcp_fast.bench.generator.result import RECORD
from dhcp_fast.bench.generator.storm import SLOTS
from dhcp_fast.bench.report.figures import Fact, Figures, Step, merged
from dhcp_fast.bench.scenarios.bench_options import BenchOptions
from dhcp_fast.bench.scenarios.scenario import Contestant
from dhcp_fast.bench.scenarios.session import Session, session
from dhcp_fast.bench.servers.servers import OurServer, Setup
from dhcp_fast.bench.servers.watching import Table, bloat, growth, look_at_leases, sample

SECONDS = 3600.0
BRIEF_SECONDS = 60.0
ROUND_SECONDS = 60.0
ROUNDS = 6
LEASES = 1_000_000
BRIEF_LEASES = 100_000
WINDOW = 256
WARM_UP = 5000
NOWHERE = bytes(4)
HOT_GRANTING, HOT_RANDOM = 80.0, 95.0
#: The part of its size that a figure may differ by without having grown.
NOISE = 0.01
#: Of a round's time, by what the clients do: in the order of granting, in random order, going and coming back.
SHARES = {"granting": 0.4, "random": 0.4, "churn": 0.2}


class Soak:
    name = "soak"
    summary = (
        "Half load for --seconds (an hour), with samples every minute in the JSON: memory of server and PostgreSQL, "
        "HOT share of renewals in two orders, sizes and bloat of table and indexes. With --rate, this load "
        "instead of half the measured maximum."
    )
    admits_peers = False

    def measure(self, contestant: Contestant, options: BenchOptions, console: Console) -> Figures:
        seconds = options.seconds or (BRIEF_SECONDS if options.brief else SECONDS)
        leases = options.leases or (BRIEF_LEASES if options.brief else LEASES)
        setup = Setup(leases=leases, cache_threshold=0.0, workers=options.workers)
        with contestant.start(setup) as server, session(server, console) as run:
            assert isinstance(server, OurServer)
            soaking = Soaking(run, server, seconds)
            soaking.find_rates(options)
            soaking.run_rounds()
            return soaking.figures(self.name)


class Soaking:
    """State of a soak.

    `order` contains the leases in the order of granting, rotated so that the next to renew is the
    first.
    """

    def __init__(self, run: Session, server: OurServer, seconds: float) -> None:
        self.run = run
        self.server = server
        self.seconds = seconds
        self.round = min(ROUND_SECONDS, seconds / ROUNDS)
        self.order = server.held
        self.rates: dict[str, int] = {}
        self.steps: dict[str, list[Step]] = {kind: [] for kind in SHARES}
        self.updates = {kind: [0, 0] for kind in SHARES}
        self.samples: list[dict[str, Fact]] = []

    def find_rates(self, options: BenchOptions) -> None:
        """Find half of the rate of a closed loop, for renewals and for clients that come and go."""
        self.run.warm_up(min(WARM_UP, len(self.order) // RECORD.size), mix="renew")
        if options.rates:
            self.rates = dict.fromkeys(SHARES, options.rates[0])
            return
        for mix in ("renew", "churn"):
            step = self.run.step(f"{mix}, {WINDOW} in flight", mix=mix, window=WINDOW, seconds=self.round / 4)
            half = max(int(step.per_second / 2), 1)
            self.rates |= {"churn": half} if mix == "churn" else {"granting": half, "random": half}
        self.order = self.run.storm.ledger.leases()

    def run_rounds(self) -> None:
        began = time.monotonic()
        while time.monotonic() - began < self.seconds:
            for kind, share in SHARES.items():
                self.turn(kind, share * self.round)
            taken = asyncio.run(sample(self.server, self.server.dsn))
            self.samples.append(taken | {"minutes": round((time.monotonic() - began) / 60, 2)})

    def turn(self, kind: str, seconds: float) -> None:
        """Drive one kind of load; the leases continue where the last turn stopped."""
        ledger = self.run.storm.ledger
        ledger.hold(self.order, shuffled_by=len(self.samples) + 1 if kind == "random" else 0)
        before = self.table()
        mix = "churn" if kind == "churn" else "renew"
        rate = self.rates[kind]
        step = self.run.step(kind, mix=mix, rate=rate, window=self.window(), seconds=seconds)
        self.steps[kind].append(self.run.steps.pop())
        after = self.table()
        self.updates[kind][0] += after.hot - before.hot
        self.updates[kind][1] += after.updates - before.updates
        if kind != "random":
            self.order = turned(ledger.leases(), step.exchanges)
        elif step.naks:
            self.order = in_order(self.order, ledger.leases())
        if kind != "churn":
            # The ledger has one record per client, and an hour's renewals are many.
            self.run.log.pop()

    def window(self) -> int:
        """Return no client twice in flight."""
        return min(SLOTS, len(self.order) // RECORD.size)

    def table(self) -> Table:
        return asyncio.run(look_at_leases(self.server.dsn))

    def figures(self, name: str) -> Figures:
        self.run.log.append(held(self.order))
        self.run.steps += [merged(kind, self.steps[kind]) for kind in SHARES]
        facts: dict[str, Fact] = {
            f"{owner}_growth": self.grown(owner)
            for owner in ("server_private", "server_pss", "postgresql_private", "table", "indexes")
        }
        facts["hot_granting_order"] = judged(self.hot("granting"), HOT_GRANTING)
        facts["hot_random_order"] = judged(self.hot("random"), HOT_RANDOM)
        facts.update(asyncio.run(bloat(self.server.dsn)))
        return self.run.figures(name, facts=facts, samples=self.samples)

    def grown(self, owner: str) -> str:
        """Return the growth from the middle third of the samples to the last one."""
        more, now = growth(self.samples, f"{owner}_mib"), float(self.samples[-1][f"{owner}_mib"])
        verdict = "no growth" if more <= max(NOISE * now, 1.0) else "GROWS"
        return f"{verdict}: {more:+.1f} MiB to {now:,.1f} MiB"

    def hot(self, kind: str) -> float:
        hot, updates = self.updates[kind]
        return round(100 * hot / max(updates, 1), 1)


def judged(percent: float, goal: float) -> str:
    return f"{percent} %, {'above' if percent > goal else 'NOT above'} {goal:g} %"


def turned(leases: bytes, count: int) -> bytes:
    at = count * RECORD.size % max(len(leases), 1)
    return leases[at:] + leases[:at]


def in_order(order: bytes, leases: bytes) -> bytes:
    """Return the leases as they are now, in the order that their clients had."""
    now = {fields[0]: fields for fields in RECORD.iter_unpack(leases)}
    return b"".join(RECORD.pack(*now[fields[0]]) for fields in RECORD.iter_unpack(order))


def held(leases: bytes) -> bytes:
    """Return the leases without the clients whose last exchange brought them nothing."""
    return b"".join(RECORD.pack(*fields) for fields in RECORD.iter_unpack(leases) if fields[1] != NOWHERE)


SOAK = Soak()
