"""Pictures of a report: rate against latency, and rate against how full a pool is.

`draw` takes the report as `--json` writes it, so that a picture can be drawn again from the file:

    python -m dhcp_fast.bench.report.plots report.json folder

matplotlib is the optional extra "plots"; nothing else of the benchmark needs it.
"""

import importlib.util
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ipam_core.errors import IpamError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIZE = (9.0, 5.5)
DPI = 120
#: : A color per server in every picture, safe for color-blind readers (Okabe and Ito 2008).
COLOURS = {"ipam": "#0072B2", "Kea, PostgreSQL": "#D55E00", "Kea, memory file": "#E69F00", "stub": "#009E73"}
OTHER = "#555555"
#: A pool's size.
MARKERS = {"/18": "o", "/16": "s", "/12": "^", "/8": "D"}

Report = dict[str, Any]


@dataclass(eq=False)
class PlotsNeedMatplotlib(IpamError):
    """plots need matplotlib: pip install 'ipam[plots]'"""


def require() -> None:
    """Check that the plots can be drawn, before an hour of measuring."""
    if importlib.util.find_spec("matplotlib") is None:
        raise PlotsNeedMatplotlib


def draw(report: Report, folder: Path) -> list[Path]:
    """Return the pictures that the report has figures for, as PNG files of the folder."""
    require()
    folder.mkdir(parents=True, exist_ok=True)
    drawn = []
    for scenario in dict.fromkeys(result["scenario"] for result in report["results"]):
        results = [result for result in report["results"] if result["scenario"] == scenario]
        if scenario == "fill":
            drawn += draw_fills(results, report, folder)
        elif any(len(closed_loops(result)) > 1 for result in results):
            drawn.append(draw_latencies(scenario, results, report, folder))
    return drawn


def closed_loops(result: Report) -> list[Report]:
    """Return the steps whose rate is the server's own."""
    return [step for step in result["steps"] if not step["offered_per_second"]]


def draw_latencies(scenario: str, results: list[Report], report: Report, folder: Path) -> Path:
    """Draw latency over rate, a point for each number in flight: the median in full lines, p99 in dashed ones."""
    figure, axes = canvas(1, 1)
    only = axes[0][0]
    for result in results:
        steps = closed_loops(result)
        rates = [step["per_second"] for step in steps]
        colour = COLOURS.get(result["server"], OTHER)
        for percentile, line in (("p50", "o-"), ("p99", "s--")):
            values = [step["latency_ms"][percentile] for step in steps]
            only.plot(rates, values, line, color=colour, label=f"{result['server']}, {percentile}")
        for step in steps:
            at = step["per_second"], step["latency_ms"]["p99"]
            only.annotate(
                f"{step['in_flight']:,}", at, (8, 0), textcoords="offset points", va="center", color=colour
            )
    only.set_yscale("log")
    only.margins(x=0.08, y=0.12)
    only.set_xlim(left=0)
    plain_numbers(only.yaxis)
    thousands(only.xaxis)
    only.set_xlabel("exchanges a second (at the points: how many in flight)")
    only.set_ylabel("milliseconds")
    only.legend(loc="best")
    return save(figure, f"{scenario}: rate and latency", report, folder / f"{scenario}-rate-latency.png")


def draw_fills(results: list[Report], report: Report, folder: Path) -> list[Path]:
    """Return rate over fill, a picture for each kind of pool: above in exchanges a second, below relative to empty."""
    drawn = []
    pools = dict.fromkeys(step["facts"]["pool"] for result in results for step in result["steps"])
    for kind in dict.fromkeys(pool.split()[1] for pool in pools):
        figure, axes = canvas(2, 1)
        for result in results:
            for pool in pools:
                if pool.endswith(kind):
                    plot_pool(axes[0][0], axes[1][0], result, pool)
        finish_fills(axes[0][0], axes[1][0])
        name = folder / f"fill-{kind}.png"
        drawn.append(save(figure, f"{kind} pools: rate and fill", report, name))
    return drawn


def plot_pool(rates: "Axes", shares: "Axes", result: Report, pool: str) -> None:
    """Draw one server's line in both halves; the empty pool's rate is that with the largest window."""
    steps = [step for step in result["steps"] if step["facts"]["pool"] == pool]
    found = {step["facts"]["fill"]: step for step in steps}
    if not found:
        return
    order = [f"{fill:g}" for fill in found]
    style: dict[str, Any] = {
        "color": COLOURS.get(result["server"], OTHER),
        "marker": MARKERS.get(pool.split()[0], "o"),
    }
    label = f"{result['server']}, {pool.split()[0]}"
    rates.plot(order, [step["per_second"] for step in found.values()], label=label, **style)
    shares.plot(order, [100 * step["facts"]["of_empty"] for step in found.values()], label=label, **style)


def finish_fills(rates: "Axes", shares: "Axes") -> None:
    rates.set_yscale("log")
    plain_numbers(rates.yaxis)
    rates.set_ylabel("exchanges a second")
    rates.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    shares.axhline(90, color="#999999", linewidth=1, linestyle=":")
    shares.set_ylim(0, 1.05 * shares.get_ylim()[1])
    shares.set_ylabel("% of the empty pool's rate\nwith as many in flight")
    shares.set_xlabel("how full the pool is, in percent")


def canvas(rows: int, columns: int) -> tuple["Figure", Any]:
    """Return a figure that is drawn into a file, with no window and no state that others share."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(SIZE[0], SIZE[1] * (1 if rows == 1 else 1.35)), dpi=DPI, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(rows, columns, squeeze=False)
    for one in axes.flat:
        one.grid(visible=True, which="major", color="#dddddd", linewidth=0.8)
        one.spines[["top", "right"]].set_visible(False)
    return figure, axes


def thousands(axis: Any) -> None:
    axis.set_major_formatter(lambda value, _: f"{value:,.0f}")


def plain_numbers(axis: Any) -> None:
    """Print 1, 10, 1,000 instead of powers; between them where they are few."""
    from matplotlib.ticker import FuncFormatter, LogLocator

    axis.set_major_locator(LogLocator(base=10, subs=(1, 2, 5)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}"))
    axis.set_minor_formatter("")


def save(figure: "Figure", title: str, report: Report, path: Path) -> Path:
    machine = report["machine"]
    figure.suptitle(title, x=0.01, ha="left", fontweight="bold")
    where = f"{machine['cpu']}, {machine['cores']} cores · {report['measured_at'][:10]}"
    figure.text(0.99, 0.985, where, ha="right", va="top", fontsize=8, color="#666666")
    figure.savefig(path)
    return path


if __name__ == "__main__":
    for made in draw(json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2])):
        sys.stdout.write(f"{made}\n")
