"""The sites as fixtures, each with its server running, and what happens where a peer is missing.

A test that needs a peer says so with `@pytest.mark.peer("dhclient")`. Without it the test is skipped; with
CI=true in the environment it fails, because there every peer must be had. The run's last lines name what was
missing.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest
from system import peers, plan, relays, sites
from system.clients import CLIENTS
from system.namespaces import Network
from system.sites import Site

TRUSTED = f"{plan.ROUTER}/32"


def pytest_runtest_setup(item: pytest.Item) -> None:
    for mark in item.iter_markers("peer"):
        try:
            require(mark.args[0])
        except peers.PeerMissingError as error:
            refuse(error)


def refuse(error: peers.PeerMissingError) -> NoReturn:
    """For fixtures too, which may find out only when they begin."""
    (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(f"missing peer: {error}")


def require(name: str) -> None:
    if name == "namespaces":
        with Network():
            return
    peers.program(name)


@pytest.fixture
def network() -> Iterator[Network]:
    with Network() as network:
        yield network


@pytest.fixture
def direct(network: Network, database: str, tmp_path: Path) -> Iterator[Site]:
    """Server and client on one wire."""
    plan.write(database)
    yield from running(sites.direct(network, database, tmp_path))


@pytest.fixture
def shared(network: Network, database: str, tmp_path: Path) -> Iterator[Site]:
    """A wire with a client's namespace for each kind of client."""
    plan.write(database)
    yield from running(sites.shared(network, database, tmp_path, len(CLIENTS)))


@pytest.fixture
def relayed(network: Network, database: str, tmp_path: Path) -> Iterator[Site]:
    """Behind dhcrelay."""
    plan.write(database, trusted_relay=TRUSTED)
    yield from running(sites.behind(network, database, tmp_path, relays.dhcrelay))


@pytest.fixture(params=["direct", pytest.param("relayed", marks=pytest.mark.peer("dhcrelay"))])
def site(request: pytest.FixtureRequest) -> Site:
    """Either wire."""
    made: Site = request.getfixturevalue(request.param)
    return made


@pytest.fixture
def behind_dnsmasq(network: Network, database: str, tmp_path: Path) -> Iterator[Site]:
    # networkd moves T1 and T2 by up to a second each; were T1 to come last, it would renew by unicast once a minute.
    plan.write(database, trusted_relay=TRUSTED, rebind_time_seconds=plan.RENEW_SECONDS + 4)
    yield from running(sites.behind(network, database, tmp_path, relays.dnsmasq))


def running(site: Site) -> Iterator[Site]:
    """The site with its server up; afterwards everybody's log, which pytest shows when the test failed."""
    site.server.start()
    yield site
    site.server.stop()
    for log in sorted(site.folder.rglob("*.log")):
        print(f"--- {log.relative_to(site.folder)}\n{log.read_text(errors='replace')}")
