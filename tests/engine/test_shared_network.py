"""Subnets of one shared network: one wire, several subnets, allocation over all and reservations in any.

10.5.0.0/24 and 10.6.0.0/24 bear the same name (decisions: Fields of subnets); the relay 127.0.5.1 chooses the first.
RFC 2131 section 4.3.1 speaks of the client's "subnet" as its physical network.
"""

from ipaddress import IPv4Address
from typing import Any, NamedTuple

import pytest
from engine.serving import Relay, Servers, cached, counters, drops, mac_of, reloaded, server_id, verdict
from engine.site import Site, Subnet, until
from oracle import packets as say
from oracle.message4 import Message
from oracle.packets import Packet

from dhcp_fast.server.serving import Serving

pytestmark = pytest.mark.shared_server

NAME = "campus"


class Wire(NamedTuple):
    first: Subnet
    second: Subnet
    server: Serving
    relay: Relay

    def subnet_of(self, reply: Message) -> Subnet:
        return self.first if reply.yiaddr in self.first.network else self.second


@pytest.fixture
async def wire(site: Site, servers: Servers) -> Wire:
    """Two addresses in the first subnet, four in the second."""
    first = await site.subnet(5, shared_network=NAME)
    second = await site.subnet(6, shared_network=NAME, relay_addresses=[], lease_time_seconds=900)
    await first.pool(10, 11)
    await second.pool(20, 23)
    server = await servers.start()
    return Wire(first, second, server, servers.relay(server, first.relay))


@pytest.mark.own_server
async def test_allocation_runs_over_all_subnets_first_the_one_asked_for(wire: Wire) -> None:
    replies = [await wire.relay.lease(mac_of(n)) for n in range(6)]
    assert [r.yiaddr in wire.first.network for r in replies] == [True, True, False, False, False, False]
    assert len({r.yiaddr for r in replies}) == 6
    await wire.relay.unanswered(say.discover(mac_of(6)))
    assert drops(wire.server, "exhausted") == 1


@pytest.mark.own_server
async def test_the_reply_speaks_of_the_subnet_of_the_address(wire: Wire) -> None:
    """Mask, router and lease time are those of the subnet in which the address lies (RFC 2131 section 4.3.1)."""
    for number in range(2):
        await wire.relay.lease(mac_of(number))
    ack = await wire.relay.lease(mac_of(9))
    assert ack.yiaddr in wire.second.network
    assert (ack.address(3), ack.options[51]) == (IPv4Address("10.6.0.1"), (900).to_bytes(4, "big"))
    row = await wire.second.site.lease(ack.yiaddr)
    assert row["subnet_no"] == wire.second.no


async def test_a_reservation_in_any_of_them_counts(wire: Wire) -> None:
    async with wire.second.change("reservation"):
        await wire.second.reserve(77, mac=mac_of(1))
    await reloaded(wire.server, wire.second)
    assert (await wire.relay.lease(mac_of(1))).yiaddr == wire.second.address(77)


async def test_a_client_moves_to_its_reservation_in_another_subnet(wire: Wire) -> None:
    """It holds an address of the first subnet; its renewal is refused, and the old row is given up."""
    held = await wire.relay.lease(mac_of(1))
    assert held.yiaddr in wire.first.network
    async with wire.second.change("reservation"):
        await wire.second.reserve(77, mac=mac_of(1))
    await reloaded(wire.server, wire.second)
    await wire.relay.nak(say.request_renewing(mac_of(1), held.yiaddr))
    assert (await wire.relay.lease(mac_of(1))).yiaddr == wire.second.address(77)
    assert (await wire.first.site.lease(held.yiaddr))["state"] in ("v", "r")


async def test_a_lease_of_a_sibling_is_renewed_through_the_same_relay(wire: Wire) -> None:
    for number in range(3):
        ack = await wire.relay.lease(mac_of(number))
    assert ack.yiaddr in wire.second.network
    assert (await wire.relay.ack(say.request_renewing(mac_of(2), ack.yiaddr))).yiaddr == ack.yiaddr
    assert (await wire.relay.ack(say.request_init_reboot(mac_of(2), ack.yiaddr))).yiaddr == ack.yiaddr


async def test_the_last_address_is_found_in_whichever_subnet(wire: Wire) -> None:
    """Before any free address of the subnet asked for (engine rule 19)."""
    acks = [await wire.relay.lease(mac_of(number)) for number in range(3)]
    ack = acks[2]
    for number in (2, 0):
        wire.relay.send(say.release(mac_of(number), acks[number].yiaddr, server_id(ack)))
    await until("released", lambda: _state(wire, ack.yiaddr) == "r")
    assert (await wire.relay.offer(say.discover(mac_of(2)))).yiaddr == ack.yiaddr


async def test_a_client_has_one_address_on_the_wire(wire: Wire) -> None:
    """It takes an address of the second subnet while it holds one of the first: that one is released (rule 9)."""
    held = await wire.relay.lease(mac_of(1))
    other = wire.second.address(22)
    await wire.relay.ack(say.request_selecting(mac_of(1), other, server_id(held)))
    await until("released", lambda: _state(wire, held.yiaddr) == "r")


async def test_a_client_has_one_offer_on_the_wire(wire: Wire) -> None:
    offered = await wire.relay.offer(say.discover(mac_of(1)))
    assert offered.yiaddr in wire.first.network
    async with wire.second.change("reservation"):
        await wire.second.reserve(77, mac=mac_of(1))
    await reloaded(wire.server, wire.second)
    assert (await wire.relay.offer(say.discover(mac_of(1)))).yiaddr == wire.second.address(77)
    assert counters(wire.server)["offers"] == 1


async def test_a_decline_quarantines_in_the_subnet_of_the_address(wire: Wire) -> None:
    for number in range(3):
        ack = await wire.relay.lease(mac_of(number))
    wire.relay.send(say.decline(mac_of(2), ack.yiaddr, server_id(ack)))

    await until("declined", lambda: _state(wire, ack.yiaddr) == "d")
    assert (await wire.relay.lease(mac_of(2))).yiaddr != ack.yiaddr


async def test_a_subnet_that_is_not_served_is_passed_over(wire: Wire) -> None:
    """The relay's own subnet is switched off: its siblings serve the wire; its leases wait in silence."""
    held = await wire.relay.lease(mac_of(1))
    async with wire.first.change():
        await wire.first.set(dhcp_enabled=False)
    await reloaded(wire.server, wire.first)
    assert (await wire.relay.lease(mac_of(2))).yiaddr in wire.second.network
    await wire.relay.unanswered(say.request_renewing(mac_of(1), held.yiaddr))
    assert drops(wire.server, "dhcp_disabled") == 1


async def test_subnets_without_the_name_stay_apart(wire: Wire) -> None:
    async with wire.second.change():
        await wire.second.set(shared_network="elsewhere")
    await reloaded(wire.server, wire.second)
    for number in range(2):
        assert (await wire.relay.lease(mac_of(number))).yiaddr in wire.first.network
    await wire.relay.unanswered(say.discover(mac_of(2)))


@pytest.mark.own_server
@pytest.mark.parametrize("authoritative", [True, False])
@pytest.mark.parametrize("asking", [say.request_rebinding, say.request_init_reboot])
async def test_the_authority_is_that_of_the_subnet_of_the_address(
    site: Site, servers: Servers, asking: Any, authoritative: bool
) -> None:
    """The database has no such lease."""
    first = await site.subnet(5, shared_network=NAME, authoritative=not authoritative)
    second = await site.subnet(6, shared_network=NAME, relay_addresses=[], authoritative=authoritative)
    await second.pool(20, 23)
    server = await servers.start()
    relay = servers.relay(server, first.relay)
    packet = asking(mac_of(1), second.address(21))
    await (relay.nak(packet) if authoritative else relay.unanswered(packet))
    assert drops(server, "unknown_binding") == (not authoritative)


@pytest.mark.own_server
@pytest.mark.parametrize("matching", [True, False])
async def test_who_a_client_is_depends_on_the_subnet_by_which_it_asks(
    site: Site, servers: Servers, matching: bool
) -> None:
    """Where the subnets differ in that, the client keeps its lease by either way."""
    first = await site.subnet(5, shared_network=NAME, match_client_id=matching)
    second = await site.direct_subnet(shared_network=NAME, match_client_id=not matching, cache_threshold=0)
    await second.pool(20, 23)
    server = await servers.start()
    relay = servers.relay(server, first.relay)

    def asked(packet: Packet) -> Packet:
        return packet.client_id("machine")

    offer = await relay.offer(asked(say.discover(mac_of(1))))
    ack = await relay.ack(asked(say.request_selecting(mac_of(1), offer.yiaddr, server_id(offer))))
    for _ in range(2):
        assert await verdict(server, asked(say.request_renewing(mac_of(1), ack.yiaddr))) == "ack"
        assert (await relay.ack(asked(say.request_rebinding(mac_of(1), ack.yiaddr)))).yiaddr == ack.yiaddr


async def test_an_address_of_no_subnet_of_the_wire_is_refused(wire: Wire) -> None:
    await wire.relay.nak(say.request_init_reboot(mac_of(1), IPv4Address("10.7.0.9")))


def _state(wire: Wire, address: IPv4Address) -> str | None:
    known = cached(wire.server, wire.first.site.tenant_no, address)
    return known["state"] if known else None


async def test_a_client_is_named_by_the_subnet_of_its_address(site: Site, servers: Servers) -> None:
    """Its option 81 in each answer and the row, through SELECTING and RENEWING."""
    told = {"ddns_enabled": True, "shared_network": NAME}
    near = await site.subnet(5, ddns_domain="near.test", **told)
    far = await site.subnet(6, ddns_domain="far.test", relay_addresses=[], **told)
    for subnet in (near, far):
        await subnet.pool(10, 10)
    relay = servers.relay(await servers.start(), near.relay)
    for number, name in enumerate(("near.test", "far.test")):
        mac = mac_of(number)
        offer = await relay.offer(named(say.discover(mac)))
        ack = await relay.ack(named(say.request_selecting(mac, offer.yiaddr, server_id(offer))))
        renewed = await relay.ack(named(say.request_renewing(mac, ack.yiaddr)))
        for reply in (offer, ack, renewed):
            assert reply.options[81][3:].rstrip(b".") == f"host.{name}".encode()
        assert (await site.lease(ack.yiaddr))["hostname"] == f"host.{name}"


def named(packet: say.Packet) -> say.Packet:
    return packet.fqdn("host", 1).asking(81)
