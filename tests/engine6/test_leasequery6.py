"""Leasequery (RFC 5007) against a real server; questions and answers are written and read here, not by its codec."""

from __future__ import annotations

import asyncio
import struct
from contextlib import suppress
from ipaddress import IPv6Address, ip_network
from typing import Any

import pytest
from engine.site import ADD_TENANT, until
from engine6.serving6 import Relay, Servers, duid, leases
from engine6.site6 import Site6, Subnet6, association_key
from oracle import packets6 as say
from oracle.options6 import IA_NA, IA_PD

from dhcp_fast.bench.servers.bench_plan import add

ASKING = b"\0\3\0\1\2\0\0\0\0\x99"
CLIENT, OTHER = duid(1), duid(2)
REPLY, QUERY_OPTION, DATA, TIME, LINKS, STATUS = 15, 44, 45, 46, 48, 13
IAADDR, IAPREFIX = 5, 26
EVERYBODY = (ip_network("::1/128"),)

Options = list[tuple[int, bytes]]


def packed(*options: tuple[int, bytes]) -> bytes:
    return b"".join(struct.pack("!HH", code, len(value)) + value for code, value in options)


def unpacked(data: bytes) -> Options:
    found = []
    while data:
        code, length = struct.unpack_from("!HH", data)
        found.append((code, data[4 : 4 + length]))
        data = data[4 + length :]
    return found


def question(kind: int, *options: tuple[int, bytes], link: str = "::") -> bytes:
    query = bytes([kind]) + IPv6Address(link).packed + packed(*options)
    return b"\x0e\x00\x00\x07" + packed((1, ASKING), (QUERY_OPTION, query))


def about(address: Any, link: str = "::") -> bytes:
    return question(1, (IAADDR, IPv6Address(str(address)).packed + bytes(8)), link=link)


async def ask(relay: Relay, data: bytes, seconds: float = 5.0) -> dict[int, bytes] | None:
    relay.socket.sendto(data, relay.server)
    try:
        async with asyncio.timeout(seconds):
            answer = await asyncio.get_running_loop().sock_recv(relay.socket, 65535)
    except TimeoutError:
        return None
    assert answer[:4] == b"\x0f\x00\x00\x07"
    found = dict(unpacked(answer[4:]))
    assert found[1] == ASKING
    assert found[2]
    return found


def status(found: dict[int, bytes] | None) -> int:
    assert found is not None
    return int.from_bytes(found[STATUS][:2], "big")


@pytest.fixture
async def asked(servers: Servers, subnet: Subnet6) -> Relay:
    return servers.relay(await servers.start(leasequery_requesters=EVERYBODY), subnet.link)


async def test_who_has_an_address(asked: Relay) -> None:
    (address,) = leases(await asked.lease(CLIENT))
    found = await ask(asked, about(address))
    assert found is not None
    told = dict(unpacked(found[DATA]))
    assert told[1] == CLIENT
    assert told[IAADDR][:16] == IPv6Address(address).packed
    preferred, valid = struct.unpack_from("!II", told[IAADDR], 16)
    assert 400 < preferred <= 500 < 700 < valid <= 800
    assert int.from_bytes(told[TIME], "big") < 60


@pytest.mark.own_server
async def test_what_a_client_has(asked: Relay) -> None:
    reply = await asked.lease(CLIENT, say.solicit(CLIENT).ia_na(1).ia_pd(2))
    await asked.lease(OTHER)
    found = await ask(asked, question(2, (1, CLIENT)))
    assert found is not None
    told = unpacked(found[DATA])
    (address,) = [value for code, value in told if code == IAADDR]
    (prefix,) = [value for code, value in told if code == IAPREFIX]
    assert address[:16] == IPv6Address(leases(reply)[0]).packed
    length, network = prefix[8], IPv6Address(prefix[9:25])
    assert leases(reply, IA_PD) == [f"{network}/{length}"]


@pytest.mark.own_server
async def test_of_a_client_on_two_links_the_links_are_told(servers: Servers, site: Site6) -> None:
    links = []
    server = await servers.start(leasequery_requesters=EVERYBODY)
    for number in (5, 6):
        subnet = await site.subnet(number)
        await subnet.pool(0x100, 0x1FF)
        links.append(subnet.link)
    await server.plan.reload_everything(site.connection)
    relays = [servers.relay(server, link) for link in links]
    for relay in relays:
        await relay.lease(CLIENT)
    found = await ask(relays[0], question(2, (1, CLIENT)))
    assert found is not None
    assert found[LINKS] == b"".join(link.packed for link in links)
    one = await ask(relays[0], question(2, (1, CLIENT), link=str(links[1])))
    assert one is not None
    assert dict(unpacked(one[DATA]))[IAADDR][:8] == links[1].packed[:8]


async def test_the_answer_names_all_of_the_client_on_that_link(asked: Relay) -> None:
    """RFC 5007 section 4.1.2.2; of a prefix by any address in it (section 4.1.2.1)."""
    reply = await asked.lease(CLIENT, say.solicit(CLIENT).ia_na(1).ia_pd(2))
    (address,), (prefix,) = leases(reply), leases(reply, IA_PD)
    within = ip_network(prefix)[0x7777]
    for about_it in (about(address), about(within)):
        found = await ask(asked, about_it)
        assert found is not None
        told = dict(unpacked(found[DATA]))
        assert told[IAADDR][:16] == IPv6Address(address).packed
        assert told[IAPREFIX][8:] == bytes([56]) + ip_network(prefix).network_address.packed


DEVICE = {
    "parameter_list": b"\0\x17\0\x18",
    "vendor_class": b"\0\0\0\x09\0\2ab",
    "circuit_id": b"ge-1",
    "remote_id": b"\0\0\0\x09cpe",
    "relay_info": IPv6Address("2001:db8::9").packed + b"\x0c" + bytes(33),
    "relay_id": b"\0\3\0\1\2\0\0\0\0\x77",
}
CODES = (6, 16, 18, 37, 47, 53)


async def test_what_the_query_asks_for_is_told_of_the_client(
    asked: Relay, subnet: Subnet6, site: Site6
) -> None:
    """The option request option in the query, not the one beside it (RFC 5007 section 4.1.2.1)."""
    address = subnet.address(0x120)
    await site.put_lease(address, association_key(IA_NA, 1, CLIENT), subnet.no, **DEVICE)
    named = (IAADDR, address.packed + bytes(8))
    wanted = b"".join(struct.pack("!H", code) for code in CODES)
    found = await ask(asked, question(1, named, (6, wanted)))
    assert found is not None
    told = dict(unpacked(found[DATA]))
    assert [told[code] for code in CODES] == list(DEVICE.values())
    silent = await ask(asked, question(1, named) + packed((6, wanted)))
    assert silent is not None
    assert set(dict(unpacked(silent[DATA]))) == {1, IAADDR, TIME}


async def test_a_link_is_whatever_its_relay_calls_it(servers: Servers, site: Site6) -> None:
    """By an address of the subnet or of its relays, with the subnets that share the wire."""
    relay_address = IPv6Address("2001:db8:ffff::1")
    first = await site.subnet(5, shared_network="east", relay_addresses=[relay_address])
    second = await site.subnet(6, shared_network="east")
    apart = await site.subnet(7)
    key = association_key(IA_NA, 1, CLIENT)
    for subnet in (first, second, apart):
        await site.put_lease(subnet.address(0x120), key, subnet.no)
    relay = servers.relay(await servers.start(leasequery_requesters=EVERYBODY), first.link)
    for link in (relay_address, first.link, second.link):
        found = await ask(relay, question(2, (1, CLIENT), link=str(link)))
        assert found is not None
        addresses = {value[:8] for code, value in unpacked(found[DATA]) if code == IAADDR}
        assert addresses == {subnet.link.packed[:8] for subnet in (first, second)}


@pytest.mark.parametrize("kind", [3, 4, 5])
async def test_queries_of_rfc_5460_are_not_for_udp(asked: Relay, subnet: Subnet6, kind: int) -> None:
    assert status(await ask(asked, question(kind, link=str(subnet.link)))) == 10


@pytest.mark.own_server
async def test_of_overlapping_tenants_the_one_whose_relay_asks_is_told(
    servers: Servers, subnet: Subnet6, site: Site6
) -> None:
    address = subnet.address(0x120)
    other = await site.connection.fetchval(ADD_TENANT, "other")
    prefix = await add(site.connection, "prefix", tenant_no=other, cidr=subnet.network)
    await add(site.connection, "subnet", tenant_no=other, prefix_no=prefix, cidr=subnet.network)
    for tenant_no, client in ((site.tenant_no, CLIENT), (other, OTHER)):
        key = association_key(IA_NA, 1, client)
        await site.put_lease(address, key, subnet.no, tenant_no=tenant_no)
    await site.connection.execute(
        "insert into trusted_relay (id, tenant_no, cidr) values (gen_random_uuid(), $1, '::1/128')", other
    )
    relay = servers.relay(await servers.start(leasequery_requesters=EVERYBODY), subnet.link)
    network = packed((68, b"\0default"))  # which counts only where an entry without a tenant allows it
    for data, client in ((about(address), OTHER), (about(address) + network, OTHER)):
        found = await ask(relay, data)
        assert found is not None
        assert dict(unpacked(found[DATA]))[1] == client


async def test_nobody_has_it(asked: Relay, subnet: Subnet6) -> None:
    found = await ask(asked, about(subnet.address(0x1AA)))
    assert found is not None
    assert DATA not in found
    assert STATUS not in found


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (about("3fff::1"), 9),
        (about("2001:db8:5::100", link="3fff::1"), 9),
        (question(9, (1, CLIENT)), 7),
        (question(1, (1, CLIENT)), 8),
        (question(2), 8),
        (b"\x0e\x00\x00\x07" + packed((1, ASKING), (QUERY_OPTION, b"\1")), 8),
        (b"\x0e\x00\x00\x07" + packed((1, ASKING)), 8),
    ],
)
async def test_what_cannot_be_answered(asked: Relay, data: bytes, code: int) -> None:
    assert status(await ask(asked, data)) == code


@pytest.mark.own_server
@pytest.mark.parametrize(
    "data", [b"\x0e\x00\x00\x07", about("::1")[:-1], b"\x0e\x00\x00\x07" + packed((2, b"abc"))]
)
async def test_what_is_malformed_is_dropped(asked: Relay, data: bytes) -> None:
    """Without a client identifier, or with options that cannot be walked (section 4.4.1)."""
    assert await ask(asked, data, 0.4) is None
    (address,) = leases(await asked.lease(CLIENT))
    assert address


async def test_who_may_not_ask_is_told_so(servers: Servers, subnet: Subnet6) -> None:
    allowed = (ip_network("2001:db8:ffff::/64"),)
    relay = servers.relay(await servers.start(leasequery_requesters=allowed), subnet.link)
    assert status(await ask(relay, about("::1"))) == 10


async def test_without_requesters_there_is_silence(servers: Servers, subnet: Subnet6) -> None:
    server = await servers.start()
    relay = servers.relay(server, subnet.link)
    assert await ask(relay, about("::1"), 0.4) is None
    assert server.counters()["drops"] == {"leasequery": 1}


async def test_strangers_are_refused_in_places_of_their_own(servers: Servers, subnet: Subnet6) -> None:
    """Of three hundred that come in one go, each is refused or counted."""
    server = await servers.start(leasequery_requesters=(ip_network("2001:db8::/32"),))
    relay = servers.relay(server, subnet.link)
    assert status(await ask(relay, about("2001:db8::1"))) == 10  # NotAllowed
    refused = 0
    for _ in range(300):
        relay.socket.sendto(about("2001:db8::1"), relay.server)

    def settled() -> bool:
        nonlocal refused
        with suppress(BlockingIOError):
            while relay.socket.recv(65535):
                refused += 1
        return refused + server.engine.queries_dropped == 300

    await until("each was refused or counted", settled)
    assert refused
