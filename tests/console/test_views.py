"""Views of lists: kept under a name in the browser, opened, renamed, deleted, found by the palette, sent by address."""

from console.accessible import accessible
from console.conftest import Open
from console.palette import open_palette
from playwright.sync_api import Locator, Page, expect


def views(page: Page) -> Locator:
    """The dialog of the list's views."""
    page.get_by_role("button", name="Views").click()
    dialog = page.get_by_role("dialog", name="Views")
    expect(dialog).to_be_focused()  # before that, Escape is heard by nobody
    return dialog


def without_mac(page: Page) -> None:
    page.get_by_role("button", name="Columns").click()
    page.get_by_role("dialog", name="Columns").get_by_text("MAC", exact=True).click()
    page.keyboard.press("Escape")


def column(page: Page, title: str) -> Locator:
    return page.get_by_role("columnheader", name=title, exact=True)


def kept(page: Page, name: str) -> str:
    """Keeps the list as it stands; answers the view's address."""
    dialog = views(page)
    dialog.get_by_label("Keep the list as it stands").fill(name)
    dialog.get_by_role("button", name="Keep").click()
    link = dialog.get_by_role("link", name=name)
    expect(link).to_have_attribute("aria-current", "page")
    address = link.get_attribute("href")
    assert address is not None
    page.keyboard.press("Escape")
    return address


def test_a_view_of_what_was_typed_is_opened_where_something_else_is_typed(
    opened: Open, tokens: dict[str, str]
) -> None:
    page = opened("/leases?q=printer", tokens["viewer"])
    kept(page, "Printers")
    field = page.get_by_label("Address, CIDR")
    field.fill("10.9.9.9")
    page.wait_for_url("**/leases?q=10.9.9.9")
    views(page).get_by_role("link", name="Printers").click()
    page.wait_for_url("**/leases?q=printer*")
    expect(field).to_have_value("printer")
    page.go_back()
    expect(field).to_have_value("10.9.9.9")


def test_a_view_has_filters_and_columns_and_is_opened_again(opened: Open, tokens: dict[str, str]) -> None:
    page = opened("/leases?state=declined&family=4", tokens["viewer"])
    without_mac(page)
    address = kept(page, "Declined ones")
    assert address.startswith("/console/leases?state=declined&family=4&columns=leases%3A")
    page.goto("/console/leases")
    dialog = views(page)
    accessible(page)
    dialog.get_by_role("link", name="Declined ones").click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_label("State")).to_have_value("declined")
    expect(page.get_by_label("Family")).to_have_value("4")
    expect(column(page, "Address")).to_be_visible()
    expect(column(page, "MAC")).to_have_count(0)
    page.get_by_role("link", name="Prefixes").click()
    expect(page.get_by_role("heading", name="Prefixes")).to_be_visible()
    expect(views(page).get_by_text("None is kept of this list yet.")).to_be_visible()
    page.keyboard.press("Escape")
    open_palette(page)
    page.keyboard.type("declined")
    page.get_by_role("option", name="Declined ones").click()
    expect(page.get_by_label("State")).to_have_value("declined")


def test_it_is_the_same_at_its_address_for_others(opened: Open, tokens: dict[str, str]) -> None:
    page = opened("/leases?q=10.1.0.0/16", tokens["viewer"])
    without_mac(page)
    address = kept(page, "Branch")
    other = opened(address.removeprefix("/console"), tokens["operator"])
    expect(other.get_by_label("Address, CIDR, MAC")).to_have_value("10.1.0.0/16")
    expect(column(other, "Address")).to_be_visible()
    expect(column(other, "MAC")).to_have_count(0)
    without_mac(other)  # chooses it again, and the address lets go of it
    expect(column(other, "MAC")).to_be_visible()
    assert "columns" not in other.url
    assert "10.1.0.0" in other.url


def test_a_view_is_renamed_replaced_and_deleted(opened: Open, tokens: dict[str, str]) -> None:
    page = opened("/leases?state=active", tokens["viewer"])
    kept(page, "One")
    dialog = views(page)
    dialog.get_by_role("button", name="Rename One").click()
    dialog.get_by_label("New name of One").fill("Active ones")
    dialog.get_by_role("button", name="Rename").click()
    expect(dialog.get_by_role("link", name="Active ones")).to_be_visible()
    expect(dialog.get_by_role("link", name="One", exact=True)).to_have_count(0)
    accessible(page)
    page.keyboard.press("Escape")
    page.get_by_label("State").select_option("expired")
    page.wait_for_url("**state=expired*")
    assert "state=expired" in kept(page, "Active ones")
    page.reload()
    dialog = views(page)
    expect(dialog.get_by_role("link")).to_have_count(1)
    dialog.get_by_role("button", name="Delete Active ones").click()
    expect(dialog.get_by_role("link")).to_have_count(0)
    page.keyboard.press("Escape")
    open_palette(page)
    page.keyboard.type("active ones")
    expect(page.get_by_text("Nothing found")).to_be_visible()
