"""Configuration at the edge of what the engine can hold: left out and reported, never read beyond an end."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network

import pytest
from engine.serving import Servers, mac_of
from engine.site import Site
from fuzz.engine import FIELDS, KEY, NETWORK, TENANT
from oracle import packets as say
from oracle.replies4 import check_reply

from dhcp_fast.bench.servers.bench_plan import add
from dhcp_fast.database.plan import plan_loader
from dhcp_fast.database.plan.placing import Placing
from dhcp_fast.engine.engine import Engine
from dhcp_fast.engine.explain import explain
from dhcp_fast.plan.compile import SubnetView
from dhcp_fast.plan.pool_row import PoolRow
from dhcp_fast.plan.tenant_view import MOST_CLASSES, TenantView

MAC = mac_of(1)


async def test_more_classes_than_a_mask_holds(site: Site, servers: Servers) -> None:
    """The first by priority count; a pool of one that does not is nobody's."""
    subnet = await site.subnet()
    await subnet.pool(100, 100)
    for number in range(MOST_CLASSES + 3):
        last = await site.client_class(f"c{number}", vendor_class="phone", priority=number)
    await subnet.pool(200, 201, class_no=last)
    found = (await plan_loader.reader(site.connection)).compile()
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
    assert len((await plan_loader.reader(site.connection)).compile().problems) == 1
    relay = servers.relay(await servers.start(), subnet.relay)
    got = {(await relay.lease(mac_of(number))).yiaddr for number in range(11)}
    assert got == {subnet.address(last) for last in range(100, 111)}


async def test_an_interface_that_has_vanished_serves_nobody(site: Site) -> None:
    """A reading is applied as a whole or not at all, so nothing may fail between two subnets."""
    subnet = await site.subnet(interface="gone0")
    compiled = (await plan_loader.reader(site.connection)).compile().subnets[subnet.no]
    assert isinstance(compiled.view, SubnetView)
    placing = Placing(compiled.network, compiled.interface)
    assert placing.places({"gone0": []}, {"lo": 1}) == ((), ())
    by_address, bound = placing.places({"lo": [subnet.address(1)]}, {"lo": 1})
    assert (len(by_address), bound) == (1, ())


async def test_a_subnet_of_one_and_of_two_addresses(site: Site, servers: Servers) -> None:
    """Up to /30 the network and broadcast address are nobody's; a /31 and a /32 have neither (RFC 3021)."""
    for number, length, size in ((5, 31, 2), (6, 32, 1), (7, 30, 2)):
        subnet = await site.subnet(number, cidr=IPv4Network(f"10.{number}.0.0/{length}"), gateway=None)
        await subnet.pool(0, subnet.network.num_addresses - 1)
        server = await servers.start()
        relay = servers.relay(server, subnet.relay)
        macs = [mac_of(number * 16 + n) for n in range(size)]
        acks = [await relay.lease(mac, say.discover(mac).asking(1, 28)) for mac in macs]
        assert len({ack.yiaddr for ack in acks}) == size
        assert [28 in ack.options for ack in acks] == [length <= 30] * size
        await relay.unanswered(say.discover(mac_of(number * 16 + 9)))


async def test_boot_names_longer_than_any_option(site: Site, servers: Servers) -> None:
    """Written past the API: left out and reported; what else the clients get is whole."""
    subnet = await site.subnet(boot_file="f" * 65_100, next_server="n" * 65_026)
    await subnet.pool(100, 110)
    await site.client_class("phones", vendor_class="phone", boot_file="f" * 70_000)
    await subnet.option(15, {"string": "example.org"})
    problems = (await plan_loader.reader(site.connection)).compile().problems
    assert [problem.partition(" ")[0] for problem in problems] == ["boot_file", "next_server", "boot_file"]
    relay = servers.relay(await servers.start(), subnet.relay)
    offers = [
        await relay.offer(say.discover(mac_of(number)).vendor("phone").asking(66, 67, 15))
        for number in range(8)
    ]
    assert [offer.options.get(15) for offer in offers] == [b"example.org"] * 8
    assert not any({66, 67} & set(offer.options) for offer in offers)


async def test_stored_options_that_the_server_answers_itself(site: Site, servers: Servers) -> None:
    """Rows of codes that can no longer be stored: reported, and the rest is served."""
    subnet = await site.subnet()
    await subnet.pool(100, 110)
    for code in (80, 81, 97, 118, 221):
        await subnet.option(code, {"hex": "00" * 17})
    await subnet.option(15, {"string": "example.org"})
    problems = (await plan_loader.reader(site.connection)).compile().problems
    assert len(problems) == 5
    relay = servers.relay(await servers.start(), subnet.relay)
    offer = await relay.offer(say.discover(MAC).asking(15, 80, 81, 97, 118, 221))
    assert offer.options[15] == b"example.org"
    assert not {80, 81, 97, 118, 221} & set(offer.options)


@pytest.mark.parametrize("octets", [65_025, 65_026, 65_100, 65_535])
def test_an_option_as_long_as_can_be_told_does_not_fit(octets: int) -> None:
    """The octets that it takes in pieces do not fit into 16 bits: it is left out, and the next option is there."""
    engine = Engine(KEY)
    engine.plan.set_relays([], TENANT)
    options = [(15, b"x" * octets, False, None), (40, b"nis", False, None)]
    pools = [PoolRow(1, NETWORK + 16, NETWORK + 99)]
    engine.put_subnet(
        SubnetView(TenantView(TENANT, []), KEY, FIELDS | {"options": options, "pools": pools}), [], [7]
    )
    packet = say.discover(MAC).asking(15, 40).bytes()
    reply = explain(engine, packet, int(IPv4Address("192.0.2.67")), 7)["reply"]
    assert check_reply(packet, reply) == []
    assert b"\x28\3nis" in reply
    assert len(reply) < 576


def test_an_option_longer_than_that_is_not_compiled() -> None:
    with pytest.raises(ValueError, match="65536 octets"):
        SubnetView(TenantView(TENANT, []), KEY, FIELDS | {"options": [(15, bytes(65_536), False, None)]})


async def test_nobody_is_served_in_new_addresses_before_they_are_counted(
    site: Site, servers: Servers
) -> None:
    """What seems free there might be somebody's: it was leased before the subnet was."""
    await site.put_lease("10.6.0.100", bytes.fromhex("020000000063"), 0)
    server = await servers.start()
    engine, config = server.engine, server.plan.config
    subnet = await site.subnet(6)
    await subnet.pool(100, 101)
    packet = say.discover(MAC).with_relay(subnet.relay).bytes()

    def drop() -> object:
        return explain(engine, packet, 1, 0)["drop"]

    async with server.plan.reloading:
        fresh = await config.read(site.connection, [subnet.no])
        assert drop() == "dhcp_disabled"
        await config.read(site.connection, [subnet.no])  # once more, as after an error
        assert drop() == "dhcp_disabled"
        await config.recount(fresh)
    found = explain(engine, packet, 1, 0)
    assert IPv4Address(found["reply"][16:20]) == subnet.address(101)
