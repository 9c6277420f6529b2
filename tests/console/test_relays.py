"""The trusted relays: networks trusted, changed and trusted no longer; unknown relays trusted in one step."""

import psycopg
import pytest
from console.accessible import accessible
from console.conftest import Open
from playwright.sync_api import expect

from api.client import Client

UNKNOWN = """
insert into unknown_relay (address, count, first_seen_at, last_seen_at)
values ('192.0.2.77', 1234, now() - interval '1 day', now())"""


@pytest.fixture(scope="module", autouse=True)
def unknown(service: object, module_database: str) -> None:
    with psycopg.connect(module_database, autocommit=True) as session:
        session.execute(UNKNOWN)


def test_a_viewer_is_offered_nothing(opened: Open, tokens: dict[str, str]) -> None:
    page = opened("/relays", tokens["viewer"])
    expect(page.get_by_text("1,234")).to_be_visible()
    expect(page.get_by_role("button", name="Trust")).to_have_count(0)
    accessible(page)


def test_a_network_is_trusted_changed_and_trusted_no_longer(
    opened: Open, tokens: dict[str, str], client: Client
) -> None:
    page = opened("/relays", tokens["admin"], allowed=(422, 412))
    page.get_by_role("button", name="Trust a network").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Network").fill("10.9.0.1/16")
    dialog.get_by_role("button", name="Trust", exact=True).click()
    expect(dialog.get_by_label("Network")).to_have_attribute("aria-invalid", "true")
    accessible(page)
    dialog.get_by_label("Network").fill("10.9.0.0/16")
    dialog.get_by_role("button", name="Trust", exact=True).click()
    page.get_by_role("row").filter(has_text="10.9.0.0/16").dblclick()
    dialog.get_by_role("button", name="Change").click()
    dialog.get_by_label("Description").fill("the north")
    relay = client.trusted_relays.first(cidr="10.9.0.0/16")
    assert relay is not None
    client.trusted_relays.update(relay.id, description="somebody else's")
    dialog.get_by_role("button", name="Change").click()
    expect(dialog.get_by_role("row", name="Description the north somebody else's")).to_be_visible()
    dialog.get_by_role("button", name="Send mine over it").click()
    expect(dialog.get_by_label("Description")).to_have_count(0)
    expect(dialog.get_by_text("the north")).to_be_visible()
    dialog.get_by_role("button", name="Trust no longer").click()
    page.get_by_role("dialog", name="Delete 10.9.0.0/16?").get_by_role("button", name="Delete").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("row").filter(has_text="10.9.0.0/16")).to_have_count(0)
    assert client.trusted_relays.first(cidr="10.9.0.0/16") is None


def test_an_unknown_relay_is_trusted(opened: Open, tokens: dict[str, str], client: Client) -> None:
    page = opened("/relays", tokens["admin"])
    page.get_by_role("button", name="Trust 192.0.2.77").click()
    page.get_by_role("dialog").get_by_role("button", name="Trust").click()
    expect(page.get_by_text("Every relay that asked is trusted.")).to_be_visible()
    assert client.trusted_relays.first(cidr="192.0.2.77/32") is not None
