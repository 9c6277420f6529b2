"""dhclient, udhcpc and dhcpcd get what the plan says, keep it, give it back and get the same again.

Each on a wire of its own to our server, and again behind Debian's relay, where the client's renewals reach
the server by unicast (and by the relay once more: dhcrelay picks up passing unicast too).
"""

import time
from ipaddress import IPv4Address
from typing import Any

import pytest
from system import plan
from system.clients import CLIENTS, Client, Dhclient, Dhcpcd, Lease, Udhcpc
from system.conftest import Site

pytestmark = pytest.mark.peer("namespaces")


def every(kinds: tuple[type[Client], ...]) -> pytest.MarkDecorator:
    named = [pytest.param(kind, marks=pytest.mark.peer(kind.program), id=kind.program) for kind in kinds]
    return pytest.mark.parametrize("kind", named)


each_client = every(CLIENTS)
each_client_with_memory = every((Dhclient, Dhcpcd))


@each_client
def test_a_client_gets_renews_releases_and_gets_the_same_again(site: Site, kind: type[Client]) -> None:
    client = kind(site.client, "c0", site.folder / "client")

    lease = client.obtain()
    assert_as_planned(lease, site.server_id)
    granted = await_state(site, lease, "a")
    assert granted["relay"] == (str(site.relay) if site.relay else None)

    assert client.renew().address == lease.address
    plan.await_lease(
        site.database, lease.address.ip, lambda row: row["renewed_at"] > granted["renewed_at"], "renewed"
    )

    client.release()
    await_state(site, lease, "r")

    assert client.obtain().address == lease.address
    await_state(site, lease, "a")


@pytest.mark.peer("udhcpc")
def test_a_reserved_client_gets_its_address_outside_the_pool(site: Site) -> None:
    site.client.ip("link", "set", "c0", "address", plan.RESERVED_MAC)
    lease = Udhcpc(site.client, "c0", site.folder / "client").obtain()
    assert lease.address == plan.RESERVED
    assert await_state(site, lease, "a")["hw_address"] == bytes.fromhex(plan.RESERVED_MAC.replace(":", ""))


@pytest.mark.peer("udhcpc")
def test_an_address_released_seconds_ago_is_given_to_its_client_again(direct: Site) -> None:
    """The release's moment is a fraction of a second; the server counts in whole ones and must not lose it."""
    client = Udhcpc(direct.client, "c0", direct.folder / "client")
    lease = client.obtain()
    client.release()
    await_state(direct, lease, "r")
    time.sleep(2)
    assert client.obtain().address == lease.address


@each_client_with_memory
def test_a_client_that_lost_power_confirms_its_address(site: Site, kind: type[Client]) -> None:
    client = kind(site.client, "c0", site.folder / "client")
    lease = client.obtain()
    assert client.reboot().address == lease.address


@each_client
def test_a_client_keeps_its_address_over_a_restart_of_the_server(direct: Site, kind: type[Client]) -> None:
    """Nothing but the database knows the binding when the renewal comes."""
    client = kind(direct.client, "c0", direct.folder / "client")
    lease = client.obtain()
    direct.server.stop()
    direct.server.start()
    assert client.renew().address == lease.address


@pytest.mark.peer("udhcpc")
def test_a_broadcast_is_handled_once(direct: Site) -> None:
    """It reaches the interface's socket and the one for unicast on 0.0.0.0 (engine rule 21)."""
    Udhcpc(direct.client, "c0", direct.folder / "client").obtain()
    said = direct.server.metrics()
    received = [
        said[f'ipam_dhcp4_packets_received_total{{type="{kind}"}}'] for kind in ("discover", "request")
    ]
    assert received == [1, 1]


@pytest.mark.peer("dhclient")
@pytest.mark.peer("udhcpc")
@pytest.mark.peer("dhcpcd")
def test_three_clients_on_one_wire_get_three_addresses(shared: Site) -> None:
    pairs = zip(CLIENTS, shared.clients, strict=True)
    clients = [kind(namespace, "c0", shared.folder / kind.program) for kind, namespace in pairs]
    leases = [client.obtain() for client in clients]
    assert len({lease.address for lease in leases}) == 3
    for lease in leases:
        assert_as_planned(lease, shared.server_id)
        await_state(shared, lease, "a")


@pytest.mark.peer("udhcpc")
def test_an_address_that_somebody_else_uses_is_declined_and_another_given(shared: Site) -> None:
    """The second client asks the wire about its offers (ARP), finds the squatter there, and declines."""
    cautious = Udhcpc(shared.clients[1], "c0", shared.folder / "udhcpc", more=("-a500",))
    taken = cautious.obtain()
    cautious.release()
    await_state(shared, taken, "r")
    shared.clients[0].address("c0", str(taken.address))

    lease = cautious.obtain()

    assert lease.address != taken.address
    await_state(shared, taken, "d")
    await_state(shared, lease, "a")


def assert_as_planned(lease: Lease, server_id: IPv4Address) -> None:
    assert plan.POOL[0] <= lease.address.ip <= plan.POOL[1]
    assert lease.address.network.prefixlen == 24
    assert lease.routers == (plan.ROUTER,)
    assert lease.dns == plan.DNS
    assert lease.lease_seconds == plan.LEASE_SECONDS
    assert lease.server_id == server_id


def await_state(site: Site, lease: Lease, state: str) -> dict[str, Any]:
    return plan.await_lease(site.database, lease.address.ip, lambda row: row.get("state") == state, state)
