"""A prefix divided by a plan: equal parts, or lengths one by one, beside what stands there; then made at once."""

import pytest
from console.accessible import accessible
from console.conftest import Open
from playwright.sync_api import Locator, Page, expect

from api.client import Client


@pytest.fixture
def prefix(client: Client) -> str:
    """10.74.0.0/22 with its second /24 taken, made anew."""
    found = client.prefixes.first(cidr="10.74.0.0/22")
    if found is not None:
        client.prefixes.delete(found.id, cascade=True)
    prefix = client.create("prefixes", cidr="10.74.0.0/22").id
    client.create("subnets", prefix_id=prefix, cidr="10.74.1.0/24", name="old")
    return str(prefix)


def planning(page: Page) -> Locator:
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Divide").click()
    return dialog


def planned(dialog: Locator, count: int) -> list[str]:
    networks = dialog.get_by_role("region", name="The plan").locator("tbody tr td:first-child")
    expect(networks).to_have_count(count)
    return networks.all_inner_texts()


def cidrs(client: Client, prefix: str) -> list[str]:
    return [subnet.cidr for subnet in client.subnets.list(prefix_id=prefix, sort="cidr")]


def test_equal_parts_are_planned_tried_and_made(
    opened: Open, tokens: dict[str, str], client: Client, prefix: str
) -> None:
    page = opened(f"/prefixes?prefix={prefix}", tokens["admin"])
    dialog = planning(page)
    assert planned(dialog, 4) == ["10.74.0.0/25", "10.74.0.128/25", "10.74.2.0/25", "10.74.2.128/25"]
    dialog.get_by_label("Number of parts").fill("3")
    assert planned(dialog, 3) == ["10.74.0.0/24", "10.74.2.0/24", "10.74.3.0/24"]
    legend = dialog.get_by_role("table", name="What it is used by")
    expect(legend.get_by_role("row").filter(has_text="Planned")).to_contain_text("768")
    expect(legend.get_by_role("row").filter(has_text="Subnet")).to_contain_text("256")
    dialog.get_by_label("Zoom to an address").fill("10.74.2.9")
    page.keyboard.press("Enter")
    expect(dialog.get_by_text("10.74.2.9: Planned")).to_be_visible()
    dialog.get_by_label("Size").select_option("26")
    dialog.get_by_label("Name of the parts").fill("desk")
    dialog.get_by_label("Gateway").select_option("last")
    expect(dialog.get_by_role("cell", name="10.74.0.62", exact=True)).to_be_visible()
    accessible(page)
    dialog.get_by_role("button", name="Try it first").click()
    expect(dialog.get_by_text("All 3 would pass")).to_be_visible()
    assert cidrs(client, prefix) == ["10.74.1.0/24"]
    dialog.get_by_role("button", name="Make 3 subnets").click()
    expect(dialog.get_by_role("button", name="Next free subnet")).to_be_visible()
    assert cidrs(client, prefix) == ["10.74.0.0/26", "10.74.0.64/26", "10.74.0.128/26", "10.74.1.0/24"]
    made = client.subnets.first(name="desk-3")
    assert made is not None
    assert (made.cidr, made.gateway, made.dhcp_enabled) == ("10.74.0.128/26", "10.74.0.190", True)


def test_lengths_one_by_one_take_the_room_that_there_is(
    opened: Open, tokens: dict[str, str], client: Client, prefix: str
) -> None:
    page = opened(f"/prefixes?prefix={prefix}&act=split", tokens["admin"], allowed=(409,))
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Into").select_option("lengths")
    lengths = dialog.get_by_label("Lengths of the parts")
    lengths.fill("26, 24,24 25")
    assert planned(dialog, 4) == ["10.74.3.128/26", "10.74.0.0/24", "10.74.2.0/24", "10.74.3.0/25"]
    lengths.fill("24,24,24,24")
    expect(dialog.get_by_role("alert")).to_contain_text("No room is left for /24.")
    expect(dialog.get_by_role("button", name="Make")).to_have_count(0)
    lengths.fill("21")
    expect(lengths).to_have_attribute("aria-invalid", "true")
    lengths.fill("23,26")
    assert planned(dialog, 2) == ["10.74.2.0/23", "10.74.0.0/26"]
    client.create("subnets", prefix_id=prefix, cidr="10.74.0.0/27")  # somebody else is quicker
    dialog.get_by_role("button", name="Make 2 subnets").click()
    expect(dialog.get_by_text("Nothing was changed. This is in the way:")).to_be_visible()
    accessible(page)
    assert cidrs(client, prefix) == ["10.74.0.0/27", "10.74.1.0/24"]


def test_ipv6_offers_nibbles_first(opened: Open, tokens: dict[str, str], client: Client) -> None:
    prefix = client.create("prefixes", cidr="2001:db8:74::/46").id
    client.create("subnets", prefix_id=prefix, cidr="2001:db8:74::/64")
    page = opened(f"/prefixes?prefix={prefix}&act=split", tokens["admin"])
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Number of parts").fill("3")
    assert planned(dialog, 3) == ["2001:db8:75::/48", "2001:db8:76::/48", "2001:db8:77::/48"]
    sizes = [title.split(":")[0] for title in dialog.get_by_label("Size").locator("option").all_inner_texts()]
    assert sizes[:6] == ["/48", "/52", "/56", "/60", "/64", "/49"]
    dialog.get_by_text("Served by DHCP").click()
    dialog.get_by_role("button", name="Make 3 subnets").click()
    expect(dialog.get_by_role("button", name="Next free subnet")).to_be_visible()
    made = client.subnets.first(cidr="2001:db8:77::/48")
    assert made is not None
    assert not made.dhcp_enabled


def test_who_may_not_is_offered_no_division(opened: Open, tokens: dict[str, str], prefix: str) -> None:
    page = opened(f"/prefixes?prefix={prefix}&act=split", tokens["operator"])
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("img", name="Map of 10.74.0.0/22")).to_be_visible()
    expect(dialog.get_by_role("button", name="Divide")).to_have_count(0)
    expect(dialog.get_by_label("Number of parts")).to_have_count(0)
