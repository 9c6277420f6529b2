"""One API serves all tests of a file, each of which begins with an empty plan."""

from collections.abc import Iterator

import pytest
from cli.serving import Served, serving

from api.client import Client

# Whose deletion takes along all that the tests make.
CLEARED = ("prefixes", "reservations", "client-classes", "trusted-relays", "global-options", "tenants")


@pytest.fixture(scope="module")
def service(module_database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(module_database, tmp_path_factory.mktemp("api")) as running:
        yield running


@pytest.fixture
def served(service: Served) -> Iterator[Served]:
    yield service
    with Client(service.url, service.token) as client:
        for family in CLEARED:
            for item in list(client.list(family)):
                if not getattr(item, "is_default", False):
                    client.delete("options" if family == "global-options" else family, item.id, cascade=True)
