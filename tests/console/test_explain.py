"""Explain: the engine's decision for a client that somebody describes, and for the client of a lease."""

import pytest
from console.accessible import accessible
from console.conftest import Open
from console.granted import grant
from playwright.sync_api import expect

from api.client import Client


@pytest.fixture(scope="module", autouse=True)
def site(client: Client, module_database: str) -> None:
    prefix = client.create("prefixes", cidr="10.65.0.0/16").id
    subnet = client.create("subnets", prefix_id=prefix, cidr="10.65.0.0/24", name="desks").id
    client.create("pools", subnet_id=subnet, name="guests", start_ip="10.65.0.100", end_ip="10.65.0.109")
    six = client.create("prefixes", cidr="2001:db8:65::/48").id
    subnet6 = client.create("subnets", prefix_id=six, cidr="2001:db8:65::/64").id
    client.create("pools", subnet_id=subnet6, start_ip="2001:db8:65::100", end_ip="2001:db8:65::1ff")
    client.create("trusted-relays", cidr="10.65.0.0/24")
    client.create("trusted-relays", cidr="2001:db8:65::/64")
    grant(module_database, subnet, 20, 20)


def test_a_described_client_is_explained_and_asked_again_by_keyboard(
    opened: Open, tokens: dict[str, str]
) -> None:
    page = opened("/explain?mac=02:00:00:00:00:65", tokens["viewer"], allowed=(422,))
    page.get_by_label("Relay", exact=True).fill("10.65.0.1")
    page.keyboard.press("Enter")
    steps = page.get_by_role("region", name="The decision, step by step")
    expect(steps.get_by_text("Offered")).to_be_visible()
    expect(steps.get_by_text("10.65.0.1 is trusted.")).to_be_visible()
    expect(steps.get_by_text("Pool guests")).to_be_visible()
    accessible(page)
    page.get_by_label("Relay", exact=True).fill("192.0.2.1")
    page.keyboard.press("Enter")
    expect(steps.get_by_text("No answer")).to_be_visible()
    page.get_by_label("Relay", exact=True).fill("nowhere")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Relay", exact=True)).to_have_attribute("aria-invalid", "true")


def test_a_client_of_dhcpv6_is_explained(opened: Open, tokens: dict[str, str]) -> None:
    page = opened("/explain", tokens["viewer"])
    page.get_by_label("Protocol").select_option("6")
    page.get_by_label("Link address").fill("2001:db8:65::1")
    page.get_by_label("Relay", exact=True).fill("2001:db8:65::1")
    page.get_by_label("DUID").fill("00:03:00:01:02:00:00:00:00:65")
    page.get_by_role("button", name="Ask the engine").click()
    steps = page.get_by_role("region", name="The decision, step by step")
    expect(steps.get_by_text("Advertised")).to_be_visible()
    expect(steps.get_by_text("2001:db8:65::/64")).to_be_visible()
    accessible(page)


def test_the_client_of_a_lease_is_explained(opened: Open, tokens: dict[str, str]) -> None:
    page = opened("/leases?q=10.65.0.20", tokens["viewer"])
    page.get_by_role("row").filter(has_text="10.65.0.20").dblclick()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Explain").click()
    expect(dialog.get_by_label("MAC")).to_have_value("02:00:00:00:00:14")
    dialog.get_by_label("Relay", exact=True).fill("10.65.0.1")
    dialog.get_by_role("button", name="Ask the engine").click()
    expect(dialog.get_by_text("10.65.0.20, active")).to_be_visible()
    accessible(page)
