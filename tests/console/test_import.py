"""A plan or a plain table is opened, checked with every error at its row and field, and created or left alone."""

import json
from pathlib import Path

import pytest
from cli.serving import Served, ipam
from console.accessible import accessible
from console.conftest import Open
from console.granted import grant
from importers.accounting import SOURCES
from playwright.sync_api import Locator, Page, expect

from api.client import Client

MANY = 1100
PASTED = """ip\tmac\thostname
10.80.0.9\t02-00-00-00-00-09\tprinter
10.80.0.10\t02:00:00:00:00:zz\tbroken
10.80.0.11\t02:00:00:00:00:11\tfine
10.80.0.11\t02:00:00:00:00:12\ttwin
10.99.0.1\t02:00:00:00:00:13\tnowhere
10.80.0.12\t\tnot a name
10.80.0.13\t\tscanner
"""


def choose(page: Page, path: Path) -> None:
    page.get_by_label("Plan or table").set_input_files(path)


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def planned(service: Served, source: Path, folder: Path) -> Path:
    plan = folder / "plan.json"
    ipam(service, "import", str(source), "--plan", str(plan))
    return plan


def check(page: Page) -> None:
    page.get_by_role("button", name="Check import").click()


def create(page: Page, count: int) -> None:
    page.get_by_role("button", name=f"Create {count:,} objects").click()
    expect(page.get_by_text(f"{count:,} created.", exact=True)).to_be_visible()


def refused(page: Page, what: str) -> Locator:
    rows = page.get_by_role("region", name="Refused objects").get_by_role("row")
    return rows.filter(has_text=what)


def subnet_in(client: Client, cidr: str) -> str:
    prefix = client.create("prefixes", cidr=cidr).id
    return str(client.create("subnets", prefix_id=prefix, cidr=cidr).id)


ISC = """option domain-name "example.net";
ddns-update-style none;
subnet 10.86.0.0 netmask 255.255.255.0 {
  option routers 10.86.0.1;
  range 10.86.0.100 10.86.0.150;
}
host printer { hardware ethernet 02:00:00:00:86:09; fixed-address 10.86.0.9; }
"""


@pytest.mark.parametrize(
    ("name", "content", "subnet", "warning"),
    [
        (
            "kea4.json",
            (SOURCES / "kea4.json").read_text(encoding="utf-8"),
            "203.0.113.0/26",
            "leases are never imported",
        ),
        ("dhcpd.conf", ISC, "10.86.0.0/24", "dynamic DNS is set up anew"),
    ],
    ids=["kea", "isc"],
)
def test_a_plan_of_ipam_import_is_checked_and_created(
    opened: Open,
    tokens: dict[str, str],
    client: Client,
    service: Served,
    tmp_path: Path,
    name: str,
    content: str,
    subnet: str,
    warning: str,
) -> None:
    source = written(tmp_path, name, content)
    plan = planned(service, source, tmp_path)
    objects = json.loads(plan.read_bytes())["objects"]
    page = opened("/import", tokens["admin"])
    accessible(page)
    choose(page, plan)
    counts = page.get_by_role("region", name="Objects by kind")
    in_plan = sum(1 for each in objects if each["family"] == "subnets")
    expect(counts.get_by_role("row").filter(has_text="Subnets")).to_contain_text(str(in_plan))
    expect(page.get_by_text(warning).first).to_be_visible()
    accessible(page)

    check(page)
    expect(page.get_by_text(f"The server accepts all {len(objects)} objects")).to_be_visible()
    assert client.subnets.first(cidr=subnet) is None
    page.get_by_text("The call", exact=True).click()
    expect(page.locator("pre").first).to_contain_text("/bulk")
    create(page, len(objects))
    expect(page.get_by_text("There is nothing to create.")).to_be_visible()
    accessible(page)
    again = ipam(service, "import", str(source), "--dry-run").output
    assert "0 to create" in again
    assert "differs" not in again
    page.get_by_role("link", name=subnet).click()
    expect(page.get_by_role("heading", name=subnet)).to_be_visible()


def test_names_of_a_plan_become_references_and_other_values_are_reported(
    opened: Open,
    tokens: dict[str, str],
    client: Client,
    service: Served,
    module_database: str,
    tmp_path: Path,
) -> None:
    source = {
        "Dhcp4": {
            "client-classes": [{"name": "desk", "test": "substring(option[60].hex,0,4) == 'desk'"}],
            "subnet4": [
                {
                    "id": 1,
                    "subnet": "10.85.0.0/24",
                    "pools": [{"pool": "10.85.0.100-10.85.0.150"}],
                    "reservations": [
                        {
                            "hw-address": "02:00:00:00:85:01",
                            "ip-address": "10.85.0.9",
                            "hostname": "desk-9",
                            "client-classes": ["desk"],
                        }
                    ],
                }
            ],
        }
    }
    plan = planned(service, written(tmp_path, "kea.json", json.dumps(source)), tmp_path)
    subnet = subnet_in(client, "10.85.0.0/24")
    page = opened("/import", tokens["admin"], allowed=(409,))
    choose(page, plan)
    expect(page.get_by_text("Existing objects with other values (1)")).to_be_visible()
    taken = client.create("reservations", subnet_id=subnet, ip="10.85.0.9", mac="02:00:00:00:85:02").id
    check(page)
    cells = refused(page, "reservations 10.85.0.9").get_by_role("cell")
    expect(cells.nth(2)).to_have_text("ip")
    expect(cells.nth(3)).to_contain_text("already reserved in the subnet (type reservation, ip 10.85.0.9)")
    accessible(page)
    client.request("DELETE", f"/reservations/{taken}")
    client.create("pools", subnet_id=subnet, start_ip="10.85.0.5", end_ip="10.85.0.20")
    grant(module_database, subnet, 9, 9)
    check(page)
    expect(page.get_by_text("1 active lease will be refused at the next renewal")).to_be_visible()
    expect(page.get_by_text("10.85.0.9 host-9.example.net")).to_be_visible()
    create(page, 3)
    (desk,) = client.reservations.list(ip="10.85.0.9")
    classes = {each.id: each.name for each in client.client_classes.list()}
    assert (desk.hostname, classes[desk.class_id]) == ("desk-9", "desk")


def test_every_wrong_row_of_a_table_is_reported_and_the_rest_is_created(
    opened: Open, tokens: dict[str, str], client: Client, tmp_path: Path
) -> None:
    subnet = subnet_in(client, "10.80.0.0/24")
    page = opened("/import", tokens["admin"], allowed=(409, 422), viewport={"width": 360, "height": 800})
    page.get_by_label("Pasted table").fill(PASTED)
    expect(refused(page, "10.99.0.1")).to_contain_text("No subnet contains 10.99.0.1")
    accessible(page)
    check(page)
    expect(page.get_by_text("4 refused. Nothing was changed.")).to_be_visible()
    expect(refused(page, "10.80.0.10")).to_contain_text("02:00:00:00:00:zz is not a MAC address")
    for what, line, field in (
        ("10.80.0.10", "3", "mac"),
        ("10.80.0.11", "5", "ip"),
        ("10.99.0.1", "6", "ip"),
        ("10.80.0.12", "7", "hostname"),
    ):
        cells = refused(page, what).get_by_role("cell")
        expect(cells.nth(0)).to_have_text(line)
        expect(cells.nth(2)).to_have_text(field)
    button = page.get_by_role("button", name="Create 3 objects")
    expect(button).to_be_disabled()
    accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.get_by_text("Leave out the refused objects").click()
    create(page, 3)
    assert {each.hostname for each in client.reservations.list(subnet_id=subnet)} == {"printer", "fine"}
    (scanner,) = client.assignments.list(hostname="scanner")
    assert (scanner.ip, scanner.subnet_id) == ("10.80.0.13", subnet)

    choose(page, written(tmp_path, "later.csv", "ip,mac,hostname,room\n10.80.0.77,020000008077,later,7\n"))
    expect(page.get_by_text("column room")).to_be_visible()
    expect(page.get_by_label("Pasted table")).to_have_value("")
    check(page)
    create(page, 1)
    (later,) = client.reservations.list(ip="10.80.0.77")
    assert later.subnet_id == subnet


def test_more_than_a_request_takes_goes_in_order(
    opened: Open, tokens: dict[str, str], client: Client, service: Served, tmp_path: Path
) -> None:
    rows = [f"exclude,10.81.{n // 250}.{n % 250 + 1}" for n in range(MANY)]
    table = written(tmp_path, "many.csv", "\n".join(["kind,ip", *rows]))
    plan = tmp_path / "plan.json"
    network = ("--format", "csv", "--map", "network==10.81.0.0/16")
    ipam(service, "import", str(table), *network, "--plan", str(plan))
    page = opened("/import", tokens["admin"], allowed=(409,))
    choose(page, plan)
    expect(page.get_by_text("The import takes 2 requests of up to 1,000 operations")).to_be_visible()
    check(page)
    expect(page.get_by_text(f"The server accepts all {MANY + 2:,} objects")).to_be_visible()
    # After the check, somebody else creates an object in the way of the second request.
    subnet = subnet_in(client, "10.81.0.0/16")
    choose(page, written(tmp_path, "again.json", plan.read_bytes()))
    check(page)
    expect(page.get_by_text(f"The server accepts all {MANY:,} objects")).to_be_visible()
    last = f"10.81.{(MANY - 1) // 250}.{(MANY - 1) % 250 + 1}"
    other = client.create("excludes", subnet_id=subnet, start_ip=last, end_ip="10.81.200.0").id
    page.get_by_role("button", name="Create 1,100 objects").click()
    expect(page.get_by_text("The 1,000 objects created before remain.")).to_be_visible()
    expect(page.get_by_role("alert").filter(has_text=f"Line {MANY + 1}: excludes {last}")).to_be_visible()
    assert len(list(client.items("/excludes", subnet_id=subnet))) == 1001
    check(page)
    expect(page.get_by_text("1 refused. Nothing was changed.")).to_be_visible()
    client.request("DELETE", f"/excludes/{other}")
    check(page)
    expect(page.get_by_text("The server accepts all 100 objects")).to_be_visible()
    create(page, 100)
    assert len(list(client.items("/excludes", subnet_id=subnet))) == MANY


def test_an_import_above_the_managed_address_limit_is_not_sent(
    opened: Open, tokens: dict[str, str], client: Client, tmp_path: Path
) -> None:
    subnet_in(client, "10.83.0.0/16")
    rows = [f"10.83.{n // 250}.{n % 250 + 1},host-{n}" for n in range(MANY)]
    page = opened("/import", tokens["admin"])
    choose(page, written(tmp_path, "hosts.csv", "\n".join(["ip,hostname", *rows])))
    expect(page.get_by_text("exceed the managed address limit")).to_be_visible()
    check(page)
    expect(page.get_by_role("button", name="Create 1,100 objects")).to_be_disabled()


PLAN = '{"version": 1, "format": "csv", "objects": [{}], "warnings": []}'


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("picture.png", b"\x89PNG\r\n\x1a\n\0", "is not text"),
        ("huge.csv", b"ip,mac\n" + b"x" * (64 << 20), "larger than 64 MiB"),
        ("plan.json", '{"operations": []}', "not a plan of ipam import"),
        ("plan.json", '{"format": ', "not valid JSON"),
        ("plan.json", PLAN, "Object 1 of this plan"),
        ("plan.json", PLAN.replace("1,", "7,", 1), "This plan has version 7"),
        ("plan.json", PLAN.replace('"version": 1,', ""), "An earlier version of ipam"),
        ("table.csv", "", "no rows below"),
        ("table.csv", "Where,Card\n10.0.0.1,02\n", "found: where, card"),
        ("table.csv", 'ip,mac\n"10.0.0.1,02\n', "Line 2: the quotation mark is never closed"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_with_the_reason(
    opened: Open, tokens: dict[str, str], tmp_path: Path, name: str, content: str | bytes, why: str
) -> None:
    page = opened("/import", tokens["admin"])
    choose(page, written(tmp_path, name, content))
    expect(page.get_by_role("alert")).to_contain_text(why)
    expect(page.get_by_role("button", name="Check import")).to_have_count(0)


def test_a_tenant_imports_into_its_own(
    opened: Open, tokens: dict[str, str], client: Client, service: Served, tmp_path: Path
) -> None:
    page = opened("/import", tokens["tenant"])
    table = written(tmp_path, "pools.csv", "network,start,end\n10.84.0.0/24,10.84.0.9,10.84.0.20\n")
    choose(page, planned(service, table, tmp_path))
    expect(page.get_by_text("Tenant: branch.")).to_be_visible()
    check(page)
    create(page, 3)
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
