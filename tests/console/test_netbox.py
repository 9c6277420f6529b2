"""Prefixes from a NetBox and to one: tried first, each skip with its reason; the token shows nowhere."""

from collections.abc import Iterator

import pytest
from console.accessible import accessible
from console.conftest import Open
from playwright.sync_api import Page, expect
from rest.netbox_server import V2, NetBox

from api.client import Client


@pytest.fixture
def netbox() -> Iterator[NetBox]:
    with NetBox().serving_in_thread() as served:
        yield served


def ask(page: Page, netbox: NetBox, token: str = V2) -> None:
    page.get_by_label("Address of NetBox").fill(netbox.url)
    page.get_by_label("Token of NetBox").fill(token)


def row(page: Page, cidr: str) -> str:
    found = page.get_by_role("row").filter(has=page.get_by_text(cidr, exact=True))
    return found.inner_text().replace("\n", " ")


def test_what_is_missing_here_is_tried_then_made(
    opened: Open, tokens: dict[str, str], client: Client, netbox: NetBox
) -> None:
    netbox.add("10.70.0.0/16", description="Berlin")
    netbox.add("10.70.1.0/24")
    netbox.add("10.71.0.0/16", "deprecated")
    netbox.add("2001:db8:70::/48")
    page = opened("/netbox", tokens["admin"])
    accessible(page)
    ask(page, netbox)
    page.get_by_text("The call", exact=True).click()
    told = page.get_by_role("tabpanel").locator("pre")
    expect(told).to_contain_text("/netbox/import")
    for kind in ("curl", "Python"):
        page.get_by_role("tab", name=kind).click()
        expect(told).to_contain_text("…")
        expect(told).not_to_contain_text(V2)
    page.get_by_role("button", name="Try it first").click()
    expect(
        page.get_by_text("Nothing was changed. Of 4 prefixes 2 would be made, 2 are left out")
    ).to_be_visible()
    assert "Would be made" in row(page, "10.70.0.0/16")
    assert "Left out nested" in row(page, "10.70.1.0/24")
    assert list(client.prefixes.list(cidr="10.70.0.0/16")) == []
    accessible(page)

    page.get_by_role("button", name="Do it").click()
    expect(page.get_by_text("Of 4 prefixes 2 were made, 2 were left out, 0 failed.")).to_be_visible()
    page.get_by_label("Show").select_option("Left out")
    expect(page.get_by_text("10.70.0.0/16", exact=True)).to_have_count(0)
    page.get_by_label("Show").select_option("Made")
    made = client.prefixes.first(cidr="10.70.0.0/16")
    assert made is not None
    assert made.description == "Berlin"
    page.get_by_role("grid").get_by_text("10.70.0.0/16", exact=True).dblclick()
    page.wait_for_url(f"**/prefixes?prefix={made.id}")
    expect(page.get_by_role("dialog").get_by_text("Berlin").first).to_be_visible()
    page.keyboard.press("Escape")  # pressed sooner it closes nothing, and the drawer then covers the page
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.get_by_role("button", name="Calls").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as script").click()
    script = download.value.path().read_text()
    assert "/netbox/import" in script
    assert V2 not in script


def test_many_are_looked_at_in_several_answers(
    opened: Open, tokens: dict[str, str], client: Client, netbox: NetBox
) -> None:
    for number in range(3):
        netbox.add(f"10.{72 + number}.0.0/16")
    page = opened("/netbox", tokens["admin"], viewport={"width": 360, "height": 800})
    ask(page, netbox)
    page.get_by_label("How many are looked at").fill("2")
    page.get_by_role("button", name="Try it first").click()
    expect(page.get_by_text("There are more than were looked at.")).to_be_visible()
    page.get_by_role("button", name="Try the next ones").click()
    expect(page.get_by_text("Of 3 prefixes 3 would be made")).to_be_visible()
    page.get_by_role("button", name="Do it").click()
    page.get_by_role("button", name="Go on with the next ones").click()
    expect(page.get_by_text("Of 3 prefixes 3 were made")).to_be_visible()
    assert len(list(client.prefixes.list(within="10.72.0.0/14"))) == 3
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.get_by_label("Only those in this network").fill("10.72.0.0/16")
    expect(
        page.get_by_role("button", name="Try it first")
    ).to_be_visible()  # what was tried is another question


def test_what_is_missing_there_is_made_there(
    opened: Open, tokens: dict[str, str], client: Client, netbox: NetBox
) -> None:
    client.create("prefixes", cidr="10.76.0.0/16", description="from here")
    page = opened("/netbox", tokens["admin"])
    page.get_by_role("tab", name="To NetBox").click()
    page.wait_for_url("**/netbox?way=export")
    ask(page, netbox)
    page.get_by_label("With this status").fill("container")
    page.get_by_label("Only those in this network").fill("10.76.0.0/16")
    page.get_by_role("button", name="Try it first").click()
    expect(page.get_by_text("Of 1 prefixes 1 would be made")).to_be_visible()
    assert netbox.prefixes == []
    page.get_by_role("button", name="Do it").click()
    expect(page.get_by_text("Of 1 prefixes 1 were made")).to_be_visible()
    [made] = netbox.prefixes
    assert (made["prefix"], made["status"], made["description"]) == ("10.76.0.0/16", "container", "from here")


def test_a_token_that_netbox_does_not_take_is_told_at_its_field(
    opened: Open, tokens: dict[str, str], netbox: NetBox
) -> None:
    page = opened("/netbox", tokens["admin"], allowed=(422,))
    ask(page, netbox, "0" * 40)
    page.get_by_role("button", name="Try it first").click()
    expect(page.get_by_label("Token of NetBox")).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_text("is refused by NetBox").first).to_be_visible()


@pytest.mark.parametrize("role", ["operator", "viewer"])
def test_others_are_not_offered_it(opened: Open, tokens: dict[str, str], role: str) -> None:
    page = opened("/netbox", tokens[role])
    expect(page.get_by_text("The token in use may not do this.")).to_be_visible()
    expect(page.get_by_role("link", name="NetBox")).to_have_count(0)
    expect(page.get_by_role("link", name="Leases")).to_be_visible()
