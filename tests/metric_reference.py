"""docs/reference/metrics.md against the pages: each family that a process shows has its row there, and each row is
shown.

`hold(families, section)` says on failure which rows to write. `known()` is every family, for what uses them.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families

REFERENCE = Path(__file__).parents[1] / "docs" / "reference" / "metrics.md"
ROW = re.compile(r"\| `(\w+)` \| (\w+) \| (.*?) \| (.*) \|")
EVERY = "Every process"
BUCKET = {"le"}  # a bucket's bound, no label that a family is made with
NAME = re.compile(r"ipam(_[a-z][a-z0-9]*)+")
NO_BASE_UNITS = re.compile(r"_(ms|milliseconds|microseconds|minutes|hours|days|kilobytes|kb|mb|percent)(_|$)")


class Row(NamedTuple):
    """As written: labels sorted; None where no sample tells them."""

    name: str
    kind: str
    labels: tuple[str, ...] | None
    text: str

    def __str__(self) -> str:
        return f"| `{self.name}` | {self.kind} | {', '.join(f'`{one}`' for one in self.labels or ())} | {self.text} |"


@cache
def sections() -> dict[str, dict[str, Row]]:
    """Rows by heading and name."""
    found: dict[str, dict[str, Row]] = {}
    for part in REFERENCE.read_text().split("\n## ")[1:]:
        title, _, body = part.partition("\n")
        rows = [
            Row(name, kind, tuple(sorted(re.findall(r"`(\w+)`", labels))), text)
            for name, kind, labels, text in ROW.findall(body)
        ]
        found[title] = {row.name: row for row in rows}
        assert len(found[title]) == len(rows), f"a family has two rows: {title}"
    return found


def known() -> dict[str, Row]:
    """Of DHCPv6 too, whose families are those of DHCPv4 by another name."""
    rows = {name: row for section in sections().values() for name, row in section.items()}
    return rows | {name.replace("dhcp4", "dhcp6"): row for name, row in rows.items()}


def read(page: str) -> Iterator[Metric]:
    yield from text_string_to_metric_families(page)


def row_of(metric: Metric) -> Row:
    labels = getattr(metric, "_labelnames", None)
    if labels is None and metric.samples:
        labels = {label for sample in metric.samples for label in sample.labels} - BUCKET
    name = metric.name + ("_total" if metric.type == "counter" else "")
    return Row(name, metric.type, None if labels is None else tuple(sorted(labels)), metric.documentation)


def hold(metrics: Iterable[Metric], section: str, whole: bool = True) -> None:
    """The families, collected or read from a page, are those of the section and, of a whole page, of every process."""
    shown = {row.name: row for row in map(row_of, metrics)}
    wanted = (sections()[EVERY] if whole else {}) | sections()[section]
    assert shown.keys() == wanted.keys(), "docs/reference/metrics.md, " + "\n".join(
        [f"section {section!r}:"]
        + [f"to add: {shown[name]}" for name in sorted(shown.keys() - wanted.keys())]
        + [f"to remove: {wanted[name]}" for name in sorted(wanted.keys() - shown.keys())]
    )
    for name, row in shown.items():
        expected = wanted[name] if row.labels is not None else wanted[name]._replace(labels=None)
        assert row == expected, f"docs/reference/metrics.md should say: {row}"
        keeps_the_rules(row)


def keeps_the_rules(row: Row) -> None:
    """https://prometheus.io/docs/practices/naming/"""
    assert NAME.fullmatch(row.name), row
    assert row.name.endswith("_total") == (row.kind == "counter"), row
    assert (
        not row.name.endswith(("_created", "_count", "_sum", "_bucket", "_info"))
        or row.name == "ipam_build_info"
    )
    assert not NO_BASE_UNITS.search(row.name), f"seconds, bytes and ratios only: {row}"
    assert row.kind in {"counter", "gauge", "histogram"}
    assert re.fullmatch(r"[A-Z][^|]*\.", row.text), row
