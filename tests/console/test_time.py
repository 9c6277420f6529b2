"""Time: an address or a small subnet at any moment, by slider or typed."""

import pytest
from console.accessible import accessible
from console.conftest import Open
from console.granted import granted_an_hour_ago
from playwright.sync_api import expect

from api.client import Client


@pytest.fixture(scope="module", autouse=True)
def history(client: Client, module_database: str) -> None:
    prefix = client.create("prefixes", cidr="10.67.0.0/16").id
    subnet = client.create("subnets", prefix_id=prefix, cidr="10.67.0.0/24").id
    granted_an_hour_ago(module_database, subnet, 20)


def test_a_place_is_shown_now_and_before(opened: Open, tokens: dict[str, str]) -> None:
    page = opened("/time", tokens["viewer"])
    page.get_by_label("Address or subnet").fill("10.67.0.16/28")
    page.get_by_role("button", name="Now").click()
    grid = page.get_by_role("grid", name="Leases at that moment")
    expect(grid.get_by_role("row").filter(has_text="10.67.0.20").get_by_text("Granted")).to_be_visible()
    accessible(page)
    slider = page.get_by_label("Moment, by sliding")
    slider.focus()
    page.keyboard.press("Home")
    expect(page.get_by_text("Nothing was told of it up to then.")).to_be_visible()
    moment = page.get_by_label("Moment", exact=True)
    moment.fill("yesterday")
    expect(moment).to_have_attribute("aria-invalid", "true")
    accessible(page)


def test_what_is_no_place_is_told(opened: Open, tokens: dict[str, str]) -> None:
    page = opened("/time?q=10.67.0.0/28", tokens["viewer"])
    page.get_by_label("Address or subnet").fill("somewhere")
    expect(page.get_by_text("This is neither an address nor a network.")).to_be_visible()
