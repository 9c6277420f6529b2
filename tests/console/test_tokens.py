"""The tokens: made with a secret that is shown once, changed, rotated, revoked; for admins alone."""

from cli.serving import Served
from console.accessible import accessible
from console.conftest import Open
from playwright.sync_api import Page, expect

from api.client import ApiError, Client


def secret_of(page: Page) -> str:
    return page.get_by_label("Secret", exact=True).inner_text()


def works(service: Served, secret: str) -> bool:
    with Client(service.url, secret) as other:
        try:
            other.request("GET", "/tokens/self")
        except ApiError:
            return False
        return True


def test_a_token_is_made_changed_rotated_and_revoked(
    opened: Open, tokens: dict[str, str], client: Client, service: Served
) -> None:
    page = opened("/tokens", tokens["admin"])
    accessible(page)
    page.get_by_role("button", name="New token").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("backup")
    dialog.get_by_label("Only from").fill("127.0.0.0/8, ::1/128")
    accessible(page)
    dialog.get_by_role("button", name="Make it").click()
    first = secret_of(page)
    accessible(page)
    dialog.get_by_role("button", name="I have kept it").click()
    expect(page.get_by_text(first)).to_have_count(0)
    assert works(service, first)

    page.get_by_role("row").filter(has_text="backup").dblclick()
    dialog.get_by_role("button", name="Change").click()
    dialog.get_by_label("Role").select_option("operator")
    dialog.get_by_role("button", name="Change").click()
    expect(dialog.get_by_text("operator", exact=True)).to_be_visible()
    made = client.tokens.first(name="backup")
    assert made is not None
    assert (made.role, made.allowed_cidrs) == ("operator", ["127.0.0.0/8", "::1/128"])

    dialog.get_by_role("button", name="Rotate").click()
    dialog.get_by_role("button", name="Rotate").click()
    second = secret_of(page)
    assert works(service, second)
    assert not works(service, first)
    dialog.get_by_role("button", name="I have kept it").click()

    dialog.get_by_role("button", name="Revoke").click()
    dialog.get_by_role("button", name="Revoke").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("row").filter(has_text="backup")).to_have_count(0)
    assert not works(service, second)


def test_who_is_no_admin_is_not_led_there(opened: Open, tokens: dict[str, str]) -> None:
    page = opened("/overview", tokens["operator"])
    expect(page.get_by_role("link", name="Nodes")).to_be_visible()
    expect(page.get_by_role("link", name="Tokens")).to_have_count(0)
