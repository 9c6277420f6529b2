"""Shedding under overload: new conversations are not begun while those under way and the leases are still served."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from ipaddress import IPv4Address, IPv4Network

import pytest
from engine.serving import Relay, Servers, counters, drops, mac_of, octets
from engine.site import Site, Subnet, until
from oracle import packets as say
from oracle.options4 import ACK

from dhcp_fast.bench.servers.bench_plan import add
from dhcp_fast.database.leases import lease_writer
from dhcp_fast.engine.engine import boot_clock
from dhcp_fast.server.serving import Serving

SLOTS = 16384
SHED_ABOVE = SLOTS * 3 // 4
RECEIVED_AT_ONCE = 64
RENEWING, EARLY, NEW, FIRST_OF_FLOOD = mac_of(1), mac_of(2), mac_of(3), 1000
FIRST = IPv4Address("10.64.1.0")
SERVER = "127.0.0.1"


@pytest.fixture
async def large(site: Site) -> Subnet:
    """Room for more clients than there are slots; early renewals are answered from memory."""
    subnet = await site.subnet(64, cidr=IPv4Network("10.64.0.0/16"), cache_threshold=0.25)
    last = IPv4Address("10.64.255.0")
    await add(site.connection, "pool", subnet_no=subnet.no, start_ip=FIRST, end_ip=last)
    return subnet


@pytest.fixture
async def busy(servers: Servers, large: Subnet, monkeypatch: pytest.MonkeyPatch) -> Serving:
    """Its writers wait for their commits however long the test holds them."""
    monkeypatch.setattr(lease_writer, "LATE_SECONDS", 60.0)
    return await servers.start()


@pytest.fixture
def relay(servers: Servers, busy: Serving, large: Subnet) -> Relay:
    return servers.relay(busy, large.relay)


@asynccontextmanager
async def held(site: Site) -> AsyncIterator[None]:
    """No lease is written inside; reading goes on."""
    async with site.connection.transaction():
        await site.connection.execute("lock table lease in exclusive mode")
        yield


def flood(server: Serving, relay: Relay, above: int) -> None:
    """New clients that ask for an address each, until more than so many slots wait for the database."""
    packet = relay.dress(say.request_selecting(mac_of(0), "0.0.0.0", SERVER)).bytes()
    place = packet.index(bytes([50, 4])) + 2
    template, number = bytearray(packet), 0
    while counters(server)["slots_in_use"] <= above:
        for _ in range(RECEIVED_AT_ONCE):
            template[28:34] = octets(mac_of(FIRST_OF_FLOOD + number))
            template[place : place + 4] = (FIRST + 1000 + number).packed
            relay.socket.sendto(template, relay.server)
            number += 1
        server.engine.receive(0)


async def test_new_clients_are_shed_and_leases_are_served(
    busy: Serving, relay: Relay, servers: Servers, large: Subnet, site: Site
) -> None:
    """Rule 6: the queue is bounded; when it is full the newest DISCOVERs are shed first, and counted."""
    renewing, early = await relay.lease(RENEWING), await relay.lease(EARLY)
    client = servers.relay(busy, large.relay)
    async with held(site):
        flood(busy, relay, SHED_ABOVE)
        client.send(say.discover(NEW))
        busy.engine.receive(0)
        assert drops(busy, "overload") == 1
        assert counters(busy)["offers"] == 0
        # What costs no write is answered at once: a renewal from memory, and parameters for one who has an address.
        # Neither feed nor plan is read while we hold the loop, nor the feed's statements while we hold the rows.
        busy.engine.note_feed_read(boot_clock())
        busy.engine.note_plan_read(boot_clock())
        from_memory = client.send(say.request_rebinding(EARLY, early.yiaddr))
        busy.engine.receive(0)
        assert counters(busy)["early_renewals"] == 1
        assert await client.answer_to(from_memory) is not None
        assert (await client.ask(say.inform(EARLY, early.yiaddr))).message_type == ACK
        # What costs one is taken too, whatever waits before it.
        sent = client.send(say.request_rebinding(RENEWING, renewing.yiaddr).hostname("renamed"))
        busy.engine.receive(0)
        assert drops(busy, "overload") == 1
    reply = await client.answer_to(sent)
    waiting = counters(busy)["slots_in_use"]
    assert reply is not None
    assert reply.message_type == ACK
    assert waiting > SHED_ABOVE // 2, "the renewal had its turn before the flood was over"
    assert (await site.lease(renewing.yiaddr))["hostname"] == "renamed"
    await until("served", lambda: counters(busy)["slots_in_use"] == 0)
    await client.lease(NEW)


async def test_packets_without_room_are_not_an_overload_while_the_database_is_away(
    busy: Serving, relay: Relay, site: Site
) -> None:
    """More servers, to which the alert about overload advises, would help nobody."""
    async with held(site):
        flood(busy, relay, SHED_ABOVE)
        busy.engine.set_away(True)
        for number in range(RECEIVED_AT_ONCE):
            relay.send(say.discover(mac_of(number)))
        busy.engine.receive(0)
        assert drops(busy, "database_away") == RECEIVED_AT_ONCE
        flood(busy, relay, SLOTS - 2 * RECEIVED_AT_ONCE - 1)
        flooded = sum(counters(busy)["received"].values())
        for number in range(RECEIVED_AT_ONCE * 2):
            mac = mac_of(FIRST_OF_FLOOD + flooded + number)
            relay.send(say.request_selecting(mac, FIRST + 1000 + flooded + number, SERVER))
        busy.engine.receive(0)
        assert drops(busy, "database_away") > RECEIVED_AT_ONCE
        assert drops(busy, "overload") == drops(busy, "queue_full") == 0
    await until("served", lambda: counters(busy)["slots_in_use"] == 0)


async def test_when_every_slot_waits_what_comes_is_dropped_and_counted(
    busy: Serving, relay: Relay, servers: Servers, large: Subnet, site: Site
) -> None:
    """Rule 6: bounded memory; and nothing is lost of what was taken."""
    async with held(site):
        flood(busy, relay, SLOTS - 2 * RECEIVED_AT_ONCE - 1)
        taken = counters(busy)["slots_in_use"]
        assert taken < SLOTS
        flooded = sum(counters(busy)["received"].values())
        for number in range(RECEIVED_AT_ONCE * 2):
            mac = mac_of(FIRST_OF_FLOOD + flooded + number)
            relay.send(say.request_selecting(mac, FIRST + 1000 + flooded + number, SERVER))
        busy.engine.receive(0)
        assert drops(busy, "queue_full") > 0
        assert drops(busy, "database_away") == 0
        full = counters(busy)["slots_in_use"]
    await until("served", lambda: counters(busy)["slots_in_use"] == 0)
    assert await site.count("lease") == full - drops(busy, "waited_too_long")
    await servers.relay(busy, large.relay).lease(NEW)
