"""The notifications: created, tested, changed and deleted; what is given up leads from the overview to its delivery."""

import psycopg
from console.accessible import accessible
from console.conftest import Open
from playwright.sync_api import expect

from api.client import Client

GIVEN_UP = """
update webhook_delivery set state = 'dead', attempts = 9, last_error = 'connection refused'"""


def test_a_notification_is_created_tested_changed_and_deleted(
    opened: Open, tokens: dict[str, str], client: Client, module_database: str
) -> None:
    page = opened("/notifications", tokens["admin"])
    accessible(page)
    page.get_by_role("button", name="New notification").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("noc")
    dialog.get_by_label("Recipients").fill("noc@example.net, desk@example.net")
    dialog.get_by_label("Lowest severity").select_option("warning")
    dialog.get_by_label("Networks").fill("10.1.0.0/16")
    dialog.get_by_role("button", name="Create notification").click()
    expect(page.get_by_role("row").filter(has_text="noc@example.net, desk@example.net")).to_be_visible()
    (made,) = client.notifications.list()
    assert (made.kind, made.severity, made.networks) == ("mail", "warning", ["10.1.0.0/16"])

    page.get_by_role("row").filter(has_text="noc").dblclick()
    dialog.get_by_role("button", name="Send a test").click()
    dialog.get_by_role("button", name="Send a test").click()
    expect(dialog.get_by_text("notification.test")).to_be_visible()
    accessible(page)
    dialog.get_by_role("button", name="Change").click()
    dialog.get_by_label("Target").select_option("slack")
    dialog.get_by_label("Recipients").fill("")
    dialog.get_by_label("Address").fill("https://hooks.example.net/x")
    dialog.get_by_role("button", name="Change").click()
    expect(dialog.get_by_text("https://hooks.example.net/x")).to_be_visible()
    assert next(iter(client.notifications.list())).recipients == []

    with psycopg.connect(module_database, autocommit=True) as session:
        session.execute(GIVEN_UP)
    page = opened("/overview", tokens["admin"])
    page.get_by_role("link", name="notification.test").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("connection refused")).to_be_visible()
    dialog.get_by_role("button", name="Back to the deliveries").click()
    dialog.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog", name="Delete noc").get_by_role("button", name="Delete").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert list(client.notifications.list()) == []
