"""The webhooks: made with a secret that is shown once, tried, changed, rotated; messages sent again."""

import psycopg
from console.accessible import accessible
from console.conftest import Open
from playwright.sync_api import expect

from api.client import Client

GIVEN_UP = """
update webhook_delivery set state = 'dead', attempts = 9, last_error = 'connection refused'"""


def test_a_webhook_is_made_tried_changed_rotated_and_deleted(
    opened: Open, tokens: dict[str, str], client: Client, module_database: str
) -> None:
    page = opened("/webhooks", tokens["admin"])
    accessible(page)
    page.get_by_role("button", name="New webhook").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Address").fill("http://127.0.0.1:9/hook")
    dialog.get_by_label("Events").fill("pool.*, lease.granted")
    dialog.get_by_role("button", name="Make it").click()
    first = page.get_by_label("Secret that signs the messages").inner_text()
    assert first.startswith("whsec_")
    dialog.get_by_role("button", name="I have kept it").click()
    expect(page.get_by_text(first)).to_have_count(0)

    page.get_by_role("row").filter(has_text="127.0.0.1:9").dblclick()
    dialog.get_by_role("button", name="Send a test").click()
    dialog.get_by_role("button", name="Send a test").click()
    expect(dialog.get_by_text("webhook.ping")).to_be_visible()
    accessible(page)
    dialog.get_by_role("button", name="Change").click()
    dialog.get_by_label("Events").fill("*")
    dialog.get_by_role("button", name="Change").click()
    dialog.get_by_role("button", name="Rotate the secret").click()
    dialog.get_by_role("button", name="Rotate the secret").click()
    expect(page.get_by_label("Secret that signs the messages")).not_to_have_text(first)
    dialog.get_by_role("button", name="I have kept it").click()
    hook = next(iter(client.webhooks.list()))
    assert hook.events == ["*"]

    with psycopg.connect(module_database, autocommit=True) as session:
        session.execute(GIVEN_UP)
    dialog.get_by_label("State").select_option("dead")
    dialog.get_by_role("button", name="Show webhook.ping").click()
    expect(dialog.get_by_text("connection refused")).to_be_visible()
    accessible(page)
    dialog.get_by_role("button", name="Send again").click()
    dialog.get_by_role("button", name="Send again").click()
    expect(dialog.get_by_text("Waiting", exact=True)).to_be_visible()
    dialog.get_by_role("button", name="Back to the deliveries").click()
    dialog.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog", name="Delete http").get_by_role("button", name="Delete").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert list(client.webhooks.list()) == []


def test_an_operator_sends_a_test_and_changes_nothing(
    opened: Open, tokens: dict[str, str], client: Client
) -> None:
    client.create("webhooks", url="http://127.0.0.1:9/other")
    page = opened("/webhooks", tokens["operator"])
    expect(page.get_by_role("button", name="New webhook")).to_have_count(0)
    page.get_by_role("row").filter(has_text="127.0.0.1:9").dblclick()  # paths are for who may change it
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("Nothing was sent yet.")).to_be_visible()
    for unoffered in ("Change", "Rotate the secret", "Delete"):
        expect(dialog.get_by_role("button", name=unoffered)).to_have_count(0)
    dialog.get_by_role("button", name="Send a test").click()
    dialog.get_by_role("button", name="Send a test").click()
    expect(dialog.get_by_text("webhook.ping")).to_be_visible()
