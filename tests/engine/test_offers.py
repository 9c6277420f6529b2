"""Engine rule 4: DISCOVER writes nothing; offers live in memory, short and bounded, and the database decides."""

from ipaddress import IPv4Address, IPv4Network

from engine.serving import Relay, Servers, counters, drops, mac_of, octets, serving
from engine.site import Site, Subnet, until
from oracle import packets as say

from dhcp_fast.bench.servers.bench_plan import add
from dhcp_fast.server.serving import Serving

OTHER_SERVER = "192.0.2.99"
OFFERS_A_RELAY = 65536
BURST = 64


async def test_discover_writes_nothing(relay: Relay, site: Site) -> None:
    """Rule 4: DISCOVER and SOLICIT write nothing."""
    await relay.offer(say.discover(mac_of(1)))
    assert await site.count("lease") == 0
    assert await site.count("lease_event") == 0


async def test_every_client_is_offered_an_address_of_its_own(relay: Relay, server: Serving) -> None:
    """Rule 4: offers live in memory."""
    offers = {(await relay.offer(say.discover(mac_of(n)))).yiaddr for n in range(20)}
    assert len(offers) == 20
    assert counters(server)["offers"] == 20


async def test_a_client_that_asks_again_keeps_its_offer(relay: Relay, server: Serving) -> None:
    first = await relay.offer(say.discover(mac_of(1)))
    again = await relay.offer(say.discover(mac_of(1)))
    assert first.yiaddr == again.yiaddr
    assert counters(server)["offers"] == 1


async def test_offers_of_a_pool_are_bounded_by_its_addresses(site: Site, servers: Servers) -> None:
    """Rule 4: bounded per pool."""
    subnet = await site.subnet()
    await subnet.pool(100, 102)
    server = await servers.start()
    relay = servers.relay(server, subnet.relay)
    for number in range(9):
        await relay.offer(say.discover(mac_of(number)))
    assert counters(server)["offers"] == 3


async def test_offers_through_a_relay_are_bounded(site: Site, servers: Servers) -> None:
    """Rule 4: bounded per relay; a flood through one takes nothing from the others."""
    relays = [IPv4Address("127.0.64.1"), IPv4Address("127.0.64.2")]
    subnet = await site.subnet(64, cidr=IPv4Network("10.64.0.0/14"), relay_addresses=relays)
    start, end = IPv4Address("10.64.1.0"), IPv4Address("10.67.255.0")
    await add(site.connection, "pool", subnet_no=subnet.no, start_ip=start, end_ip=end)
    server = await servers.start()
    flooding, other = (servers.relay(server, address) for address in relays)
    template = bytearray(flooding.dress(say.discover(mac_of(0))).bytes())
    for number in range(OFFERS_A_RELAY + BURST):
        template[28:34] = octets(mac_of(number))
        flooding.socket.sendto(template, flooding.server)
        if number % BURST == BURST - 1:
            server.engine.receive(0)
    assert counters(server)["offers"] == OFFERS_A_RELAY
    assert drops(server, "relay_offers") == BURST
    await other.offer(say.discover(mac_of(OFFERS_A_RELAY + BURST)))


async def test_request_after_a_restart_is_decided_afresh(database: str, subnet: Subnet) -> None:
    """Rule 4: a REQUEST for which we remember no offer goes to the database."""
    mac = mac_of(1)
    async with serving(database) as first:
        relay = Relay.of(first, subnet)
        offer = await relay.offer(say.discover(mac))
        relay.close()
    async with serving(database) as second:
        relay = Relay.of(second, subnet)
        assert (await relay.select(mac, offer)).yiaddr == offer.yiaddr
        relay.close()


async def test_request_at_another_server_is_decided_afresh(
    servers: Servers, subnet: Subnet, site: Site
) -> None:
    """Rule 4: a load balancer may send the REQUEST to a server that has offered nothing."""
    first, second = await servers.start(), await servers.start()
    mac = mac_of(1)
    offer = await servers.relay(first, subnet.relay).offer(say.discover(mac))
    ack = await servers.relay(second, subnet.relay).select(mac, offer)
    assert (await site.lease(ack.yiaddr))["hw_address"] == octets(mac)


async def test_choosing_another_server_frees_our_offer_at_once(site: Site, servers: Servers) -> None:
    """Rule 4: a REQUEST naming another server frees our offer at once."""
    subnet = await site.subnet()
    await subnet.pool(100, 100)
    server = await servers.start()
    relay = servers.relay(server, subnet.relay)
    offer = await relay.offer(say.discover(mac_of(1)))
    await relay.unanswered(say.request_selecting(mac_of(1), subnet.address(150), OTHER_SERVER))
    assert drops(server, "other_server") == 1
    assert counters(server)["offers"] == 0
    assert (await relay.offer(say.discover(mac_of(2)))).yiaddr == offer.yiaddr
    assert counters(server)["offers_taken_back"] == 0


async def test_what_a_client_selects_elsewhere_is_held_for_a_moment(site: Site, servers: Servers) -> None:
    """Rule 19: by then the other server's grant would have been read."""
    subnet = await site.subnet()
    await subnet.pool(100, 100)
    server = await servers.start()
    relay = servers.relay(server, subnet.relay)
    await relay.unanswered(say.request_selecting(mac_of(1), subnet.address(100), OTHER_SERVER))
    await relay.unanswered(say.discover(mac_of(2)))
    assert drops(server, "exhausted") == 1
    await until("free again", lambda: relay.answer_to(relay.send(say.discover(mac_of(2))), 0.3))


async def test_the_oldest_offer_is_offered_again_when_nothing_else_is_free(
    site: Site, servers: Servers
) -> None:
    """Rule 4: when nothing else is free, the address offered longest ago is offered again: the database decides."""
    subnet = await site.subnet()
    await subnet.pool(100, 101)
    server = await servers.start()
    relay = servers.relay(server, subnet.relay)
    oldest = await relay.offer(say.discover(mac_of(1)))
    await relay.offer(say.discover(mac_of(2)))
    late = await relay.offer(say.discover(mac_of(3)))
    assert late.yiaddr == oldest.yiaddr
    assert counters(server)["offers_taken_back"] == 1
    assert (await relay.select(mac_of(3), late)).yiaddr == oldest.yiaddr
    await relay.nak(say.request_selecting(mac_of(1), oldest.yiaddr, "127.0.0.1"))
    assert (await site.lease(oldest.yiaddr))["hw_address"] == octets(mac_of(3))


async def test_offers_of_a_replaced_subnet_are_forgotten(
    relay: Relay, server: Serving, subnet: Subnet
) -> None:
    """Offers were made under the configuration of their moment; the REQUEST is decided under the present one."""
    offer = await relay.offer(say.discover(mac_of(1)))
    async with subnet.change("exclude"):
        await subnet.exclude(100, 199)
    await until("reloaded", lambda: counters(server)["offers"] == 0)
    await relay.nak(say.request_selecting(mac_of(1), offer.yiaddr, "127.0.0.1"))
    await relay.unanswered(say.discover(mac_of(2)))
    assert drops(server, "exhausted") == 1
