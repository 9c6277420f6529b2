"""The leases: found, filtered, opened, released, reserved, many at once; however many there are."""

import csv
import io
from pathlib import Path

import pytest
from console.conftest import Open
from console.granted import grant
from playwright.sync_api import Page, expect

from api.client import Client

MANY = 3000


@pytest.fixture(scope="module")
def subnet(client: Client, module_database: str) -> str:
    prefix = client.create("prefixes", cidr="10.60.0.0/16").id
    subnet = client.create("subnets", prefix_id=prefix, cidr="10.60.0.0/20", name="desks").id
    grant(module_database, subnet, 10, 10 + MANY - 1)
    return str(subnet)


def rows(page: Page) -> list[str]:
    expect(page.get_by_role("grid")).to_have_attribute("aria-busy", "false")
    return page.get_by_role("grid").locator("[role=rowgroup] [role=row]").all_inner_texts()


@pytest.mark.usefixtures("subnet")
@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("10.60.0.17", "10.60.0.17"),
        ("0200.0000.0011", "10.60.0.17"),
        ("host-17.", "10.60.0.17"),
        ("10.60.0.16/29", "10.60.0.16"),
    ],
)
def test_one_field_filters_by_all_that_names_a_client(
    opened: Open, tokens: dict[str, str], typed: str, found: str
) -> None:
    page = opened("/leases", tokens["viewer"])
    page.get_by_label("Address, CIDR, MAC").fill(typed)
    page.wait_for_url("**/leases?q=*")
    expect(page.get_by_role("row").filter(has_text=found).first).to_be_visible()
    assert len(rows(page)) <= 8
    assert tokens["viewer"] not in page.content()


@pytest.mark.usefixtures("subnet")
def test_a_table_of_any_length_keeps_the_document_small(opened: Open, tokens: dict[str, str]) -> None:
    page = opened("/leases", tokens["viewer"])
    grid = page.get_by_role("grid")
    expect(grid.get_by_text("10.60.0.10", exact=True)).to_be_visible()
    for _ in range(100):
        grid.evaluate("grid => grid.scrollTo({ top: grid.scrollHeight })")
        if grid.get_attribute("aria-rowcount") != "-1":
            break
        page.wait_for_timeout(30)
    expect(grid).to_have_attribute("aria-rowcount", str(MANY + 1))
    grid.evaluate("grid => grid.scrollTo({ top: grid.scrollHeight })")  # it has grown by what was read last
    expect(grid.get_by_text(f"host-{10 + MANY - 1}.example.net")).to_be_attached()
    assert page.evaluate("document.querySelectorAll('*').length") < 3000


def test_a_lease_is_released_by_keyboard(opened: Open, tokens: dict[str, str], client: Client) -> None:
    page = opened("/leases?q=10.60.0.20", tokens["operator"])
    expect(page.get_by_role("row").filter(has_text="10.60.0.20")).to_be_visible()
    page.get_by_role("grid").focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("02:00:00:00:00:14")).to_be_visible()
    expect(dialog.get_by_role("button", name="Reserve")).to_have_count(0)
    dialog.get_by_role("button", name="Release").press("Enter")
    dialog.get_by_text("The call").click()
    expect(dialog.locator("pre")).to_contain_text("/release")
    dialog.get_by_role("button", name="Release").press("Enter")
    expect(dialog.get_by_text("Released", exact=True)).to_be_visible()
    assert next(iter(client.items("/leases", ip="10.60.0.20")))["state"] == "released"


def test_a_lease_is_reserved(opened: Open, tokens: dict[str, str], client: Client) -> None:
    page = opened("/leases?q=10.60.0.21", tokens["admin"])
    page.get_by_role("row").filter(has_text="10.60.0.21").dblclick()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Reserve").click()
    dialog.get_by_label("Host name").fill("printer")
    dialog.get_by_role("button", name="Reserve").click()
    expect(dialog.get_by_role("button", name="Release")).to_be_visible()
    made = client.reservations.first(ip="10.60.0.21")
    assert made is not None
    assert made.hostname == "printer"


def test_an_error_stands_at_its_field(opened: Open, tokens: dict[str, str]) -> None:
    page = opened("/leases?q=10.60.0.22", tokens["admin"], allowed=(422,))
    page.get_by_role("row").filter(has_text="10.60.0.22").dblclick()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Reserve").click()
    dialog.get_by_label("Host name").fill("no host name!")
    dialog.get_by_role("button", name="Reserve").click()
    expect(dialog.get_by_label("Host name")).to_have_attribute("aria-invalid", "true")


def test_many_are_released_and_reserved(opened: Open, tokens: dict[str, str], client: Client) -> None:
    page = opened("/leases?q=10.60.0.32%2F31", tokens["admin"])
    for address in ("10.60.0.32", "10.60.0.33"):
        page.get_by_role("row").filter(has_text=address).locator(".table-mark").click()
    page.get_by_role("button", name="Reserve").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Try it first").click()
    expect(dialog.get_by_text("All 2 would pass")).to_be_visible()
    assert list(client.reservations.list(ip="10.60.0.32")) == []
    dialog.get_by_role("button", name="Reserve").click()
    expect(dialog).to_have_count(0)
    assert len(list(client.reservations.list(within="10.60.0.32/31"))) == 2
    for address in ("10.60.0.32", "10.60.0.33"):
        page.get_by_role("row").filter(has_text=address).locator(".table-mark").click()
    page.get_by_role("button", name="Release").click()
    page.get_by_role("dialog").get_by_role("button", name="Release").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert {lease["state"] for lease in client.items("/leases", within="10.60.0.32/31")} == {"released"}


@pytest.mark.usefixtures("subnet")
def test_the_whole_list_is_saved_as_csv(opened: Open, tokens: dict[str, str]) -> None:
    page = opened("/leases", tokens["viewer"])
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV").click()
    path: Path = download.value.path()
    saved = list(csv.DictReader(io.StringIO(path.read_text())))
    assert len(saved) == MANY
