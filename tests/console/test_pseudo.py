"""The pseudo-locale: on all screens, in their tabs and in what opens over them, each text is of a catalogue."""

from weakref import WeakKeyDictionary

import psycopg
import pytest
from console.conftest import Open
from console.granted import grant
from console.palette import open_palette
from console.plain_text import ON, plain
from console.traffic import Traffic
from playwright.sync_api import Page, expect

from api.client import Client
from ipam_core.dhcp.kinds import KINDS

# What things are called here, beside numbers: texts that are data wherever they stand.
NAMES = (
    *("office", "hall.example", "https://hooks.example", "host-", ".example.net"),
    *("admin", "operator", "viewer", "branch", "root", "default"),
    *KINDS,  # of options, as the registry calls them
)
MORE = """
insert into unknown_relay (address, count, first_seen_at, last_seen_at) values ('192.0.2.77', 12, now(), now());
insert into node (id, name, role, version, state, heartbeat_at)
  values (gen_random_uuid(), 'office', 'dhcp', '1', 'ready', now());
insert into ddns_update (id, tenant_no, subnet_no, action, ip, fqdn, state, attempts, last_error)
  select gen_random_uuid(), tenant_no, no, 'add', '10.75.0.9', 'nine.hall.example', 'conflict', 7, 'YXDOMAIN'
  from subnet;
insert into webhook_delivery (id, webhook_no, event, payload, state, attempts)
  select gen_random_uuid(), no, 'pool.exhausted', '{}', 'dead', 9 from webhook;
"""


@pytest.fixture(scope="module")
def site(client: Client, module_database: str) -> dict[str, str]:
    """Something of each kind, by kind."""
    prefix = client.create("prefixes", cidr="10.75.0.0/16").id
    subnet = client.create("subnets", prefix_id=prefix, cidr="10.75.0.0/24", name="office").id
    made = {
        "prefix": prefix,
        "subnet": subnet,
        "pool": client.create("pools", subnet_id=subnet, start_ip="10.75.0.100", end_ip="10.75.0.199").id,
        "zone": client.create("dns-zones", name="hall.example").id,
        "webhook": client.create("webhooks", url="https://hooks.example/").id,
        "notification": client.create(
            "notifications", name="office", kind="slack", url="https://hooks.example/"
        ).id,
        "relay": client.create("trusted-relays", cidr="10.76.0.0/24").id,
        "class": client.create("client-classes", name="office", mac_prefix="00:11:22").id,
    }
    made["record"] = client.create(
        "dns-records", zone_id=made["zone"], name="office", type="A", data="192.0.2.1"
    ).id
    client.create("reservations", subnet_id=subnet, ip="10.75.0.20", mac="02:00:00:00:00:20")
    client.create("global-options", code=6, payload={"addresses": ["192.0.2.53"]})
    grant(module_database, str(subnet), 10, 12)
    with psycopg.connect(module_database, autocommit=True) as session:
        session.execute(MORE)
    made["lease"] = next(iter(client.items("/leases")))["id"]
    return made


# Some screens keep a stream open, so the network of a page is never idle.
TRAFFIC: WeakKeyDictionary[Page, Traffic] = WeakKeyDictionary()


def settled(page: Page) -> Page:
    TRAFFIC.setdefault(page, Traffic(page)).settle()
    return page


def pseudo(page: Page, place: str) -> Page:
    """The place in the pseudo-locale."""
    TRAFFIC.setdefault(page, Traffic(page))
    page.evaluate(ON)
    page.goto(f"/console{place}")
    expect(page.get_by_text("~]").first).to_be_visible()
    return settled(page)


def told(page: Page, place: str) -> list[str]:
    """The plain texts of the page, each with the place."""
    return [f"{place}: {text}" for text in plain(settled(page), *NAMES)]


def over(page: Page, place: str) -> list[str]:
    """Those of what the buttons of the screen open over it."""
    found = []
    buttons = page.locator("main button:not(td button):not([role=gridcell] button)")
    for index in range(buttons.count()):
        button = buttons.nth(index)
        if not button.is_visible() or button.is_disabled():
            continue
        name = button.inner_text()
        button.click()
        page.wait_for_timeout(100)
        dialog = page.get_by_role("dialog")
        if dialog.count():
            found += told(page, f"{place} {name}")
            dialog.focus()
            page.keyboard.press("Escape")
            expect(dialog).to_have_count(0)
    return found


@pytest.mark.usefixtures("site")
def test_no_screen_nor_what_opens_over_it_has_plain_text(opened: Open, tokens: dict[str, str]) -> None:
    page = pseudo(opened("/leases", tokens["admin"], allowed=(422,)), "/overview")
    places = page.locator("nav a").evaluate_all("links => links.map(link => link.getAttribute('href'))")
    assert len(places) >= 15
    found: list[str] = []
    for place in places:
        page.goto(place)
        found += told(page, place) + over(page, place)
        for tab in page.get_by_role("tab").all()[1:]:
            tab.click()
            found += told(page, f"{place} {tab.inner_text()}") + over(page, f"{place} {tab.inner_text()}")
    assert found == [], "\n".join(found)


INNER = (
    "/prefixes?prefix={prefix}",
    "/prefixes?prefix={prefix}&act=next",
    "/prefixes?prefix={prefix}&act=subnet",
    "/prefixes?prefix={prefix}&act=split",
    "/prefixes?prefix={prefix}&act=delete",
    *(f"/subnets/{{subnet}}?tab={tab}" for tab in ("map", "pools", "options", "history", "settings")),
    "/subnets/{subnet}?tab=pools&open={pool}",
    "/subnets/{subnet}?tab=reservations&open=new",
    "/leases?lease={lease}",
    "/dns/zones/{zone}",
    "/dns/zones/{zone}?record={record}",
    "/webhooks?webhook={webhook}",
    "/notifications?notification={notification}",
    "/relays?relay={relay}",
    "/classes?open={class}",
    "/time?q=10.75.0.0/24",
    "/hosts?q=10.75.0.10",
    "/nothing",
)


def test_nothing_inside_a_screen_has_plain_text(
    opened: Open, tokens: dict[str, str], site: dict[str, str]
) -> None:
    page = pseudo(opened("/leases", tokens["admin"], allowed=(409, 422)), "/leases")
    found: list[str] = []
    for place in INNER:
        page.goto("/console" + place.format(**site))
        expect(page.get_by_text("~]").first).to_be_visible()
        found += told(page, place)
    page.keyboard.press("?")
    found += told(page, "keys")
    page.keyboard.press("Escape")
    open_palette(page)
    page.keyboard.type("10.75")
    expect(page.get_by_role("option").filter(has_text="10.75.0.0/16")).to_be_visible()
    found += told(page, "palette")
    assert found == [], "\n".join(found)


def test_it_is_a_preference_and_before_the_way_in_too(opened: Open, tokens: dict[str, str]) -> None:
    page = opened("/leases", tokens["viewer"])
    page.get_by_role("button", name="Preferences").click()
    page.get_by_text("Pseudo-locale").click()
    expect(page.get_by_role("heading", name="[Léásés ~~]")).to_be_visible()
    assert plain(page, *NAMES) == []
    outside = pseudo(opened("/leases", allowed=(401,)), "/leases")
    assert plain(outside) == []
    outside.evaluate("localStorage.clear()")
    outside.reload()
    expect(outside.get_by_role("heading", name="Sign in")).to_be_visible()
    assert "<h1> Sign in" in plain(outside)  # which is what the tests above would find
