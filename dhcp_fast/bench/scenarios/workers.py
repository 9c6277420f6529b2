"""A host with several workers: its memory, the cost of the lease feed, and the storm.

It runs with 1, 2 and 4 workers, or with --workers, each time on a fresh database whose leases are
loaded at the start. The cost of the feed is measured by leases that no server wrote. They are
inserted while an open transaction keeps the feed away from them (engine rule 15); when it ends,
every worker receives all of them. The processor time from then on, less that of as many idle
seconds, is the feed's.
"""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import msgspec
from rich.console import Console

from dhcp_fast.bench.generator import filling
from dhcp_fast.bench.report.figures import Fact, Figures
from dhcp_fast.bench.scenarios.bench_options import BenchOptions
from dhcp_fast.bench.scenarios.scenario import Contestant
from dhcp_fast.bench.scenarios.session import Session, session
from dhcp_fast.bench.servers.processes import cpu_seconds, memory, own_cpu_seconds, rollup
from dhcp_fast.bench.servers.servers import SEED, OurServer, ServerStartError, Setup
from dhcp_fast.bench.servers.watching import mib
from ipam_core.db.connect import connect
from ipam_core.processes import health

COUNTS = (1, 2, 4)
LEASES, BRIEF_LEASES = 1_000_000, 20_000
FED, BRIEF_FED = 50_000, 5_000
ROUNDS = 2
STRANGERS = 1 << 31  # the number of the first of the clients that no storm reaches
WINDOW = 1024
SECONDS = 5.0
WARM_UP = 5000
LOOK_SECONDS = 1.0
MOST_LOOKS = 600
IDLE_LOOKS = 4  # one alone may hold the rest of what came before it
LEASES_KNOWN = "ipam_dhcp4_leases_known"


@dataclass(frozen=True)
class Workers:
    """A step for each number of workers."""

    name: str = "workers"
    summary: str = (
        "1, 2 and 4 workers (or --workers) on a million --leases: memory of the host, cost of the lease feed per lease "
        "of another server, and new clients at 1,024 in flight."
    )
    admits_peers: bool = False

    def measure(self, contestant: Contestant, options: BenchOptions, console: Console) -> Figures:
        counts = COUNTS if options.workers == 1 else (options.workers,)
        found = [self.measure_with(count, contestant, options, console) for count in counts]
        unclean = [figures for figures in found if not figures.clean]
        steps = [step for figures in found for step in figures.steps]
        return msgspec.structs.replace((unclean or found)[0], steps=steps)

    def measure_with(
        self, count: int, contestant: Contestant, options: BenchOptions, console: Console
    ) -> Figures:
        setup = Setup(leases=options.leases or (BRIEF_LEASES if options.brief else LEASES), workers=count)
        with contestant.start(setup) as server, session(server, console) as run:
            assert isinstance(server, OurServer)
            asyncio.run(until_read(server))
            facts = in_memory(server) | asyncio.run(measure_feed(server, run, options.brief))
            run.warm_up(WARM_UP)
            for window in options.windows or (WINDOW,):
                before = own_cpu_seconds(server.child.pid)
                label = f"{count} worker{'s' * (count > 1)}"
                if len(options.windows) > 1:
                    label += f", {window:,} in flight"
                step = run.step(label, mix="dora", window=window, **options.amount(SECONDS))
                supervising = own_cpu_seconds(server.child.pid) - before if count > 1 else 0.0
                told: dict[str, Fact] = {"supervisor_us": round(supervising / step.exchanges * 1e6, 2)}
                run.steps[-1] = msgspec.structs.replace(step, facts=facts | told)
            return run.figures(self.name)


async def until_read(server: OurServer) -> None:
    """Wait until the leases are read: the start reads each in brief, and the rest afterwards, a little at a time."""
    for _ in range(MOST_LOOKS):
        if not shown(server, "ipam_dhcp4_lease_pages_to_read"):
            return
        await asyncio.sleep(LOOK_SECONDS)
    raise ServerStartError(server.name, "it does not finish loading its leases")


def in_memory(server: OurServer) -> dict[str, Fact]:
    """Return MiB of all processes together, and of the supervisor alone; and how long the start took."""
    supervisor = rollup(server.child.pid).get("Pss", 0) if server.workers > 1 else 0
    return {
        "ready_s": round(server.ready_seconds, 1),
        "host_mib": mib(memory([server.child.pid])["pss"]),
        "supervisor_mib": mib(supervisor),
    }


async def measure_feed(server: OurServer, run: Session, brief: bool) -> dict[str, Fact]:
    """Return what the feed costs for a lease, in microseconds by whose processor time it is."""
    count = BRIEF_FED if brief else FED
    spent = dict.fromkeys(used(server), 0.0)
    for number in range(ROUNDS):
        async with held_back(server.dsn):
            known = shown(server, LEASES_KNOWN)
            first = STRANGERS + number * count
            run.log.append(await filling.fill_leases(server.dsn, seed=SEED, count=count, first_client=first))
            idle = await look(server, known, IDLE_LOOKS)
        busy = await look(server, known + count)
        for owner in spent:
            spent[owner] += busy[owner] - idle[owner] * busy["looks"] / idle["looks"]
    return {f"feed_{owner}_us": round(spent[owner] / (ROUNDS * count) * 1e6, 2) for owner in spent}


@asynccontextmanager
async def held_back(dsn: str) -> AsyncIterator[None]:
    """Hold the feed back: nothing that is committed in here is in it before the end, because an older transaction
    runs."""
    connection = await connect(dsn)
    try:
        await connection.execute("begin")
        await connection.execute("select pg_current_xact_id()")
        yield
    finally:
        await connection.close()


async def look(server: OurServer, known: float, least: int = 1) -> dict[str, float]:
    """Wait until the server knows so many leases.

    Return its use of the machine and the number of looks, which cost time too.
    """
    before = used(server)
    for looks in range(1, MOST_LOOKS + 1):
        await asyncio.sleep(LOOK_SECONDS)
        if looks >= least and shown(server, LEASES_KNOWN) >= known:
            after = used(server)
            return {owner: after[owner] - before[owner] for owner in after} | {"looks": looks}
    raise ServerStartError(server.name, "it receives no lease events")


def used(server: OurServer) -> dict[str, float]:
    """Return the processor seconds of PostgreSQL, the server and of it the supervisor."""
    first = own_cpu_seconds(server.child.pid) if server.workers > 1 else 0.0
    total = cpu_seconds([server.child.pid])
    return {"postgresql": cpu_seconds([server.postgres.pid]), "workers": total - first, "supervisor": first}


def shown(server: OurServer, name: str) -> float:
    """Return a metric without labels."""
    answer = health.fetch(server.health, "/metrics")
    found = re.search(rf"^{name} (\S+)$", answer[1], re.MULTILINE) if answer else None
    if found is None:
        raise ServerStartError(server.name, f"it shows no {name}")
    return float(found[1])


WORKERS = Workers()
