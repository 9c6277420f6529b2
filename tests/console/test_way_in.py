"""Signing in: the first token on the host, elsewhere, by token; what a refused token keeps."""

from cli.serving import Served
from console.conftest import Open
from playwright.sync_api import expect


def test_a_token_signs_in_and_stays_out_of_the_url(opened: Open, tokens: dict[str, str]) -> None:
    page = opened("/leases", allowed=(401,))
    page.get_by_label("Token").fill(tokens["viewer"])
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Leases")).to_be_visible()
    assert tokens["viewer"] not in page.url
    assert page.evaluate("localStorage.getItem('ipam.token')") is None


def test_a_token_that_nobody_knows_is_told(opened: Open, service: Served) -> None:
    page = opened("/", allowed=(401,))
    page.get_by_label("Token").fill(service.token[:-1] + ("a" if service.token[-1] != "a" else "b"))
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_text("mistyped, expired or revoked")).to_be_visible()
