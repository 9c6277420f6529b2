"""dhclient, udhcpc, dhcpcd and systemd-networkd get what the plan says, keep it, give it back and get the same again.

Each on a wire of its own to our server, and again behind Debian's relay, where the client's renewals reach
the server by unicast (and by the relay once more: dhcrelay picks up passing unicast too).
"""

import time

import pytest
from system import plan
from system.clients import CLIENTS, Client, Dhclient, Dhcpcd, Networkd, Udhcpc
from system.sites import Site

pytestmark = pytest.mark.peer("namespaces")


def every(kinds: tuple[type[Client], ...]) -> pytest.MarkDecorator:
    named = [pytest.param(kind, marks=pytest.mark.peer(kind.program), id=kind.program) for kind in kinds]
    return pytest.mark.parametrize("kind", named)


each_client = every(CLIENTS)
each_client_with_memory = every((Dhclient, Dhcpcd, Networkd))
# networkd sends a renewal that got no answer again after a minute only.
each_client_that_insists = every((Dhclient, Udhcpc, Dhcpcd))


@each_client
def test_a_client_gets_renews_releases_and_gets_the_same_again(site: Site, kind: type[Client]) -> None:
    client = kind(site.client, "c0", site.folder / "client")

    lease = client.obtain()
    plan.assert_served(lease, site.server_id)
    granted = site.await_state(lease, "a")
    assert granted["relay"] == (str(site.relay) if site.relay else None)

    assert client.renew().address == lease.address
    site.await_row(lease, lambda row: row["renewed_at"] > granted["renewed_at"], "renewed")

    client.release()
    site.await_state(lease, "r")

    assert client.obtain().address == lease.address
    site.await_state(lease, "a")


@pytest.mark.peer("udhcpc")
def test_a_reserved_client_gets_its_address_outside_the_pool(site: Site) -> None:
    site.client.ip("link", "set", "c0", "address", plan.RESERVED_MAC)
    lease = Udhcpc(site.client, "c0", site.folder / "client").obtain()
    assert lease.address == plan.RESERVED
    assert site.await_state(lease, "a")["hw_address"] == bytes.fromhex(plan.RESERVED_MAC.replace(":", ""))


@pytest.mark.peer("udhcpc")
def test_an_address_released_seconds_ago_is_given_to_its_client_again(direct: Site) -> None:
    """The release's moment is a fraction of a second; the server counts in whole ones and must not lose it."""
    client = Udhcpc(direct.client, "c0", direct.folder / "client")
    lease = client.obtain()
    client.release()
    direct.await_state(lease, "r")
    time.sleep(2)
    assert client.obtain().address == lease.address


@each_client_with_memory
def test_a_client_that_lost_power_confirms_its_address(site: Site, kind: type[Client]) -> None:
    client = kind(site.client, "c0", site.folder / "client")
    lease = client.obtain()
    assert client.reboot().address == lease.address


@each_client_that_insists
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
@pytest.mark.peer("networkd")
def test_clients_on_one_wire_get_an_address_each(shared: Site) -> None:
    pairs = zip(CLIENTS, shared.clients, strict=True)
    clients = [kind(namespace, "c0", shared.folder / kind.program) for kind, namespace in pairs]
    leases = [client.obtain() for client in clients]
    assert len({lease.address for lease in leases}) == len(CLIENTS)
    for lease in leases:
        plan.assert_served(lease, shared.server_id)
        shared.await_state(lease, "a")


@pytest.mark.peer("udhcpc")
def test_an_address_that_somebody_else_uses_is_declined_and_another_given(shared: Site) -> None:
    """The second client asks the wire about its offers (ARP), finds the squatter there, and declines."""
    cautious = Udhcpc(shared.clients[1], "c0", shared.folder / "udhcpc", more=("-a500", "-A1"))
    taken = cautious.obtain()
    cautious.release()
    shared.await_state(taken, "r")
    shared.clients[0].address("c0", str(taken.address))

    lease = cautious.obtain()

    assert lease.address != taken.address
    shared.await_state(taken, "d")
    shared.await_state(lease, "a")


@pytest.mark.peer("udhcpc")
def test_an_address_that_answers_a_ping_is_not_offered(shared: Site) -> None:
    """The client looks at nothing itself; the server finds the squatter on the address that is reserved for it."""
    shared.server.stop()
    plan.check_by_ping(shared.database)
    shared.server.start()
    shared.clients[0].address("c0", str(plan.RESERVED))
    shared.clients[1].ip("link", "set", "c0", "address", plan.RESERVED_MAC)

    lease = Udhcpc(shared.clients[1], "c0", shared.folder / "udhcpc").obtain()

    assert plan.POOL[0] <= lease.address.ip <= plan.POOL[1]
    plan.await_lease(shared.database, plan.RESERVED.ip, lambda row: row.get("state") == "d", "quarantined")
    metrics = shared.server.metrics()
    assert (metrics["ipam_dhcp4_pings_total"], metrics["ipam_dhcp4_pings_answered_total"]) == (2, 1)
