"""Leasequery (RFC 4388) against a real server; its answers are read by the oracle."""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress
from ipaddress import IPv4Address, ip_network

import pytest
from engine.serving import Relay, Servers, Serving, mac_of
from engine.site import ADD_TENANT, Site, Subnet, until
from oracle import packets as say
from oracle.packets import Packet
from ports import free_port

from ipam_core.setting_values import Endpoint

MAC, OTHER = mac_of(1), mac_of(2)
QUERY, UNASSIGNED, UNKNOWN, ACTIVE = 10, 11, 12, 13
EVERYBODY = (ip_network("127.0.0.0/8"),)


def question() -> Packet:
    return say.discover(b"").option(53, bytes([QUERY])).without(55)


def by_address(address: object) -> Packet:
    return question().field(ciaddr=IPv4Address(str(address)))


async def ask(relay: Relay, packet: Packet, seconds: float = 5.0) -> bytes | None:
    relay.socket.sendto(packet.with_relay(str(relay.address)).bytes(), relay.server)
    try:
        async with asyncio.timeout(seconds):
            return await asyncio.get_running_loop().sock_recv(relay.socket, 65535)
    except TimeoutError:
        return None


def options(answer: bytes | None) -> dict[int, bytes]:
    assert answer is not None
    assert answer[0] == 2
    found, at = {}, 240
    while answer[at] != 255:
        found[answer[at]] = answer[at + 2 : at + 2 + answer[at + 1]]
        at += 2 + answer[at + 1]
    return found


def kind(answer: bytes | None) -> int:
    return options(answer)[53][0]


@pytest.fixture
async def asked(servers: Servers, subnet: Subnet) -> Relay:
    return servers.relay(await servers.start(leasequery_requesters=EVERYBODY), subnet.relay)


async def test_who_has_an_address(asked: Relay, subnet: Subnet) -> None:
    offer = await asked.offer(say.discover(MAC))
    request = say.request_selecting(MAC, offer.yiaddr, IPv4Address(offer.options[54]))
    ack = await asked.ack(request.circuit("ge-1").client_id(b"\1" + mac_octets(MAC)))
    answer = await ask(asked, by_address(ack.yiaddr))
    told = options(answer)
    assert answer is not None
    assert (told[53][0], IPv4Address(answer[12:16])) == (ACTIVE, ack.yiaddr)
    assert answer[28:34] == mac_octets(MAC)
    assert 0 < number(told[51]) <= number(ack.options[51])
    assert told[61] == b"\1" + mac_octets(MAC)
    assert told[82] == b"\1\4ge-1\x13\0"  # whole, as its relay said it: RFC 8357 too
    assert number(told[91]) < 60


async def test_which_address_a_client_has(asked: Relay) -> None:
    """By hardware address, and by client id."""
    client_id = b"\1" + mac_octets(MAC)
    ack = await asked.lease(MAC, say.discover(MAC).client_id(client_id))
    await asked.lease(OTHER)
    for packet in (say.discover(MAC), question().client_id(client_id)):
        answer = await ask(asked, packet.option(53, bytes([QUERY])))
        assert kind(answer) == ACTIVE
        assert answer is not None
        assert IPv4Address(answer[12:16]) == ack.yiaddr


async def test_what_the_relay_said_comes_back_whole(asked: Relay, subnet: Subnet, site: Site) -> None:
    address, said = subnet.address(120), b"\1\4ge-1\x0c\3abc\x97\2\0x"
    await site.put_lease(address, mac_octets(MAC), subnet.no, relay_info=said, vendor_class=b"MSFT 5.0")
    told = options(await ask(asked, by_address(address)))
    assert (told[82], told[60]) == (said, b"MSFT 5.0")


async def test_of_overlapping_tenants_the_one_whose_relay_asks_is_told(
    servers: Servers, subnet: Subnet, site: Site
) -> None:
    """Whatever virtual network is named (RFC 6607), which counts where an entry without a tenant allows it."""
    address = subnet.address(120)
    other = await site.connection.fetchval(ADD_TENANT, "other")
    for tenant_no, mac in ((site.tenant_no, MAC), (other, OTHER)):
        await site.put_lease(address, mac_octets(mac), subnet.no, tenant_no=tenant_no)
    await site.connection.execute(
        "insert into trusted_relay (id, tenant_no, cidr, vss) values (gen_random_uuid(), $1, '127.0.5.0/24', true),"
        " (gen_random_uuid(), null, '127.0.6.0/24', true)",
        other,
    )
    server = await servers.start(leasequery_requesters=EVERYBODY)
    bound, free = servers.relay(server, subnet.relay), servers.relay(server, "127.0.6.1")
    setting = servers.relay(server, "127.0.7.1")
    plain = by_address(address)
    named = {name: plain.option(221, b"\0" + name) for name in (b"default", b"other", b"nobody")}
    expected = [
        (bound, [(plain, OTHER), (named[b"default"], OTHER), (named[b"nobody"], OTHER)]),
        (free, [(plain, MAC), (named[b"default"], MAC), (named[b"other"], OTHER), (named[b"nobody"], None)]),
        (setting, [(plain, MAC), (named[b"other"], MAC)]),
    ]
    for relay, asked in expected:
        for packet, mac in asked:
            answer = await ask(relay, packet)
            assert answer is not None
            assert (kind(answer) == ACTIVE) == (mac is not None)
            assert mac is None or answer[28:34] == mac_octets(mac)


async def test_nobody_has_it(asked: Relay, subnet: Subnet) -> None:
    assert kind(await ask(asked, by_address(subnet.address(150)))) == UNASSIGNED
    assert kind(await ask(asked, by_address("192.0.2.1"))) == UNKNOWN
    assert kind(await ask(asked, say.discover(OTHER).option(53, bytes([QUERY])))) == UNKNOWN


async def test_only_what_is_asked_for_is_told(asked: Relay) -> None:
    ack = await asked.lease(MAC)
    told = options(await ask(asked, by_address(ack.yiaddr).asking(51, 91)))
    assert set(told) == {53, 54, 51, 91}


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.9", "127.1.2.3"])
async def test_the_answer_comes_from_the_address_that_was_asked(
    host: str, servers: Servers, subnet: Subnet
) -> None:
    """And names it as the server, though it listens on all addresses."""
    everywhere = Endpoint("0.0.0.0", free_port())
    server = await servers.start(leasequery_requesters=EVERYBODY, dhcp4_listen=(everywhere,))
    relay = servers.relay(server, subnet.relay)
    relay.server = (host, everywhere.port)
    relay.socket.connect(relay.server)  # no other address is heard
    told = [by_address("192.0.2.1"), by_address(subnet.address(120)), question().client_id(b"\1" + bytes(6))]
    for packet in told:
        relay.socket.send(packet.with_relay(str(relay.address)).bytes())
        async with asyncio.timeout(5):
            answer = await asyncio.get_running_loop().sock_recv(relay.socket, 65535)
        assert IPv4Address(options(answer)[54]) == IPv4Address(host)


async def test_strangers_hear_nothing(servers: Servers, subnet: Subnet) -> None:
    server = await servers.start(leasequery_requesters=(ip_network("192.0.2.0/24"),))
    relay = servers.relay(server, subnet.relay)
    assert await ask(relay, by_address("192.0.2.1"), 0.4) is None
    assert server.counters()["drops"] == {"leasequery": 1}


async def test_without_a_relay_address_there_is_nobody_to_tell(asked: Relay) -> None:
    asked.socket.sendto(by_address("192.0.2.1").bytes(), asked.server)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.4):
            await asyncio.get_running_loop().sock_recv(asked.socket, 65535)


async def test_one_too_many_is_dropped_and_counted(servers: Servers, subnet: Subnet) -> None:
    """All come in one go, before the first answer: each is answered or counted."""
    server = await servers.start(leasequery_requesters=EVERYBODY)
    relay = servers.relay(server, subnet.relay)
    query, answers = by_address(subnet.relay).with_relay(str(relay.address)).bytes(), 0
    for _ in range(100):
        relay.socket.sendto(query, relay.server)
    await until("all have come", lambda: server.counters()["drops"].get("leasequery") == 100)

    def settled() -> bool:
        nonlocal answers
        with suppress(BlockingIOError):
            while relay.socket.recv(65535):
                answers += 1
        return answers + dropped(server) == 100

    await until("each was answered or counted", settled)
    assert dropped(server)


async def test_strangers_take_nobodys_place(servers: Servers, subnet: Subnet) -> None:
    """However many come in one go before a requester's question."""
    server = await servers.start(leasequery_requesters=(ip_network(f"{subnet.relay}/32"),))
    relay = servers.relay(server, subnet.relay)
    strange = by_address(subnet.relay).with_relay("127.0.0.98").bytes()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
        stranger.bind(("127.0.0.98", 0))
        for _ in range(300):
            stranger.sendto(strange, relay.server)
        assert await ask(relay, by_address(subnet.relay)) is not None
    assert server.counters()["drops"]["leasequery"] == 301
    assert dropped(server) == 0


def dropped(server: Serving) -> int:
    (sample,) = (
        sample
        for family in server.families()
        for sample in family.samples
        if sample.name == "ipam_dhcp4_leasequeries_dropped_total"
    )
    return int(sample.value)


def number(value: bytes) -> int:
    return int.from_bytes(value, "big")


def mac_octets(text: str) -> bytes:
    return bytes.fromhex(text.replace(":", ""))
