"""Addresses given without an OFFER: rapid commit (RFC 4039) and BOOTP clients (RFC 951, RFC 1534)."""

import socket
from datetime import datetime
from ipaddress import IPv4Address

import pytest
from engine.serving import Relay, Servers, counters, drops, mac_of, octets
from engine.site import Site, Subnet, until
from oracle import packets as say
from oracle.options4 import ACK, OFFER
from oracle.packets import Packet

from dhcp_fast.server.serving import Serving

pytestmark = pytest.mark.shared_server

RAPID_COMMIT = 80
COOKIE = bytes.fromhex("63825363")
FOREVER = datetime.max  # as asyncpg shows PostgreSQL's infinity


def rapid(mac: str) -> Packet:
    return say.discover(mac).option(RAPID_COMMIT, b"")


async def one_address(
    site: Site, servers: Servers, last: int = 100, **fields: object
) -> tuple[Serving, Relay]:
    subnet = await site.subnet(rapid_commit=True)
    await subnet.pool(100, last)
    server = await servers.start(**fields)
    return server, servers.relay(server, subnet.relay)


# --- RFC 4039


@pytest.mark.own_server
async def test_a_discover_with_the_option_is_acknowledged_at_once(site: Site, servers: Servers) -> None:
    """RFC 4039 section 3.1: DHCPACK with the option, the lease written before it; no offer stays open."""
    server, relay = await one_address(site, servers)
    ack = await relay.ack(rapid(mac_of(1)))
    row = await site.lease(ack.yiaddr)
    assert (ack.yiaddr, row["state"], row["hw_address"]) == (
        IPv4Address("10.5.0.100"),
        "a",
        octets(mac_of(1)),
    )
    assert counters(server)["offers"] == 0


@pytest.mark.parametrize(
    ("switch", "asks", "answer"),
    [(True, True, ACK), (True, False, OFFER), (False, True, OFFER), (False, False, OFFER)],
)
async def test_both_sides_must_want_it(
    switch: bool, asks: bool, answer: int, site: Site, servers: Servers
) -> None:
    """RFC 4039 section 3.1: a server that is not configured for it answers as if the option were not there."""
    subnet = await site.subnet(rapid_commit=switch)
    await subnet.pool(100, 100)
    relay = servers.relay(await servers.start(), subnet.relay)
    reply = await relay.ask(rapid(mac_of(1)) if asks else say.discover(mac_of(1)))
    assert reply.message_type == answer


async def test_who_loses_the_address_gets_another(site: Site, servers: Servers) -> None:
    """Engine rule 8: only rapid commit and BOOTP pick another address. The other's row came without the feed."""
    server, relay = await one_address(site, servers, last=101)
    chosen = (await relay.offer(say.discover(mac_of(1)))).yiaddr
    await site.put_lease(chosen, octets(mac_of(2)), 1)
    ack = await relay.ack(rapid(mac_of(1)))
    assert ack.yiaddr != chosen
    assert counters(server)["lost"] == 1


@pytest.mark.own_server
async def test_who_loses_the_last_address_hears_nothing(site: Site, servers: Servers) -> None:
    server, relay = await one_address(site, servers)
    await site.put_lease("10.5.0.100", octets(mac_of(2)), 1)
    await relay.unanswered(rapid(mac_of(1)))
    assert drops(server, "exhausted") == 1


async def test_the_same_client_gets_the_same_address_again(site: Site, servers: Servers) -> None:
    _, relay = await one_address(site, servers, last=110)
    assert (await relay.ack(rapid(mac_of(1)))).yiaddr == (await relay.ack(rapid(mac_of(1)))).yiaddr


async def test_a_flood_of_them_gives_each_its_own(site: Site, servers: Servers) -> None:
    _, relay = await one_address(site, servers, last=131)
    replies = await relay.answers_to([relay.send(rapid(mac_of(n))) for n in range(32)])
    given = {reply.yiaddr for reply in replies if reply is not None}
    assert len(given) == 32


# --- BOOTP


async def ask_bootp(relay: Relay, request: bytes) -> bytes | None:
    """The reply to a BOOTREQUEST as octets: the oracle's parser reads DHCP messages only."""
    relay.socket.sendto(request, relay.server)
    got: list[bytes] = []

    def heard() -> bool:
        try:
            got.append(relay.socket.recv(2048))
        except BlockingIOError:
            return False
        return True

    await until("answered", heard)
    return got[0]


def options_of(reply: bytes) -> dict[int, bytes]:
    assert reply[236:240] == COOKIE
    found, at = {}, 240
    while reply[at] != 255:
        found[reply[at]] = reply[at + 2 : at + 2 + reply[at + 1]]
        at += 2 + reply[at + 1]
    return found


def bootrequest(relay: Relay, mac: str, *, cookie: bool = True, **header: object) -> bytes:
    data = say.bootp(mac, **header).with_relay(relay.address).relay_port().bytes()
    return data if cookie else data[:236] + bytes(64)


async def test_off_is_a_counted_drop(site: Site, servers: Servers) -> None:
    server, relay = await one_address(site, servers)
    relay.socket.sendto(bootrequest(relay, mac_of(1)), relay.server)
    relay.socket.sendto(bootrequest(relay, mac_of(1), cookie=False), relay.server)
    await until("dropped", lambda: drops(server, "no_message_type") and drops(server, "no_cookie"))


@pytest.mark.own_server
async def test_an_address_of_a_pool_for_ever(site: Site, servers: Servers) -> None:
    """RFC 1534 section 2: no option that is DHCP's own; RFC 951: 300 octets; the lease is kept for good."""
    server, relay = await one_address(site, servers, dhcp4_bootp="any")
    reply = await ask_bootp(relay, bootrequest(relay, mac_of(1)))
    assert reply is not None
    assert (reply[0], len(reply), IPv4Address(reply[16:20])) == (2, 300, IPv4Address("10.5.0.100"))
    assert not options_of(reply).keys() & {51, 53, 54, 58, 59, 61}
    assert options_of(reply)[1] == bytes([255, 255, 255, 0])
    row = await site.lease("10.5.0.100")
    assert (row["expires_at"], row["reuse_at"]) == (FOREVER, FOREVER)
    assert counters(server)["received"]["bootp"] == counters(server)["replied"]["bootp"] == 1


@pytest.mark.own_server
async def test_without_a_cookie(site: Site, servers: Servers) -> None:
    """RFC 951 as of 1985: the vendor field is not ours to read. It has no option 82 either, so port 67 is asked."""
    server, relay = await one_address(site, servers, dhcp4_bootp="any")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(bootrequest(relay, mac_of(1), cookie=False), relay.server)
    await until("committed", lambda: written(site, "10.5.0.100"))
    assert counters(server)["drops"] == {}


async def written(site: Site, address: str) -> bool:
    return bool(await site.lease(address))


async def test_reserved_serves_those_with_a_reservation(site: Site, servers: Servers) -> None:
    subnet = await site.subnet()
    await subnet.pool(100, 110)
    await subnet.reserve(20, mac=mac_of(1))
    server = await servers.start(dhcp4_bootp="reserved")
    relay = servers.relay(server, subnet.relay)
    reply = await ask_bootp(relay, bootrequest(relay, mac_of(1)))
    assert reply is not None
    assert IPv4Address(reply[16:20]) == subnet.address(20)
    relay.socket.sendto(bootrequest(relay, mac_of(2)), relay.server)
    await until("dropped", lambda: drops(server, "not_reserved"))
    assert await site.count("lease") == 1


async def test_who_knows_its_address_gets_parameters_only(site: Site, servers: Servers) -> None:
    """RFC 951 section 7.3: ciaddr is filled in, so none is assigned; nothing is written."""
    _, relay = await one_address(site, servers, dhcp4_bootp="any")
    reply = await ask_bootp(relay, bootrequest(relay, mac_of(1), ciaddr=IPv4Address("10.5.0.9")))
    assert reply is not None
    assert (IPv4Address(reply[12:16]), IPv4Address(reply[16:20])) == (IPv4Address("10.5.0.9"), IPv4Address(0))
    assert await site.count("lease") == 0


@pytest.mark.own_server
async def test_a_bootp_client_that_loses_its_address_gets_another(site: Site, servers: Servers) -> None:
    server, relay = await one_address(site, servers, last=101, dhcp4_bootp="any")
    chosen = (await relay.offer(say.discover(mac_of(1)))).yiaddr
    await site.put_lease(chosen, octets(mac_of(2)), 1)
    reply = await ask_bootp(relay, bootrequest(relay, mac_of(1)))
    assert reply is not None
    assert IPv4Address(reply[16:20]) in {IPv4Address("10.5.0.100"), IPv4Address("10.5.0.101")} - {chosen}
    assert counters(server)["lost"] == 1


async def test_dhcp_clients_are_served_beside(site: Site, servers: Servers, subnet: Subnet) -> None:
    server = await servers.start(dhcp4_bootp="any")
    relay = servers.relay(server, subnet.relay)
    assert (await relay.lease(mac_of(1))).yiaddr in subnet.network
