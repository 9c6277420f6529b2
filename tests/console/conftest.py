"""Chromium at the console of a real API: one server serves all tests of a file, one browser all files of a process.

A page that a test opens may not write an error to the console, break the policy, ask another host, or ask what the
OpenAPI file does not have; `opened` looks at that when the test ends.
"""

from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from cli.serving import Served, serving
from console import browser, built
from console.furnished import furnish
from console.watched import Watched
from playwright.sync_api import Browser, BrowserContext, Page, expect
from system.conftest import pytest_runtest_setup

from api.client import Client

__all__ = ["pytest_runtest_setup"]

Open = Callable[..., Page]
HERE = Path(__file__).parent
PATIENCE_MS = 20_000
KEPT = browser.Kept()
expect.set_options(timeout=PATIENCE_MS)


@pytest.hookimpl(tryfirst=True)  # before -m looks at the marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(HERE) and "browsing" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.peers)
            item.add_marker(pytest.mark.peer("chromium"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(nextitem: pytest.Item | None) -> Generator[None, Any, Any]:
    """The browser ends before a test of another folder: Playwright runs a loop meanwhile, in which asynchronous tests
    could not run."""
    try:
        return (yield)
    finally:
        if nextitem is None or not nextitem.path.is_relative_to(HERE):
            KEPT.end()


@pytest.fixture(scope="session")
def console_built() -> None:
    built.require()


@pytest.fixture(scope="module")
def service_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("api")


@pytest.fixture(scope="module")
def service(console_built: None, module_database: str, service_folder: Path) -> Iterator[Served]:
    with serving(module_database, service_folder) as running:
        yield running


@pytest.fixture(scope="module")
def client(service: Served) -> Iterator[Client]:
    with Client(service.url, service.token) as client:
        yield client


@pytest.fixture(scope="module")
def tokens(client: Client) -> dict[str, str]:
    """The secrets of tokens, by role; `tenant` is an admin's of a tenant of its own."""
    secrets = {
        role: client.create("tokens", name=role, role=role).token for role in ("admin", "operator", "viewer")
    }
    tenant = client.create("tenants", name="branch").id
    made = client.create("tokens", name="branch", role="admin", tenant_id=tenant)
    return secrets | {"tenant": made.token}


@pytest.fixture(scope="module")
def furnished(service: Served, module_database: str) -> None:
    """Something to show on every screen."""
    furnish(service, module_database)


@pytest.fixture(scope="module")
def browsing(tmp_path_factory: pytest.TempPathFactory) -> Browser:
    return KEPT.take(tmp_path_factory.mktemp("browser"))


@pytest.fixture
def opened(browsing: Browser, service: Served) -> Iterator[Open]:
    """Opens the console at a place as the bearer of a token: `opened("/leases", token)`. `server` is another than the
    file's; with `clock` the test drives `page.clock`. Options go to the browser's context: color_scheme="dark",
    viewport={"width": 360, "height": 800}."""
    contexts: list[BrowserContext] = []
    watched: list[Watched] = []

    def open_page(
        place: str,
        token: str | None = None,
        *,
        allowed: tuple[int, ...] = (),
        server: Served = service,
        clock: bool = False,
        **options: Any,
    ) -> Page:
        context = browsing.new_context(base_url=server.url.removesuffix("/api/v1"), **options)
        context.set_default_timeout(PATIENCE_MS)
        contexts.append(context)
        if clock:
            context.clock.install()
        if token is not None:
            context.add_init_script(f"sessionStorage.setItem('ipam.token', '{token}')")
        page = context.new_page()
        watched.append(Watched(page, allowed))
        page.goto(f"/console{place}")
        return page

    yield open_page
    faults = [fault for each in watched for fault in each.faults()]
    for context in contexts:
        context.close()
    assert faults == []
