"""Bulk leasequery over DHCPv4 (RFC 6926) against a real server; messages are read here, not by its codec."""

from __future__ import annotations

import asyncio
import gc
import socket
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from ipaddress import IPv4Address, ip_network
from typing import Any, NamedTuple
from urllib.parse import urlsplit, urlunsplit

import pytest
from engine.requesters import LITTLE, Requester, Requesters, framed, let_name_networks, outcomes, requesters
from engine.serving import Servers, mac_of, octets, server_id, settings
from engine.site import ADD_TENANT, Site, Subnet, until
from oracle import packets as say
from oracle.packets import Packet

from dhcp_fast.leasequery import tcp
from dhcp_fast.server.server import Server
from dhcp_fast.server.serving import Serving
from ipam_core.db.connect import connect
from ipam_core.errors import SettingsError
from ipam_core.setting_values import Endpoint

EVERYBODY = (ip_network("127.0.0.0/8"),)
MAC, OTHER = mac_of(1), mac_of(2)
QUERY, UNASSIGNED, ACTIVE, DONE = 14, 11, 13, 15
QUERY_TERMINATED, MALFORMED_QUERY = 2, 3

PUT_MANY = """
insert into lease (tenant_no, address, subnet_no, prefix_length, state, hw_type, hw_address, client_key, granted_at,
  renewed_at, expires_at, reuse_at, version)
select $1, '10.64.0.0'::inet + n, $2, 32, 'a', 1, mac, '\\x0101'::bytea || mac, now(), now(),
  now() + interval '1 hour', now() + interval '1 hour', nextval('lease_version')
from generate_series(1, $3::integer) n, lateral (select decode('02' || lpad(to_hex(n), 10, '0'), 'hex')) as m (mac)"""
CUT_SESSIONS = """
select pg_terminate_backend(pid) from pg_stat_activity
where application_name = 'ipam leasequery' and datname = current_database()"""


class Told(NamedTuple):
    kind: int
    address: IPv4Address
    mac: bytes
    options: dict[int, bytes]

    def number(self, code: int) -> int:
        return int.from_bytes(self.options[code], "big")

    @property
    def status(self) -> int | None:
        return self.options[151][0] if 151 in self.options else None


def read(message: bytes) -> Told:
    assert message[0] == 2
    found, at = {}, 240
    while message[at] != 255:
        assert message[at] not in found
        found[message[at]] = message[at + 2 : at + 2 + message[at + 1]]
        at += 2 + message[at + 1]
    return Told(found[53][0], IPv4Address(message[12:16]), message[28 : 28 + message[2]], found)


def query(mac: str = "") -> Packet:
    """For all addresses where no MAC is given."""
    packet = say.discover(mac or b"").option(53, bytes([QUERY])).without(55)
    return packet if mac else packet.field(htype=0, hlen=0, chaddr=b"")


def is_done(message: bytes) -> bool:
    return read(message).kind == DONE


async def ask(requester: Requester, packet: Packet) -> list[Told]:
    return [read(message) for message in await requester.ask(packet.bytes(), is_done)]


async def leases_told(requester: Requester, packet: Packet) -> dict[IPv4Address, Told]:
    *told, done = await ask(requester, packet)
    assert done.status is None
    assert {one.kind for one in told} <= {ACTIVE, UNASSIGNED}
    assert [54 in one.options for one in (*told, done)] == [True] + [False] * len(told)
    found = {one.address: one for one in told}
    assert len(found) == len(told)
    return found


@pytest.fixture
async def server(servers: Servers, subnet: Subnet) -> Serving:
    return await servers.start(leasequery_requesters=EVERYBODY)


@pytest.fixture
async def bank(server: Serving) -> AsyncIterator[Requesters]:
    async with requesters(server) as made:
        yield made


@pytest.fixture
async def requester(bank: Requesters) -> Requester:
    return await bank.connect()


# --- what is told


async def test_the_leases_of_a_client(
    requester: Requester, servers: Servers, server: Serving, subnet: Subnet
) -> None:
    """By hardware address and by client id; all of one tenant, one message each."""
    relay = servers.relay(server, subnet.relay)
    client_id = b"\1" + octets(MAC)
    offer = await relay.offer(say.discover(MAC))
    request = say.request_selecting(MAC, offer.yiaddr, server_id(offer))
    ack = await relay.ack(request.client_id(client_id).circuit("ge-1"))
    await relay.lease(OTHER)
    for packet in (query(MAC), query().client_id(client_id)):
        (told,) = (await leases_told(requester, packet)).values()
        assert (told.kind, told.address, told.mac) == (ACTIVE, ack.yiaddr, octets(MAC))
        assert (told.options[61], told.options[82]) == (client_id, b"\1\4ge-1\x13\0")
        assert 0 < told.number(51) <= 600
        assert abs(told.number(152) - time.time()) < 60
        assert told.number(91) < 60
        assert told.number(153) < 60
        assert told.options[156] == b"\2"
        assert told.options[157] == b"\0"


async def test_by_relay_and_remote_id(requester: Requester, subnet: Subnet, site: Site) -> None:
    """Only what runs."""
    for last, fields in enumerate(
        ({"relay_id": b"r1"}, {"relay_id": b"r2"}, {"remote_id": b"cpe"}, {"relay_id": b"r1", "state": "r"}),
        1,
    ):
        await site.put_lease(subnet.address(last), octets(mac_of(last)), subnet.no, **fields)
    by_relay = await leases_told(requester, query().option(82, b"\x0c\2r1"))
    by_remote = await leases_told(requester, query().option(82, b"\2\3cpe"))
    assert (set(by_relay), set(by_remote)) == ({subnet.address(1)}, {subnet.address(3)})


async def test_all_addresses_that_anybody_had(
    requester: Requester, server: Serving, subnet: Subnet, site: Site
) -> None:
    """Of the requester's tenant, or of a virtual network that its entry lets it name; in the state that they are in and
    since when."""
    other = await site.connection.fetchval(ADD_TENANT, "other")
    rows: list[tuple[str, dict[str, float], int, int, int]] = [
        ("a", {}, ACTIVE, 2, 60),
        ("a", {"expires_at": -30.0}, UNASSIGNED, 3, 30),
        ("x", {"renewed_at": -40.0, "expires_at": -40.0}, UNASSIGNED, 3, 40),
        ("r", {}, UNASSIGNED, 4, 60),
        ("d", {}, UNASSIGNED, 5, 60),
        ("v", {}, UNASSIGNED, 6, 60),
    ]
    for last, (state, times, *_) in enumerate(rows, 1):
        await site.put_lease(subnet.address(last), octets(mac_of(last)), subnet.no, state=state, **times)
    await site.put_lease("10.99.0.1", octets(MAC), subnet.no, tenant_no=other)
    found = await leases_told(requester, query())
    assert len(found) == len(rows)
    for last, (_, _, kind, state_told, seconds) in enumerate(rows, 1):
        told = found[subnet.address(last)]
        assert (told.kind, told.options[156][0]) == (kind, state_told)
        assert seconds <= told.number(153) < seconds + 30
        assert (told.mac == octets(mac_of(last)), 51 in told.options) == (kind == ACTIVE,) * 2
    assert len(await leases_told(requester, query().option(221, b"\0other"))) == len(rows)
    await let_name_networks(site, server, "127.0.0.1/32")
    named = await leases_told(requester, query().option(221, b"\0other"))
    assert set(named) == {IPv4Address("10.99.0.1")}


async def test_what_changed_in_a_span_of_time(requester: Requester, subnet: Subnet, site: Site) -> None:
    for last, age in ((1, -100.0), (2, -200.0), (3, -300.0)):
        await site.put_lease(subnet.address(last), octets(MAC), subnet.no, renewed_at=age)
    now = int(time.time())
    since, to = (now - 250).to_bytes(4, "big"), (now - 150).to_bytes(4, "big")
    for packet in (query(), query(MAC)):
        assert set(await leases_told(requester, packet.option(154, since).option(155, to))) == {
            subnet.address(2)
        }
        assert set(await leases_told(requester, packet.option(154, since))) == {
            subnet.address(last) for last in (1, 2)
        }


async def test_only_what_is_asked_for_is_told(requester: Requester, subnet: Subnet, site: Site) -> None:
    await site.put_lease(subnet.address(1), octets(MAC), subnet.no)
    (told,) = (await leases_told(requester, query(MAC).asking(51, 156))).values()
    assert set(told.options) == {53, 54, 51, 156}


@pytest.mark.parametrize(
    "packet",
    [
        query().field(ciaddr=IPv4Address("10.5.0.1")),
        query().field(yiaddr=IPv4Address("10.5.0.1")),
        query().field(siaddr=IPv4Address("10.5.0.1")),
        query(MAC).client_id(b"\1abcdef"),
        query(MAC).option(82, b"\x0c\1x"),
        query().option(82, b"\x0c\1x\2\1y"),
        query().option(82, b"\x0c\7x"),
        query().option(154, b"\0\0\0"),
        query().option(154, b"\0\0\0\2").option(155, b"\0\0\0\1"),
    ],
)
async def test_what_cannot_be_asked_gets_a_status(requester: Requester, packet: Packet) -> None:
    """RFC 6926 section 8.2; and the connection serves on."""
    (done,) = await ask(requester, packet)
    assert (done.kind, done.status) == (DONE, MALFORMED_QUERY)
    assert 54 in done.options
    assert await leases_told(requester, query()) == {}


# --- the connection


async def test_messages_come_in_any_pieces(requester: Requester, subnet: Subnet, site: Site) -> None:
    await site.put_lease(subnet.address(1), octets(MAC), subnet.no)
    data = framed(query(MAC).bytes()) * 2
    for at in range(0, len(data), 100):
        await requester.send(data[at : at + 100])
        await asyncio.sleep(0.002)
    for _ in range(2):
        kinds = [read(message).kind async for message in requester.until(is_done)]
        assert kinds == [ACTIVE, DONE]


async def test_queries_on_one_connection_are_answered_in_turn(
    requester: Requester, subnet: Subnet, site: Site
) -> None:
    for last in (1, 2, 3):
        await site.put_lease(subnet.address(last), octets(mac_of(last)), subnet.no)
    packets = [query(mac_of(last)).xid(last) for last in (1, 2, 3)]
    await requester.send(b"".join(framed(packet.bytes()) for packet in packets))
    for last in (1, 2, 3):
        messages = [message async for message in requester.until(is_done)]
        assert [int.from_bytes(message[4:8], "big") for message in messages] == [last, last]
        assert read(messages[0]).address == subnet.address(last)


async def test_strangers_are_closed_and_counted(servers: Servers, subnet: Subnet) -> None:
    server = await servers.start(leasequery_requesters=(ip_network("127.0.0.9/32"),))
    async with requesters(server) as bank:
        stranger = await bank.connect()
        with suppress(ConnectionError):
            await stranger.send(framed(query().bytes()))
        assert await stranger.read() is None
        assert await leases_told(await bank.connect("127.0.0.9"), query()) == {}
    assert outcomes(server) == {"not_allowed": 1, "answered": 1}


async def test_without_requesters_nobody_can_connect(servers: Servers, subnet: Subnet) -> None:
    async with requesters(await servers.start()) as bank:
        with pytest.raises(ConnectionRefusedError):
            await bank.connect()


def test_a_port_that_is_taken_stops_the_start() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        told = settings(dhcp4_listen=(Endpoint("127.0.0.1", port),), leasequery_requesters=EVERYBODY)
        with pytest.raises(SettingsError, match=f"dhcp4_listen.*{port} cannot be served"):
            Server(told, "")


async def test_an_eleventh_connection_takes_the_place_of_the_longest_idle(
    bank: Requesters, server: Serving
) -> None:
    ten = [await bank.connect() for _ in range(10)]
    for one in ten:
        assert await leases_told(one, query()) == {}
    assert await leases_told(await bank.connect(), query()) == {}
    assert await ten[0].read() is None
    assert await leases_told(ten[1], query()) == {}
    await until("one has left", lambda: len(server.bulk_queries.conversations) == 10)
    assert "too_many" not in outcomes(server)


async def test_idle_requesters_of_two_networks_keep_no_third_out(bank: Requesters) -> None:
    many = [await bank.connect(f"127.0.0.{host}") for host in (1, 2) for _ in range(10)]
    assert await leases_told(await bank.connect("127.0.0.3"), query()) == {}
    assert await many[0].read() is None
    assert await leases_told(many[-1], query()) == {}


async def test_busy_connections_are_not_closed_for_another(
    bank: Requesters, server: Serving, subnet: Subnet, site: Site
) -> None:
    """An eleventh of the same network is, and one of another network has a place."""
    await put_many(site, subnet, 20_000)
    for _ in range(10):
        await (await bank.connect(room=LITTLE)).send(framed(query().bytes()))
    places = server.bulk_queries.places
    await until(
        "all busy", lambda: not any(each.is_idle for group in places.groups.values() for each in group)
    )
    assert await (await bank.connect()).read() is None
    assert outcomes(server)["too_many"] == 1
    assert len(await leases_told(await bank.connect("127.0.0.9"), query(OTHER))) == 1


@pytest.mark.parametrize(
    "data",
    [
        framed(b""),
        framed(b"\1" * 100),
        framed(say.discover(MAC).bytes()),
        framed(say.discover(MAC).option(53, b"\x0a").bytes()),
        framed(query().bytes()[:-60] + b"\x37\xff"),
    ],
    ids=["empty", "too short", "discover", "leasequery", "cut options"],
)
async def test_what_is_no_query_ends_the_connection(
    requester: Requester, server: Serving, data: bytes
) -> None:
    await requester.send(data)
    assert await requester.read() is None
    assert outcomes(server) == {"malformed": 1}


async def test_who_ends_in_the_midst_of_a_message_is_counted(requester: Requester, server: Serving) -> None:
    await requester.send(framed(query().bytes())[:50])
    requester.socket.close()
    await until("noticed", lambda: outcomes(server) == {"cut_off": 1})


async def test_who_does_not_go_on_is_cut_off(
    bank: Requesters, server: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tcp, "DATA_SECONDS", 0.2)
    monkeypatch.setattr(tcp, "IDLE_SECONDS", 0.3)
    halting, silent = await bank.connect(), await bank.connect()
    await halting.send(b"\1")
    assert await halting.read() is None
    assert await silent.read() is None
    assert outcomes(server) == {"cut_off": 2}


# --- many leases


@asynccontextmanager
async def refusing_sessions(dsn: str) -> AsyncIterator[None]:
    """The database admits no new session meanwhile."""
    parts = urlsplit(dsn)
    elsewhere = await connect(urlunsplit(parts._replace(path="/postgres")))
    name = parts.path.lstrip("/")
    try:
        await elsewhere.execute(f'alter database "{name}" allow_connections false')
        yield
    finally:
        await elsewhere.execute(f'alter database "{name}" allow_connections true')
        await elsewhere.close()


async def put_many(site: Site, subnet: Subnet, count: int) -> None:
    await site.connection.execute(PUT_MANY, site.tenant_no, subnet.no, count)


async def test_who_does_not_read_is_cut_off_and_hurts_nobody(
    bank: Requesters, server: Serving, servers: Servers, subnet: Subnet, site: Site, monkeypatch: Any
) -> None:
    """Meanwhile clients get their leases and another requester all of its answer."""
    monkeypatch.setattr(tcp, "DATA_SECONDS", 1.0)
    await put_many(site, subnet, 20_000)
    deaf = await bank.connect(room=LITTLE)
    await deaf.send(framed(query().bytes()))
    relay = servers.relay(server, subnet.relay)
    for number in range(1, 20):
        await relay.lease(mac_of(number))
    assert len(await leases_told(await bank.connect(), query())) >= 20_000
    await until("cut off", lambda: outcomes(server).get("cut_off") == 1)
    assert sum([1 async for _ in deaf.until(is_done)]) < 20_000


async def test_twenty_thousand_leases_in_flat_memory(
    bank: Requesters, server: Serving, subnet: Subnet, site: Site
) -> None:
    """Of rows and messages no more than a page's are ever there; each is at least one object."""
    await put_many(site, subnet, 20_000)
    requester = await bank.connect()
    assert await leases_told(requester, query(MAC)) != {}  # what is made once
    told = height = 0
    before = sys.getallocatedblocks()
    await requester.send(framed(query().bytes()))
    async for message in requester.until(is_done):
        told += message[240:243] == bytes([53, 1, ACTIVE])
        if told % 500 == 0:  # what a collection takes away is not held by the stream
            gc.collect()
            height = max(height, sys.getallocatedblocks() - before)
    assert told == 20_000
    assert height < 15_000


async def test_clients_are_served_beside_a_stream(
    bank: Requesters, server: Serving, servers: Servers, subnet: Subnet, site: Site
) -> None:
    await put_many(site, subnet, 20_000)
    relay = servers.relay(server, subnet.relay)
    requester = await bank.connect()
    stream = asyncio.create_task(requester.ask(query().bytes(), is_done))
    served = 0
    while not stream.done():
        served += 1
        await relay.lease(mac_of(served % 90))
    assert len(await stream) > 20_000
    assert served > 3


async def test_a_database_that_goes_away_terminates_the_query(
    bank: Requesters, server: Serving, subnet: Subnet, site: Site
) -> None:
    """In the midst of it; the connection serves on when it is back."""
    await put_many(site, subnet, 20_000)
    requester = await bank.connect(room=LITTLE)
    await requester.send(framed(query().bytes()))
    assert await requester.read() is not None
    async with refusing_sessions(server.dsn):
        await site.connection.fetch(CUT_SESSIONS)
        told = [read(message) async for message in requester.until(is_done)]
    assert (told[-1].kind, told[-1].status) == (DONE, QUERY_TERMINATED)
    assert 0 < len(told) < 20_000
    assert outcomes(server) == {"terminated": 1}
    assert len(await leases_told(requester, query())) == 20_000
