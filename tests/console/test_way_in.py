"""Signing in: the first token on the host, elsewhere, by token; what a refused token keeps."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from cli.serving import Served, serving
from console.accessible import accessible
from console.conftest import Open
from playwright.sync_api import Route, expect

from api.client import Client
from ipam_core import bootstrap_code
from ipam_core.bootstrap_code import issue


@pytest.fixture
def fresh(database: str, tmp_path: Path) -> Iterator[Served]:
    """A server that has no token yet."""
    with serving(database, tmp_path, first_token=False) as running:
        yield running


def test_on_the_host_the_first_token_is_made_and_shown_once(opened: Open, fresh: Served) -> None:
    page = opened("/leases", server=fresh, allowed=(404,))
    accessible(page)
    page.get_by_label("Token name").fill("console")
    page.keyboard.press("Enter")
    secret = page.get_by_label("Secret").inner_text()
    accessible(page)
    page.get_by_role("button", name="Open the console").press("Enter")
    expect(page.get_by_role("heading", name="Leases")).to_be_visible()
    expect(page.get_by_text(secret)).to_have_count(0)
    with Client(fresh.url, secret) as client:
        assert client.request("GET", "/tokens/self")["name"] == "console"


def test_the_link_of_ipam_up_makes_the_first_token_of_another_account(
    opened: Open, fresh: Served, tmp_path: Path
) -> None:
    """Its code is sent once, and stands neither in the address bar nor in the history, storage or shown call."""
    code = issue(tmp_path)
    page = opened(f"/#code={code}", server=fresh, allowed=(403, 404))
    expect(page.get_by_label("Token name")).to_be_visible()
    assert "code" not in page.url
    assert code not in page.content()
    assert page.evaluate("JSON.stringify([localStorage, sessionStorage, history.state])").find(code) == -1
    sent: list[str | None] = []
    page.on("request", lambda request: sent.append(request.headers.get("bootstrap-code")))
    page.get_by_role("button", name="Create token").click()
    secret = page.get_by_label("Secret").inner_text()
    assert [each for each in sent if each] == [code]
    page.get_by_role("button", name="Open the console").click()
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()
    expect(page.get_by_role("heading", name="The plan is empty")).to_be_visible()
    expect(page.get_by_role("link", name="Create a prefix")).to_have_attribute("href", "/console/prefixes")
    accessible(page)
    assert not (tmp_path / bootstrap_code.NAME).exists()
    assert sent.count(code) == 1
    with Client(fresh.url, secret) as client:
        assert client.request("GET", "/tokens/self")["name"] == "first"
    page.go_back()
    assert "code" not in page.url


def test_a_browser_of_another_account_is_let_in_by_the_link_alone(
    opened: Open, fresh: Served, tmp_path: Path
) -> None:
    """The browser here is root's, so the refusal that another account would get is put in its place."""
    page = opened("/leases", server=fresh, allowed=(403, 404))

    def refuse(route: Route) -> None:
        route.fulfill(status=403, json={"error": {"code": "forbidden", "message": "only root"}})

    page.route("**/api/v1/tokens/self", refuse)
    page.goto("/console/leases?again")
    expect(page.get_by_text("ipam token create --name first --role admin")).to_be_visible()
    page.goto(f"/console/?again#code={issue(tmp_path)}")
    expect(page.get_by_label("Token name")).to_be_visible()
    page.goto("/console/leases?once-more#code=wrong")
    page.get_by_role("button", name="Create token").click()
    expect(page.get_by_text("no longer valid")).to_be_visible()


def test_elsewhere_it_shows_the_command_to_run_on_the_host(
    opened: Open, database: str, tmp_path: Path
) -> None:
    with serving(database, tmp_path, trusted_proxies="127.0.0.0/8") as proxied:
        page = opened("/leases", server=proxied, allowed=(403,))
        expect(page.get_by_text("ipam token create --name first --role admin")).to_be_visible()
        accessible(page)
        page.get_by_role("button", name="I have a token").click()
        expect(page.get_by_label("Token")).to_be_visible()


def test_a_token_signs_in_and_stays_out_of_the_url(opened: Open, tokens: dict[str, str]) -> None:
    page = opened("/leases", allowed=(401,))
    accessible(page)
    page.get_by_label("Token").fill(tokens["viewer"])
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Leases")).to_be_visible()
    assert tokens["viewer"] not in page.url
    assert page.evaluate("localStorage.getItem('ipam.token')") is None
    assert page.evaluate("sessionStorage.getItem('ipam.token')") == tokens["viewer"]


def test_a_token_stays_on_the_device_if_asked_and_until_signed_out(
    opened: Open, tokens: dict[str, str]
) -> None:
    page = opened("/leases", allowed=(401,))
    page.get_by_label("Token").fill(tokens["viewer"])
    page.get_by_text("Stay signed in on this device").click()
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Leases")).to_be_visible()
    assert page.evaluate("localStorage.getItem('ipam.token')") == tokens["viewer"]
    page.get_by_role("button", name="Preferences").click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    assert page.evaluate("localStorage.getItem('ipam.token')") is None


def test_a_token_that_nobody_knows_is_told(opened: Open, service: Served) -> None:
    page = opened("/", allowed=(401,))
    page.get_by_label("Token").fill(service.token[:-1] + ("a" if service.token[-1] != "a" else "b"))
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_text("mistyped, expired or revoked")).to_be_visible()


def test_a_refused_token_is_asked_for_again_and_nothing_typed_is_lost(
    opened: Open, tokens: dict[str, str], client: Client
) -> None:
    ending = client.create("tokens", name="ends", role="viewer")
    page = opened("/leases", ending.token, allowed=(401,))
    field = page.get_by_label("Address, CIDR, MAC")
    expect(field).to_be_visible()
    client.delete("tokens", ending.id)
    field.fill("10.60.0.99")
    again = page.get_by_role("dialog")
    expect(again.get_by_text("Your input is kept.")).to_be_visible(timeout=10_000)
    again.get_by_label("Token").fill(tokens["viewer"])
    again.get_by_role("button", name="Sign in").click()
    expect(again).to_have_count(0)
    expect(field).to_have_value("10.60.0.99")
    expect(page.get_by_text("Nothing matches.")).to_be_visible()


def test_a_429_is_waited_out_and_shown(opened: Open, tokens: dict[str, str]) -> None:
    page = opened("/leases", tokens["viewer"], allowed=(429,))
    expect(page.get_by_text("0 rows")).to_be_visible()
    refused: list[str] = []

    def refuse_once(route: Route) -> None:
        if refused:
            route.continue_()
            return
        refused.append(route.request.url)
        route.fulfill(status=429, headers={"retry-after": "2"}, json={"error": {"code": "rate_limited"}})

    page.route("**/api/v1/leases?*", refuse_once)
    page.get_by_label("State").select_option("active")
    expect(page.get_by_text("The server asks to wait: 2 s")).to_be_visible()
    expect(page.get_by_text("The server asks to wait")).to_have_count(0)
    expect(page.get_by_text("Nothing matches.")).to_be_visible()
