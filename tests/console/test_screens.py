"""Every screen: accessible in both colours, nothing sideways on a telephone or when magnified, no error.

New screens are tried by being there: they are read from the folders (routes.py), and each of their tabs is opened.
"""

import re
import time

import pytest
from console import routes
from console.accessible import accessible
from console.conftest import Open
from console.layout import sideways
from console.traffic import PATIENCE_SECONDS, Traffic
from playwright.sync_api import Page, expect

from api.client import Client

# Tables that stay empty until somebody asks something, by what they are called.
UNASKED: frozenset[str] = frozenset()


@pytest.mark.usefixtures("furnished")
@pytest.mark.parametrize("screen", routes.screens(), ids=lambda screen: screen.name)
def test_a_screen_serves_everybody(
    opened: Open, tokens: dict[str, str], client: Client, screen: routes.Screen
) -> None:
    page = opened(routes.place_of(client, screen.routes[0]), tokens["admin"])
    traffic = Traffic(page)
    for number, route in enumerate(screen.routes):
        if number:
            page.goto(f"/console{routes.place_of(client, route)}")
        look(page, traffic, silent=route.path in routes.SILENT)
        for tab in tabs_of(page)[1:]:
            page.get_by_role("main").get_by_role("tab", name=tab, exact=True).click()
            look(page, traffic)


def tabs_of(page: Page) -> list[str]:
    """Those of the screen itself."""
    tabs = page.get_by_role("main").get_by_role("tablist").first.get_by_role("tab")
    return [text.strip() for text in tabs.all_inner_texts()]


def look(page: Page, traffic: Traffic, silent: bool = False) -> None:
    traffic.settle()
    expect(page.get_by_role("main").get_by_role("heading").first).to_be_visible()
    expect(page.get_by_text("There is nothing at this address")).to_have_count(0)
    if not silent:
        await_rows(page)
    assert sideways(page) == []
    accessible(page)


def await_rows(page: Page) -> None:
    """Rows are drawn some time after the answer came: on a busy machine later than the traffic has settled."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while empty := empty_tables(page):
        assert time.monotonic() < deadline, empty
        page.wait_for_timeout(50)


def empty_tables(page: Page) -> list[str]:
    """The site has something for each of them."""
    tables = page.get_by_role("main").locator("[role=grid], [role=treegrid]").all()
    found = [table.get_attribute("aria-label") or "" for table in tables if is_empty(table.inner_html())]
    return [name for name in found if name not in UNASKED]


def is_empty(inside: str) -> bool:
    return len(re.findall(r'role="row"', inside)) < 2
