"""What a relay or a proxy says of its client: link, subnet, virtual network, unicast, port, the server's name.

Two subnets of one tenant stand behind the relay of the first (`serve`); tests of virtual networks add a second tenant.
"""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import IPv4Address, IPv4Network
from typing import Any

import pytest
from engine.serving import Relay, Servers, drops, mac_of, server_id
from engine.site import Site, Subnet
from oracle import packets as say
from oracle.message4 import Message
from oracle.options4 import ACK, NAK
from oracle.packets import Packet

from dhcp_fast.bench.servers.bench_plan import add
from dhcp_fast.server.serving import Serving

MAC = mac_of(1)
NAMED, VPN_ID, GLOBAL = b"\x00", b"\x01", b"\xff"
VRF, CONTROL = 151, 152

Choice = Callable[[Packet], Packet]


async def serve(site: Site, servers: Servers, **fields: Any) -> tuple[Serving, Relay, dict[str, Subnet]]:
    here, there = await site.subnet(5, **fields), await site.subnet(6, **fields)
    await here.pool(100, 199)
    await there.pool(100, 199)
    server = await servers.start()
    return server, servers.relay(server, here.relay), {"here": here, "there": there}


def option_118(packet: Packet) -> Packet:
    return packet.selecting_subnet("10.6.0.0")


def unknown_118(packet: Packet) -> Packet:
    return packet.selecting_subnet("192.0.2.0")


def link(packet: Packet) -> Packet:
    return packet.link_selection("10.6.0.77")


def link_here(packet: Packet) -> Packet:
    return packet.link_selection("10.5.0.0")


SELECTIONS: list[tuple[str, list[Choice], str | None]] = [
    ("RFC 2131 4.3.1: giaddr", [], "here"),
    ("RFC 3011 2: subnet selection counts before giaddr", [option_118], "there"),
    ("RFC 3527 3: link selection counts before giaddr", [link], "there"),
    ("RFC 3527 3: link selection counts before subnet selection", [link_here, option_118], "here"),
    ("RFC 3527 3: the same the other way round", [link, unknown_118], "there"),
    ("RFC 3011 2: a subnet that the server does not know", [unknown_118], None),
]


@pytest.mark.parametrize(("why", "choices", "expected"), SELECTIONS, ids=[row[0] for row in SELECTIONS])
async def test_what_chooses_the_subnet(
    why: str, choices: list[Choice], expected: str | None, site: Site, servers: Servers
) -> None:
    server, relay, subnets = await serve(site, servers)
    packet = say.discover(MAC)
    for choice in choices:
        packet = choice(packet)
    if expected is None:
        await relay.unanswered(packet)
        assert drops(server, "no_subnet") == 1
    else:
        assert (await relay.offer(packet)).yiaddr in subnets[expected].network


async def test_subnet_selection_comes_back(site: Site, servers: Servers) -> None:
    """RFC 3011 2: an identical copy in each reply, asked for or not, whatever chose the subnet; a client without it in
    the answer would discard the answer."""
    _, relay, subnets = await serve(site, servers)
    discover = say.discover(MAC).asking(1, 3).selecting_subnet("10.6.0.0")
    offer = await relay.offer(discover)
    assert offer.options[118] == IPv4Address("10.6.0.0").packed
    ack = await relay.select(MAC, offer, discover)
    assert ack.options[118] == offer.options[118]
    assert ack.yiaddr in subnets["there"].network
    elsewhere = await relay.offer(
        say.discover(mac_of(2)).selecting_subnet("10.6.0.0").link_selection("10.5.0.0")
    )
    assert elsewhere.options[118] == offer.options[118]
    assert 118 not in (await relay.offer(say.discover(mac_of(3)).asking(118))).options


async def test_relay_addresses_choose_a_subnet_that_does_not_contain_them(
    site: Site, servers: Servers
) -> None:
    """A giaddr that chooses this subnet although it does not contain it (decisions: Fields of subnets)."""
    first, second = IPv4Address("127.0.7.1"), IPv4Address("127.0.7.2")
    subnet = await site.subnet(7, relay_addresses=[first, second])
    await subnet.pool(100, 199)
    inside = await site.subnet(8, cidr=IPv4Network("127.0.7.0/24"), gateway=None, relay_addresses=[])
    await inside.pool(100, 199)
    server = await servers.start()
    for number, address in enumerate((first, second)):
        assert (
            await servers.relay(server, address).offer(say.discover(mac_of(number)))
        ).yiaddr in subnet.network
    other = servers.relay(server, "127.0.7.3")
    assert (await other.offer(say.discover(mac_of(9)))).yiaddr in inside.network


# --- RFC 5107 and 5010: the relay in the server's place


async def test_the_relay_stands_for_the_server(site: Site, servers: Servers) -> None:
    """RFC 5107 4: the override is the server identifier of each reply, NAKs too, and what the client names later."""
    _, relay, _ = await serve(site, servers)
    here = relay.address
    offer = await relay.offer(say.discover(MAC).server_override(here))
    assert server_id(offer) == here
    ack = await relay.ack(say.request_selecting(MAC, offer.yiaddr, here).server_override(here))
    assert server_id(ack) == here
    assert server_id(await relay.nak(say.request_init_reboot(MAC, "192.0.2.7").server_override(here))) == here
    await relay.unanswered(say.request_selecting(MAC, offer.yiaddr, "192.0.2.9").server_override(here))


@pytest.mark.parametrize("authoritative", [True, False])
@pytest.mark.parametrize(
    ("flags", "state"), [(b"\x80", "renewing"), (b"\x00", "rebinding"), (None, "rebinding")]
)
async def test_how_the_relay_received_it(
    flags: bytes | None, state: str, authoritative: bool, site: Site, servers: Servers
) -> None:
    """RFC 5010 3: the unicast flag tells RENEWING from REBINDING through a relay; an unknown binding gets NAK in
    RENEWING always, in REBINDING only where the subnet is authoritative (decisions: Unknown bindings)."""
    server, relay, subnets = await serve(site, servers, authoritative=authoritative)
    packet = say.request_renewing(MAC, subnets["here"].address(150))
    if flags is not None:
        packet = packet.suboption(10, flags)
    if state == "renewing" or authoritative:
        await relay.nak(packet)
    else:
        await relay.unanswered(packet)
        assert drops(server, "unknown_binding") == 1


async def test_the_relays_port(site: Site, servers: Servers) -> None:
    """RFC 8357 5.2: the answer goes to the port that the relay sent from, with the sub-option in it."""
    _, relay, _ = await serve(site, servers)
    offer = await relay.offer(say.discover(MAC))
    assert offer.options[82] == b"\x13\x00"


# --- RFC 6607: virtual networks are tenants


async def two_tenants(
    site: Site, servers: Servers, **relay_fields: Any
) -> tuple[Serving, Relay, dict[str, Subnet]]:
    """The same 10.5.0.0/24 and relay in the default tenant and in `blue`; pools .100-.149 and .150-.199.
    `relay_fields`: of the relay's entry; there is none unless some are given."""
    here = await site.subnet(5)
    await here.pool(100, 149)
    blue = await add(site.connection, "tenant", name="blue")
    prefix = await add(site.connection, "prefix", tenant_no=blue, cidr=IPv4Network("10.0.0.0/8"))
    there = await Site(site.connection, blue, prefix).subnet(5)
    await there.pool(150, 199)
    if relay_fields:
        if tenant := relay_fields.pop("tenant", None):
            relay_fields["tenant_no"] = blue if tenant == "blue" else site.tenant_no
        await add(site.connection, "trusted_relay", cidr=IPv4Network("127.0.5.1/32"), **relay_fields)
    server = await servers.start()
    return server, servers.relay(server, here.relay), {"default": here, "blue": there}


def tenant_of(reply: Message) -> str:
    return "default" if int(reply.yiaddr) & 0xFF < 150 else "blue"


NETWORKS: list[tuple[str, list[tuple[int, bytes]], bytes | None, str | None]] = [
    ("nothing said", [], None, "default"),
    ("section 3.3: the relay names the tenant", [(VRF, NAMED + b"blue"), (CONTROL, b"")], None, "blue"),
    ("section 3.3: the default tenant by name", [(VRF, NAMED + b"default"), (CONTROL, b"")], None, "default"),
    ("section 3.5: the global network", [(VRF, GLOBAL), (CONTROL, b"")], None, "default"),
    ("section 7: a network that nobody has", [(VRF, NAMED + b"green"), (CONTROL, b"")], None, None),
    ("section 7: a name is whole", [(VRF, NAMED + b"blu"), (CONTROL, b"")], None, None),
    ("section 3.5: an RFC 2685 identifier", [(VRF, VPN_ID + b"\0\0\0\0\0\0\1"), (CONTROL, b"")], None, None),
    ("section 3.1: the client names it", [], NAMED + b"blue", "blue"),
    ("section 7.3: the relay counts before the client", [(VRF, NAMED + b"blue")], GLOBAL, "blue"),
]


@pytest.mark.parametrize(("why", "said", "option", "expected"), NETWORKS, ids=[row[0] for row in NETWORKS])
async def test_virtual_networks_choose_the_tenant(
    why: str,
    said: list[tuple[int, bytes]],
    option: bytes | None,
    expected: str | None,
    site: Site,
    servers: Servers,
) -> None:
    """RFC 6607 7: the network used is in the reply, the control sub-option is not (7.2, the oracle judges the rest of
    the echo); option 221 says which one it was (7.1). An unknown one is dropped and counted."""
    server, relay, _ = await two_tenants(site, servers, vss=True, client_vss=True)
    packet = say.discover(MAC) if option is None else say.discover(MAC).option(221, option)
    for code, value in said:
        packet = packet.suboption(code, value)
    if expected is None:
        await relay.unanswered(packet)
        assert drops(server, "unknown_network") == 1
        return
    offer = await relay.offer(packet)
    assert tenant_of(offer) == expected
    assert b"\x98\x00" not in offer.options[82]
    assert offer.options.get(221) == (option and dict(said).get(VRF, option))


async def test_a_lease_in_a_virtual_network(site: Site, servers: Servers) -> None:
    """The same address plan twice: the ACK is the tenant's own, and what the other tenant has is refused."""
    _, relay, _ = await two_tenants(site, servers, vss=True)

    def blue(packet: Packet) -> Packet:
        return packet.suboption(VRF, NAMED + b"blue").suboption(CONTROL, b"")

    offer = await relay.offer(blue(say.discover(MAC)))
    selecting = say.request_selecting(MAC, offer.yiaddr, server_id(offer))
    assert (await relay.ask(blue(selecting))).message_type == ACK
    assert (await relay.ask(selecting)).message_type == NAK
    assert (
        await site.connection.fetchval("select count(*) from lease where tenant_no <> $1", site.tenant_no)
        == 1
    )


@pytest.mark.parametrize("fields", [{}, {"vss": False}, {"vss": True}], ids=["setting", "entry", "vss"])
async def test_a_client_does_not_choose_its_tenant(
    fields: dict[str, Any], site: Site, servers: Servers
) -> None:
    """Option 221 of a client counts only where the entry has client_vss, the relay's word only where it has vss; else
    it is the default tenant, and neither is said to have been used."""
    _, relay, _ = await two_tenants(site, servers, **fields)
    for number, name in enumerate((b"blue", b"green")):
        client = say.discover(mac_of(number)).option(221, NAMED + name)
        offer = await relay.offer(client)
        assert (tenant_of(offer), offer.options.get(221)) == ("default", None)
    if not fields.get("vss"):
        named = say.discover(mac_of(9)).suboption(VRF, NAMED + b"blue").suboption(CONTROL, b"")
        offer = await relay.offer(named)
        assert tenant_of(offer) == "default"
        assert b"\x98\x00" in offer.options[82]


@pytest.mark.parametrize("vss", [False, True])
@pytest.mark.parametrize("tenant", ["default", "blue"])
async def test_a_relay_bound_to_a_tenant_keeps_to_it(
    tenant: str, vss: bool, site: Site, servers: Servers
) -> None:
    """A trusted relay's tenant_id decides between overlapping tenants; what the packet says of virtual networks is then
    not used, and the control sub-option comes back to say so (RFC 6607 7.2)."""
    _, relay, _ = await two_tenants(site, servers, tenant=tenant, vss=vss, client_vss=vss)
    for name in (b"default", b"blue", b"green"):
        packet = say.discover(MAC).suboption(VRF, NAMED + name).suboption(CONTROL, b"")
        offer = await relay.offer(packet.option(221, NAMED + name))
        assert tenant_of(offer) == tenant
        assert 221 not in offer.options
        assert b"\x98\x00" in offer.options[82]


@pytest.mark.parametrize("tenant", ["default", "blue"])
async def test_what_another_tenant_draws_takes_no_client(tenant: str, site: Site, servers: Servers) -> None:
    """The same network in both tenants, and a relay of which an entry tells the tenant, or none: whose subnet was there
    first, or has the lower number, does not matter."""
    fields = {"tenant": tenant} if tenant == "blue" else {}
    _, relay, subnets = await two_tenants(site, servers, **fields)
    assert tenant_of(await relay.offer(say.discover(MAC))) == tenant
    for choice in ("10.5.0.0", "10.5.0.77"):
        selected = say.discover(MAC).link_selection(choice)
        assert tenant_of(await relay.offer(selected)) == tenant
        assert tenant_of(await relay.offer(say.discover(MAC).selecting_subnet(choice))) == tenant
    async with subnets["default" if tenant == "blue" else "blue"].change():
        await subnets["default" if tenant == "blue" else "blue"].set(dhcp_enabled=False)
    assert tenant_of(await relay.offer(say.discover(MAC))) == tenant


async def test_a_relay_sends_from_the_sources_of_its_entry(site: Site, servers: Servers) -> None:
    """Others could claim its address; which one the entry has seen is told either way."""
    allowed = IPv4Network("127.0.9.0/24")
    server, relay, _ = await two_tenants(site, servers, sources=[allowed])
    await relay.unanswered(say.discover(MAC))
    assert drops(server, "untrusted_source") == 1
    await server.report_relays()
    seen = await site.connection.fetch("select address from relay_source")
    assert [row["address"] for row in seen] == [relay.address]


async def test_with_one_tenant_virtual_networks_are_not_known(site: Site, servers: Servers) -> None:
    """There is nothing to choose: relays that name their VRF are served as before, and told that it was not used."""
    _, relay, subnets = await serve(site, servers)
    packet = (
        say.discover(MAC).suboption(VRF, NAMED + b"red").suboption(CONTROL, b"").option(221, NAMED + b"red")
    )
    offer = await relay.offer(packet)
    assert offer.yiaddr in subnets["here"].network
    assert b"\x98\x00" in offer.options[82]
    assert 221 not in offer.options
