"""Reservations without an address, and those that hold in all subnets of a tenant: name, options and class."""

from __future__ import annotations

from typing import Any

import pytest
from engine.serving import Servers, mac_of, verdict
from engine.site import Site, Subnet, add
from oracle import packets as say
from oracle.packets import Packet

from ipam_core.db import queries

pytestmark = pytest.mark.shared_server

MAC, OTHER = mac_of(1), mac_of(2)
DUID = b"\0\3\0\1\2\0\0\0\0\1"
DNS, NTP = 6, 42
PLAIN = say.discover(MAC).asking(12, DNS)

# What a tenant's reservation is for, and a client that says so.
WHO: dict[str, tuple[dict[str, Any], Packet]] = {
    "mac": ({"mac": MAC}, PLAIN),
    "client_id": ({"client_id": b"\1abc"}, PLAIN.client_id(b"\1abc")),
    "duid": ({"duid": DUID}, PLAIN.client_id(b"\xff\0\0\0\1" + DUID)),
    "circuit_id": ({"circuit_id": b"eth1"}, PLAIN.circuit("eth1")),
    "remote_id": ({"remote_id": b"line"}, PLAIN.remote("line")),
    "subscriber_id": ({"subscriber_id": b"smith"}, PLAIN.suboption(6, "smith")),
}


async def everywhere(site: Site, **fields: Any) -> int:
    return await add(site.connection, "reservation", tenant_no=site.tenant_no, **fields)


async def dns(site: Site, address: str, **scope: Any) -> None:
    await site.option(DNS, {"addresses": [address]}, **scope)


@pytest.fixture
async def subnet(site: Site) -> Subnet:
    found = await site.subnet(5)
    await found.pool(100, 199)
    return found


async def test_a_profile_gives_all_but_an_address(site: Site, subnet: Subnet, servers: Servers) -> None:
    no = await add(site.connection, "reservation", subnet_no=subnet.no, mac=MAC, hostname="printer")
    await dns(site, "192.0.2.53", reservation_no=no)
    relay = servers.relay(await servers.start(), subnet.relay)
    offer = await relay.offer(PLAIN)
    assert offer.yiaddr >= subnet.address(100)
    assert (offer.options[12], offer.options[DNS]) == (b"printer", b"\xc0\0\2\x35")
    assert (
        await relay.ack(say.request_selecting(MAC, offer.yiaddr, offer.address(54)))
    ).yiaddr == offer.yiaddr
    assert (await site.lease(offer.yiaddr))["hostname"] == "printer"
    assert (await relay.offer(say.discover(OTHER).asking(12))).options.get(12) is None


@pytest.mark.parametrize("why", WHO)
async def test_a_reservation_of_the_tenant_holds_in_each_subnet(
    why: str, site: Site, subnet: Subnet, servers: Servers
) -> None:
    identity, packet = WHO[why]
    other = await site.subnet(6)
    await other.pool(100, 199)
    no = await everywhere(site, **identity, hostname="anywhere")
    await dns(site, "192.0.2.53", reservation_no=no)
    server = await servers.start()
    for place in (subnet, other):
        offer = await servers.relay(server, place.relay).offer(packet)
        assert (offer.options[12], offer.options[DNS]) == (b"anywhere", b"\xc0\0\2\x35")
        assert place.address(100) <= offer.yiaddr <= place.address(199)
    stranger = await servers.relay(server, subnet.relay).offer(say.discover(OTHER).asking(12, DNS))
    assert 12 not in stranger.options


async def test_the_subnets_own_come_first_by_whatever_identity(
    site: Site, subnet: Subnet, servers: Servers
) -> None:
    """MAC is tried before the circuit, but the subnet before the tenant."""
    await everywhere(site, mac=MAC, hostname="tenants")
    await subnet.reserve(20, circuit_id=b"eth1", hostname="subnets")
    relay = servers.relay(await servers.start(), subnet.relay)
    offer = await relay.offer(PLAIN.circuit("eth1"))
    assert (offer.yiaddr, offer.options[12]) == (subnet.address(20), b"subnets")
    offer = await relay.offer(PLAIN)
    assert (offer.yiaddr >= subnet.address(100), offer.options[12]) == (True, b"tenants")


async def test_the_order_among_the_tenants(site: Site, subnet: Subnet, servers: Servers) -> None:
    for name, (identity, _) in reversed(WHO.items()):
        await everywhere(site, **identity, hostname=name.replace("_", "-"))
    relay = servers.relay(await servers.start(), subnet.relay)
    asking = say.discover(OTHER).asking(12)
    line = asking.circuit("eth1").remote("line").suboption(6, "smith")
    assert (await relay.offer(line.client_id(b"\1abc"))).options[12] == b"client-id"
    assert (await relay.offer(line.client_id(b"\xff\0\0\0\1" + DUID))).options[12] == b"duid"
    assert (await relay.offer(line)).options[12] == b"circuit-id"
    assert (await relay.offer(asking.remote("line").suboption(6, "smith"))).options[12] == b"remote-id"
    assert (await relay.offer(asking.suboption(6, "smith"))).options[12] == b"subscriber-id"


async def test_it_makes_its_client_known_and_gives_a_class(
    site: Site, subnet: Subnet, servers: Servers
) -> None:
    given = await site.client_class("kiosks", vendor_class="kiosk")
    await site.client_class("strangers", known=False, deny=True)
    await everywhere(site, mac=MAC, class_no=given)
    await dns(site, "192.0.2.53", class_no=given)
    relay = servers.relay(await servers.start(), subnet.relay)
    assert DNS in (await relay.offer(PLAIN)).options
    await relay.unanswered(say.discover(OTHER))


async def test_another_tenants_do_not_count(site: Site, subnet: Subnet, servers: Servers) -> None:
    tenant = await add(site.connection, "tenant", name="acme")
    await add(site.connection, "reservation", tenant_no=tenant, mac=MAC, hostname="anywhere")
    relay = servers.relay(await servers.start(), subnet.relay)
    assert 12 not in (await relay.offer(PLAIN)).options


async def test_a_change_is_served(site: Site, subnet: Subnet, servers: Servers) -> None:
    server = await servers.start()
    relay = servers.relay(server, subnet.relay)
    assert 12 not in (await relay.offer(PLAIN)).options
    no = await everywhere(site, mac=MAC, hostname="anywhere")
    await site.record(None, "reservation")
    await server.plan.read_changes()
    assert (await relay.offer(PLAIN)).options[12] == b"anywhere"
    async with subnet.change():  # a reading of one subnet reads those of its tenant
        await subnet.pool(200, 210)
    await server.plan.read_changes()
    assert (await relay.offer(PLAIN)).options[12] == b"anywhere"
    await site.connection.execute("delete from reservation where no = $1", no)
    await site.record(None, "reservation")
    await server.plan.read_changes()
    assert 12 not in (await relay.offer(PLAIN)).options


async def test_a_line_of_the_tenant_is_known_past_its_relay(site: Site, servers: Servers) -> None:
    """The lease's row says which line it is (test_recall.py)."""
    subnet = await site.direct_subnet()
    await subnet.pool(100, 199)
    await everywhere(site, circuit_id=b"eth1")
    server = await servers.start()
    relay = servers.relay(server, subnet.relay)
    offer = await relay.offer(PLAIN.circuit("eth1"))
    await relay.ack(say.request_selecting(MAC, offer.yiaddr, offer.address(54)).circuit("eth1"))
    await site.client_class("strangers", known=False, deny=True)
    server = await servers.start()
    assert await verdict(server, say.request_renewing(MAC, offer.yiaddr)) == "ack"
    assert await verdict(server, say.request_renewing(OTHER, subnet.address(110))) == "denied_class"


@pytest.mark.own_server
async def test_the_cap_counts_addresses(site: Site, subnet: Subnet) -> None:
    async def counted() -> int:
        found: int = await queries.load("managed_limit").managed(site.connection)
        return found

    before = await counted()
    await everywhere(site, mac=MAC)
    no = await add(site.connection, "reservation", subnet_no=subnet.no, mac=MAC)
    await subnet.reserve(20, mac=OTHER)
    assert await counted() == before + 1
    await site.connection.execute("update reservation set ip = $1 where no = $2", subnet.address(21), no)
    assert await counted() == before + 2
    await site.connection.execute("update reservation set hostname = 'x'")
    assert await counted() == before + 2
    await site.connection.execute("delete from reservation")
    assert await counted() == before
