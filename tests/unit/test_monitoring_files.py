"""What deploy/ brings for Prometheus and Grafana asks for metrics that are shown, by labels that they have."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from metric_reference import Row, known

DEPLOY = Path(__file__).parents[2] / "deploy"
DASHBOARD = json.loads((DEPLOY / "grafana" / "ipam.json").read_text())
GROUPS = yaml.safe_load((DEPLOY / "prometheus" / "ipam.rules.yml").read_text())["groups"]
RULES = [rule for group in GROUPS for rule in group["rules"]]
BY_PROMETHEUS = {"job", "instance"}
UP = {"role"}  # `ipam up` adds it
DOCS = Path(__file__).parents[2] / "docs"
METRIC = re.compile(r"\b(ipam_\w+)(?:\{([^}]*)\})?")
MATCHER = re.compile(r"(\w+)\s*(?:=~|!~|!=|=)")


def panels() -> Iterator[dict[str, Any]]:
    yield from (panel for panel in DASHBOARD["panels"] if panel["type"] != "row")


def expressions() -> Iterator[str]:
    yield from (rule["expr"] for rule in RULES)
    for panel in panels():
        yield from (target["expr"] for target in panel["targets"])
    yield from (
        variable["definition"] for variable in DASHBOARD["templating"]["list"] if variable["type"] == "query"
    )


def row(sample: str) -> Row | None:
    """The family of a sample; those of histograms have three."""
    rows = known()
    base = re.sub(r"_(bucket|sum|count)$", "", sample)
    if sample in rows:
        return rows[sample] if rows[sample].kind != "histogram" else None
    return rows[base] if base in rows and rows[base].kind == "histogram" else None


@pytest.mark.parametrize("expression", sorted(set(expressions())))
def test_an_expression_asks_for_what_is_shown(expression: str) -> None:
    asked = METRIC.findall(expression)
    labels: set[str] = set()
    for sample, matchers in asked:
        found = row(sample)
        assert found is not None, f"{sample} is not in docs/reference/metrics.md"
        assert found.labels is not None
        has = {*found.labels, *BY_PROMETHEUS, *UP}
        assert set(MATCHER.findall(matchers)) <= has, expression
        labels |= has | ({"le"} if sample.endswith("_bucket") else set())
    for grouped in re.findall(r"\bby \(([^)]*)\)", expression):
        assert set(grouped.split(", ")) <= labels, expression


@pytest.mark.parametrize("page", ["how-to/monitoring.md", "how-to/ddns.md", "explanation/engine.md"])
def test_what_the_guides_name_is_shown(page: str) -> None:
    named = re.findall(r"\bipam_(?:dhcp|dhcp4|dhcp6|dns|ddns|lease_event)_\w+\b", (DOCS / page).read_text())
    assert [name for name in named if row(name) is None and name not in known()] == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["alert"])
def test_an_alert_says_what_it_means_and_what_to_do(rule: dict[str, Any]) -> None:
    assert set(rule["annotations"]) == {"summary", "description", "runbook"}
    assert all(rule["annotations"].values())
    assert rule["labels"]["severity"] in {"warning", "critical"}
    names = set(re.findall(r"\$labels\.(\w+)", " ".join(rule["annotations"].values())))
    kept = re.search(r"\bby \(([^)]*)\)", rule["expr"])
    if kept:
        assert names <= set(kept[1].split(", ")), "a label that the expression sums away"


def test_names_and_places_are_said_once() -> None:
    alerts = [rule["alert"] for rule in RULES]
    assert len(alerts) == len(set(alerts))
    identities = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(identities) == len(set(identities))
    taken = [
        (x, y)
        for panel in DASHBOARD["panels"]
        for x in range(panel["gridPos"]["x"], panel["gridPos"]["x"] + panel["gridPos"]["w"])
        for y in range(panel["gridPos"]["y"], panel["gridPos"]["y"] + panel["gridPos"]["h"])
    ]
    assert len(taken) == len(set(taken)), "two panels overlap"
    assert max(x for x, _ in taken) < 24


def test_every_panel_asks_the_chosen_source() -> None:
    for panel in panels():
        for asked in (panel, *panel["targets"]):
            assert asked["datasource"] == {"type": "prometheus", "uid": "${datasource}"}
