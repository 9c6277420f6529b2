"""Client classes: made with a tree of conditions whose errors stand at its field, changed, deleted."""

from console.accessible import accessible
from console.conftest import Open
from playwright.sync_api import expect

from api.client import Client


def test_a_class_is_made_changed_and_deleted(opened: Open, tokens: dict[str, str], client: Client) -> None:
    page = opened("/classes?open=new", tokens["admin"], allowed=(422,))
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name", exact=True).fill("uefi")
    for broken, told in (("{broken", ""), ('{"all": [{"option": 93}]}', "match.all[0]")):
        dialog.get_by_label("Conditions").fill(broken)
        dialog.get_by_role("button", name="Create").click()
        expect(dialog.get_by_label("Conditions")).to_have_attribute("aria-invalid", "true")
        expect(dialog.locator(".react-aria-FieldError")).to_contain_text(told)
    dialog.get_by_label("Conditions").fill('{"option": 93, "in": [7, 9]}')
    dialog.get_by_label("Made-up MAC").select_option("false")
    dialog.get_by_role("button", name="Create").click()
    row = page.get_by_role("row").filter(has_text="uefi")
    row.dblclick()
    dialog.get_by_role("button", name="Edit").click()
    dialog.get_by_label("Priority").fill("7")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_role("link", name="Its options")).to_be_visible()
    made = client.client_classes.first(name="uefi")
    assert made is not None
    assert (made.priority, made.match, made.locally_administered) == (7, {"option": 93, "in": [7, 9]}, False)
    accessible(page)
    dialog.get_by_role("button", name="Delete").click()
    dialog.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(row).to_have_count(0)


def test_a_template_shows_what_clients_brought(opened: Open, tokens: dict[str, str], client: Client) -> None:
    made = client.create("client-classes", name="models", match={"option": 60, "exists": True}, template=True)
    page = opened(f"/classes?open={made.id}", tokens["viewer"])
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("None yet.")).to_be_visible()
    expect(dialog.get_by_role("button", name="Edit")).to_have_count(0)
    expect(page.get_by_role("button", name="New", include_hidden=True)).to_have_count(0)
