"""A subnet in its tabs: the map, all that stands in it, its history and its settings."""

import pytest
from console.accessible import accessible
from console.conftest import Open
from console.granted import grant
from playwright.sync_api import Locator, Page, expect

from api.client import Client


@pytest.fixture(scope="module")
def subnet(client: Client, module_database: str) -> str:
    prefix = client.create("prefixes", cidr="10.80.0.0/16").id
    subnet = client.create(
        "subnets", prefix_id=prefix, cidr="10.80.0.0/22", name="desks", gateway="10.80.0.1"
    ).id
    client.create("pools", subnet_id=subnet, start_ip="10.80.0.10", end_ip="10.80.0.99", name="guests")
    client.create("excludes", subnet_id=subnet, start_ip="10.80.1.0", end_ip="10.80.1.9")
    grant(module_database, str(subnet), 10, 19)
    return str(subnet)


def row(page: Page, text: str) -> Locator:
    return page.get_by_role("row").filter(has_text=text)


def make(page: Page, fields: dict[str, str]) -> None:
    page.get_by_role("button", name="New").click()
    dialog = page.get_by_role("dialog")
    for label, value in fields.items():
        dialog.get_by_label(label).first.fill(value)
    dialog.get_by_role("button", name="Create").click()


def test_the_map_tells_what_stands_at_an_address(opened: Open, tokens: dict[str, str], subnet: str) -> None:
    page = opened(f"/subnets/{subnet}", tokens["viewer"])
    expect(page.get_by_role("img", name="Map of 10.80.0.0/22")).to_be_visible()
    expect(row(page, "Leased")).to_contain_text("10")
    expect(row(page, "Excluded")).to_contain_text("10")
    page.get_by_label("Zoom to an address").fill("10.80.0.12")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").first).to_contain_text("10.80.0.12: Leased")
    expect(page.get_by_role("img", name="Map of 10.80.0.0/24")).to_be_visible()
    expect(page.get_by_text("80.10.in-addr.arpa").first).to_be_visible()
    accessible(page)
    page.get_by_role("button", name="Show all").click()
    expect(page.get_by_role("img", name="Map of 10.80.0.0/22")).to_be_visible()
    expect(page.get_by_role("button", name="Delete")).to_have_count(0)


def test_pools_excludes_and_assignments_are_made_changed_and_deleted(
    opened: Open, tokens: dict[str, str], client: Client, subnet: str
) -> None:
    page = opened(f"/subnets/{subnet}?tab=pools", tokens["admin"], allowed=(409, 422))
    dialog = page.get_by_role("dialog")
    make(page, {"First address": "10.80.9.1", "Last address": "10.80.9.9"})
    expect(dialog.locator("[aria-invalid=true]").or_(dialog.get_by_role("alert")).first).to_be_visible()
    dialog.get_by_label("First address").fill("10.80.2.1")
    dialog.get_by_label("Last address").fill("10.80.2.9")
    dialog.get_by_role("button", name="Create").click()
    row(page, "10.80.2.1").dblclick()
    dialog.get_by_role("button", name="Edit").click()
    dialog.get_by_label("Name").fill("printers")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_role("heading", name="printers")).to_be_visible()
    dialog.get_by_role("button", name="Delete").click()
    dialog.get_by_role("button", name="Delete").click()
    expect(dialog).to_have_count(0)
    assert [pool.name for pool in client.pools.list(subnet_id=subnet)] == ["guests"]

    page.get_by_role("tab", name="Excludes").click()
    make(page, {"First address": "10.80.3.1", "Last address": "10.80.3.1", "Description": "old"})
    expect(row(page, "10.80.3.1")).to_contain_text("old")
    page.get_by_role("tab", name="Assignments").click()
    make(page, {"Host name": "core-switch", "Aliases": "NTP, time.example.net"})
    expect(row(page, "core-switch")).to_be_visible()
    found = client.assignments.first(hostname="core-switch")
    assert found is not None
    assert (found.aliases, found.alias_records) == (["ntp", "time.example.net"], "cname")
    accessible(page)


def test_many_reservations_are_changed_and_deleted_at_once(
    opened: Open, tokens: dict[str, str], client: Client, subnet: str
) -> None:
    page = opened(f"/subnets/{subnet}?tab=reservations", tokens["admin"])
    dialog = page.get_by_role("dialog")
    for number in (1, 2):
        make(page, {"MAC": f"02:80:00:00:00:0{number}", "Address": f"10.80.0.20{number}"})
        expect(dialog).to_have_count(0)
    for number in (1, 2):
        row(page, f"10.80.0.20{number}").locator(".table-mark").click()
    page.get_by_role("button", name="Change").click()
    dialog.get_by_label("Description").fill("racks")
    dialog.get_by_role("button", name="Try it first").click()
    expect(dialog.get_by_text("All 2 would pass")).to_be_visible()
    dialog.get_by_role("button", name="Save").click()
    expect(row(page, "racks")).to_have_count(2)
    for number in (1, 2):
        row(page, f"10.80.0.20{number}").locator(".table-mark").click()
    page.get_by_role("button", name="Delete").last.click()
    dialog.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(row(page, "racks")).to_have_count(0)
    assert list(client.reservations.list(subnet_id=subnet)) == []


def test_settings_are_changed_on_the_condition_that_nobody_else_did(
    opened: Open, tokens: dict[str, str], client: Client, subnet: str
) -> None:
    page = opened(f"/subnets/{subnet}?tab=settings", tokens["admin"], allowed=(412, 422))
    page.get_by_label("Lease time, seconds", exact=True).fill("many")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_label("Lease time, seconds", exact=True)).to_have_attribute("aria-invalid", "true")
    page.get_by_label("Lease time, seconds", exact=True).fill("7200")
    client.subnets.update(subnet, site="north")
    page.get_by_role("button", name="Save").click()
    versions = page.get_by_role("region", name="Somebody changed this meanwhile")
    expect(versions.get_by_role("rowheader", name="Lease time, seconds", exact=True)).to_be_visible()
    versions.get_by_role("button", name="Send mine over it").click()
    expect(versions).to_have_count(0)
    expect(page.get_by_role("button", name="Save")).to_be_disabled()
    changed = client.subnets.get(subnet)
    assert (changed.lease_time_seconds, changed.site) == (7200, "north")
    accessible(page)


def test_who_may_not_is_offered_nothing(opened: Open, tokens: dict[str, str], subnet: str) -> None:
    page = opened(f"/subnets/{subnet}?tab=settings", tokens["viewer"])
    expect(page.get_by_text("Lease time, seconds", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Save")).to_have_count(0)
    for tab in ("Pools", "Excludes", "Reservations", "Assignments", "Options"):
        page.get_by_role("tab", name=tab).click()
        expect(page.get_by_role("grid")).to_be_visible()
        expect(page.get_by_role("button", name="New")).to_have_count(0)
    page.get_by_role("tab", name="History").click()
    page.get_by_label("Time").select_option("day")
    page.wait_for_url("**range=day*")
    expect(page.get_by_label("Of").locator("option")).to_have_count(2)
    accessible(page)


def test_a_subnet_is_deleted_with_what_stands_in_it(
    opened: Open, tokens: dict[str, str], client: Client
) -> None:
    prefix = client.create("prefixes", cidr="10.81.0.0/16").id
    subnet = client.create("subnets", prefix_id=prefix, cidr="10.81.0.0/24").id
    client.create("pools", subnet_id=subnet, start_ip="10.81.0.10", end_ip="10.81.0.99")
    client.create("excludes", subnet_id=subnet, start_ip="10.81.0.20", end_ip="10.81.0.29")
    client.create("excludes", subnet_id=subnet, start_ip="10.81.0.40", end_ip="10.81.0.49")
    page = opened(f"/subnets/{subnet}", tokens["admin"], allowed=(404, 409))
    page.get_by_role("button", name="Delete").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("listitem")).to_have_text(["1 pool", "2 excludes"])
    dialog.get_by_text("Delete what stands in it too").click()
    dialog.get_by_role("button", name="Delete").click()
    page.wait_for_url("**/prefixes")
    assert client.subnets.first(cidr="10.81.0.0/24") is None


def test_a_reservation_may_hold_in_all_subnets(opened: Open, tokens: dict[str, str], client: Client) -> None:
    page = opened("/reservations", tokens["admin"])
    make(page, {"MAC": "02:80:00:00:00:99", "Host name": "roaming"})
    expect(row(page, "roaming")).to_be_visible()
    accessible(page)
    made = client.reservations.first(hostname="roaming")
    assert made is not None
    assert (made.subnet_id, made.ip) == (None, None)
