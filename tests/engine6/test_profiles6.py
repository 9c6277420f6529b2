"""Reservations without an address, and those of a tenant, over DHCPv6; see engine/test_profiles.py."""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import IPv6Address
from typing import Any

import pytest
from engine.site import add
from engine6.serving6 import Servers, duid, leases
from engine6.site6 import Site6
from oracle import packets6 as say
from oracle.packets6 import Packet

pytestmark = pytest.mark.shared_server

CLIENT, OTHER = duid(1), duid(2)
MAC = "02:00:00:00:00:09"
DNS = 23
HERE, ELSEWHERE = "2001:db8::1", "2001:db8::2"
PLAIN = say.solicit(CLIENT).ia_na(1).asking(DNS)
STRANGER = say.solicit(OTHER).ia_na(1).asking(DNS)
IN_ALL = {
    "duid": CLIENT,
    "mac": MAC,
    "circuit_id": b"ge-1",
    "remote_id": b"line",
    "subscriber_id": b"smith",
}

# A stranger's message as a relay on the link passes it on, by what it is known.
WHO: dict[str, Callable[[Any], Packet]] = {
    "duid": PLAIN.through,
    "mac": lambda link: STRANGER.through(link).from_hardware(MAC),
    "circuit_id": lambda link: STRANGER.through(link).at_interface("ge-1"),
    "remote_id": lambda link: STRANGER.through(link).relay_option(37, b"\0\0\x0d\xe9line"),
    "subscriber_id": lambda link: STRANGER.through(link).relay_option(38, b"smith"),
}


async def reserve(site: Site6, address: str, **fields: Any) -> None:
    """In the whole tenant unless a subnet is said, with an option by which it is known."""
    place = {} if "subnet_no" in fields else {"tenant_no": site.tenant_no}
    no = await add(site.connection, "reservation", **place, **fields)
    await site.option(DNS, {"addresses": [address]}, reservation_no=no)


def dns(answer: Any) -> str | None:
    value = dict(answer.options).get(DNS)
    return str(IPv6Address(value)) if value else None


@pytest.mark.own_server
async def test_a_profile_gives_all_but_an_address(site: Site6, servers: Servers) -> None:
    subnet = await site.subnet(5)
    await subnet.pool(0x100, 0x1FF)
    await reserve(site, HERE, subnet_no=subnet.no, duid=CLIENT)
    relay = servers.relay(await servers.start(), subnet.link)
    answer = await relay.advertise(PLAIN)
    assert dns(answer) == HERE
    assert leases(answer)[0].startswith("2001:db8:5::1")
    assert dns(await relay.advertise(STRANGER)) is None


@pytest.mark.parametrize("why", WHO)
async def test_a_reservation_of_the_tenant_holds_in_each_subnet(
    why: str, site: Site6, servers: Servers
) -> None:
    subnets = [await site.subnet(5), await site.subnet(6)]
    for subnet in subnets:
        await subnet.pool(0x100, 0x1FF)
    await reserve(site, HERE, **{why: IN_ALL[why]})
    server = await servers.start()
    for subnet in subnets:
        relay = servers.relay(server, subnet.link)
        answer = await relay.advertise(WHO[why](subnet.link))
        assert dns(answer) == HERE
        assert leases(answer)[0].startswith(f"2001:db8:{subnet.number}::1")
        assert dns(await relay.advertise(STRANGER)) is None


async def test_the_subnets_own_come_first_by_whatever_identity(site: Site6, servers: Servers) -> None:
    subnet = await site.subnet(5)
    await subnet.pool(0x100, 0x1FF)
    await reserve(site, HERE, subnet_no=subnet.no, circuit_id=b"ge-1", ip=subnet.address(0x20))
    await reserve(site, ELSEWHERE, duid=CLIENT)
    relay = servers.relay(await servers.start(), subnet.link)
    answer = await relay.advertise(PLAIN.through(subnet.link).at_interface("ge-1"))
    assert (dns(answer), leases(answer)) == (HERE, [str(subnet.address(0x20))])
    answer = await relay.advertise(PLAIN)
    assert dns(answer) == ELSEWHERE
    assert leases(answer) != [str(subnet.address(0x20))]


async def test_the_order_among_the_tenants(site: Site6, servers: Servers) -> None:
    """DUID, MAC, interface id, remote id, subscriber id."""
    subnet = await site.subnet(5)
    await subnet.pool(0x100, 0x1FF)
    for number, (name, value) in enumerate(IN_ALL.items()):
        await reserve(site, f"2001:db8::{number}", **{name: value})
    relay = servers.relay(await servers.start(), subnet.link)
    by_subscriber = STRANGER.through(subnet.link).relay_option(38, b"smith")
    by_remote = by_subscriber.relay_option(37, b"\0\0\x0d\xe9line")
    by_circuit = by_remote.at_interface("ge-1")
    by_mac = by_circuit.from_hardware(MAC)
    found = [dns(await relay.advertise(each)) for each in (by_mac, by_circuit, by_remote, by_subscriber)]
    assert found == [f"2001:db8::{number}" for number in (1, 2, 3, 4)]


async def test_it_makes_its_client_known_and_gives_a_class(site: Site6, servers: Servers) -> None:
    subnet = await site.subnet(5)
    await subnet.pool(0x100, 0x1FF)
    given = await site.client_class("kiosks", user_class="kiosk")
    await site.option(DNS, {"addresses": [ELSEWHERE]}, class_no=given)
    await site.client_class("strangers", known=False, deny=True)
    await add(site.connection, "reservation", tenant_no=site.tenant_no, duid=CLIENT, class_no=given)
    relay = servers.relay(await servers.start(), subnet.link)
    assert dns(await relay.advertise(PLAIN)) == ELSEWHERE
    await relay.unanswered(STRANGER)


async def test_a_change_is_served(site: Site6, servers: Servers) -> None:
    subnet = await site.subnet(5)
    await subnet.pool(0x100, 0x1FF)
    server = await servers.start()
    relay = servers.relay(server, subnet.link)
    assert dns(await relay.advertise(PLAIN)) is None
    await reserve(site, HERE, duid=CLIENT)
    await site.record(None, "reservation")
    await server.plan.read_changes()
    assert dns(await relay.advertise(PLAIN)) == HERE
