"""DHCP options: typed by their kind, shown as a client gets them; definitions of one's own."""

import pytest
from console.accessible import accessible
from console.conftest import Open
from playwright.sync_api import Locator, Page, expect

from api.client import Client


def row(page: Page, text: str) -> Locator:
    return page.get_by_role("row").filter(has_text=text)


@pytest.fixture(scope="module")
def subnet(client: Client) -> str:
    prefix = client.create("prefixes", cidr="10.90.0.0/16").id
    subnet = client.create("subnets", prefix_id=prefix, cidr="10.90.0.0/24", gateway="10.90.0.1").id
    client.create("pools", subnet_id=subnet, start_ip="10.90.0.10", end_ip="10.90.0.99")
    client.create("trusted-relays", cidr="10.90.0.0/24")
    return str(subnet)


def test_an_option_is_typed_by_its_kind_changed_and_deleted(
    opened: Open, tokens: dict[str, str], client: Client
) -> None:
    page = opened("/options?open=new", tokens["admin"], allowed=(422,))
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Option").select_option("42")
    dialog.get_by_label("Addresses, one a line").fill("no address")
    dialog.get_by_role("button", name="Create").click()
    expect(dialog.get_by_label("Addresses, one a line")).to_have_attribute("aria-invalid", "true")
    dialog.get_by_label("Addresses, one a line").fill("10.0.0.1\n10.0.0.2")
    dialog.get_by_role("button", name="Create").click()
    row(page, "ntp-servers").dblclick()
    dialog.get_by_role("button", name="Edit").click()
    dialog.get_by_text("Send it to clients").click()
    dialog.get_by_label("Addresses, one a line").fill("10.0.0.3")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_role("button", name="Edit")).to_be_visible()
    made = client.options.first(code=42)
    assert made is not None
    assert (made.payload, made.always_send) == ({"addresses": ["10.0.0.3"]}, True)
    accessible(page)
    dialog.get_by_role("button", name="Delete").click()
    dialog.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(row(page, "ntp-servers")).to_have_count(0)


def test_an_option_is_stored_at_a_subnet(
    opened: Open, tokens: dict[str, str], client: Client, subnet: str
) -> None:
    page = opened(f"/subnets/{subnet}?tab=options&open=new", tokens["admin"])
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Option").select_option("121")
    dialog.get_by_label("Routes, one a line").fill("10.99.0.0/16 10.90.0.2")
    dialog.get_by_role("button", name="Create").click()
    expect(row(page, "10.99.0.0/16 10.90.0.2")).to_be_visible()
    made = client.options.first(subnet_id=subnet, code=121)
    assert made is not None
    assert made.payload == {"routes": [{"destination": "10.99.0.0/16", "router": "10.90.0.2"}]}


def test_what_a_client_gets_says_whence_and_instead_of_what(
    opened: Open, tokens: dict[str, str], client: Client, subnet: str
) -> None:
    client.create("global-options", code=15, payload={"string": "wide.example"}, always_send=True)
    client.create("options", subnet_id=subnet, code=15, payload={"string": "near.example"}, always_send=True)
    page = opened("/options?tab=effective", tokens["viewer"], allowed=(422,))
    page.get_by_label("MAC").fill("02:90:00:00:00:01")
    page.get_by_label("Relay").fill("nowhere")
    page.get_by_role("button", name="Ask").click()
    expect(page.get_by_label("Relay")).to_have_attribute("aria-invalid", "true")
    page.get_by_label("Relay").fill("10.90.0.1")
    page.get_by_role("button", name="Ask").click()
    expect(row(page, "near.example")).to_contain_text("wide.example (all subnets)")
    expect(row(page, "near.example")).to_contain_text("6e6561722e6578616d706c65")
    accessible(page)


def test_a_definition_gives_an_option_its_form(opened: Open, tokens: dict[str, str], client: Client) -> None:
    page = opened("/options?tab=definitions&open=new", tokens["admin"])
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Code").fill("224")
    dialog.get_by_label("Name").fill("desk-number")
    dialog.get_by_label("Kind of data").select_option("uint16")
    dialog.get_by_role("button", name="Create").click()
    expect(row(page, "desk-number")).to_be_visible()
    page.goto("/console/options?open=new")
    dialog.get_by_label("Option").select_option("224")
    dialog.get_by_label("Number").fill("17")
    dialog.get_by_role("button", name="Create").click()
    expect(dialog).to_have_count(0)
    made = client.options.first(code=224)
    assert made is not None
    assert made.payload == {"value": 17}


def test_who_may_not_is_offered_nothing(opened: Open, tokens: dict[str, str]) -> None:
    page = opened("/options?open=new", tokens["operator"])
    expect(page.get_by_role("grid")).to_be_visible()
    expect(page.get_by_role("button", name="New")).to_have_count(0)
    expect(page.get_by_role("dialog")).to_have_count(0)
