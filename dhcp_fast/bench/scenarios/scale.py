"""Scale: the cost of ten million leases, ten thousand subnets and a million reservations.

A small site and the large one run side by side, each on a database of its own, and are driven by
turns, so that the machine's own ups and downs meet both. A third start, of the large plan without
leases, separates the plan's memory from that of the leases. On both sites clients renew in random
order and new ones come, first some turns of each and then a whole cycle of PostgreSQL's
checkpoints. Then both are offered the same rate: a server at a higher rate finds more packets at
each wake-up, and each costs it less. The large site's clients are in all of its subnets. At the
end, after a vacuum, one of the subnets is changed repeatedly, and then a global option, while a
client sends request after request. Its longest wait shows the longest work of the server, or of the
supervisor where there are several workers. The leases that the server reads after its start, for
early renewals, are read before the load begins.
"""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any, NamedTuple

import msgspec
from rich.console import Console

from dhcp_fast.bench.generator import filling
from dhcp_fast.bench.generator.template import Features
from dhcp_fast.bench.report.figures import Fact, Figures, Step
from dhcp_fast.bench.scenarios.bench_options import BenchOptions
from dhcp_fast.bench.scenarios.pinging import Pinger
from dhcp_fast.bench.scenarios.scenario import Contestant
from dhcp_fast.bench.scenarios.session import Session, session
from dhcp_fast.bench.servers.checkpointing import Checkpoint
from dhcp_fast.bench.servers.processes import memory
from dhcp_fast.bench.servers.servers import OurServer, Setup, wait_for_calm
from dhcp_fast.packets.message4 import LEASE_TIME, Reply
from ipam_core.db.connect import connect

LEASES = 10_000_000
SUBNETS = 10_000
RESERVATIONS = 1_000_000
BRIEF = (200_000, 500, 20_000)
SMALL = 10_000
WINDOW = 256
# With the seconds of a whole cycle: a longer one of new clients would fill the small site's pool of four million.
MIXES = {"renewals": ("renew", 120.0), "new clients": ("dora", 40.0)}
TURNS = 3
TURN_SECONDS = 5.0
# Of what the large site manages, what both are offered.
SAME_RATE = 0.75
WARM_UP = 5000
CHANGES = 5
FIRST_LEASE_TIME = 7201
SERVED_SECONDS = 60.0
QUIET_SECONDS = 1.0
DOMAIN_SEARCH = 119

# As the management API does it: the new setting, the fence, the entry that the servers read, and the word to read it.
CHANGE_SUBNET = """
with changed as (
  update subnet set fence = fence + 1, lease_time_seconds = $2
  where relay_addresses @> array[$1::inet] returning no, tenant_no, id),
told as (
  insert into change (tenant_no, subnet_no, object_type, object_id, action)
  select tenant_no, no, 'subnet', id, 'updated' from changed)
select pg_notify('ipam_change', no::text) from changed"""

CHANGE_ALL = """
with made as (
  insert into dhcp_option (id, tenant_no, code, payload, always_send)
  select gen_random_uuid(), no, $1, '{"names": ["all.example.test"]}', true from tenant where is_default
  returning tenant_no, id),
told as (
  insert into change (tenant_no, object_type, object_id, action)
  select tenant_no, 'dhcp_option', id, 'created' from made)
select pg_notify('ipam_change', '') from made"""


class Change(NamedTuple):
    """Seconds from the COMMIT to the first answer by it, the longest wait meanwhile and in as long a time before, and
    the longest time that the server worked between two answers."""

    served: float
    longest: float
    before: float
    work: float


class Scale:
    name = "scale"
    summary = (
        "A large site (--leases ten million, --subnets ten thousand, --reservations a million): start time, memory, "
        "cost of an exchange compared with a small site, and changes of one and of all subnets under load."
    )
    admits_peers = False

    def measure(self, contestant: Contestant, options: BenchOptions, console: Console) -> Figures:
        plan = large_plan(options)
        leases = options.leases or (BRIEF[0] if options.brief else LEASES)
        few = Setup(leases=min(SMALL, leases), cache_threshold=0.0, workers=options.workers, long_cycle=True)
        full = msgspec.structs.replace(plan, leases=leases)
        with contestant.start(few) as small:
            with contestant.start(plan) as server:
                empty = resident(server)
            with contestant.start(full) as large:
                assert isinstance(large, OurServer)
                calm = wait_for_calm(large, console)
                facts: dict[str, Fact] = {
                    "leases": leases,
                    "subnets": plan.subnets,
                    "reservations": plan.reservations,
                    "ready_s": round(large.ready_seconds, 2),
                    "all_told_s": round(large.ready_seconds + calm, 1),
                    "octets_a_lease": round((resident(large) - empty) / leases, 1),
                    "plan_mib": round((empty - resident(small)) / (1 << 20), 1),
                }
                with site(small, few, console) as one, site(large, full, console) as many:
                    steps, ratios = exchanges(Sites(one, many), options)
                    large.sweep()
                    facts |= ratios | changes(large)
                    return figures(self.name, steps, (one, many), facts)


def large_plan(options: BenchOptions) -> Setup:
    """Return the large site before it has a lease."""
    subnets, reservations = BRIEF[1:] if options.brief else (SUBNETS, RESERVATIONS)
    return Setup(
        subnets=options.subnets or subnets,
        reservations=reservations if options.reservations is None else options.reservations,
        cache_threshold=0.0,
        workers=options.workers,
        long_cycle=True,
    )


class Sites(NamedTuple):
    small: Session
    large: Session


@contextmanager
def site(server: Any, setup: Setup, console: Console) -> Iterator[Session]:
    features = Features(links=setup.links)
    with session(server, console, holders=setup.leases, features=features) as run:
        run.storm.ledger.hold(server.held, shuffled_by=1)
        run.warm_up(min(WARM_UP, setup.leases), mix="renew")
        yield run


def exchanges(sites: Sites, options: BenchOptions) -> tuple[list[Step], dict[str, Fact]]:
    """Return the steps of both sites by turns, and what an exchange costs on the large one in times of the small
    one's."""
    steps: list[Step] = []
    facts: dict[str, Fact] = {}
    for words, (mix, seconds) in MIXES.items():
        load = {"mix": mix, "window": max(options.windows, default=WINDOW)}
        turns = [turn(sites, f"{words}, {number}", load, options) for number in range(1, TURNS + 1)]
        amount = options.amount(seconds)
        whole = [cycle(run, f"{name} site: {words}", load, amount) for name, run in sites._asdict().items()]
        steady = load | {"rate": int(SAME_RATE * median(many.per_second for _, many in turns))}
        same = [
            turn(sites, f"{words} at a rate, {number}", steady, options) for number in range(1, TURNS + 1)
        ]
        facts |= compared(words.replace(" ", "_"), turns, whole, same)
        steps += [step for pair in [*turns, whole, *same] for step in pair]
    return steps, facts


def turn(sites: Sites, label: str, load: dict[str, Any], options: BenchOptions) -> list[Step]:
    return [
        run.step(f"{name} site: {label}", facts={"checkpoint": ""}, **load, **options.amount(TURN_SECONDS))
        for name, run in sites._asdict().items()
    ]


def cycle(run: Session, label: str, load: dict[str, Any], amount: dict[str, Any]) -> Step:
    """Return a step with a checkpoint in its middle."""
    server = run.server
    assert isinstance(server, OurServer)
    with Checkpoint(server.dsn, after=amount.get("seconds", 0.0) / 2) as halfway:
        step = run.step(f"{label}, a cycle", **load, **amount)
    step.facts["checkpoint"] = "not over" if halfway.seconds is None else f"{halfway.seconds} s"
    return step


def compared(
    words: str, turns: list[list[Step]], whole: list[Step], same: list[list[Step]]
) -> dict[str, Fact]:
    """Return the figures of the large site as multiples of the small one's.

    They are the server's processor time per exchange (the median of the turns, and of those at the
    same rate). Over a cycle they are the processor time with and without PostgreSQL, and the
    duration of an exchange.
    """
    one, many = whole
    all_cpu = [step.cpu_us["server"] + step.cpu_us["postgresql"] for step in (many, one)]
    return {
        f"{words}_server_cpu_times": server_times(turns),
        f"{words}_same_rate_server_cpu_times": server_times(same),
        f"{words}_cycle_server_cpu_times": server_times([whole]),
        f"{words}_cycle_cpu_times": round(ratio(*all_cpu), 3),
        f"{words}_cycle_time_times": round(ratio(one.per_second, many.per_second), 3),
    }


def server_times(pairs: list[list[Step]]) -> float:
    return round(median(ratio(many.cpu_us["server"], one.cpu_us["server"]) for one, many in pairs), 3)


def ratio(one: float, other: float) -> float:
    return one / max(other, 1e-9)


def resident(server: Any) -> int:
    """Return octets of the server's processes that are nobody else's."""
    return memory(server.processes()["server"])["private"]


def figures(name: str, steps: list[Step], sites: tuple[Session, Session], facts: dict[str, Fact]) -> Figures:
    """Return both sites as one, with both verdicts."""
    found = [run.figures(name) for run in sites]
    verdicts = "\n".join(one.verdict for one in found if one.verdict)
    clean = all(one.clean for one in found)
    return Figures(name, found[0].server, steps, verdicts or None, clean, facts=facts)


def changes(server: OurServer) -> dict[str, Fact]:
    """Return the worst of some changes of one subnet, and one of all; milliseconds."""
    process = server.child.pid
    with Pinger(server.address, process, filling.LAST_RELAY, realtime=server.realtime) as pinger:
        time.sleep(QUIET_SECONDS)
        ones = [
            change(server, pinger, CHANGE_SUBNET, (filling.LAST_RELAY, seconds), lasts(seconds))
            for seconds in range(FIRST_LEASE_TIME, FIRST_LEASE_TIME + CHANGES)
        ]
        of_all = change(server, pinger, CHANGE_ALL, (DOMAIN_SEARCH,), searches)
    found = {
        "change_served": max(one.served for one in ones),
        "change_longest_wait": max(one.longest for one in ones),
        "change_longest_work": max(one.work for one in ones),
        "wide_change_served": of_all.served,
        "wide_change_longest_wait": of_all.longest,
        "wide_change_longest_work": of_all.work,
        "longest_wait_without_change": max(one.before for one in (*ones, of_all)),
    }
    return {f"{name}_ms": round(seconds * 1000, 2) for name, seconds in found.items()}


def lasts(seconds: int) -> Any:
    return lambda offer: offer.seconds(LEASE_TIME) == seconds


def searches(offer: Reply) -> bool:
    return DOMAIN_SEARCH in offer.options


def change(
    server: OurServer, pinger: Pinger, statement: str, arguments: tuple[Any, ...], served: Any
) -> Change:
    """Look as long a time before it as after it."""
    pinger.look()
    began = time.monotonic()
    committed = asyncio.run(execute(server.dsn, statement, arguments))
    at = pinger.wait_for(served, SERVED_SECONDS)
    time.sleep(QUIET_SECONDS)
    pinger.look()
    ended = time.monotonic()
    waits = pinger.longest(began, ended), pinger.longest(2 * began - ended, began)
    work = pinger.most_work(began, ended)
    return Change(float("inf") if at is None else max(at - committed, 0.0), *waits, work)


async def execute(dsn: str, statement: str, arguments: tuple[Any, ...]) -> float:
    """Execute and return the time of the commit, by the monotonic clock."""
    connection = await connect(dsn)
    try:
        await connection.fetch(statement, *arguments)
        return time.monotonic()
    finally:
        await connection.close()


SCALE = Scale()
