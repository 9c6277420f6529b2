"""Ping check (RFC 2131 sections 2.2 and 3.1): an address of a subnet that asks for it is pinged before it is offered.

The server is the real one, in this process; its ICMP socket is on a wire between two network namespaces, where the
test says which addresses answer. Pools are sequential, so .100 is the first address to be had.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import IPv4Address, IPv4Network
from typing import Any

import pytest
from engine.serving import Servers, at_once, cached, drops, mac_of, octets, reloaded, serving
from engine.site import Site, Subnet, until
from engine.wire import Wire
from oracle import packets as say
from structlog.testing import capture_logs
from system.namespaces import Network

from dhcp_fast.server import decision_log
from dhcp_fast.server.serving import Serving

pytestmark = pytest.mark.peer("namespaces")

FIRST, SECOND, THIRD = mac_of(1), mac_of(2), mac_of(3)
SHORT, LONG = 50, 2000  # milliseconds: nobody is waited for long; nothing lapses while the test goes on
AT_ONCE = 2048  # addresses that a server pings at the same time
CAP_NET_RAW = 1 << 13


@pytest.fixture(scope="module")
def joined() -> Iterator[Wire]:
    with Network() as network:
        wire = Wire.create(network)
        yield wire
        wire.close()


@pytest.fixture
def wire(joined: Wire) -> Iterator[Wire]:
    yield joined
    joined.clear()


@pytest.fixture
def pinging(wire: Wire, servers: Servers) -> Any:
    """Start a server that pings on the wire and waits so many milliseconds."""

    async def start(milliseconds: int = SHORT) -> Serving:
        return await servers.start(pings=wire.near_socket.dup(), dhcp4_ping_ms=milliseconds)

    return start


@pytest.fixture
async def checked(site: Site) -> Subnet:
    subnet = await site.subnet(5, ping_check=True, decline_quarantine_seconds=3600)
    await subnet.pool(100, 199, allocation="sequential")
    return subnet


def count(server: Serving, name: str) -> int:
    return int(server.counters()[name])


async def is_declined(site: Site, address: IPv4Address) -> bool:
    return (await site.lease(address)).get("state") == "d"


# --- nobody answers


async def test_a_silent_address_is_offered_and_remembered(
    pinging: Any, servers: Servers, checked: Subnet
) -> None:
    server = await pinging()
    relay = servers.relay(server, checked.relay)
    for remembered in range(3):
        offer = await relay.offer(say.discover(FIRST))
        assert offer.yiaddr == checked.address(100)
        assert (count(server, "pings"), count(server, "pings_remembered")) == (1, remembered)
    await relay.select(FIRST, offer)
    assert count(server, "pings_answered") == 0


async def test_an_own_lease_is_not_pinged(
    pinging: Any, servers: Servers, wire: Wire, site: Site, checked: Subnet
) -> None:
    """The client itself would answer."""
    await site.put_lease(checked.address(150), octets(FIRST), checked.no)
    wire.answer(checked.address(150))
    server = await pinging()
    offer = await servers.relay(server, checked.relay).offer(say.discover(FIRST))
    assert (offer.yiaddr, count(server, "pings")) == (checked.address(150), 0)


async def test_an_ended_lease_is_pinged_again(
    pinging: Any, servers: Servers, wire: Wire, site: Site, checked: Subnet
) -> None:
    gone = {"state": "r", "expires_at": -20.0, "reuse_at": -20.0}
    await site.put_lease(checked.address(150), octets(FIRST), checked.no, **gone)
    wire.answer(checked.address(150))
    server = await pinging()
    offer = await servers.relay(server, checked.relay).offer(say.discover(FIRST))
    assert (offer.yiaddr, count(server, "pings")) == (checked.address(100), 2)


async def test_others_are_served_meanwhile(
    pinging: Any, servers: Servers, site: Site, checked: Subnet
) -> None:
    other = await site.subnet(7)
    await other.pool(100, 199)
    server = await pinging(LONG)
    waiting, prompt = servers.relay(server, checked.relay), servers.relay(server, other.relay)
    asked = waiting.send(say.discover(FIRST))
    await until("pinged", lambda: count(server, "pings"))
    await prompt.lease(SECOND)
    assert count(server, "pings_waiting") == 1
    assert server.counters()["replied"] == {"offer": 1, "ack": 1}
    offer = await waiting.answer_to(asked)
    assert offer is not None
    assert offer.yiaddr == checked.address(100)


async def test_nobody_else_is_offered_an_address_that_is_being_checked(
    pinging: Any, servers: Servers, checked: Subnet
) -> None:
    server = await pinging()
    relay = servers.relay(server, checked.relay)
    sent = at_once(server, relay, *(say.discover(mac_of(number)) for number in range(5)))
    offers = await relay.answers_to(sent)
    assert {offer.yiaddr for offer in offers if offer} == {checked.address(100 + n) for n in range(5)}
    assert count(server, "pings") == 5


# --- somebody answers


async def test_an_address_in_use_is_quarantined_and_another_offered(
    pinging: Any, servers: Servers, wire: Wire, site: Site, checked: Subnet
) -> None:
    used = checked.address(100)
    wire.answer(used)
    server = await pinging()
    offer = await servers.relay(server, checked.relay).offer(say.discover(FIRST))
    assert offer.yiaddr == checked.address(101)
    await until("quarantined", lambda: is_declined(site, used))
    row = await site.lease(used)
    assert (row["hw_address"], row["client_id"], row["hostname"]) == (None, None, None)
    assert (row["reuse_at"] - row["renewed_at"]).total_seconds() == 3600
    (event,) = await site.events(used)
    assert (event["kind"], event["state"], event["subnet_no"]) == ("d", "d", checked.no)
    await until("learnt", lambda: (cached(server, site.tenant_no, used) or {})["version"] == row["version"])
    assert (count(server, "pings"), count(server, "pings_answered")) == (2, 1)


async def test_the_log_names_address_subnet_and_client(
    pinging: Any, servers: Servers, wire: Wire, checked: Subnet
) -> None:
    wire.answer(checked.address(100))
    server = await pinging()
    await servers.relay(server, checked.relay).offer(say.discover(FIRST))
    with capture_logs() as lines:
        decision_log.write(server.engine)
        decision_log.write(server.engine)
    (line,) = [line for line in lines if line.get("kind") == "address_in_use"]
    told = {name: line[name] for name in ("address", "subnet", "mac", "total")}
    assert told == {"address": "10.5.0.100", "subnet": "10.5.0.0/24", "mac": FIRST, "total": 1}


async def test_other_servers_and_the_next_start_know_the_quarantine(
    pinging: Any, servers: Servers, wire: Wire, site: Site, checked: Subnet
) -> None:
    used = checked.address(100)
    wire.answer(used)
    other = await servers.start()
    await servers.relay(await pinging(), checked.relay).offer(say.discover(FIRST).requesting(used))
    await until("known", lambda: (cached(other, site.tenant_no, used) or {}).get("state") == "d")
    later = await servers.start()
    for server in (other, later):
        relay = servers.relay(server, checked.relay)
        assert (await relay.offer(say.discover(SECOND).requesting(used))).yiaddr != used
        await relay.nak(say.request_selecting(SECOND, used, "127.0.0.1"))
        relay.close()


async def test_after_the_quarantine_the_address_is_checked_again_and_free(
    pinging: Any, servers: Servers, wire: Wire, site: Site
) -> None:
    subnet = await site.subnet(5, ping_check=True, decline_quarantine_seconds=1)
    await subnet.pool(100, 100)
    wire.answer(subnet.address(100))
    server = await pinging()
    relay = servers.relay(server, subnet.relay)
    await relay.unanswered(say.discover(FIRST))
    await until("quarantined", lambda: is_declined(site, subnet.address(100)))
    wire.fall_silent(subnet.address(100))
    offer = await relay.offer_in_time(SECOND)
    assert offer.yiaddr == subnet.address(100)
    assert (count(server, "pings"), count(server, "pings_answered")) == (2, 1)
    await relay.select(SECOND, offer)
    assert [event["kind"] for event in await site.events(subnet.address(100))] == ["d", "g"]


async def test_a_few_addresses_are_tried_for_one_packet(
    pinging: Any, servers: Servers, wire: Wire, site: Site, checked: Subnet
) -> None:
    wire.answer(*(checked.address(last) for last in range(100, 106)))
    server = await pinging()
    relay = servers.relay(server, checked.relay)
    await relay.unanswered(say.discover(FIRST))
    assert (drops(server, "addresses_in_use"), count(server, "pings_answered")) == (1, 4)
    assert (await relay.offer(say.discover(FIRST))).yiaddr == checked.address(106)
    await until("quarantined", lambda: is_declined(site, checked.address(105)))


async def test_a_reserved_address_in_use_gives_way_to_one_of_the_pool(
    pinging: Any, servers: Servers, wire: Wire, checked: Subnet
) -> None:
    await checked.reserve(50, mac=FIRST)
    wire.answer(checked.address(50))
    server = await pinging()
    offer = await servers.relay(server, checked.relay).offer(say.discover(FIRST))
    assert offer.yiaddr == checked.address(100)


async def test_a_lease_that_another_server_granted_meanwhile_is_left_alone(
    pinging: Any, servers: Servers, wire: Wire, site: Site, checked: Subnet
) -> None:
    """The database refuses the quarantine; the row that it has is read, and it stands."""
    used = checked.address(100)
    wire.answer(used)
    server = await pinging()
    await site.put_lease(used, octets(SECOND), checked.no)  # without an event: our server cannot know
    offer = await servers.relay(server, checked.relay).offer(say.discover(FIRST))
    assert offer.yiaddr == checked.address(101)
    await until("known", lambda: (cached(server, site.tenant_no, used) or {})["state"] == "a")
    assert (await site.lease(used))["hw_address"] == octets(SECOND)
    assert await site.events(used) == []


@pytest.mark.parametrize(
    ("forge", "believed"),
    [
        pytest.param(lambda reply: reply, True, id="as asked"),
        pytest.param(lambda reply: reply[:8] + bytes(8), False, id="another token"),
        pytest.param(lambda reply: reply[:12], False, id="cut off"),
        pytest.param(lambda reply: reply[:4] + b"\0\0" + reply[6:], False, id="another identifier"),
        pytest.param(lambda reply: reply[:6] + b"\0\1" + reply[8:], False, id="another sequence number"),
        pytest.param(lambda reply: b"\x03\x01" + reply[2:], False, id="host unreachable"),
    ],
)
async def test_only_the_answer_to_what_was_asked_counts(
    forge: Any, believed: bool, pinging: Any, servers: Servers, wire: Wire, checked: Subnet
) -> None:
    wire.answer(checked.address(100))
    server = await pinging(LONG // 4)
    relay = servers.relay(server, checked.relay)
    with wire.answered_by_hand() as far:
        asked = relay.send(say.discover(FIRST))
        far.bind((str(checked.address(100)), 0))
        await answer_ping(far, forge)
        offer = await relay.answer_to(asked)
    assert offer is not None
    assert offer.yiaddr == checked.address(101 if believed else 100)


async def answer_ping(far: socket.socket, forge: Any) -> None:
    """The echo reply to the request that arrives, after the test had its hands on it."""
    data, (source, _) = await asyncio.get_running_loop().sock_recvfrom(far, 1500)
    request = data[(data[0] & 15) * 4 :]
    assert request[:1] == b"\x08"
    forged = forge(b"\0\0\0\0" + request[4:])
    total = sum(int.from_bytes(forged[at : at + 2], "big") for at in range(0, len(forged), 2))
    total = (total & 0xFFFF) + (total >> 16)
    checksum = (~(total + (total >> 16)) & 0xFFFF).to_bytes(2, "big")
    far.sendto(forged[:2] + checksum + forged[4:], (source, 0))


# --- addresses that are bound without an offer


@pytest.mark.parametrize("in_use", [False, True], ids=["silent", "in use"])
async def test_rapid_commit_is_checked_too(
    in_use: bool, pinging: Any, servers: Servers, wire: Wire, site: Site, checked: Subnet
) -> None:
    await checked.set(rapid_commit=True)
    if in_use:
        wire.answer(checked.address(100))
    server = await pinging()
    ack = await servers.relay(server, checked.relay).ack(say.discover(FIRST).rapid_commit())
    assert ack.yiaddr == checked.address(101 if in_use else 100)
    assert (count(server, "pings"), count(server, "pings_answered")) == (1 + in_use, in_use)
    assert (await site.lease(ack.yiaddr))["hw_address"] == octets(FIRST)


# --- the client goes on while its address is checked


async def test_a_client_that_asks_again_waits_for_the_same_ping(
    pinging: Any, servers: Servers, checked: Subnet
) -> None:
    server = await pinging(LONG // 4)
    relay = servers.relay(server, checked.relay)
    sent = at_once(server, relay, say.discover(FIRST), say.discover(FIRST))
    assert await relay.answer_to(sent[1]) is not None
    assert (count(server, "pings"), drops(server, "repeated")) == (1, 1)
    assert server.counters()["replied"] == {"offer": 1}


@pytest.mark.parametrize("server_id", ["127.0.0.1", "192.0.2.7"], ids=["this server", "another server"])
async def test_a_request_overtakes_the_ping(
    server_id: str, pinging: Any, servers: Servers, checked: Subnet
) -> None:
    server = await pinging(LONG // 4)
    relay = servers.relay(server, checked.relay)
    relay.send(say.discover(FIRST))
    await until("pinged", lambda: count(server, "pings"))
    relay.send(say.request_selecting(FIRST, checked.address(100), server_id))
    await until("overtaken", lambda: drops(server, "overtaken"))
    assert "offer" not in server.counters()["replied"]
    assert count(server, "pings_waiting") == 0


async def test_a_change_of_the_subnet_ends_the_check(pinging: Any, servers: Servers, checked: Subnet) -> None:
    """Offers end with the configuration that they were made under; the client asks again."""
    server = await pinging(LONG // 4)
    relay = servers.relay(server, checked.relay)
    relay.send(say.discover(FIRST))
    await until("pinged", lambda: count(server, "pings"))
    async with checked.change():
        await checked.set(ping_check=False)
    await reloaded(server, checked)
    await until("overtaken", lambda: drops(server, "overtaken"))
    await relay.offer(say.discover(FIRST))
    assert count(server, "pings") == 1


async def test_a_server_that_stops_forgets_what_waits(
    wire: Wire, database: str, servers: Servers, checked: Subnet
) -> None:
    async with serving(database, pings=wire.near_socket.dup(), dhcp4_ping_ms=LONG) as server:
        relay = servers.relay(server, checked.relay)
        asked = relay.send(say.discover(FIRST))
        await until("pinged", lambda: count(server, "pings"))
    assert await relay.answer_to(asked, 0.1) is None
    assert server.pings.timer is not None
    assert server.pings.timer.cancelled()


# --- it cannot be checked


async def test_a_flood_is_bounded(pinging: Any, servers: Servers, site: Site) -> None:
    """Beyond so many pings at the same time offers go out unchecked, and counted."""
    wide = await site.subnet(6, cidr=IPv4Network("10.6.0.0/16"), ping_check=True)
    await wide.pool(256, 8191)
    server = await pinging()
    relay = servers.relay(server, wide.relay)
    beyond = 100
    for start in range(0, AT_ONCE + beyond, 43):
        at_once(server, relay, *(say.discover(mac_of(n)) for n in range(start, start + 43)))
    sent = 43 * -(-(AT_ONCE + beyond) // 43)
    assert server.counters()["offers_unchecked"] == {"too_many": sent - AT_ONCE}
    assert server.counters()["replied"] == {"offer": sent - AT_ONCE}
    await until("offered", lambda: server.counters()["replied"] == {"offer": sent})
    assert (count(server, "pings"), count(server, "pings_waiting")) == (AT_ONCE, 0)
    assert count(server, "slots_in_use") == 0


async def test_an_address_without_a_route_is_offered_unchecked(
    pinging: Any, servers: Servers, site: Site
) -> None:
    subnet = await site.subnet(8, ping_check=True)
    await subnet.pool(100, 199)
    server = await pinging(LONG)
    await servers.relay(server, subnet.relay).lease(FIRST)
    assert server.counters()["offers_unchecked"] == {"not_sent": 1}
    assert (count(server, "pings"), count(server, "pings_waiting")) == (0, 0)


async def test_without_the_right_to_a_raw_socket_offers_go_out_unchecked(
    servers: Servers, site: Site, checked: Subnet
) -> None:
    with capture_logs() as lines, without_raw_sockets():
        server = await servers.start()
        relay = servers.relay(server, checked.relay)
        await relay.lease(FIRST)
        async with checked.change():
            await checked.set(description="changed")
        await reloaded(server, checked)
        await relay.lease(SECOND)
    assert server.counters()["offers_unchecked"] == {"no_socket": 2}
    (line,) = [line for line in lines if "ping_check" in line["event"]]
    assert "CAP_NET_RAW" in line["event"]


async def test_a_server_whose_subnets_do_not_ask_opens_no_socket(server: Serving) -> None:
    assert server.pings.socket is None


async def test_the_first_subnet_that_asks_opens_the_socket(
    pinging: Any, servers: Servers, subnet: Subnet
) -> None:
    server = await pinging()
    relay = servers.relay(server, subnet.relay)
    await relay.offer(say.discover(FIRST))
    assert count(server, "pings") == 0
    async with subnet.change():
        await subnet.set(ping_check=True)
    await reloaded(server, subnet)
    await relay.offer(say.discover(SECOND))
    assert count(server, "pings") == 1


class CapabilityHeader(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]


@contextmanager
def without_raw_sockets() -> Iterator[None]:
    """This thread's CAP_NET_RAW taken out of its effective set (capset(2)), as of a server that was not granted it."""
    libc = ctypes.CDLL(None, use_errno=True)
    header = CapabilityHeader(0x20080522, 0)
    sets = (ctypes.c_uint32 * 6)()  # effective, permitted, inheritable; twice
    assert libc.capget(ctypes.byref(header), sets) == 0, os.strerror(ctypes.get_errno())
    effective = sets[0]
    sets[0] = effective & ~CAP_NET_RAW
    assert libc.capset(ctypes.byref(header), sets) == 0, os.strerror(ctypes.get_errno())
    try:
        yield
    finally:
        sets[0] = effective
        assert libc.capset(ctypes.byref(header), sets) == 0, os.strerror(ctypes.get_errno())
