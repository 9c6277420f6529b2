"""The whole life of a lease behind relays: dnsmasq, and two hops of dhcrelay and dnsmasq in every order.

A client with a reservation gets its address, renews it by unicast, gives it back, gets it again, comes back after
a loss of power, and is moved when the reservation is. The second hop finds giaddr set and leaves it: the server
answers to the first hop (RFC 2131 section 4.1) and echoes option 82 whole, with what the second appended
(RFC 3046 section 2.2).
"""

from collections.abc import Iterator
from ipaddress import IPv4Address
from pathlib import Path

import pytest
from system import plan, relays, sites
from system.clients import CLIENTS, Client, Dhcpcd, Networkd
from system.conftest import TRUSTED, running
from system.namespaces import Network
from system.sites import Site

pytestmark = [pytest.mark.peer(name) for name in ("namespaces", "dhcrelay", "dnsmasq")]
MOVED = IPv4Address("192.0.2.43")
# First hop, second hop, and the circuit id that the server then knows: that of the hop next to the client.
HOPS = {
    "dhcrelay-dhcrelay": (relays.dhcrelay, relays.dhcrelay, b"down0"),
    "dhcrelay-dnsmasq": (relays.dhcrelay, relays.dnsmasq, b"down0"),
    "dnsmasq-dhcrelay": (relays.dnsmasq, relays.dhcrelay, b"core0"),
    "dnsmasq-dnsmasq": (relays.dnsmasq, relays.dnsmasq, None),
}
# dhcpcd lives its whole life there.
OTHERS = [
    pytest.param(kind, marks=pytest.mark.peer(kind.program), id=kind.program)
    for kind in CLIENTS
    if kind != Dhcpcd
]


@pytest.fixture(params=HOPS)
def two_hops(
    request: pytest.FixtureRequest, network: Network, database: str, tmp_path: Path
) -> Iterator[tuple[Site, bytes | None]]:
    """Such a site, and the circuit id."""
    first, second, circuit = HOPS[request.param]
    plan.write(database, trusted_relay=TRUSTED)
    for site in running(sites.behind_two(network, database, tmp_path, first, second)):
        yield site, circuit


@pytest.mark.parametrize("kind", OTHERS)
def test_a_client_behind_dnsmasq_gets_renews_and_releases(behind_dnsmasq: Site, kind: type[Client]) -> None:
    client = kind(behind_dnsmasq.client, "c0", behind_dnsmasq.folder / "client")
    lease = client.obtain()
    plan.assert_served(lease, behind_dnsmasq.server_id)
    granted = behind_dnsmasq.await_state(lease, "a")
    assert client.renew().address == lease.address
    behind_dnsmasq.await_row(lease, lambda row: row["renewed_at"] > granted["renewed_at"], "renewed")
    client.release()
    behind_dnsmasq.await_state(lease, "r")


@pytest.mark.peer("dhcpcd")
def test_the_whole_life_of_a_lease_behind_two_hops(two_hops: tuple[Site, bytes | None]) -> None:
    live_and_move(*two_hops)


@pytest.mark.peer("dhcpcd")
def test_the_whole_life_of_a_lease_behind_dnsmasq(behind_dnsmasq: Site) -> None:
    live_and_move(behind_dnsmasq, circuit=None)


@pytest.mark.peer("networkd")
def test_rebinding_goes_by_the_relay_where_unicast_has_no_way(behind_dnsmasq: Site) -> None:
    """At T1 the renewal is lost in the router; at T2 the client broadcasts, and the relay carries that."""
    client = Networkd(behind_dnsmasq.client, "c0", behind_dnsmasq.folder / "client")
    lease = client.obtain()
    granted = behind_dnsmasq.await_state(lease, "a")
    (router,) = behind_dnsmasq.routers
    router.forward(False)
    assert client.renew().address == lease.address
    renewed = behind_dnsmasq.await_row(
        lease, lambda row: row["renewed_at"] > granted["renewed_at"], "renewed"
    )
    assert renewed["relay"] == str(plan.ROUTER)


def live_and_move(site: Site, circuit: bytes | None) -> None:
    site.client.ip("link", "set", "c0", "address", plan.RESERVED_MAC)
    client = Dhcpcd(site.client, "c0", site.folder / "client")

    lease = client.obtain()
    plan.assert_served(lease, site.server_id, plan.RESERVED.ip)
    assert lease.hostname == plan.RESERVED_NAME
    granted = site.await_state(lease, "a")
    assert granted["relay"] == str(plan.ROUTER)
    assert granted["circuit_id"] == circuit

    assert client.renew().address == lease.address
    site.await_row(lease, lambda row: row["renewed_at"] > granted["renewed_at"], "renewed")

    client.release()
    site.await_state(lease, "r")
    assert client.obtain().address == lease.address
    assert client.reboot().address == lease.address

    plan.move_reservation(site.database, MOVED)
    moved = client.renew_in_vain()
    plan.assert_served(moved, site.server_id, MOVED)
    assert site.counted("replies", "nak") >= 1
    site.await_state(moved, "a")
