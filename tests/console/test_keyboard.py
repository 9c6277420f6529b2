"""All that it takes to serve a client, by keyboard alone.

First token, prefix, subnet, pool, reservation, release, explain.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from cli.serving import Served, serving
from console.conftest import Open
from console.granted import grant
from console.palette import open_palette
from playwright.sync_api import Page, expect

from api.client import Client

MOST_STEPS = 120

# Role and name of what has the focus, as a screen reader says them.
FOCUSED = """() => {
  const at = document.activeElement;
  const words = (ids) => ids.split(" ").map((id) => document.getElementById(id)?.textContent ?? "").join(" ");
  const labels = [...(at.labels ?? [])].map((each) => each.textContent).join(" ");
  const name = at.getAttribute("aria-label") ?? (labels || words(at.getAttribute("aria-labelledby") ?? "").trim()
    || at.textContent);
  return [at.getAttribute("role") ?? at.tagName.toLowerCase(), name.trim()];
}"""


@pytest.fixture
def fresh(database: str, tmp_path: Path) -> Iterator[Served]:
    """A server that has no token yet."""
    with serving(database, tmp_path, first_token=False) as running:
        yield running


def go(page: Page, role: str, name: str) -> None:
    """Steps on until it has the focus."""
    seen = []
    for _ in range(MOST_STEPS):
        page.keyboard.press("Tab")
        seen.append(page.evaluate(FOCUSED))
        if seen[-1] == [role, name]:
            return
    raise AssertionError(f"{role} {name} is not reached: {seen}")


def press(page: Page, name: str) -> None:
    go(page, "button", name)
    page.keyboard.press("Enter")


def write(page: Page, fields: dict[str, str]) -> None:
    """Into these fields of a form, which Enter then sends."""
    for label, value in fields.items():
        go(page, "input", label)
        page.keyboard.type(value)
    page.keyboard.press("Enter")


def turn_to(page: Page, tab: str) -> None:
    """From the tab that is open along the others."""
    tabs = page.get_by_role("tab").all_inner_texts()
    is_open = page.get_by_role("tab", selected=True).inner_text()
    go(page, "tab", is_open)
    for _ in range(tabs.index(tab) - tabs.index(is_open)):
        page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name=tab)).to_have_attribute("aria-selected", "true")


def jump(page: Page, name: str) -> None:
    """By the palette."""
    open_palette(page)
    page.keyboard.type(name)
    place = page.get_by_role("option", name=f"{name} Screens")
    expect(place).to_be_visible()
    expect(place).to_have_attribute("data-focused", "true")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=name)).to_be_visible()


def row(page: Page, text: str) -> None:
    expect(page.get_by_role("row").filter(has_text=text)).to_be_visible()


def test_a_site_is_made_and_looked_after(opened: Open, fresh: Served, database: str) -> None:
    page = opened("/prefixes", server=fresh, allowed=(404,))
    dialog = page.get_by_role("dialog")
    expect(page.get_by_label("Token name")).to_be_focused()
    page.keyboard.press("Enter")
    secret = page.get_by_label("Secret").inner_text()
    press(page, "Open the console")

    expect(page.get_by_role("treegrid")).to_be_visible()
    press(page, "New prefix")
    write(page, {"Network": "10.50.0.0/16"})
    row(page, "10.50.0.0/16")
    expect(dialog).to_have_count(0)
    go(page, "treegrid", "Prefixes")
    page.keyboard.press("Enter")
    press(page, "Next free subnet")
    press(page, "Create")
    page.wait_for_url("**/subnets/*")
    expect(page.get_by_role("heading", name="10.50.0.0/24")).to_be_visible()

    turn_to(page, "Pools")
    press(page, "New")
    write(page, {"First address": "10.50.0.100", "Last address": "10.50.0.199"})
    row(page, "10.50.0.100")
    expect(dialog).to_have_count(0)
    turn_to(page, "Reservations")
    press(page, "New")
    write(page, {"Address": "10.50.0.20", "MAC": "02-50-00-00-00-20"})
    row(page, "02:50:00:00:00:20")
    expect(dialog).to_have_count(0)

    with Client(fresh.url, secret) as client:
        subnet = client.subnets.first(cidr="10.50.0.0/24")
        assert subnet is not None
        grant(database, subnet.id, 150, 150)
        jump(page, "Leases")
        row(page, "10.50.0.150")
        go(page, "grid", "Leases")
        page.keyboard.press("Enter")
        press(page, "Release")
        press(page, "Release")
        expect(dialog.get_by_text("Released", exact=True)).to_be_visible()
        press(page, "Explain")
        write(page, {"Interface of the server": "lan"})
        expect(dialog.get_by_text("The decision, step by step")).to_be_visible()
        assert next(iter(client.items("/leases", ip="10.50.0.150")))["state"] == "released"
        assert [pool.name for pool in client.pools.list(subnet_id=subnet.id)] == [""]
        assert client.reservations.first(mac="02:50:00:00:00:20") is not None
