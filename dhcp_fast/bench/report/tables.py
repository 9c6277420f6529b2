"""Tables that a benchmark prints: one a server, and one of everything at the end."""

from rich.console import Console
from rich.table import Table

from dhcp_fast.bench.report.figures import BEST, Fact, Figures, Step, best, comparable, ratios

CPU_WORDS = {"server": "server µs", "postgresql": "PostgreSQL µs", "generator": "generator µs"}


def print_figures(figures: Figures, console: Console) -> None:
    """Print one server in one scenario, with the figures that only this scenario has."""
    if not figures.steps:
        console.print(
            f"\n{figures.scenario}: {figures.server}: no requested scenario can be measured with it"
        )
        return
    table = Table(
        title=f"{figures.scenario}: {figures.server}", title_justify="left", box=None, pad_edge=False
    )
    table.add_column("load")
    owners = list(figures.steps[0].cpu_us)
    facts = [name for name in figures.steps[0].facts if name not in ("pool", "fill")]
    names = [
        "exchanges/s",
        "p50 ms",
        "p99 ms",
        "drops",
        "NAKs",
        "stolen %",
        *(CPU_WORDS.get(name, name) for name in owners),
    ]
    for name in [*names, *(words(name) for name in facts)]:
        table.add_column(name, justify="right")
    for step in figures.steps:
        cpu = [f"{step.cpu_us[owner]:.1f}" for owner in owners]
        table.add_row(*cells(step), *cpu, *(shown(step.facts[name]) for name in facts))
    console.print()
    console.print(table)
    for name, value in figures.facts.items():
        console.print(f"  {words(name)}: {shown(value)}")
    if figures.verdict:
        console.print(f"Audit: {figures.verdict}", soft_wrap=True)


def cells(step: Step) -> list[str]:
    return [
        step.label,
        f"{step.per_second:,.0f}",
        f"{step.latency_ms['p50']:.2f}",
        f"{step.latency_ms['p99']:.2f}",
        f"{step.drops:,}",
        f"{step.naks:,}",
        f"{step.stolen_percent:.1f}",
    ]


def words(name: str) -> str:
    return name.replace("_", " ")


def shown(value: Fact) -> str:
    return f"{value:,}" if isinstance(value, int | float) else value


def print_summary(measured: list[Figures], console: Console) -> None:
    """Print every load of every scenario in a row, every server in its columns."""
    servers = list(dict.fromkeys(figures.server for figures in measured))
    table = Table(title="All in one", title_justify="left", box=None, pad_edge=False)
    table.add_column("scenario")
    table.add_column("load")
    for server in servers:
        table.add_column(f"{server}/s", justify="right")
        table.add_column("p99 ms", justify="right")
    found = {
        (step_key(figures, step), figures.server): step for figures in measured for step in figures.steps
    }
    if len(servers) > 1:
        found |= {
            ((each.scenario, BEST), each.server): step
            for each in measured
            if (step := best(each)) is not None
        }
    times = ratios(measured)
    for scenario, label in dict.fromkeys(key for key, _ in found):
        row = []
        for server in servers:
            step = found.get(((scenario, label), server))
            row += cells_of(step, times.get(scenario, {}).get(server, {}).get(label))
        table.add_row(scenario, label, *row)
    console.print()
    console.print(table)


def step_key(figures: Figures, step: Step) -> tuple[str, str]:
    return figures.scenario, step.label


def cells_of(step: Step | None, ratio: float | None) -> list[str]:
    """Return rate and p99; with a peer, how many times its rate ours is."""
    if step is None:
        return ["", ""]
    times = f" (1/{ratio:.1f})" if ratio and comparable(step) else ""
    return [f"{step.per_second:,.0f}{times}", f"{step.latency_ms['p99']:.2f}"]
