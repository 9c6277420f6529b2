"""The overview: figures for whoever reads, and the inbox with what may be done about each thing in it."""

import time

import psycopg
import pytest
from console.accessible import accessible
from console.conftest import Open
from console.granted import grant
from playwright.sync_api import Page, expect

from api.client import Client

COUNTED_SECONDS = 60  # until the service counted the leases of the pool
TROUBLES = """
insert into unknown_relay (address, count, first_seen_at, last_seen_at)
  values ('192.0.2.77', 1234, now() - interval '1 day', now()), ('2001:db8::77', 2, now(), now());
insert into node (id, name, role, version, state, heartbeat_at)
  values (gen_random_uuid(), 'east', 'dhcp', '1', 'ready', now());
insert into ddns_update (id, tenant_no, subnet_no, action, ip, fqdn, state, attempts, last_error)
  select gen_random_uuid(), tenant_no, no, 'add', '10.61.0.9', 'nine.example.org', 'conflict', 7, 'YXDOMAIN'
  from subnet;
insert into webhook_delivery (id, webhook_no, event, payload, state, attempts, last_error)
  select gen_random_uuid(), no, 'pool.exhausted', '{}', 'dead', 9, 'connection refused' from webhook;
update lease set state = 'd' where address = '10.61.0.12';
"""


@pytest.fixture(scope="module", autouse=True)
def troubles(client: Client, module_database: str) -> None:
    prefix = client.create("prefixes", cidr="10.61.0.0/16").id
    subnet = client.create("subnets", prefix_id=prefix, cidr="10.61.0.0/24").id
    client.create("pools", subnet_id=subnet, name="desks", start_ip="10.61.0.100", end_ip="10.61.0.109")
    client.create("webhooks", url="http://127.0.0.1:9/hook")
    grant(module_database, subnet, 10, 12)
    grant(module_database, subnet, 100, 109)
    with psycopg.connect(module_database, autocommit=True) as session:
        session.execute(TROUBLES)
    deadline = time.monotonic() + COUNTED_SECONDS
    while not client.request("GET", "/dashboard")["pools_near_full"]:
        assert time.monotonic() < deadline
        time.sleep(0.2)


def test_a_viewer_sees_the_state_and_is_offered_nothing(opened: Open, tokens: dict[str, str]) -> None:
    page = opened("/", tokens["viewer"])
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()
    inbox = page.get_by_role("region", name="What wants a person")
    for told in ("192.0.2.77", "1,234", "nine.example.org", "YXDOMAIN", "connection refused", "10.61.0.12"):
        expect(inbox.get_by_text(told, exact=True)).to_be_visible()
    expect(inbox.get_by_role("meter", name="desks")).to_be_visible()
    expect(page.get_by_text("east")).to_be_visible()
    expect(inbox.get_by_role("button")).to_have_count(0)
    accessible(page)
    expect(inbox.get_by_text("http://127.0.0.1:9/")).to_be_visible()
    inbox.get_by_role("link", name="pool.exhausted").click()
    expect(page.get_by_role("dialog").get_by_text("connection refused")).to_be_visible()


def test_an_operator_tries_again_what_failed(
    opened: Open, tokens: dict[str, str], client: Client, module_database: str
) -> None:
    page = opened("/overview", tokens["operator"])
    expect(page.get_by_role("button", name="Trust 192.0.2.77")).to_have_count(0)
    page.get_by_role("button", name="Try again: nine.example.org").click()
    page.get_by_role("dialog").get_by_role("button", name="Try again").click()
    expect(page.get_by_text("nine.example.org")).to_have_count(0)
    assert [update["state"] for update in client.items("/ddns-updates")] != ["conflict"]
    page.get_by_role("button", name="Send again: pool.exhausted").click()
    page.get_by_role("dialog").get_by_role("button", name="Send again").click()
    inbox = page.get_by_role("region", name="What wants a person")
    expect(inbox.get_by_text("pool.exhausted")).to_have_count(0)
    with psycopg.connect(module_database) as session:
        assert session.execute("select state from webhook_delivery").fetchall() == [("pending",)]


def wide(page: Page) -> list[str]:
    """What sticks out at the right."""
    found: list[str] = page.evaluate(
        "[...document.querySelectorAll('body *')].filter(each => each.getBoundingClientRect().right > innerWidth + 1"
        " && !each.parentElement.closest('.plain'))"
        ".map(each => each.tagName + '.' + each.className)"
    )
    return found if page.evaluate("document.documentElement.scrollWidth > innerWidth") else []


def test_an_admin_trusts_an_unknown_relay(opened: Open, tokens: dict[str, str], client: Client) -> None:
    page = opened("/overview", tokens["admin"], viewport={"width": 360, "height": 800})
    page.get_by_role("button", name="Trust 192.0.2.77").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Network")).to_have_value("192.0.2.77/32")
    accessible(page)
    dialog.get_by_label("Network").fill("192.0.2.0/24")
    dialog.get_by_label("Description").fill("the east building")
    dialog.get_by_role("button", name="Trust").click()
    expect(page.get_by_text("192.0.2.77")).to_have_count(0)
    expect(page.get_by_role("button", name="Trust 2001:db8::77")).to_be_visible()
    assert [relay["cidr"] for relay in client.items("/trusted-relays")] == ["192.0.2.0/24"]
    assert wide(page) == []


def test_a_tenant_sees_its_own_state(opened: Open, tokens: dict[str, str]) -> None:
    page = opened("/overview", tokens["tenant"])
    expect(page.get_by_text("Nothing wants a person.")).to_be_visible()
    expect(page.get_by_text("10.61.0.12")).to_have_count(0)
