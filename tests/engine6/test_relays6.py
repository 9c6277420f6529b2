"""Which subnet a message belongs to, and the envelopes around its answer (RFC 8415 sections 13.1, 19)."""

from collections.abc import Callable
from ipaddress import IPv6Address, ip_network
from typing import Any

import pytest
from engine6.serving6 import Relay, Servers, chosen, duid, leases
from engine6.site6 import Site6, Subnet6
from oracle import packets6 as say
from oracle.options6 import REMOTE_ID, RSOO, VSS, encode

from dhcp_fast.bench.servers.bench_plan import add

pytestmark = pytest.mark.shared_server

CLIENT = duid(1)


def solicit() -> say.Packet:
    return say.solicit(CLIENT).ia_na(1)


@pytest.mark.parametrize("hops", [1, 2, 5, 9])
async def test_answers_go_back_through_nested_relays(
    relay: Relay, subnet: Subnet6, site: Site6, hops: int
) -> None:
    """Nine envelopes are the most: hop counts 0 to 8. The relay next to the client says the link."""
    packet = solicit().through(subnet.link).at_interface("port1")
    for number in range(1, hops):
        packet = packet.through("2001:db8:ffff::1" if number > 1 else "::").at_interface(f"up{number}")
    offer = await relay.advertise(packet)
    assert IPv6Address(leases(offer)[0]) in subnet.network
    assert [envelope.interface_id for envelope in offer.envelopes][-1] == b"port1"
    assert len(offer.envelopes) == hops


async def test_what_came_through_more_relays_is_dropped(relay: Relay, subnet: Subnet6) -> None:
    packet = solicit().through(subnet.link)
    for _ in range(9):
        packet = packet.through("::")
    await relay.unanswered(packet)
    assert relay.counters()["drops"] == {"too_many_relays": 1}


async def test_a_switch_leaves_the_link_to_the_relay_behind_it(relay: Relay, subnet: Subnet6) -> None:
    """RFC 6221: an LDRA says no link-address."""
    offer = await relay.advertise(solicit().through("::").at_interface("sw1/7").through(subnet.link))
    assert IPv6Address(leases(offer)[0]) in subnet.network


async def test_an_interface_id_chooses_the_subnet_that_bears_it(servers: Servers, site: Site6) -> None:
    near, far = await site.subnet(7, interface_id=b"ge-1"), await site.subnet(8)
    for subnet in (near, far):
        await subnet.pool(0x100, 0x1FF)
    relay = servers.relay(await servers.start(), far.link)
    plain = await relay.advertise(solicit())
    assert IPv6Address(leases(plain)[0]) in far.network
    named = await relay.advertise(solicit().through(far.link).at_interface("ge-1"))
    assert IPv6Address(leases(named)[0]) in near.network


async def test_relay_addresses_name_a_subnet_that_does_not_contain_them(
    servers: Servers, site: Site6
) -> None:
    subnet = await site.subnet(7, relay_addresses=[IPv6Address("2001:db8:eeee::1")])
    await subnet.pool(0x100, 0x1FF)
    relay = servers.relay(await servers.start(), "2001:db8:eeee::1")
    assert IPv6Address(leases(await relay.advertise(solicit()))[0]) in subnet.network


LOCAL = "fe80::1234"


async def link_local_subnets(site: Site6, *others: list[str], **fields: Any) -> list[Subnet6]:
    """Subnets that name one link-local relay address, each beside others."""
    made = []
    for number, beside in enumerate(others, start=7):
        named = [IPv6Address(address) for address in (LOCAL, *beside)]
        made.append(await site.subnet(number, relay_addresses=named, **fields))
        await made[-1].pool(0x100, 0x1FF)
        await made[-1].delegation_pool(f"2001:db8:f{number}::/48", 56)
    return made


@pytest.mark.own_server
async def test_a_link_local_link_address_chooses_the_subnet_that_names_it(
    servers: Servers, site: Site6
) -> None:
    """In every message, also with an interface-id that no subnet has; one that nobody names chooses none."""
    (subnet,) = await link_local_subnets(site, [])
    relay = servers.relay(await servers.start(), LOCAL)
    for packet in (solicit(), solicit().through(LOCAL).at_interface("em1")):
        assert IPv6Address(leases(await relay.advertise(packet))[0]) in subnet.network
    reply = await relay.lease(CLIENT)
    (address,) = leases(reply)
    for words in (say.renew(CLIENT, relay.server_id), say.rebind(CLIENT), say.confirm(CLIENT)):
        assert await relay.reply(words.ia_na(1, address))
    assert (await site.lease(address))["link_address"] == IPv6Address(LOCAL)
    await relay.unanswered(solicit().through("fe80::1235"))
    assert relay.counters()["drops"] == {"no_subnet": 1}


async def test_an_interface_id_goes_before_a_link_local_link_address(servers: Servers, site: Site6) -> None:
    (subnet,) = await link_local_subnets(site, [])
    other = await site.subnet(9, interface_id=b"em9")
    await other.pool(0x100, 0x1FF)
    relay = servers.relay(await servers.start(), LOCAL)
    offer = await relay.advertise(solicit().through(LOCAL).at_interface("em9"))
    assert IPv6Address(leases(offer)[0]) in other.network
    assert IPv6Address(leases(await relay.advertise(solicit()))[0]) in subnet.network


async def test_one_link_local_address_on_several_links_is_told_apart_by_the_relay(
    servers: Servers, site: Site6
) -> None:
    """By the address that the relay sends from, here as the relay behind it saw it; the subnet that names no such
    address is for every other relay."""
    first, second, rest = await link_local_subnets(site, ["2001:db8:aa::1"], ["2001:db8:bb::1"], [])
    relay = servers.relay(await servers.start(), LOCAL)
    for source, subnet in (("2001:db8:aa::1", first), ("2001:db8:bb::1", second), ("2001:db8:cc::1", rest)):
        packet = solicit().through(LOCAL).through("::", peer=source)
        assert IPv6Address(leases(await relay.advertise(packet))[0]) in subnet.network
    assert IPv6Address(leases(await relay.advertise(solicit()))[0]) in rest.network


async def test_by_the_source_of_the_datagram(servers: Servers, site: Site6) -> None:
    _, subnet = await link_local_subnets(site, ["2001:db8:aa::1"], ["::1"])
    relay = servers.relay(await servers.start(), LOCAL)
    assert IPv6Address(leases(await relay.advertise(solicit()))[0]) in subnet.network


@pytest.mark.own_server
@pytest.mark.parametrize("others", [([], []), (["2001:db8:aa::1"], ["2001:db8:bb::1"]), (["::1"], ["::1"])])
async def test_where_nothing_tells_them_apart_nobody_is_served(
    others: tuple[list[str], ...], servers: Servers, site: Site6
) -> None:
    await link_local_subnets(site, *others)
    relay = servers.relay(await servers.start(), LOCAL)
    await relay.unanswered(solicit())
    assert relay.counters()["drops"] == {"no_subnet": 1}


async def test_subnets_of_one_wire_may_name_it_together(servers: Servers, site: Site6) -> None:
    subnets = await link_local_subnets(site, [], [], shared_network="campus")
    relay = servers.relay(await servers.start(), LOCAL)
    address = IPv6Address(leases(await relay.advertise(solicit()))[0])
    assert any(address in subnet.network for subnet in subnets)


@pytest.mark.own_server
async def test_a_virtual_network_is_the_tenant_of_that_name(servers: Servers, site: Site6) -> None:
    """RFC 6607: addresses overlap, and the relay says whose they are."""
    mine = await site.subnet(7)
    await mine.pool(0x100, 0x10F)
    red = await add(site.connection, "tenant", name="red")
    prefix = await add(site.connection, "prefix", tenant_no=red, cidr=ip_network("2001:db8::/32"))
    theirs = await site.subnet(7, tenant_no=red, prefix_no=prefix)
    await theirs.pool(0x200, 0x20F)
    await add(site.connection, "trusted_relay", cidr=ip_network("::1/128"), vss=True)
    relay = servers.relay(await servers.start(), mine.link)
    assert int(IPv6Address(leases(await relay.advertise(solicit()))[0])) & 0xF00 == 0x100
    red_one = solicit().through(mine.link).relay_option(VSS, b"\0red")
    assert int(IPv6Address(leases(await relay.advertise(red_one))[0])) & 0xF00 == 0x200
    await relay.unanswered(solicit().through(mine.link).relay_option(VSS, b"\0blue"))
    assert relay.counters()["drops"] == {"unknown_network": 1}


async def route_of(relay: Relay, site: Site6, path: Callable[[say.Packet], say.Packet]) -> dict[str, Any]:
    """What the row and the grant in the history say of a prefix that is delegated over that path."""
    offer = await relay.advertise(path(say.solicit(CLIENT).ia_pd(2)))
    await relay.reply(path(chosen(say.request(CLIENT, relay.server_id), offer)))
    prefix = offer.associations[0].leases[0].address
    row, (event,) = await site.lease(prefix), await site.events(prefix)
    told = ("relay", "link_address", "next_hop", "interface_id", "circuit_id", "remote_id", "prefix_length")
    assert {name: row[name] for name in told} == {name: event[name] for name in told}
    return {name: row[name] for name in told}


async def test_the_lease_tells_where_a_prefix_is_to_be_routed(
    relay: Relay, subnet: Subnet6, site: Site6
) -> None:
    """By the relay that named the link, out of its interface, to the client there."""

    def path(packet: say.Packet) -> say.Packet:
        near = packet.through(subnet.link, peer="fe80::7").at_interface("port1")
        return near.through("::", peer="2001:db8::9").at_interface("uplink")

    assert await route_of(relay, site, path) == {
        "relay": IPv6Address("2001:db8::9"),
        "link_address": subnet.link,
        "next_hop": IPv6Address("fe80::7"),
        "interface_id": b"port1",
        "circuit_id": b"port1",
        "remote_id": None,
        "prefix_length": 56,
    }


async def test_behind_a_switch_the_route_is_the_routers(relay: Relay, subnet: Subnet6, site: Site6) -> None:
    """RFC 6221: the switch says the line (circuit_id), the router behind it the link, and each its part."""

    def path(packet: say.Packet) -> say.Packet:
        switch = packet.through("::", peer="fe80::7").at_interface("sw1/7")
        router = switch.through(subnet.link, peer="fe80::7").at_interface("vlan7")
        return router.relay_option(REMOTE_ID, b"\0\0\x0d\xe9line")

    assert await route_of(relay, site, path) == {
        "relay": IPv6Address("::1"),
        "link_address": subnet.link,
        "next_hop": IPv6Address("fe80::7"),
        "interface_id": b"vlan7",
        "circuit_id": b"sw1/7",
        "remote_id": b"\0\0\x0d\xe9line",
        "prefix_length": 56,
    }


async def test_subnets_of_a_shared_network_serve_each_others_clients(servers: Servers, site: Site6) -> None:
    small = await site.subnet(7, shared_network="wire")
    large = await site.subnet(8, shared_network="wire")
    await small.pool(0x100, 0x100)
    await large.pool(0x100, 0x1FF)
    relay = servers.relay(await servers.start(), small.link)
    found = [IPv6Address(leases(await relay.lease(duid(number)))[0]) for number in range(3)]
    assert sum(address in small.network for address in found) == 1
    assert sum(address in large.network for address in found) == 2


async def test_what_a_relay_supplies_is_given_on(servers: Servers, site: Site6) -> None:
    """RFC 6422: the ERP local domain name (option 65), which the registry allows, and nothing else; the plan comes
    first."""
    subnet, other = await site.subnet(7), await site.subnet(8)
    for each in (subnet, other):
        await each.pool(0x100, 0x1FF)
    await other.option(65, {"hex": "036f776e00"}, always_send=True)
    server = await servers.start()
    supplied = encode([(65, b"\x03erp\x04test\0"), (23, bytes(16))])
    relay = servers.relay(server, subnet.link)
    asking = solicit().asking(23, 65)
    offer = await relay.advertise(asking.through(subnet.link, (RSOO, supplied)).through("::"))
    assert dict(offer.options)[65] == b"\x03erp\x04test\0"
    assert 23 not in dict(offer.options)
    offer = await relay.advertise(asking.through(other.link, (RSOO, supplied)))
    assert dict(offer.options)[65] == b"\x03own\0"
