"""Sites: a DHCP server of ours and clients' namespaces, joined directly, or through one or two relays.

Behind relays the clients' wire is the router's down0 with 192.0.2.1. Routers pass packets on, so that unicast
between client and server takes the way of any other packet.
"""

from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

from system import plan
from system.clients import Lease
from system.namespaces import Namespace, Network
from system.relays import Relay
from system.server import DhcpServer

SERVER_UPSTREAM = IPv4Address("203.0.113.1")
RELAY_UPSTREAM = IPv4Address("203.0.113.2")
# Between the first hop and the second.
SECOND_DOWN = IPv4Address("198.51.100.1")
FIRST_UP = IPv4Address("198.51.100.2")


@dataclass
class Site:
    """What a test finds when it begins: a running server and clients' namespaces, each with interface c0."""

    database: str
    server: DhcpServer
    clients: tuple[Namespace, ...]
    server_id: IPv4Address
    relay: IPv4Address | None
    folder: Path
    routers: tuple[Namespace, ...] = ()

    @property
    def client(self) -> Namespace:
        return self.clients[0]

    def await_state(self, lease: Lease, state: str) -> dict[str, Any]:
        """The lease's row, as soon as it is in this state."""
        return self.await_row(lease, lambda row: row.get("state") == state, state)

    def await_row(self, lease: Lease, holds: Callable[[dict[str, Any]], bool], what: str) -> dict[str, Any]:
        return plan.await_lease(self.database, lease.address.ip, holds, what)

    def counted(self, what: str, kind: str) -> float:
        """Of a type: "packets_received" by the server, or its "replies"."""
        return self.server.metrics().get(f'ipam_dhcp4_{what}_total{{type="{kind}"}}', 0)


def direct(network: Network, database: str, folder: Path) -> Site:
    """Server and client on one wire; the server speaks layer 2 there."""
    server, client = network.namespace("server"), network.namespace("client")
    network.join(server, "s0", client, "c0")
    server.address("s0", f"{plan.ROUTER}/24")
    ours = DhcpServer(server, database, folder, dhcp4_interfaces="s0")
    return Site(database, ours, (client,), plan.ROUTER, None, folder)


def shared(network: Network, database: str, folder: Path, count: int) -> Site:
    """Several clients on one wire, a bridge on which the server serves."""
    server = network.namespace("server")
    clients = tuple(network.namespace(f"client{number}") for number in range(count))
    for number, client in enumerate(clients):
        network.join(server, f"p{number}", client, "c0")
    server.bridge("br0", *(f"p{number}" for number in range(count)))
    server.address("br0", f"{plan.ROUTER}/24")
    ours = DhcpServer(server, database, folder, dhcp4_interfaces="br0")
    return Site(database, ours, clients, plan.ROUTER, None, folder)


def behind(network: Network, database: str, folder: Path, relay: Relay) -> Site:
    """The client's router relays for it."""
    server, router, client = (network.namespace(name) for name in ("server", "router", "client"))
    network.join(server, "s0", router, "up0")
    network.join(router, "down0", client, "c0")
    server.address("s0", f"{SERVER_UPSTREAM}/24")
    router.address("up0", f"{RELAY_UPSTREAM}/24")
    router.address("down0", f"{plan.ROUTER}/24")
    router.forward()
    server.route("192.0.2.0/24", str(RELAY_UPSTREAM))
    relay(router, "down0", plan.ROUTER, SERVER_UPSTREAM, folder)
    ours = DhcpServer(server, database, folder, dhcp4_listen=f"{SERVER_UPSTREAM}:67")
    return Site(database, ours, (client,), SERVER_UPSTREAM, plan.ROUTER, folder, (router,))


def behind_two(network: Network, database: str, folder: Path, first: Relay, second: Relay) -> Site:
    """The client's router relays to another, which relays what has a giaddr already (RFC 1542 section 4.1.1)."""
    names = ("server", "second", "first", "client")
    server, outer, inner, client = (network.namespace(name) for name in names)
    network.join(server, "s0", outer, "up0")
    network.join(outer, "core0", inner, "up0")
    network.join(inner, "down0", client, "c0")
    server.address("s0", f"{SERVER_UPSTREAM}/24")
    outer.address("up0", f"{RELAY_UPSTREAM}/24")
    outer.address("core0", f"{SECOND_DOWN}/24")
    inner.address("up0", f"{FIRST_UP}/24")
    inner.address("down0", f"{plan.ROUTER}/24")
    for router in (outer, inner):
        router.forward()
    server.route("192.0.2.0/24", str(RELAY_UPSTREAM))
    outer.route("192.0.2.0/24", str(FIRST_UP))
    inner.route("203.0.113.0/24", str(SECOND_DOWN))
    second(outer, "core0", SECOND_DOWN, SERVER_UPSTREAM, folder)
    first(inner, "down0", plan.ROUTER, SECOND_DOWN, folder)
    ours = DhcpServer(server, database, folder, dhcp4_listen=f"{SERVER_UPSTREAM}:67")
    return Site(database, ours, (client,), SERVER_UPSTREAM, plan.ROUTER, folder, (inner, outer))
