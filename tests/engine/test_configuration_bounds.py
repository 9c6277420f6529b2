"""Configuration at the edge of what the engine can hold: left out and reported, never read beyond an end."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network

import pytest
from engine.serving import Servers, mac_of
from engine.site import Site
from oracle import packets as say

from dhcp_fast import snapshot
from dhcp_fast.engine.compile import MOST_CLASSES, SubnetView, TenantView
from dhcp_fast.load.plan import add

MAC = mac_of(1)


async def test_more_classes_than_a_mask_holds(site: Site, servers: Servers) -> None:
    """The first by priority count; a pool of one that does not is nobody's."""
    subnet = await site.subnet()
    await subnet.pool(100, 100)
    for number in range(MOST_CLASSES + 3):
        last = await site.client_class(f"c{number}", vendor_class="phone", priority=number)
    await subnet.pool(200, 201, class_no=last)
    found = await snapshot.read(site.connection)
    assert sum(problem.startswith("client class") for problem in found.problems) == 3
    relay = servers.relay(await servers.start(), subnet.relay)
    assert (await relay.offer(say.discover(MAC).vendor("phone"))).yiaddr == subnet.address(100)


def test_a_tenant_with_too_many_classes_is_not_compiled() -> None:
    with pytest.raises(ValueError, match="at most"):
        TenantView(1, [{}] * (MOST_CLASSES + 1))


@pytest.mark.parametrize(
    ("first", "last"),
    [
        ("10.5.1.0", "10.5.1.255"),
        ("10.4.255.0", "10.5.0.9"),
        ("10.5.0.250", "10.5.3.0"),
        ("9.0.0.0", "9.0.0.9"),
    ],
)
async def test_a_pool_outside_of_its_subnet(first: str, last: str, site: Site, servers: Servers) -> None:
    """The API does not write one; a row that came another way must not be looked up behind the bitmap's end."""
    subnet = await site.subnet()
    await subnet.pool(100, 110)
    start, end = IPv4Address(first), IPv4Address(last)
    await add(site.connection, "pool", subnet_no=subnet.no, start_ip=start, end_ip=end)
    assert len((await snapshot.read(site.connection)).problems) == 1
    relay = servers.relay(await servers.start(), subnet.relay)
    got = {(await relay.lease(mac_of(number))).yiaddr for number in range(11)}
    assert got == {subnet.address(last) for last in range(100, 111)}


async def test_an_interface_that_has_vanished_serves_nobody(site: Site) -> None:
    """A reading is applied as a whole or not at all, so nothing may fail between two subnets."""
    subnet = await site.subnet(interface="gone0")
    compiled = (await snapshot.read(site.connection)).subnets[subnet.no]
    assert isinstance(compiled.view, SubnetView)
    present = snapshot.present_interfaces()
    assert snapshot.interface_numbers(compiled, {"gone0": []}, present) == ()
    assert len(snapshot.interface_numbers(compiled, {"lo": [subnet.address(1)]}, present)) == 1


async def test_a_subnet_of_one_and_of_two_addresses(site: Site, servers: Servers) -> None:
    """Up to /30 the network and broadcast address are nobody's; a /31 and a /32 have neither (RFC 3021)."""
    for number, length, size in ((5, 31, 2), (6, 32, 1), (7, 30, 2)):
        subnet = await site.subnet(number, cidr=IPv4Network(f"10.{number}.0.0/{length}"), gateway=None)
        await subnet.pool(0, subnet.network.num_addresses - 1)
        server = await servers.start()
        relay = servers.relay(server, subnet.relay)
        got = {(await relay.lease(mac_of(number * 16 + n))).yiaddr for n in range(size)}
        assert len(got) == size
        await relay.unanswered(say.discover(mac_of(number * 16 + 9)))
