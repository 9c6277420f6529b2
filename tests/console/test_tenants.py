"""The tenants: made, changed, deleted."""

from console.accessible import accessible
from console.conftest import Open
from playwright.sync_api import expect

from api.client import Client


def test_a_tenant_is_made_changed_and_deleted(opened: Open, tokens: dict[str, str], client: Client) -> None:
    page = opened("/tenants", tokens["admin"], allowed=(409,))
    accessible(page)
    page.get_by_role("button", name="New tenant").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("annex")
    dialog.get_by_role("button", name="Make it").click()
    page.get_by_role("row").filter(has_text="annex").dblclick()
    dialog.get_by_role("button", name="Change").click()
    dialog.get_by_label("Description").fill("across the street")
    dialog.get_by_role("button", name="Change").click()
    # Not in the form, which closes, nor among the versions, which may be there by now.
    expect(dialog.get_by_role("definition").filter(has_text="across the street")).to_be_visible()
    accessible(page)
    tenant = client.tenants.first(name="annex")
    assert tenant is not None
    client.create("prefixes", cidr="10.62.0.0/16", tenant_id=tenant.id)
    dialog.get_by_role("button", name="Delete").click()
    confirm = page.get_by_role("dialog", name="Delete annex?")
    expect(confirm.get_by_role("button", name="Delete")).to_be_disabled()
    expect(confirm.get_by_text("1 prefix", exact=True)).to_be_visible()
    accessible(page)
    confirm.get_by_text("Delete what stands in it too").click()
    confirm.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert client.tenants.first(name="annex") is None


def test_a_viewer_only_looks(opened: Open, tokens: dict[str, str]) -> None:
    page = opened("/tenants", tokens["viewer"])
    expect(page.get_by_role("button", name="New tenant")).to_have_count(0)
    page.get_by_role("row").filter(has_text="branch").dblclick()
    expect(page.get_by_role("dialog").get_by_role("button")).to_have_count(1)  # Close
