"""Figures of a run, as the report has them."""

from statistics import median

import msgspec

from dhcp_fast.bench.generator.result import Result
from dhcp_fast.bench.report.reporting import latencies

Fact = float | int | str

BEST = "each at its best load"
SUMMED = ("exchanges", "drops", "naks", "retransmits", "lost_at_server", "lost_in_generator")


class Step(msgspec.Struct, frozen=True):
    """Figures of one load; CPU in microseconds per completed exchange, by process.

    `label` is the load's name in tables; the steps of several servers with one label are compared.
    `facts` are a scenario's own. `stolen_percent` is the processor time of the machine that its
    host gave to others meanwhile; a large value makes the figures of the step unreliable.
    """

    label: str
    in_flight: int
    offered_per_second: int
    per_second: float
    exchanges: int
    drops: int
    naks: int
    retransmits: int
    lost_at_server: int
    lost_in_generator: int
    latency_ms: dict[str, float]
    cpu_us: dict[str, float]
    facts: dict[str, Fact]
    stolen_percent: float = 0.0


class Figures(msgspec.Struct, frozen=True):
    """Record of what one server did in one scenario; `facts` are about the whole of it, `samples` were taken on the
    way."""

    scenario: str
    server: str
    steps: list[Step]
    verdict: str | None
    clean: bool
    facts: dict[str, Fact] = {}
    samples: list[dict[str, Fact]] = []


def step_of(
    label: str,
    result: Result,
    *,
    rate: int,
    lost: int,
    spent: dict[str, float],
    stolen: float,
    facts: dict[str, Fact],
) -> Step:
    """Return the step's figures. `spent` are seconds of processor time, `lost` datagrams that the server's socket had
    no room for, `stolen` a part of one."""
    done = max(result.acks or result.offers, 1)
    return Step(
        label=label,
        in_flight=result.window,
        offered_per_second=rate,
        per_second=round(result.rate, 1),
        exchanges=result.acks or result.offers,
        drops=result.drops,
        naks=result.naks,
        retransmits=result.retransmits,
        lost_at_server=lost,
        lost_in_generator=result.kernel_drops,
        latency_ms=latencies(result.latency if result.acks else result.offer_latency),
        cpu_us={name: round(seconds / done * 1e6, 2) for name, seconds in spent.items()},
        facts=facts,
        stolen_percent=round(100 * stolen, 1),
    )


def merged(label: str, steps: list[Step]) -> Step:
    """Return the turns of one kind of load: sums, mean rate, CPU and theft, median p50 and the worst of the other
    latencies."""
    count = len(steps)
    worst = {name: max(step.latency_ms[name] for step in steps) for name in steps[0].latency_ms}
    owners = steps[0].cpu_us
    return msgspec.structs.replace(
        steps[0],
        label=label,
        per_second=round(sum(step.per_second for step in steps) / count, 1),
        latency_ms=worst | {"p50": median(step.latency_ms["p50"] for step in steps)},
        cpu_us={owner: round(sum(step.cpu_us[owner] for step in steps) / count, 2) for owner in owners},
        stolen_percent=round(sum(step.stolen_percent for step in steps) / count, 1),
        **{name: sum(getattr(step, name) for step in steps) for name in SUMMED},
    )


def comparable(step: Step) -> bool:
    """Return whether the rate is the server's own: an open loop's is the generator's."""
    return step.offered_per_second == 0


def best(figures: Figures) -> Step | None:
    """Return the load under which the server did most; of one load there is no choice."""
    loads = [step for step in figures.steps if comparable(step)]
    return max(loads, key=lambda step: step.per_second) if len(loads) > 1 else None


def ratios(measured: list[Figures]) -> dict[str, dict[str, dict[str, float]]]:
    """Return how many times the others' rates ours is: by scenario, server and load, and each one at its best load.
    Ours is the first of each scenario."""
    found: dict[str, dict[str, dict[str, float]]] = {}
    own: dict[str, Figures] = {}
    for figures in measured:
        first = own.setdefault(figures.scenario, figures)
        if first is figures:
            continue
        rates = {step.label: step.per_second for step in figures.steps if comparable(step)}
        found.setdefault(figures.scenario, {})[figures.server] = {
            step.label: round(step.per_second / max(rates[step.label], 1e-9), 2)
            for step in first.steps
            if step.label in rates
        }
        ours, theirs = best(first), best(figures)
        if ours and theirs:
            times = round(ours.per_second / max(theirs.per_second, 1e-9), 2)
            found[figures.scenario][figures.server][BEST] = times
    return found
