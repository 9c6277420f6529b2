"""Plots of the documents, drawn as SVG from the tables beside them: `python -m benchmarks.plots`.

A plot has a group of bars for each row of a table and a bar for each chosen column. The same table gives the same
octets, so a test finds a plot that is older than its table.
"""

import re
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
COLORS = ("#0b6e99", "#c2571a", "#7a7a7a")
WIDTH, LEFT, RIGHT, BAR, GAP, TOP = 860, 170, 90, 14, 10, 76


class Plot(NamedTuple):
    """`table`: text that the head of the table begins with; `columns`: number of a column and its label."""

    file: str
    document: str
    table: str
    columns: tuple[tuple[int, str], ...]
    title: str
    unit: str


PLOTS = (
    Plot(
        "benchmarks/storm.svg",
        "benchmarks/README.md",
        "| in flight | ipam/s | p50 ms | p99 ms | server µs | PostgreSQL µs | Kea on PostgreSQL/s",
        ((1, "ipam"), (6, "Kea 2.2 on PostgreSQL"), (7, "Kea 2.2, memory file")),
        "New clients per second by exchanges in flight, two cores",
        "",
    ),
    Plot(
        "docs/explanation/scaling.svg",
        "docs/explanation/scaling.md",
        "| PostgreSQL's cores |",
        ((1, "by measured costs"), (2, "to plan with")),
        "New clients per second by PostgreSQL's cores (calculated)",
        "",
    ),
    Plot(
        "docs/explanation/reliability.svg",
        "docs/explanation/reliability.md",
        "| Fault | Silence |",
        ((1, "nobody was served"), (2, "longest wait after the fault")),
        "Seconds without service by fault, one hour of faults",
        " s",
    ),
)


def rows(plot: Plot) -> Iterator[tuple[str, list[float]]]:
    """Yield the label and the values of each row that has all of them."""
    text = (ROOT / plot.document).read_text("utf-8")
    head = text.index(plot.table)
    for line in text[head:].split("\n\n")[0].split("\n")[2:]:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        found = [re.match(r"[\d.,]+", cells[number]) for number, _ in plot.columns]
        if all(found):
            values = [float(each[0].replace(",", "")) for each in found if each]
            yield cells[0].strip("`"), values


def drawn(plot: Plot) -> str:
    """Return the plot as SVG."""
    groups = [*rows(plot)]
    largest = max(max(values) for _, values in groups)
    height = TOP + len(groups) * (len(plot.columns) * BAR + GAP) + 10
    body = [*legend([label for _, label in plot.columns])]
    y = TOP
    for label, values in groups:
        middle = y + len(values) * BAR / 2 + 4
        body.append(
            f'<text x="{LEFT - 8}" y="{middle:.0f}" text-anchor="end" font-size="13">{escape(label)}</text>'
        )
        for color, value in zip(COLORS, values, strict=False):
            body += bar(y, value, (WIDTH - LEFT - RIGHT) * value / largest, color, plot.unit)
            y += BAR
        y += GAP
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img"'
        f' font-family="sans-serif" fill="#1a1a1a">\n<title>{escape(plot.title)}</title>\n'
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>\n'
        f'<text x="16" y="28" font-size="17">{escape(plot.title)}</text>\n' + "\n".join(body) + "\n</svg>\n"
    )


def legend(labels: Sequence[str]) -> Iterator[str]:
    x = 16
    for color, label in zip(COLORS, labels, strict=False):
        yield f'<rect x="{x}" y="46" width="12" height="12" fill="{color}"/>'
        yield f'<text x="{x + 18}" y="57" font-size="13">{escape(label)}</text>'
        x += 34 + 8 * len(label)


def bar(y: int, value: float, length: float, color: str, unit: str) -> Iterator[str]:
    shown = f"{value:,.1f}" if value != int(value) or unit else f"{value:,.0f}"
    yield f'<rect x="{LEFT}" y="{y}" width="{length:.1f}" height="{BAR - 2}" fill="{color}"/>'
    yield f'<text x="{LEFT + length + 6:.1f}" y="{y + BAR - 3}" font-size="11">{shown}{unit}</text>'


def main() -> None:
    for plot in PLOTS:
        (ROOT / plot.file).write_text(drawn(plot), "utf-8")


if __name__ == "__main__":
    main()
