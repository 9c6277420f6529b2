"""Time: an address or a small subnet at any moment, by slider or typed, in a list and on the subnet's map."""

import time
from datetime import UTC, datetime

import pytest
from console.accessible import accessible
from console.conftest import Open
from console.granted import granted_an_hour_ago
from playwright.sync_api import Page, expect

from api.client import Client


@pytest.fixture(scope="module", autouse=True)
def subnet(client: Client, module_database: str) -> str:
    prefix = client.create("prefixes", cidr="10.67.0.0/16").id
    subnet = client.create("subnets", prefix_id=prefix, cidr="10.67.0.0/24").id
    granted_an_hour_ago(module_database, subnet, 20)
    return str(subnet)


def test_a_place_is_shown_now_and_before(opened: Open, tokens: dict[str, str]) -> None:
    page = opened("/time", tokens["viewer"], allowed=(422,))
    page.get_by_label("Address or subnet").fill("10.67.0.16/28")
    page.get_by_role("button", name="Now").click()
    grid = page.get_by_role("grid", name="Leases at that moment")
    expect(grid.get_by_role("row").filter(has_text="10.67.0.20").get_by_text("Granted")).to_be_visible()
    accessible(page)
    slider = page.get_by_label("Moment, by sliding")
    slider.focus()
    page.keyboard.press("Home")
    expect(page.get_by_text("Nothing was told of it up to then.")).to_be_visible()
    expect(page.get_by_text("is before the subnet was created")).to_be_visible()
    moment = page.get_by_label("Moment", exact=True)
    moment.fill("yesterday")
    expect(moment).to_have_attribute("aria-invalid", "true")
    accessible(page)


def test_what_is_no_place_is_told(opened: Open, tokens: dict[str, str]) -> None:
    page = opened("/time?q=10.67.0.0/28", tokens["viewer"])
    page.get_by_label("Address or subnet").fill("somewhere")
    expect(page.get_by_text("This is neither an address nor a network.")).to_be_visible()


def moment() -> str:
    """Now, and nothing else happens in its millisecond."""
    time.sleep(0.01)
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    time.sleep(0.01)
    return now


def addresses(page: Page, kind: str) -> str:
    """How many are of a kind, by the table of the map."""
    legend = page.get_by_role("table", name="What it is used by")
    return legend.get_by_role("row").filter(has_text=kind).get_by_role("cell").nth(1).inner_text()


def test_the_map_of_a_subnet_is_that_of_the_moment(
    opened: Open, tokens: dict[str, str], client: Client, subnet: str
) -> None:
    before = moment()
    made = [
        client.create("reservations", subnet_id=subnet, ip=f"10.67.0.{n}", mac=f"02:00:00:00:02:0{n}").id
        for n in (7, 8, 9)
    ]
    with_three = moment()
    client.reservations.delete(made[0])
    page = opened(f"/subnets/{subnet}", tokens["viewer"])
    page.get_by_role("link", name="How it was at another moment").click()
    page.wait_for_url("**/time?q=10.67.0.0*")
    expect(page.get_by_role("img", name="Map of 10.67.0.0/24")).to_be_visible()
    assert addresses(page, "Reserved") == "2"
    at = page.get_by_label("Moment", exact=True)
    at.fill(with_three)
    reserved = page.get_by_role("row").filter(has_text="Reserved")
    expect(reserved).to_contain_text("3")
    page.get_by_label("Zoom to an address").fill("10.67.0.7")
    page.keyboard.press("Enter")
    expect(page.get_by_text("10.67.0.7: Reserved")).to_be_visible()
    accessible(page)
    at.fill(before)
    expect(reserved).to_have_count(0)
    expect(page.get_by_text("10.67.0.7: Free")).to_be_visible()


def test_of_a_wider_network_one_subnet_is_chosen(
    opened: Open, tokens: dict[str, str], client: Client, subnet: str
) -> None:
    prefix = client.subnets.get(subnet).prefix_id
    client.create("subnets", prefix_id=prefix, cidr="10.67.64.0/18", name="hall")
    page = opened("/time?q=10.67.0.0/16", tokens["viewer"])
    choice = page.get_by_label("Subnet", exact=True)
    expect(choice.locator("option")).to_have_count(2)
    choice.select_option("10.67.64.0/18 hall")
    expect(page.get_by_text("10.67.64.0/18 is too large to be drawn as it was")).to_be_visible()
    choice.select_option("10.67.0.0/24 ")
    expect(page.get_by_role("img", name="Map of 10.67.0.0/24")).to_be_visible()
    page.get_by_label("Address or subnet").fill("10.67.70.1")
    expect(page.get_by_text("10.67.64.0/18 is too large to be drawn as it was")).to_be_visible()
