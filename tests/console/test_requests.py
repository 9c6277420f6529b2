"""How much the console loads and asks: each screen as the first one, each while nobody touches it, all in one tour."""

import re
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import httpx
import pytest
from cli.serving import Served, serving
from console import built, routes
from console.conftest import Open
from console.test_screens import tabs_of
from console.traffic import MINUTE, Traffic
from playwright.sync_api import Page, expect

from api.client import Client

MOST_REQUESTS = 12
MOST_OCTETS = 300_000
MOST_OF_A_SCREEN = 80_000
MOST_WHILE_IDLE = 4
MOST_IN_A_TOUR = 150
NOWHERE = "/assets"  # a place that no screen has: the frame alone
BUILT = Path(built.ROOT / "api/console/built")


@pytest.fixture(scope="module")
def limited(
    furnished: None, module_database: str, service_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    """Another API process at the same site, which takes no more requests a minute than a tour may send."""
    folder = tmp_path_factory.mktemp("limited")
    told = {"rate_limit": str(MOST_IN_A_TOUR), "secret_key_file": str(service_folder / "secret.key")}
    with serving(module_database, folder, first_token=False, **told) as running:
        yield running


@pytest.mark.usefixtures("furnished")
@pytest.mark.parametrize("screen", routes.screens(), ids=lambda screen: screen.name)
def test_a_screen_comes_lightly_and_rests(
    opened: Open, tokens: dict[str, str], client: Client, screen: routes.Screen
) -> None:
    page = opened(NOWHERE, tokens["admin"], clock=True)
    traffic = Traffic(page)
    for route in screen.routes:
        traffic.settle()
        traffic.begun.clear()
        page.goto(f"/console{routes.place_of(client, route)}")
        traffic.settle()
        files = {path for path in traffic.begun if path.startswith("/console/assets/")}
        assert len(traffic.begun) <= MOST_REQUESTS, traffic.begun
        assert octets(files) <= MOST_OCTETS
        assert octets(files - of_every_page()) <= MOST_OF_A_SCREEN
        assert len(traffic.in_an_idle_minute()) <= MOST_WHILE_IDLE, traffic.begun


def of_every_page() -> set[str]:
    """The files that index.html names."""
    return set(re.findall(r'"(/console/assets/[^"]+)"', (BUILT / "index.html").read_text()))


def octets(files: Iterable[str]) -> int:
    """By gzip, as they lie there."""
    compressed = (BUILT / f"{file.removeprefix('/console/')}.gz" for file in files)
    return sum(path.stat().st_size for path in compressed)


def test_the_clock_of_an_idle_page_makes_it_ask(
    opened: Open, tokens: dict[str, str], furnished: None
) -> None:
    """What the tests above count: the nodes are read every half a minute."""
    page = opened("/nodes", tokens["viewer"], clock=True)
    assert Traffic(page).in_an_idle_minute().count("/api/v1/nodes") == 2


def test_a_tour_of_all_screens_stays_within_a_limit(
    opened: Open, tokens: dict[str, str], client: Client, limited: Served
) -> None:
    page = opened(NOWHERE, tokens["admin"], server=limited)  # a 429 would be a fault
    traffic = Traffic(page)
    for link in page.get_by_role("navigation").get_by_role("link").all():
        link.click()
        visit(page, traffic)
    for route in (route for screen in routes.screens() for route in screen.routes if "$id" in route.path):
        page.goto(f"/console{routes.place_of(client, route)}")
        visit(page, traffic)
    assert traffic.most_in_a_minute() <= MOST_IN_A_TOUR


def visit(page: Page, traffic: Traffic) -> None:
    traffic.settle()
    for tab in tabs_of(page)[1:]:
        page.get_by_role("main").get_by_role("tab", name=tab, exact=True).click()
        traffic.settle()


def test_a_429_of_the_server_is_waited_out(opened: Open, tokens: dict[str, str], limited: Served) -> None:
    """The limit is over any minute, so what the tour sent goes towards it."""
    page = opened("/leases", tokens["viewer"], server=limited, allowed=(429,))
    expect(page.get_by_role("grid")).to_have_attribute("aria-busy", "false")
    seconds = spend(limited, tokens["viewer"])
    page.get_by_label("State").select_option("released")
    expect(page.get_by_text("The server asks to wait")).to_be_visible()
    before = time.monotonic()
    expect(page.get_by_role("row").filter(has_text="desk-42.example.net")).to_be_visible(
        timeout=(MINUTE + 5) * 1000
    )
    expect(page.get_by_text("The server asks to wait")).to_have_count(0)
    assert time.monotonic() - before > seconds - 2


def spend(served: Served, token: str) -> int:
    """All that is left of the limit; for how long the server then asks to wait."""
    with httpx.Client(base_url=served.url, headers={"authorization": f"Bearer {token}"}) as client:
        for _ in range(MOST_IN_A_TOUR + 1):
            answer = client.get("/tokens/self")
            if answer.status_code == 429:
                return int(answer.headers["retry-after"])
    raise AssertionError("the server has no limit")
