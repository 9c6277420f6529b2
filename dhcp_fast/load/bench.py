"""`ipam bench`: how many durable exchanges a second, at what latency, at what cost, and is every one kept?

Each server starts with an empty database of its own, is warmed up, and is then driven at each window with
clients that it has not seen. CPU time is read from /proc around each step (the generator's from its thread's
clock). When all steps of our server are done, the audit compares every ACK with PostgreSQL; the exit code is
1 when it is not clean. With a peer the same generator drives the peer in the same run and ratios are printed.
"""

import json
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table

from dhcp_fast.load import servers
from dhcp_fast.load.following import drive
from dhcp_fast.load.machine import in_words, machine
from dhcp_fast.load.processes import cpu_seconds
from dhcp_fast.load.reporting import latencies
from dhcp_fast.load.result import Result
from dhcp_fast.load.servers import Server
from dhcp_fast.load.storm import SLOTS, Storm

SEED = 0xBE
WARM_UP = 5000
WARM_UP_WINDOW = 256
RENEWED = 20_000


class Request(msgspec.Struct, frozen=True):
    """What to measure; `exchanges` 0: by time. With `rates` the loop is open: so many a second are begun."""

    scenario: str = "dora"
    peer: str | None = None
    stub: bool = False
    exchanges: int = 0
    seconds: float = 5.0
    windows: tuple[int, ...] = (64, 256, 1024, 2048)
    rates: tuple[int, ...] = ()
    report: Path | None = None


class Step(msgspec.Struct, frozen=True):
    """One window's figures; CPU in microseconds a completed exchange, by whose it is."""

    in_flight: int
    offered_per_second: int
    per_second: float
    exchanges: int
    drops: int
    naks: int
    retransmits: int
    lost_in_generator: int
    latency_ms: dict[str, float]
    cpu_us: dict[str, float]


class Figures(msgspec.Struct, frozen=True):
    """What one server did."""

    server: str
    steps: list[Step]
    verdict: str | None
    clean: bool


def bench(request: Request) -> int:
    """Measure, print, write; the exit code."""
    console = Console(highlight=False)
    facts = machine(servers.FOLDER)
    console.print(in_words(facts))
    measured = []
    for start in contestants(request):
        with start as server:
            measured.append(measure(server, request, console))
        print_figures(measured[-1], console)
    print_ratios(measured, console)
    if request.report:
        request.report.write_text(json.dumps(as_json(request, facts, measured), indent=1) + "\n")
    return 0 if all(figures.clean for figures in measured) else 1


def contestants(request: Request) -> list[AbstractContextManager[Server]]:
    """In the order of driving; none is started yet."""
    if request.stub:
        return [servers.stub()]
    # A renewal within the first quarter of a lease costs no write; the scenario is about those that do.
    threshold = 0.0 if request.scenario == "renew" else 0.25
    found: list[AbstractContextManager[Server]] = [servers.ours(cache_threshold=threshold)]
    if request.peer:
        found += [servers.kea_on_postgresql(), servers.kea_in_memory()]
    return found


def measure(server: Server, request: Request, console: Console) -> Figures:
    storm = Storm(server.address, seed=SEED)
    try:
        held = warm_up(storm, server, request, console)
        logs, steps = [held], []
        for window, rate in loads(request):
            step, log = one_step(storm, server, request, window, rate, held, console)
            steps.append(step)
            logs.append(log)
    finally:
        storm.close()
    found = server.verdict(b"".join(logs), SEED)
    return Figures(server.name, steps, str(found) if found else None, clean=found is None or found.clean)


def warm_up(storm: Storm, server: Server, request: Request, console: Console) -> bytes:
    """Fill caches and prepared statements; the addresses got are what "renew" renews."""
    count = RENEWED if request.scenario == "renew" else WARM_UP
    title = f"{server.name}: warming up"
    result = drive(storm, console, title, exchanges=count, window=WARM_UP_WINDOW)
    if result.acks == 0:
        raise servers.ServerStartError(server.name, "it answers no client of the warm-up")
    return result.log


def loads(request: Request) -> list[tuple[int, int]]:
    """Window and rate of each step; an open loop may have as many in flight as there are slots."""
    if request.rates:
        return [(SLOTS, rate) for rate in request.rates]
    return [(window, 0) for window in request.windows]


def one_step(
    storm: Storm, server: Server, request: Request, window: int, rate: int, held: bytes, console: Console
) -> tuple[Step, bytes]:
    """Drive one load; its figures and its log."""
    amount = {"exchanges": request.exchanges} if request.exchanges else {"seconds": request.seconds}
    roots = server.processes()
    before = {name: cpu_seconds(pids) for name, pids in roots.items()}
    title = f"{server.name}: {f'{rate} a second' if rate else f'{window} in flight'}"
    result = drive(storm, console, title, mix=request.scenario, window=window, rate=rate, held=held, **amount)
    spent = {name: cpu_seconds(pids) - before[name] for name, pids in roots.items()}
    return step_of(result, rate, spent | {"generator": result.cpu}), result.log


def step_of(result: Result, rate: int, spent: dict[str, float]) -> Step:
    done = max(result.acks or result.offers, 1)
    return Step(
        in_flight=result.window,
        offered_per_second=rate,
        per_second=round(result.rate, 1),
        exchanges=done,
        drops=result.drops,
        naks=result.naks,
        retransmits=result.retransmits,
        lost_in_generator=result.kernel_drops,
        latency_ms=latencies(result.latency if result.acks else result.offer_latency),
        cpu_us={name: round(seconds / done * 1e6, 2) for name, seconds in spent.items()},
    )


def print_figures(figures: Figures, console: Console) -> None:
    owners = list(figures.steps[0].cpu_us)
    table = Table(title=figures.server, title_justify="left", box=None, pad_edge=False)
    for name in (load_name(figures), "exchanges/s", "p50 ms", "p99 ms", "drops", "NAKs"):
        table.add_column(name, justify="right")
    for owner in owners:
        table.add_column(f"{owner} µs", justify="right")
    for step in figures.steps:
        table.add_row(*cells(step), *(f"{step.cpu_us[owner]:.1f}" for owner in owners))
    console.print()
    console.print(table)
    if figures.verdict:
        console.print(f"Audit: {figures.verdict}", soft_wrap=True)


def load_name(figures: Figures) -> str:
    return "begun/s" if figures.steps[0].offered_per_second else "in flight"


def load_of(step: Step) -> int:
    return step.offered_per_second or step.in_flight


def cells(step: Step) -> list[str]:
    return [
        f"{load_of(step):,}",
        f"{step.per_second:,.0f}",
        f"{step.latency_ms['p50']:.2f}",
        f"{step.latency_ms['p99']:.2f}",
        f"{step.drops:,}",
        f"{step.naks:,}",
    ]


def ratios(measured: list[Figures]) -> dict[str, dict[int, float]]:
    """How many times the others' rates ours is, by server and load."""
    if not measured:
        return {}
    own, *others = measured
    found: dict[str, dict[int, float]] = {}
    for other in others:
        pairs = zip(own.steps, other.steps, strict=True)
        found[other.server] = {load_of(a): round(a.per_second / max(b.per_second, 1e-9), 2) for a, b in pairs}
    return found


def print_ratios(measured: list[Figures], console: Console) -> None:
    for name, by_load in ratios(measured).items():
        shown = ", ".join(f"{ratio:.1f} at {load:,}" for load, ratio in by_load.items())
        console.print(f"\nTimes the rate of {name}: {shown}")


def as_json(request: Request, facts: dict[str, str], measured: list[Figures]) -> dict[str, Any]:
    return {
        "measured_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": facts,
        "scenario": request.scenario,
        "servers": msgspec.to_builtins(measured),
        "ratios": {name: {str(key): value for key, value in found.items()} for name, found in
                   ratios(measured).items()},
    }  # fmt: skip
