"""axe on a page, as it comes from npm: WCAG 2.2 A and AA.

It is run by the browser's debugger, which the page's policy does not bind; so the policy stays as it is.
"""

from pathlib import Path
from typing import Any

from playwright.sync_api import Page

AXE = Path(__file__).parents[2] / "api/console/node_modules/axe-core/axe.min.js"
RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa")
RUN = "tags => axe.run(document, { runOnly: { type: 'tag', values: tags } })"


def violations(page: Page) -> list[str]:
    """A line a violation: the rule, what it is about and where."""
    page.evaluate(AXE.read_text())
    found: dict[str, Any] = page.evaluate(RUN, list(RULES))
    return [
        f"{each['id']}: {each['help']}: {node['html'][:200]} {node.get('failureSummary', '')[:300]}"
        for each in found["violations"]
        for node in each["nodes"]
    ]


def accessible(page: Page) -> None:
    """Looks at the page in light and in dark."""
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]  # one of its literals
        found = violations(page)
        assert not found, scheme + "\n" + "\n".join(found)
