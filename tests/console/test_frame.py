"""What stands around every screen: search, keys, preferences, the log of calls, and what the first page weighs."""

import gzip
import json
from pathlib import Path

import httpx
import pytest
from console import built
from console.accessible import accessible
from console.conftest import Open
from console.palette import open_palette
from playwright.sync_api import Response, expect

MOST_OCTETS = 300_000
MOST_REQUESTS = 12
MOST_OF_A_SCREEN = 80_000
FIRST = ("console-",)
"""What the first page brings, which is counted as a whole."""


def test_the_first_page_is_light(opened: Open, tokens: dict[str, str]) -> None:
    page = opened("/leases", tokens["viewer"])
    expect(page.get_by_role("grid")).to_have_attribute("aria-busy", "false")
    answers: list[Response] = []
    page.on("response", lambda answer: answers.append(answer))  # noqa: PLW0108 - Playwright marks what it calls
    page.reload()
    expect(page.get_by_role("grid")).to_have_attribute("aria-busy", "false")
    assert len(answers) <= MOST_REQUESTS
    files = [httpx.get(answer.url, timeout=30).content for answer in answers if "/console/" in answer.url]
    assert sum(len(gzip.compress(file)) for file in files) < MOST_OCTETS


def test_each_further_screen_is_light() -> None:
    built.require()
    assets = Path(built.ROOT / "api/console/built/assets")
    heavy = [path.name for path in assets.glob("*.gz") if path.stat().st_size > MOST_OF_A_SCREEN]
    assert [name for name in heavy if not name.startswith(FIRST)] == []


def test_the_palette_and_the_keys_open_by_keyboard(opened: Open, tokens: dict[str, str]) -> None:
    page = opened("/leases", tokens["viewer"])
    expect(page.get_by_role("grid")).to_be_visible()
    open_palette(page)
    accessible(page)
    page.keyboard.type("leas")
    expect(page.get_by_role("option", name="Leases Screens")).to_be_visible()
    expect(page.get_by_role("dialog").get_by_role("searchbox")).to_be_focused()  # "l" alone opens the log
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog").get_by_text("Ctrl+K")).to_be_visible()
    accessible(page)


def test_colours_and_zone_are_chosen_and_kept(opened: Open, tokens: dict[str, str]) -> None:
    page = opened("/leases", tokens["viewer"])
    page.get_by_role("button", name="Preferences").click()
    page.get_by_label("Colours").select_option("dark")
    page.get_by_label("Times in").select_option("Asia/Tokyo")
    accessible(page)
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    kept = json.loads(page.evaluate("localStorage.getItem('ipam.preferences')"))
    assert kept["zone"] == "Asia/Tokyo"


@pytest.mark.parametrize("width", [1280, 360])
def test_nothing_but_tables_scrolls_sideways(opened: Open, tokens: dict[str, str], width: int) -> None:
    page = opened("/leases", tokens["admin"], viewport={"width": width, "height": 800})
    expect(page.get_by_role("grid")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    accessible(page)
