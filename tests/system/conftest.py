"""Sites: a DHCP server of ours and clients' namespaces, joined directly or through Debian's relay.

A test that needs a peer says so with `@pytest.mark.peer("dhclient")`. Without it the test is skipped; with
CI=true in the environment it fails, because there every peer must be had. The run's last lines name what was
missing.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address
from pathlib import Path

import pytest
from system import peers, plan
from system.namespaces import Namespace, Network, Process
from system.server import DhcpServer

RELAY_UPSTREAM = IPv4Address("203.0.113.2")
SERVER_UPSTREAM = IPv4Address("203.0.113.1")


@dataclass
class Site:
    """What a test finds when it begins: a running server and clients' namespaces, each with interface c0."""

    database: str
    server: DhcpServer
    clients: tuple[Namespace, ...]
    server_id: IPv4Address
    relay: IPv4Address | None
    folder: Path

    @property
    def client(self) -> Namespace:
        return self.clients[0]


def pytest_runtest_setup(item: pytest.Item) -> None:
    for mark in item.iter_markers("peer"):
        try:
            require(mark.args[0])
        except peers.PeerMissingError as error:
            refuse = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
            refuse(f"missing peer: {error}")


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
    """Server and client on one wire; the server speaks layer 2 there."""
    server, client = network.namespace("server"), network.namespace("client")
    network.join(server, "s0", client, "c0")
    server.address("s0", f"{plan.ROUTER}/24")
    plan.write(database)
    ours = DhcpServer(server, database, tmp_path, dhcp4_interfaces="s0")
    yield from running(Site(database, ours, (client,), plan.ROUTER, None, tmp_path))


@pytest.fixture
def shared(network: Network, database: str, tmp_path: Path) -> Iterator[Site]:
    """Three clients on one wire, a bridge on which the server serves."""
    server = network.namespace("server")
    clients = tuple(network.namespace(f"client{number}") for number in range(3))
    for number, client in enumerate(clients):
        network.join(server, f"p{number}", client, "c0")
    server.bridge("br0", "p0", "p1", "p2")
    server.address("br0", f"{plan.ROUTER}/24")
    plan.write(database)
    ours = DhcpServer(server, database, tmp_path, dhcp4_interfaces="br0")
    yield from running(Site(database, ours, clients, plan.ROUTER, None, tmp_path))


@pytest.fixture
def relayed(network: Network, database: str, tmp_path: Path) -> Iterator[Site]:
    """The client's router relays for it, adds option 82, and routes its unicast to the server."""
    server, relay, client = (network.namespace(name) for name in ("server", "relay", "client"))
    network.join(server, "s0", relay, "up0")
    network.join(relay, "down0", client, "c0")
    server.address("s0", f"{SERVER_UPSTREAM}/24")
    relay.address("up0", f"{RELAY_UPSTREAM}/24")
    relay.address("down0", f"{plan.ROUTER}/24")
    relay.forward()
    server.route("192.0.2.0/24", str(RELAY_UPSTREAM))
    start_relay(relay, tmp_path)
    plan.write(database, trusted_relay=f"{plan.ROUTER}/32")
    ours = DhcpServer(server, database, tmp_path, dhcp4_listen=f"{SERVER_UPSTREAM}:67")
    yield from running(Site(database, ours, (client,), SERVER_UPSTREAM, plan.ROUTER, tmp_path))


@pytest.fixture(params=["direct", pytest.param("relayed", marks=pytest.mark.peer("dhcrelay"))])
def site(request: pytest.FixtureRequest) -> Site:
    """Either wire."""
    made: Site = request.getfixturevalue(request.param)
    return made


def start_relay(relay: Namespace, folder: Path) -> Process:
    command = [str(peers.program("dhcrelay")), "-4", "-d", "-a", "-iu", "up0", "-id", "down0"]
    return relay.start(*command, str(SERVER_UPSTREAM), log=folder / "relay.log")


def running(site: Site) -> Iterator[Site]:
    """The site with its server up; afterwards everybody's log, which pytest shows when the test failed."""
    site.server.start()
    yield site
    site.server.stop()
    for log in sorted(site.folder.rglob("*.log")):
        print(f"--- {log.relative_to(site.folder)}\n{log.read_text(errors='replace')}")
