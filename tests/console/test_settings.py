"""Who one is, what the browser keeps and how it forgets, and what the service tells of itself."""

import json
from typing import Any

import httpx
import psycopg
from cli.serving import Served
from console.accessible import accessible
from console.conftest import Open
from playwright.sync_api import Locator, Page, expect


def kept(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name="What this browser keeps").get_by_role("row").filter(has_text=name)


def stored(page: Page, place: str) -> dict[str, Any]:
    found: dict[str, Any] = page.evaluate(f"({{ ...{place}Storage }})")
    return found


def test_a_viewer_sees_who_it_is_and_how_the_service_is(
    opened: Open, tokens: dict[str, str], module_database: str, service: Served
) -> None:
    with psycopg.connect(module_database, autocommit=True) as session:
        session.execute(
            "insert into node (id, name, role, version, state, heartbeat_at)"
            " values (gen_random_uuid(), 'east', 'dhcp4', '9.8.7', 'ready', now())"
        )
    page = opened("/settings", tokens["viewer"])
    expect(page.get_by_text("9.8.7")).to_be_visible()
    expect(page.get_by_role("meter", name="Managed addresses")).to_have_text("0 of 1,000")
    expect(page.locator("dd", has_text="All tenants")).to_be_visible()
    accessible(page)
    assert page.get_by_role("link", name="API reference").get_attribute("href") == "/docs"
    assert page.get_by_role("link", name="Guides").get_attribute("href") == "/docs/guide/"
    for button, path in (("Save the API's document", "openapi"), ("Save the part", "openapi-ipam")):
        with page.expect_download() as download:
            page.get_by_role("button", name=button).click()
        saved = json.loads(download.value.path().read_text())
        headers = {"authorization": f"Bearer {tokens['viewer']}"}
        assert saved == httpx.get(f"{service.url}/{path}.json", headers=headers).json()
    page.get_by_role("link", name="Options for everybody").click()
    page.wait_for_url("**/options?scope=global")


def test_what_is_kept_is_seen_changed_and_forgotten(opened: Open, tokens: dict[str, str]) -> None:
    page = opened("/leases", tokens["admin"], viewport={"width": 360, "height": 800})
    page.get_by_role("button", name="Columns").click()
    page.get_by_text("DUID", exact=True).click()
    page.keyboard.press("Escape")
    page.get_by_label("Tenant").select_option("branch")
    page.get_by_role("link", name="Settings").click()
    page.get_by_label("Colours").select_option("dark")
    page.get_by_label("Times in").select_option("Asia/Tokyo")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(kept(page, "Preferences")).to_contain_text("Asia/Tokyo")
    expect(kept(page, "Columns of the table leases")).to_contain_text("duid")
    expect(kept(page, "Chosen tenant")).to_be_visible()
    expect(kept(page, "Token")).to_contain_text("Not shown")
    assert tokens["admin"] not in page.content()
    accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")

    page.get_by_role("button", name="Forget: Preferences").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "system")
    expect(kept(page, "Preferences")).to_have_count(0)
    assert stored(page, "local").keys() == {"ipam.columns.leases"}
    page.get_by_role("button", name="Forget all but the token").click()
    expect(kept(page, "Columns")).to_have_count(0)
    expect(page.get_by_label("Tenant")).to_have_value("")
    assert stored(page, "local") == {}
    assert stored(page, "session").keys() == {"ipam.token"}
    page.get_by_role("link", name="Leases").click()
    expect(page.get_by_role("columnheader", name="DUID")).to_have_count(0)


def test_a_token_of_the_device_is_kept_for_the_tab_alone_and_goes(
    opened: Open, tokens: dict[str, str]
) -> None:
    page = opened("/settings", allowed=(401,))
    page.get_by_label("Token").fill(tokens["operator"])
    page.get_by_text("Stay signed in on this device").click()
    page.get_by_role("button", name="Sign in").click()
    expect(kept(page, "Token")).to_contain_text("It is forgotten")
    page.get_by_role("button", name="Keep it for this tab only").click()
    expect(kept(page, "Token")).to_contain_text("This tab is closed")
    assert stored(page, "local") == {}
    assert stored(page, "session")["ipam.token"] == tokens["operator"]
    kept(page, "Token").get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    assert stored(page, "session") == {}


def test_a_tenant_sees_its_own(opened: Open, tokens: dict[str, str]) -> None:
    page = opened("/settings", tokens["tenant"])
    expect(page.get_by_text("branch", exact=True)).to_be_visible()
    expect(page.get_by_text("No server tells of itself to this token.")).to_be_visible()
