"""The DNS: zones, records and zone files; servers that are tested; updates that are tried again."""

from pathlib import Path

import psycopg
from console.accessible import accessible
from console.conftest import Open
from playwright.sync_api import Locator, Page, expect

from api.client import Client

FAILED = """
insert into ddns_update (id, tenant_no, action, ip, fqdn, state, attempts, last_error)
select gen_random_uuid(), no, 'add', '10.68.0.9', 'nine.example.org', 'failed', 7, 'SERVFAIL' from tenant
where is_default"""

SEEN = """
with zone as (
  insert into dns_published (zone_no, name, serial, default_ttl, mname, rname, refresh_seconds, retry_seconds,
                             expire_seconds, minimum_seconds, published_at)
  select no, name, 7, 60, 'm', 'r', 1, 1, 1, 1, now() from dns_zone where name = 'far.example' returning zone_no
)
insert into dns_secondary (zone_no, dns_server_no, serial, seen_at, differs_since, refusal, refused_at)
select zone_no, dns_server.no, 4, now(), now(), '192.0.2.53 answered NOTIFY with REFUSED', now()
from zone, dns_server where dns_server.name = 'far'"""


def test_a_zone_is_made_filled_changed_and_deleted(
    opened: Open, tokens: dict[str, str], client: Client
) -> None:
    page = opened("/dns", tokens["admin"], allowed=(409,))
    accessible(page)
    page.get_by_role("button", name="New zone").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("hall.example")
    dialog.get_by_role("button", name="Make it").click()
    page.get_by_role("row").filter(has_text="hall.example").dblclick()
    expect(page.get_by_role("heading", name="hall.example")).to_be_visible()

    page.get_by_role("button", name="New record").click()
    dialog.get_by_label("Name").fill("printer")
    dialog.get_by_label("Type").fill("A")
    dialog.get_by_label("Value").fill("192.0.2.9")
    dialog.get_by_role("button", name="Make it").click()
    page.get_by_role("row").filter(has_text="printer").dblclick()
    dialog.get_by_role("button", name="Change").click()
    dialog.get_by_label("Value").fill("192.0.2.10")
    dialog.get_by_role("button", name="Change").click()
    expect(dialog.get_by_text("192.0.2.10", exact=True)).to_be_visible()
    accessible(page)
    dialog.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog", name="Delete printer").get_by_role("button", name="Delete").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("row").filter(has_text="printer")).to_have_count(0)

    page.get_by_role("button", name="Take a zone file").click()
    lines = ["door 300 IN A 192.0.2.11", "door 300 IN A 192.0.2.11", "mail 300 IN MX 10 nowhere"]
    page.get_by_label("Zone file").fill("\n".join([*lines, ""]))
    page.get_by_role("button", name="Take a zone file").click()
    expect(page.get_by_text("2 created, 0 deleted, 0 updated, 0 unchanged")).to_be_visible()
    expect(page.get_by_role("heading", name="Skipped (1)")).to_be_visible()
    expect(page.get_by_text("occurs twice in the file")).to_be_visible()
    expect(page.get_by_role("heading", name="Warnings (1)")).to_be_visible()
    expect(page.get_by_text("nowhere.hall.example does not exist in the zone")).to_be_visible()
    accessible(page)
    page.get_by_text("Only say what would be done").click()
    page.get_by_role("button", name="Take a zone file").click()
    expect(page.get_by_role("row").filter(has_text="door")).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("row").filter(has_text="MX").dblclick()
    expect(page.get_by_role("note")).to_contain_text("nowhere.hall.example does not exist in the zone")
    accessible(page)
    page.get_by_role("dialog").get_by_role("button", name="Close").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as zone file").click()
    path: Path = download.value.path()
    assert "192.0.2.11" in path.read_text()

    page.get_by_role("button", name="Delete").click()
    confirm = page.get_by_role("dialog", name="Delete hall.example")
    confirm.get_by_text("Delete what stands in it too").click()
    confirm.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("row").filter(has_text="hall.example")).to_have_count(0)
    assert client.dns_zones.first(name="hall.example") is None


def test_a_server_is_made_tested_changed_and_deleted(
    opened: Open, tokens: dict[str, str], client: Client
) -> None:
    page = opened("/dns?tab=servers", tokens["admin"])
    page.get_by_role("button", name="New server").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name", exact=True).fill("ns1")
    dialog.get_by_label("Address").fill("127.0.0.1")
    dialog.get_by_label("Port").fill("9")
    dialog.get_by_label("Name of the key").fill("ipam")
    dialog.get_by_label("Algorithm of the key").fill("hmac-sha256")
    dialog.get_by_label("Secret").fill("c2VjcmV0c2VjcmV0c2VjcmV0")
    accessible(page)
    dialog.get_by_role("button", name="Make it").click()
    page.get_by_role("row").filter(has_text="ns1").dblclick()
    dialog.get_by_role("button", name="Test it").click()
    dialog.get_by_role("button", name="Test it").click()
    expect(dialog.get_by_text("It does not work yet.")).to_be_visible()
    accessible(page)
    dialog.get_by_role("button", name="Cancel").click()
    dialog.get_by_role("button", name="Change").click()
    dialog.get_by_label("Description").fill("in the cellar")
    dialog.get_by_role("button", name="Change").click()
    expect(dialog.locator("dd", has_text="in the cellar")).to_be_visible()
    dialog.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog", name="Delete ns1?").get_by_role("button", name="Delete").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("row").filter(has_text="ns1")).to_have_count(0)
    assert list(client.dns_servers.list()) == []


def test_an_operator_tries_a_failed_update_again(
    opened: Open, tokens: dict[str, str], module_database: str
) -> None:
    with psycopg.connect(module_database, autocommit=True) as session:
        session.execute(FAILED)
    page = opened("/dns?tab=updates&state=failed", tokens["operator"])
    page.get_by_role("row").filter(has_text="nine.example.org").dblclick()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("SERVFAIL")).to_be_visible()
    dialog.get_by_role("button", name="Try again").click()
    dialog.get_by_role("button", name="Try again").click()
    expect(dialog.get_by_text("Waiting", exact=True)).to_be_visible()


def test_a_zone_shows_how_far_its_secondaries_are(
    opened: Open, tokens: dict[str, str], client: Client, module_database: str
) -> None:
    secret = {"key_name": "k", "key_algorithm": "hmac-sha256", "secret": "c2VjcmV0c2VjcmV0"}
    server = client.create("dns-servers", name="far", adapter="bind_tsig", address="192.0.2.53", **secret).id
    zone = client.create("dns-zones", name="far.example", secondary_ids=[server]).id
    with psycopg.connect(module_database, autocommit=True) as session:
        session.execute(SEEN)
    page = opened(f"/dns/zones/{zone}", tokens["viewer"])
    expect(page.get_by_role("heading", name="Secondaries")).to_be_visible()
    expect(page.get_by_text("lacks 3 serials since")).to_contain_text("answered NOTIFY with REFUSED")
    accessible(page)


def test_a_zone_is_checked(opened: Open, tokens: dict[str, str], client: Client) -> None:
    zone = client.create("dns-zones", name="checked.example").id
    client.create("dns-records", zone_id=zone, name="@", type="MX", data="10 nowhere.checked.example.")
    page = opened(f"/dns/zones/{zone}", tokens["viewer"])
    page.get_by_role("button", name="Check zone").click()
    page.get_by_role("button", name="Check zone").click()
    expect(page.get_by_text("1 records: 1 errors, 2 warnings")).to_be_visible()
    expect(page.get_by_text("nowhere.checked.example does not exist in the zone")).to_be_visible()
    accessible(page)


def grid_of(page: Page) -> Locator:
    return page.get_by_role("grid", name="Records")


def test_a_record_is_changed_in_its_row(opened: Open, tokens: dict[str, str], client: Client) -> None:
    zone = client.create("dns-zones", name="row.example").id
    record = client.create("dns-records", zone_id=zone, name="door", type="A", data="192.0.2.1").id
    page = opened(f"/dns/zones/{zone}", tokens["admin"], allowed=(422,))
    grid = grid_of(page)
    expect(grid.get_by_text("192.0.2.1")).to_be_visible()
    grid.focus()
    page.keyboard.press("F2")
    expect(grid.get_by_label("Name", exact=True)).to_be_focused()
    value = grid.get_by_label("Value")
    value.fill("192.0.2.300")
    value.press("Enter")
    expect(value).to_have_attribute("aria-invalid", "true")
    accessible(page)
    value.fill("192.0.2.2")
    change = page.get_by_role("region", name="Change of door")
    change.get_by_text("The call").click()
    expect(change.get_by_text('"data":"192.0.2.2"')).to_be_visible()
    value.press("Enter")
    expect(grid.get_by_text("192.0.2.2")).to_be_visible()
    expect(change).to_have_count(0)
    expect(grid).to_be_focused()
    assert client.dns_records.get(record).data == "192.0.2.2"

    grid.get_by_role("button", name="Change door").click()
    grid.get_by_label("TTL in seconds").fill("77")
    page.keyboard.press("Escape")
    expect(grid).to_be_focused()
    expect(grid.get_by_role("textbox")).to_have_count(0)
    assert client.dns_records.get(record).ttl is None
    page.keyboard.press("F2")
    expect(grid.get_by_label("Name", exact=True)).to_be_focused()
    page.keyboard.press("Enter")  # nothing was changed: it is left
    expect(grid.get_by_role("textbox")).to_have_count(0)


def test_what_somebody_else_changed_meanwhile_is_shown_beside_it(
    opened: Open, tokens: dict[str, str], client: Client
) -> None:
    zone = client.create("dns-zones", name="both.example").id
    record = client.create("dns-records", zone_id=zone, name="gate", type="A", data="192.0.2.1").id
    page = opened(f"/dns/zones/{zone}", tokens["admin"], allowed=(412,))
    grid = grid_of(page)
    value = grid.get_by_label("Value")
    meanwhile = page.get_by_role("region", name="Somebody changed this meanwhile")
    for theirs, choice in (("192.0.2.20", "Take what is there"), ("192.0.2.30", "Send mine over it")):
        grid.get_by_role("button", name="Change gate").click()
        value.fill("192.0.2.9")
        client.dns_records.update(record, data=theirs)
        value.press("Enter")
        expect(meanwhile.get_by_role("rowheader", name="Value", exact=True)).to_be_visible()
        expect(meanwhile.get_by_role("cell", name=theirs)).to_be_visible()
        expect(meanwhile.get_by_role("cell", name="192.0.2.9")).to_be_visible()
        accessible(page)
        meanwhile.get_by_role("button", name=choice).click()
        if choice.startswith("Take"):
            expect(value).to_have_value(theirs)
            value.press("Escape")
        expect(grid.get_by_role("textbox")).to_have_count(0)
    assert client.dns_records.get(record).data == "192.0.2.9"


def test_a_viewer_changes_no_row(opened: Open, tokens: dict[str, str], client: Client) -> None:
    zone = client.create("dns-zones", name="read.example").id
    client.create("dns-records", zone_id=zone, name="wall", type="A", data="192.0.2.1")
    page = opened(f"/dns/zones/{zone}", tokens["viewer"])
    grid = grid_of(page)
    expect(grid.get_by_text("192.0.2.1")).to_be_visible()
    expect(grid.get_by_role("button")).to_have_count(0)
    grid.focus()
    page.keyboard.press("F2")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    expect(page.get_by_role("textbox")).to_have_count(0)


def test_a_viewer_is_offered_nothing(opened: Open, tokens: dict[str, str]) -> None:
    page = opened("/dns", tokens["viewer"])
    expect(page.get_by_role("grid")).to_have_attribute("aria-busy", "false")
    expect(page.get_by_role("button", name="New zone")).to_have_count(0)
