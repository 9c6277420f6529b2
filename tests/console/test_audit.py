"""The audit trail: found, opened with before and after, a change brought back; for admins alone."""

from console.accessible import accessible
from console.conftest import Open
from playwright.sync_api import expect

from api.client import Client


def test_a_change_is_found_and_brought_back(opened: Open, tokens: dict[str, str], client: Client) -> None:
    prefix = client.create("prefixes", cidr="10.63.0.0/16", description="the old hall")
    client.prefixes.update(prefix.id, description="the new hall")
    page = opened("/audit", tokens["admin"])
    accessible(page)
    page.get_by_label("What was done").select_option("updated")
    page.get_by_label("Kind of object").fill("prefix")
    page.wait_for_url("**object_type=prefix*")
    page.get_by_role("row").filter(has_text="10.63.0.0/16").dblclick()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("the old hall")).to_be_visible()
    expect(dialog.get_by_text("the new hall")).to_be_visible()
    accessible(page)
    dialog.get_by_role("button", name="Restore").click()
    dialog.get_by_text("The call").click()
    expect(dialog.locator("pre")).to_contain_text('{"description":"the old hall"}')
    dialog.get_by_role("button", name="Restore").click()
    expect(dialog.get_by_text("The call")).to_have_count(0)
    assert client.prefixes.get(prefix.id).description == "the old hall"


def test_what_was_created_has_nothing_to_bring_back(
    opened: Open, tokens: dict[str, str], client: Client
) -> None:
    client.create("prefixes", cidr="10.64.0.0/16")
    page = opened("/audit?action=created&object_type=prefix", tokens["admin"])
    page.get_by_role("row").filter(has_text="10.64.0.0/16").dblclick()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("Before and after")).to_be_visible()
    expect(dialog.get_by_role("button", name="Restore")).to_have_count(0)


def test_who_is_no_admin_is_not_led_there(opened: Open, tokens: dict[str, str]) -> None:
    page = opened("/overview", tokens["viewer"])
    expect(page.get_by_role("link", name="Nodes")).to_be_visible()
    expect(page.get_by_role("link", name="Audit")).to_have_count(0)
