"""What happens, as it happens: leases in a table that stands still under a hand, a stream that is lost and found again,
and screens that read again what an event says is different."""

from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from cli.serving import serving
from console.accessible import accessible
from console.conftest import Open
from console.granted import grant, happened
from playwright.sync_api import Locator, Page, Route, expect

from api.client import Client

NAME = "10.62.0.{}"
FAILED = """
insert into ddns_update (id, tenant_no, subnet_no, action, ip, fqdn, state, attempts, last_error)
  select gen_random_uuid(), tenant_no, no, 'add', '10.62.0.9', 'late.example', 'failed', 7, 'SERVFAIL' from subnet;
insert into event (id, type, tenant_no, data)
  select gen_random_uuid(), 'ddns.failed', tenant_no, '{"fqdn": "late.example", "ip": "10.62.0.9"}' from subnet"""


@pytest.fixture(scope="module")
def subnet(client: Client) -> str:
    prefix = client.create("prefixes", cidr="10.62.0.0/16").id
    return str(client.create("subnets", prefix_id=prefix, cidr="10.62.0.0/20", name="desks").id)


def live(page: Page) -> None:
    expect(page.locator(".live")).to_have_text("Live")


def streamed(page: Page, place: str) -> None:
    """Opened there, and its stream has begun; that of the place before may answer meanwhile."""
    with page.expect_response(lambda answer: "/api/v1/events" in answer.url and page.url.endswith(place)):
        page.goto(f"/console{place}")


def row(page: Page, number: int) -> Locator:
    address = page.get_by_text(NAME.format(number), exact=True)
    return page.get_by_role("row").filter(has=address)


def test_leases_are_shown_as_they_change_and_filtered(
    opened: Open, tokens: dict[str, str], subnet: str, module_database: str
) -> None:
    happened(module_database, subnet, 9, 9)
    page = opened("/leases", tokens["viewer"])
    page.get_by_role("link", name="Live").click()
    live(page)
    expect(row(page, 9)).to_be_visible()  # from before
    happened(module_database, subnet, 17, 18)
    expect(row(page, 17)).to_contain_text("Granted")
    happened(module_database, subnet, 17, 17, "r")
    expect(row(page, 17).first).to_contain_text("Released")
    accessible(page)

    page.get_by_label("Address, CIDR, MAC").fill("0200.0000.0012")
    page.wait_for_url("**/leases/live?q=*")
    expect(row(page, 18)).to_be_visible()
    expect(row(page, 17)).to_have_count(0)
    happened(module_database, subnet, 18, 19, "n")
    expect(row(page, 18).filter(has_text="Renewed")).to_be_visible()
    expect(row(page, 19)).to_have_count(0)

    page.get_by_label("Address, CIDR, MAC").fill("")
    page.get_by_label("What happened").select_option("Released")
    page.wait_for_url("**/leases/live?type=lease.released")
    expect(row(page, 17)).to_contain_text("Released")
    expect(row(page, 18)).to_have_count(0)
    row(page, 17).dblclick()
    page.wait_for_url("**/leases?q=10.62.0.17")


def test_a_list_tells_of_changes_and_shows_them_when_asked(
    opened: Open, tokens: dict[str, str], subnet: str, module_database: str
) -> None:
    grant(module_database, subnet, 50, 59)
    page = opened("/leases", tokens["viewer"])
    streamed(page, "/leases?q=10.62.0.48%2F28")
    grid = page.get_by_role("grid")
    expect(grid.get_by_role("row")).to_have_count(11)
    since = page.get_by_role("status").filter(has_text="since")
    grant(module_database, subnet, 49, 49)
    happened(module_database, subnet, 49, 50)
    happened(module_database, subnet, 90, 95)  # of elsewhere
    happened(module_database, subnet, 51, 51, "n")  # renewed
    expect(since).to_have_text("2 changes since")
    accessible(page)
    expect(grid.get_by_role("row")).to_have_count(11)
    page.get_by_role("button", name="Show them").click()
    expect(grid.get_by_role("row")).to_have_count(12)
    expect(since).to_have_count(0)
    happened(module_database, subnet, 50, 50, "r")
    expect(since).to_have_text("1 change since")
    page.get_by_label("Address, CIDR").fill("10.62.0.64/28")
    expect(since).to_have_count(0)


def test_who_releases_a_lease_is_not_told_of_it(
    opened: Open, tokens: dict[str, str], subnet: str, module_database: str, client: Client
) -> None:
    grant(module_database, subnet, 70, 71)
    page = opened("/leases", tokens["operator"])
    streamed(page, "/leases?q=10.62.0.64%2F28")
    expect(page.get_by_role("grid").get_by_role("row")).to_have_count(3)
    row(page, 70).dblclick()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Release").click()
    dialog.get_by_role("button", name="Release").click()
    expect(dialog.get_by_text("Released")).to_be_visible()
    page.keyboard.press("Escape")
    other = next(iter(client.items("/leases", ip="10.62.0.71")))
    page.wait_for_timeout(2000)
    client.request("POST", f"/leases/{other['id']}/release")
    expect(page.get_by_role("status").filter(has_text="since")).to_have_text("1 change since")


def test_updates_of_names_tell_of_changes(
    opened: Open, tokens: dict[str, str], subnet: str, module_database: str
) -> None:
    page = opened("/dns", tokens["viewer"])
    streamed(page, "/dns?tab=updates")
    with psycopg.connect(module_database, autocommit=True) as session:
        session.execute(FAILED)
    since = page.get_by_role("status").filter(has_text="since")
    expect(since).to_have_text("1 change since")
    expect(page.get_by_text("late.example")).to_have_count(0)
    page.get_by_role("button", name="Show them").click()
    expect(page.get_by_text("late.example")).to_be_visible()
    expect(since).to_have_count(0)


def test_a_pause_keeps_what_comes(
    opened: Open, tokens: dict[str, str], subnet: str, module_database: str
) -> None:
    page = opened("/leases/live?q=10.62.0.20%2F31", tokens["viewer"], viewport={"width": 360, "height": 800})
    live(page)
    page.get_by_role("button", name="Pause").click()
    happened(module_database, subnet, 20, 21)
    expect(page.get_by_text("2 new ones wait")).to_be_visible()
    expect(row(page, 20)).to_have_count(0)
    accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.get_by_role("button", name="Go on").click()
    expect(row(page, 20)).to_be_visible()
    expect(page.get_by_text("2 events")).to_be_visible()


def test_a_row_under_the_pointer_or_the_focus_never_moves(
    opened: Open, tokens: dict[str, str], subnet: str, module_database: str
) -> None:
    page = opened("/leases/live", tokens["viewer"])
    live(page)
    happened(module_database, subnet, 30, 32)
    row(page, 31).hover()
    before = row(page, 31).bounding_box()
    happened(module_database, subnet, 33, 39)
    expect(page.get_by_text("7 new ones wait")).to_be_visible()
    assert row(page, 31).bounding_box() == before
    page.get_by_role("heading", name="Leases as they change").hover()
    expect(row(page, 39)).to_be_visible()

    page.get_by_role("grid").focus()
    before = row(page, 39).bounding_box()
    happened(module_database, subnet, 40, 41)
    expect(page.get_by_text("2 new ones wait")).to_be_visible()
    assert row(page, 39).bounding_box() == before
    page.get_by_label("What happened").focus()
    expect(row(page, 41)).to_be_visible()


def test_some_hundreds_are_kept(
    opened: Open, tokens: dict[str, str], subnet: str, module_database: str
) -> None:
    page = opened("/leases/live", tokens["viewer"])
    live(page)
    happened(module_database, subnet, 100, 1299)
    expect(page.get_by_text("10.62.5.19", exact=True)).to_be_visible()  # the last
    expect(page.get_by_text("500 events")).to_be_visible()
    assert page.evaluate("document.querySelectorAll('*').length") < 3000


def test_a_tenant_sees_nothing_of_others(
    opened: Open, tokens: dict[str, str], subnet: str, module_database: str, client: Client
) -> None:
    page = opened("/leases/live", tokens["tenant"])
    live(page)
    happened(module_database, subnet, 50, 50)
    tenant = client.tenants.first(name="branch")
    assert tenant is not None
    prefix = client.create("prefixes", cidr="10.63.0.0/24", tenant_id=tenant.id).id
    own = client.create("subnets", prefix_id=prefix, cidr="10.63.0.0/24").id
    happened(module_database, own, 7, 7)
    expect(page.get_by_text("10.63.0.7", exact=True)).to_be_visible()
    expect(row(page, 50)).to_have_count(0)


def test_the_stream_goes_with_what_shows_it(opened: Open, tokens: dict[str, str]) -> None:
    page = opened("/leases/live", tokens["viewer"])
    live(page)
    with page.expect_event("requestfailed", lambda request: "/api/v1/events" in request.url):
        page.get_by_role("link", name="Prefixes").click()


def test_while_the_stream_cannot_be_had_the_list_is_asked(
    opened: Open, tokens: dict[str, str], subnet: str, module_database: str
) -> None:
    page = opened("/classes", tokens["viewer"])
    refused = []

    def refuse_streams(route: Route) -> None:
        if route.request.headers.get("accept") != "text/event-stream":
            route.continue_()
            return
        refused.append(route.request.headers.get("last-event-id"))
        route.abort()

    page.route("**/api/v1/events*", refuse_streams)
    page.goto("/console/leases/live")
    expect(page.locator(".live")).to_contain_text("is lost")
    happened(module_database, subnet, 60, 60)
    expect(row(page, 60)).to_be_visible()
    assert len(refused) == 2
    accessible(page)

    page.unroute("**/api/v1/events*")
    page.get_by_role("button", name="Try again").click()
    live(page)


def test_a_stream_that_was_cut_goes_on_where_it_was(opened: Open, database: str, tmp_path: Path) -> None:
    with serving(database, tmp_path) as first:
        with Client(first.url, first.token) as client:
            prefix = client.create("prefixes", cidr="10.62.0.0/16").id
            subnet = client.create("subnets", prefix_id=prefix, cidr="10.62.0.0/20").id
        page = opened("/leases/live", first.token, server=first, allowed=(503,))
        live(page)
        happened(database, subnet, 70, 70)
        expect(row(page, 70)).to_be_visible()
    expect(page.locator(".live")).to_contain_text("is lost")
    happened(database, subnet, 71, 72)
    address = urlsplit(first.url).netloc
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.headers.get("last-event-id", "")))
    with serving(database, tmp_path, first_token=False, api_listen=address):
        page.get_by_role("button", name="Try again").click()
        live(page)
        for number in (70, 71, 72):
            expect(row(page, number)).to_have_count(1)
        assert any(asked)
        page.close()


def test_the_overview_reads_again_what_an_event_is_about(
    opened: Open, tokens: dict[str, str], subnet: str, module_database: str
) -> None:
    page = opened("/overview", tokens["viewer"])
    live(page)
    expect(page.get_by_text("Nothing wants a person.")).to_be_visible()
    grant(module_database, subnet, 80, 80)
    with psycopg.connect(module_database, autocommit=True) as session:
        session.execute("update lease set state = 'd' where address = '10.62.0.80'")
    happened(module_database, subnet, 80, 80, "d")
    expect(page.get_by_text("10.62.0.80", exact=True)).to_be_visible()
