"""The guides in a browser: no script is blocked, nothing is loaded from another host, and the search finds a page."""

from collections.abc import Iterator

import guide_site
import pytest
from cli.serving import Served
from console.conftest import PATIENCE_MS
from console.watched import Watched
from playwright.sync_api import Browser, Page, expect


@pytest.fixture
def guide(browsing: Browser, service: Served) -> Iterator[Page]:
    guide_site.require()
    context = browsing.new_context(base_url=service.url.removesuffix("/api/v1"))
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    watched = Watched(page)
    page.goto("/docs/guide/")
    yield page
    faults = watched.faults()
    context.close()
    assert faults == []


def test_the_search_leads_to_a_page(guide: Page) -> None:
    expect(guide).to_have_title("Guides - ipam")
    guide.keyboard.press("/")
    box = guide.get_by_label("Search", exact=True).and_(guide.locator("input[type=text]"))
    box.fill("connections_per_address")
    guide.locator("a[href*='h=connections_per_address']", has_text="Settings").first.click()
    expect(guide.get_by_role("heading", name="Settings", level=1)).to_be_visible()
    assert "/docs/guide/reference/settings.html" in guide.url


def test_a_reader_walks_from_the_index_to_a_file(guide: Page) -> None:
    guide.get_by_role("link", name="Metrics", exact=True).last.click()
    expect(guide).to_have_title("Metrics - ipam")
    guide.get_by_role("link", name="prometheus.yml", exact=True).first.click()
    expect(guide.locator("body")).to_contain_text("scrape_configs:")
