"""The prefixes: a tree with how full they are, maps, the next free subnet, changes and deletions."""

import pytest
from console.accessible import accessible
from console.conftest import Open
from playwright.sync_api import Locator, Page, expect

from api.client import Client


@pytest.fixture(scope="module")
def prefix(client: Client) -> str:
    prefix = client.create("prefixes", cidr="10.70.0.0/16", description="offices").id
    client.create("subnets", prefix_id=prefix, cidr="10.70.0.0/24", name="zebra")
    client.create("subnets", prefix_id=prefix, cidr="10.70.1.0/24", name="ant", site="north")
    client.create("prefixes", cidr="2001:db8:70::/46")
    return str(prefix)


def row(page: Page, text: str) -> Locator:
    return page.get_by_role("row").filter(has_text=text)


def test_a_tree_is_opened_by_keyboard_and_stays_in_the_url(
    opened: Open, tokens: dict[str, str], prefix: str
) -> None:
    page = opened("/prefixes", tokens["viewer"])
    expect(row(page, "10.70.0.0/16")).to_contain_text("65,536 addresses")
    expect(row(page, "10.70.0.0/16")).to_contain_text("65,024 addresses")
    expect(row(page, "2001:db8:70::/46")).to_contain_text("262,144 /64s")
    expect(row(page, "10.70.0.0/16")).to_have_attribute("aria-expanded", "false")
    page.get_by_role("treegrid").focus()
    page.keyboard.press("ArrowRight")
    expect(row(page, "zebra")).to_have_attribute("aria-level", "2")
    assert prefix in page.url
    page.get_by_label("Subnets by").select_option("name")
    expect(page.get_by_role("row").nth(2)).to_contain_text("ant")
    expect(page.get_by_role("button", name="New prefix")).to_have_count(0)
    accessible(page)
    page.get_by_role("treegrid").focus()
    page.keyboard.press("ArrowLeft")
    expect(row(page, "zebra")).to_have_count(0)


@pytest.mark.usefixtures("prefix")
@pytest.mark.parametrize(
    ("typed", "shown", "hidden"),
    [("10.70.1.9", "ant", "zebra"), ("10.70.0.0/24", "zebra", "ant"), ("north", "ant", "zebra")],
)
def test_what_is_typed_finds_prefixes_and_subnets(
    opened: Open, tokens: dict[str, str], typed: str, shown: str, hidden: str
) -> None:
    page = opened("/prefixes", tokens["operator"])
    page.get_by_label("Address, CIDR").fill(typed)
    expect(row(page, shown)).to_be_visible()
    expect(row(page, hidden)).to_have_count(0)
    page.get_by_label("Address, CIDR").fill("")
    page.get_by_label("Show").select_option("list")
    expect(row(page, hidden)).to_be_visible()


def test_a_prefix_is_made_changed_filled_and_deleted(
    opened: Open, tokens: dict[str, str], client: Client
) -> None:
    page = opened("/prefixes?prefix=new", tokens["admin"], allowed=(409, 422))
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Network").fill("10.71.0.1/16")
    dialog.get_by_role("button", name="Create").click()
    expect(dialog.get_by_label("Network")).to_have_attribute("aria-invalid", "true")
    dialog.get_by_label("Network").fill("10.71.0.0/16")
    dialog.get_by_label("Tags").fill("lab, test")
    dialog.get_by_role("button", name="Create").click()
    row(page, "10.71.0.0/16").dblclick()
    dialog.get_by_role("button", name="Edit").click()
    dialog.get_by_label("Description").fill("laboratories")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.locator("dd", has_text="laboratories")).to_be_visible()

    dialog.get_by_role("button", name="Next free subnet").click()
    dialog.get_by_label("Size").select_option("26")
    dialog.get_by_label("Gateway").select_option("last")
    dialog.get_by_label("Name").fill("bench")
    dialog.get_by_role("button", name="Create").click()
    page.wait_for_url("**/subnets/*")
    made = client.subnets.first(name="bench")
    assert made is not None
    assert (made.cidr, made.gateway, made.dhcp_enabled) == ("10.71.0.0/26", "10.71.0.62", True)

    page.goto(f"/console/prefixes?prefix={made.prefix_id}&act=delete")
    dialog.get_by_text("Delete what stands in it too").click()
    dialog.get_by_role("button", name="Delete").click()
    expect(dialog).to_have_count(0)
    assert client.prefixes.first(cidr="10.71.0.0/16") is None


def test_a_map_zooms_to_an_address(opened: Open, tokens: dict[str, str], prefix: str) -> None:
    page = opened(f"/prefixes?prefix={prefix}", tokens["viewer"])
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("img", name="Map of 10.70.0.0/16")).to_be_visible()
    expect(dialog.get_by_role("row").filter(has_text="Subnet")).to_contain_text("512")
    dialog.get_by_label("Zoom to an address").fill("10.70.1.7")
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("status")).to_contain_text("10.70.1.7: Subnet")
    expect(dialog.get_by_role("img", name="Map of 10.70.1.0/24")).to_be_visible()
    accessible(page)
    expect(dialog.get_by_role("button", name="Next free subnet")).to_have_count(0)


def test_ipv6_is_cut_at_nibbles(opened: Open, tokens: dict[str, str], client: Client, prefix: str) -> None:
    long = client.prefixes.first(cidr="2001:db8:70::/46")
    assert long is not None
    page = opened(f"/prefixes?prefix={long.id}", tokens["admin"])
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("img").click(position={"x": 5, "y": 5})
    page.wait_for_url("**steps=1*")
    expect(dialog.get_by_role("img", name="Map of 2001:db8:70::/56")).to_be_visible()
    dialog.get_by_role("button", name="Next free subnet").click()
    sizes = dialog.get_by_label("Size").locator("option").all_inner_texts()
    assert [size.split(":")[0] for size in sizes] == ["/48", "/52", "/56", "/60", "/64"]
    dialog.get_by_role("button", name="Cancel").click()
    dialog.get_by_role("button", name="New subnet").click()
    dialog.get_by_label("Network").fill("2001:db8:71::/64")
    dialog.get_by_role("button", name="Create").click()
    page.wait_for_url("**/subnets/*")
    assert client.subnets.first(cidr="2001:db8:71::/64") is not None
