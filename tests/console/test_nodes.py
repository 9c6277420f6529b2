"""The nodes: how they are, draining a server, forgetting one that is gone."""

import psycopg
import pytest
from console.accessible import accessible
from console.conftest import Open
from playwright.sync_api import expect

from api.client import Client

NODES = """
insert into node (id, name, role, version, state, heartbeat_at) values
  (gen_random_uuid(), 'east', 'dhcp', '1', 'ready', now() + interval '1 hour'),
  (gen_random_uuid(), 'north', 'dhcp', '1', 'ready', now() + interval '1 hour'),
  (gen_random_uuid(), 'west', 'dhcp', '1', 'ready', now() - interval '1 hour')"""


@pytest.fixture(scope="module", autouse=True)
def nodes(service: object, module_database: str) -> None:
    with psycopg.connect(module_database, autocommit=True) as session:
        session.execute(NODES)


def test_an_operator_drains_a_server_and_forgets_none(
    opened: Open, tokens: dict[str, str], client: Client
) -> None:
    page = opened("/nodes", tokens["operator"])
    accessible(page)
    page.get_by_role("row").filter(has_text="east").dblclick()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("button", name="Drain anyway")).to_have_count(0)
    dialog.get_by_role("button", name="Drain").click()
    accessible(page)
    dialog.get_by_role("button", name="Drain").click()
    expect(dialog.get_by_text("Draining", exact=True)).to_be_visible()
    assert [node["state"] for node in client.items("/nodes", name="east")] == ["draining"]
    dialog.get_by_role("button", name="Undrain").click()
    dialog.get_by_role("button", name="Undrain").click()
    expect(dialog.get_by_text("Starting", exact=True)).to_be_visible()
    assert [node["state"] for node in client.items("/nodes", name="east")] == ["starting"]
    page.keyboard.press("Escape")
    page.get_by_role("row").filter(has_text="west").dblclick()
    expect(page.get_by_role("dialog").get_by_text("Down", exact=True)).to_be_visible()
    expect(page.get_by_role("dialog").get_by_role("button", name="Forget")).to_have_count(0)


def test_an_admin_forgets_one_that_is_gone(opened: Open, tokens: dict[str, str], client: Client) -> None:
    page = opened("/nodes", tokens["admin"])
    page.get_by_role("row").filter(has_text="west").dblclick()
    page.get_by_role("dialog").get_by_role("button", name="Forget").click()
    page.get_by_role("dialog", name="Delete west?").get_by_role("button", name="Delete").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("row").filter(has_text="west")).to_have_count(0)
    assert client.nodes.first(name="west") is None


def test_a_viewer_only_looks(opened: Open, tokens: dict[str, str]) -> None:
    page = opened("/nodes", tokens["viewer"])
    page.get_by_role("row").filter(has_text="east").dblclick()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("dhcp")).to_be_visible()
    expect(dialog.get_by_role("button")).to_have_count(1)  # Close
