"""The palette, opened by its key."""

from playwright.sync_api import Page, expect


def open_palette(page: Page) -> None:
    """Press its key when no dialog is left to hear it, and wait until it hears what is typed."""
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("/")
    expect(page.get_by_role("dialog").get_by_role("searchbox")).to_be_focused()
