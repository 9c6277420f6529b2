"""A table of 20,000 leases, scrolled from one end to the other: the document stays as small as it was."""

import pytest
from console.conftest import Open
from console.granted import grant
from playwright.sync_api import Page, expect

from api.client import Client

MANY = 20_000
MOST_NODES = 3_000
MOST_PAGES = 200
NODES = "document.querySelectorAll('*').length"


@pytest.fixture(scope="module")
def leases(client: Client, module_database: str) -> None:
    prefix = client.create("prefixes", cidr="10.64.0.0/10").id
    subnet = client.create("subnets", prefix_id=prefix, cidr="10.64.0.0/16").id
    grant(module_database, str(subnet), 10, 10 + MANY - 1)


@pytest.mark.usefixtures("leases")
def test_the_lease_table_keeps_the_document_small(opened: Open, tokens: dict[str, str]) -> None:
    page = opened("/leases", tokens["admin"])
    grid = page.get_by_role("grid")
    expect(grid.get_by_text("10.64.0.10", exact=True)).to_be_visible()
    grid.focus()
    most = max(scrolled(page) for _ in range(MOST_PAGES))
    expect(grid).to_have_attribute("aria-rowcount", str(MANY + 1))
    page.keyboard.press("End")
    expect(grid.get_by_text(f"host-{10 + MANY - 1}.example.net")).to_be_visible()
    page.keyboard.press("Home")
    expect(grid.get_by_text("10.64.0.10", exact=True)).to_be_visible()
    assert max(most, page.evaluate(NODES)) < MOST_NODES


def scrolled(page: Page) -> int:
    """To the last row that is loaded, until there are no more; how large the document is there."""
    grid = page.get_by_role("grid")
    if grid.get_attribute("aria-rowcount") != "-1":
        return 0
    before = page.get_by_role("status").first.inner_text()
    page.keyboard.press("End")
    expect(page.get_by_role("status").first).not_to_have_text(before)
    return int(page.evaluate(NODES))
