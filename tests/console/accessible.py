"""axe on a page, as it comes from npm: WCAG 2.2 A and AA.

It is run by the browser's debugger, which the page's policy does not bind; so the policy stays as it is.
"""

from pathlib import Path
from typing import Any

from playwright.sync_api import Page

AXE = Path(__file__).parents[2] / "api/console/node_modules/axe-core/axe.min.js"
RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa")
LOADED = "'axe' in window"
RUN = "tags => axe.run(document, { runOnly: { type: 'tag', values: tags } })"
# The second colour scheme is another set of colours in the same document, so what is not about colours is known.
RUN_COLOURS = """tags => {
  const rules = axe.getRules(["cat.color"]).filter((rule) => rule.tags.some((tag) => tags.includes(tag)));
  return axe.run(document, { runOnly: { type: "rule", values: rules.map((rule) => rule.ruleId) } });
}"""
RUNS = {"light": RUN, "dark": RUN_COLOURS}


def violations(page: Page, run: str = RUN) -> list[str]:
    """A line a violation: the rule, what it is about and where."""
    if not page.evaluate(LOADED):
        page.evaluate(AXE.read_text())
    found: dict[str, Any] = page.evaluate(run, list(RULES))
    return [
        f"{each['id']}: {each['help']}: {node['html'][:200]} {node.get('failureSummary', '')[:300]}"
        for each in found["violations"]
        for node in each["nodes"]
    ]


def accessible(page: Page) -> None:
    """Looks at the page in light and in dark."""
    for scheme, run in RUNS.items():
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]  # one of its literals
        found = violations(page, run)
        assert not found, scheme + "\n" + "\n".join(found)
