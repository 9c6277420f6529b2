"""A plan or a table from a file: read, told with its lines, tried with every error, made whole or not at all."""

from pathlib import Path

import pytest
from cli.serving import Served, ipam
from console.accessible import accessible
from console.conftest import Open
from importers.accounting import SOURCES
from playwright.sync_api import Page, expect

from api.client import Client

CSV = """Where,Card,Called,Net
10.80.0.9,02:00:00:00:00:09,printer,10.80.0.0/24
10.80.0.10,02:00:00:00:00:zz,broken,
10.80.0.11,02:00:00:00:00:11,fine,
10.80.0.11,02:00:00:00:00:12,twin,
10.99.0.1,02:00:00:00:00:13,nowhere,
"""
MANY = 1100


def choose(page: Page, path: Path) -> None:
    page.get_by_label("Plan or table").set_input_files(path)


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def made(page: Page, count: int) -> None:
    expect(page.get_by_text(f"{count} made.", exact=True)).to_be_visible()


def test_a_plan_of_ipam_import_is_tried_and_made(
    opened: Open, tokens: dict[str, str], client: Client, service: Served, tmp_path: Path
) -> None:
    plan = tmp_path / "plan.json"
    ipam(service, "import", str(SOURCES / "kea4.json"), "--plan", str(plan))
    page = opened("/import", tokens["admin"])
    accessible(page)
    choose(page, plan)
    counts = page.get_by_role("region", name="What was read").get_by_role("table")
    expect(counts.get_by_role("row").filter(has_text="Subnets")).to_contain_text("4")
    expect(page.get_by_text("leases are never imported")).to_be_visible()
    accessible(page)
    assert client.subnets.first(cidr="203.0.113.0/26") is None

    page.get_by_role("button", name="Try it first").click()
    expect(page.get_by_text("would pass; nothing was changed")).to_be_visible()
    assert client.subnets.first(cidr="203.0.113.0/26") is None
    page.get_by_text("The call", exact=True).click()
    expect(page.locator("pre").first).to_contain_text("/bulk")
    page.get_by_role("button", name="Make them").click()
    expect(page.get_by_role("region", name="What was made")).to_be_visible()
    expect(page.get_by_text("all of it is there")).to_be_visible()
    accessible(page)
    reservation = client.reservations.first(ip="192.0.2.10")
    assert reservation is not None
    classes = {each.id: each.name for each in client.client_classes.list()}
    assert classes[reservation.class_id] == "phones"
    again = ipam(service, "import", str(SOURCES / "kea4.json"), "--dry-run")
    assert "0 to create" in again.output
    page.get_by_role("link", name="203.0.113.0/26").click()
    expect(page.get_by_role("heading", name="203.0.113.0/26")).to_be_visible()


def test_a_table_has_its_columns_chosen_and_every_error_at_its_line(
    opened: Open, tokens: dict[str, str], client: Client, tmp_path: Path
) -> None:
    page = opened("/import", tokens["admin"], allowed=(409, 422), viewport={"width": 360, "height": 800})
    choose(page, written(tmp_path, "hosts.csv", CSV))
    expect(page.get_by_text("Say which column holds addresses")).to_be_visible()
    for field, column in (("Address", "Where"), ("MAC", "Card"), ("Name", "Called"), ("Network", "Net")):
        page.get_by_label(field, exact=True).select_option(column)
    expect(page.get_by_text("lies in no network of the table")).to_be_visible()
    accessible(page)
    page.get_by_role("button", name="Try it first").click()
    refused = page.get_by_role("region", name="What the server refuses").get_by_role("row")
    expect(refused).to_have_count(3)
    expect(refused.filter(has_text="reservations 10.80.0.10")).to_contain_text("3")
    expect(refused.filter(has_text="reservations 10.80.0.11")).to_contain_text("5")
    expect(page.get_by_role("button", name="Make them")).to_be_disabled()
    accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.get_by_text("Leave out these and what stands in them (2)").click()
    page.get_by_role("button", name="Make them (4)").click()
    made(page, 4)
    assert {each.hostname for each in client.reservations.list(within="10.80.0.0/24")} == {"printer", "fine"}
    choose(page, written(tmp_path, "later.csv", "ip,mac,name\n10.80.0.77,020000008077,later\n"))
    page.get_by_role("button", name="Try it first").click()
    page.get_by_role("button", name="Make them (1)").click()
    made(page, 1)
    (later,) = client.reservations.list(ip="10.80.0.77")
    assert later.subnet_id == client.subnets.first(cidr="10.80.0.0/24").id


def excludes(network: str, count: int) -> str:
    rows = [f"exclude,{network}.{number // 250}.{number % 250 + 1}" for number in range(count)]
    return "\n".join(["kind,ip", *rows])


def test_more_than_a_request_takes_goes_in_order(
    opened: Open, tokens: dict[str, str], client: Client, tmp_path: Path
) -> None:
    page = opened("/import", tokens["admin"], allowed=(409,))
    choose(page, written(tmp_path, "many.csv", excludes("10.81", MANY)))
    page.get_by_label("Networks of all rows").fill("10.81.0.0/16")
    expect(page.get_by_text("This takes 2 requests of at most 1,000 operations")).to_be_visible()
    page.get_by_role("button", name="Try it first").click()
    expect(page.get_by_text(f"All {MANY + 2} would pass")).to_be_visible()
    page.get_by_role("button", name="Make them").click()
    made(page, MANY + 2)
    there = client.subnets.first(cidr="10.81.0.0/16")
    assert there is not None
    assert len(list(client.items("/excludes", subnet_id=there.id))) == MANY

    prefix = client.create("prefixes", cidr="10.82.0.0/16").id
    subnet = client.create("subnets", prefix_id=prefix, cidr="10.82.0.0/16").id
    choose(page, written(tmp_path, "more.csv", excludes("10.82", MANY)))  # into the subnet of the server
    page.get_by_role("button", name="Try it first").click()
    expect(page.get_by_text(f"All {MANY} would pass")).to_be_visible()
    # Since it was tried, somebody else has made what is in the way of the second request.
    last = f"10.82.{(MANY - 1) // 250}.{(MANY - 1) % 250 + 1}"
    other = client.create("excludes", subnet_id=subnet, start_ip=last, end_ip="10.82.200.0").id
    page.get_by_role("button", name="Make them").click()
    expect(page.get_by_text("Stopped: 1000 were made before, and stay.")).to_be_visible()
    expect(page.get_by_role("alert").filter(has_text=f"{MANY + 1} excludes {last}")).to_be_visible()
    assert len(list(client.items("/excludes", subnet_id=subnet))) == 1001
    page.get_by_role("button", name="Try it first").click()
    expect(page.get_by_text("1 refused; nothing was changed.")).to_be_visible()
    client.request("DELETE", f"/excludes/{other}")
    page.get_by_role("button", name="Try it first").click()
    expect(page.get_by_text("All 100 would pass")).to_be_visible()
    page.get_by_role("button", name="Make them").click()
    made(page, 100)
    assert len(list(client.items("/excludes", subnet_id=subnet))) == MANY


def test_what_does_not_fit_under_the_cap_is_not_sent(
    opened: Open, tokens: dict[str, str], tmp_path: Path
) -> None:
    rows = [f"10.83.{n // 250}.{n % 250 + 1},host-{n}" for n in range(MANY)]
    page = opened("/import", tokens["admin"])
    choose(page, written(tmp_path, "hosts.csv", "\n".join(["ip,name", *rows])))
    page.get_by_label("Networks of all rows").fill("10.83.0.0/16")
    expect(page.get_by_text("exceed the managed address limit")).to_be_visible()
    expect(page.get_by_role("button", name="Make them")).to_be_disabled()


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("picture.png", b"\x89PNG\r\n\x1a\n\0", "is no text"),
        ("plan.json", '{"operations": []}', "no plan of ipam import"),
        ("plan.json", '{"format": ', "begins like JSON and is none"),
        ("plan.json", '{"format": "csv", "objects": [{}], "warnings": []}', "Object 1 of this plan"),
        ("table.csv", "", "no row below a header"),
        ("table.csv", 'ip,mac\n"10.0.0.1,02\n', "Line 2: nothing closes the quote"),
    ],
)
def test_a_file_that_is_neither_is_refused(
    opened: Open, tokens: dict[str, str], tmp_path: Path, name: str, content: str | bytes, why: str
) -> None:
    page = opened("/import", tokens["admin"])
    choose(page, written(tmp_path, name, content))
    expect(page.get_by_role("alert")).to_contain_text(why)
    expect(page.get_by_role("button", name="Try it first")).to_have_count(0)


def test_a_tenant_imports_into_its_own(
    opened: Open, tokens: dict[str, str], client: Client, tmp_path: Path
) -> None:
    page = opened("/import", tokens["tenant"])
    choose(page, written(tmp_path, "pools.csv", "network,start,end\n10.84.0.0/24,10.84.0.9,10.84.0.20\n"))
    expect(page.get_by_text("It goes into the tenant branch.")).to_be_visible()
    page.get_by_role("button", name="Try it first").click()
    page.get_by_role("button", name="Make them (3)").click()
    made(page, 3)
    tenant = client.tenants.first(name="branch")
    subnet = client.subnets.first(cidr="10.84.0.0/24")
    assert tenant is not None
    assert subnet is not None
    assert subnet.tenant_id == tenant.id


@pytest.mark.parametrize("role", ["operator", "viewer"])
def test_others_are_not_offered_it(opened: Open, tokens: dict[str, str], role: str) -> None:
    page = opened("/import", tokens[role])
    expect(page.get_by_text("The token in use may not do this.")).to_be_visible()
    expect(page.get_by_role("link", name="Import")).to_have_count(0)
    expect(page.get_by_role("link", name="Leases")).to_be_visible()
