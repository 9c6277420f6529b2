"""Templates: one class a value that clients bring, which other classes ask for, and which is counted and shown."""

from __future__ import annotations

from functools import partial
from typing import Any

import asyncpg
import pytest
from engine.serving import Servers, mac_of, octets, reloaded, server_id, verdict
from engine.site import Site, Subnet, until
from oracle import packets as say

from dhcp_fast.engine.trace_reader import Trace
from dhcp_fast.server.serving import Serving
from dhcp_fast.server.trace_stream import Watcher

RACK = {"relay": True, "option": 1, "exists": True}
MAC = mac_of(1)
PLAIN = say.discover(MAC)
VALUES = "select value, packets from class_value order by value"


async def counted(connection: asyncpg.Connection) -> dict[bytes, int]:
    return {row["value"]: row["packets"] for row in await connection.fetch(VALUES)}


@pytest.fixture
async def rack(site: Site) -> int:
    """A template by circuit id, which brings option 6 to all of its clients."""
    no = await site.client_class("rack", priority=1, match=RACK, template=True)
    await site.option(6, {"addresses": ["192.0.2.53"]}, class_no=no)
    return no


async def test_each_value_is_a_class(
    site: Site, servers: Servers, rack: int, connection: asyncpg.Connection
) -> None:
    """Its options are the template's; a pool of the template serves all values, and one of a class that asks for some
    serves those. A value that is empty is none."""
    subnet = await site.subnet(5)
    chosen = await site.client_class("near", priority=2, match={"class": "rack", "in": ["r17", "0x01ff"]})
    await subnet.pool(100, 109, class_no=chosen)
    await subnet.pool(110, 119, class_no=rack)
    await subnet.pool(120, 199)
    server = await servers.start()
    relay = servers.relay(server, subnet.relay)

    async def given(client: int, value: bytes | None) -> tuple[int, bool]:
        packet = say.discover(mac_of(client)).asking(6)
        if value is not None:
            packet = packet.suboption(1, value)
        offer = await relay.offer(packet)
        return int(offer.yiaddr) - int(subnet.address(0)), 6 in offer.options

    for client, value, first, has_options in (
        (1, b"r17", 100, True),
        (2, b"\1\xff", 100, True),
        (3, b"r1", 110, True),
        (4, b"", 120, False),
        (5, None, 120, False),
        (6, b"r17", 100, True),
    ):
        host, found = await given(client, value)
        assert (host - host % 10 if host < 120 else 120, found) == (first, has_options)
    assert server.counters()["class_values"] == 3
    await server.report_values()
    await server.report_values()
    assert await counted(connection) == {b"\1\xff": 1, b"r1": 1, b"r17": 2}
    await given(7, b"r17")
    await server.report_values()
    assert (await counted(connection))[b"r17"] == 3


async def test_a_denied_value_and_all_of_them(
    site: Site, subnet: Subnet, servers: Servers, rack: int
) -> None:
    await site.client_class("banned", priority=5, match={"class": "rack", "prefix": "cellar"}, deny=True)
    server = await servers.start()
    relay = servers.relay(server, subnet.relay)
    await relay.offer(PLAIN.circuit("hall-3"))
    await relay.unanswered(PLAIN.circuit("cellar-1"))
    async with subnet.change():
        await site.connection.execute("update client_class set deny = name = 'rack'")
        await site.record(None, "client_class")
    await reloaded(server, subnet)
    await relay.unanswered(PLAIN.circuit("hall-3"))
    await relay.offer(PLAIN)
    assert server.counters()["class_values"] == 2


PARTS: dict[str, tuple[dict[str, Any], Any]] = {
    "giaddr": ({"field": "giaddr", "exists": True}, "127.0.5.1"),
    "number": ({"option": 93, "exists": True}, 7),
    "hw_type": ({"field": "hw_type", "exists": True}, 1),
    "client id": ({"field": "client_id", "exists": True, "offset": 1}, "61:62"),
    "a part": ({"option": 60, "exists": True, "offset": 3, "length": 2}, "-7"),
}


@pytest.mark.parametrize("why", PARTS)
async def test_values_are_asked_for_as_their_subject_is_spelled(
    why: str, site: Site, subnet: Subnet, servers: Servers
) -> None:
    tree, value = PARTS[why]
    await site.client_class("kind", priority=1, match=tree, template=True)
    await site.client_class("denied", priority=2, match={"class": "kind", "equals": value}, deny=True)
    server = await servers.start()
    packet = PLAIN.option(93, b"\0\7").client_id(b"\0ab").vendor("abc-7-z")
    relay = servers.relay(server, subnet.relay)
    await relay.unanswered(packet)
    await site.connection.execute(
        "update client_class set match = $1 where name = 'denied'",
        {"not": {"class": "kind", "equals": value}},
    )
    await servers.relay(await servers.start(), subnet.relay).offer(packet)


async def test_a_renewal_past_the_relay_is_of_the_value_that_its_relay_told(
    site: Site, servers: Servers, connection: asyncpg.Connection
) -> None:
    """It counts as one packet, although it is decided twice."""
    subnet = await site.direct_subnet()
    await site.client_class("rack", priority=1, match=RACK, template=True)
    no = await site.client_class("near", priority=2, match={"class": "rack", "equals": "r17"})
    await subnet.pool(100, 199, class_no=no)
    server = await servers.start()
    relay = servers.relay(server, subnet.relay)
    offer = await relay.offer(PLAIN.circuit("r17"))
    await relay.ack(say.request_selecting(MAC, offer.yiaddr, server_id(offer)).circuit("r17"))
    await server.report_values()
    assert await counted(connection) == {b"r17": 2}
    again = await servers.start()
    assert await verdict(again, say.request_renewing(MAC, offer.yiaddr)) == "ack"
    await again.report_values()
    assert await counted(connection) == {b"r17": 3}


def is_decided(server: Serving, count: int) -> bool:
    return bool(server.counters()["received"] == {"discover": count})


async def test_the_values_seen_last_are_alive(
    site: Site, subnet: Subnet, servers: Servers, rack: int, connection: asyncpg.Connection
) -> None:
    """On a server and among what is noted of all of them; that others were forgotten is counted."""
    server = await servers.start()
    relay = servers.relay(server, subnet.relay)
    for number in range(1030):
        relay.send(PLAIN.circuit(f"r{number}"))
        if number % 50 == 0 or number == 1029:
            await until("decided", partial(is_decided, server, number + 1))
    found = server.counters()
    assert (found["class_values"], found["values_forgotten"]) == (1024, 6)
    await server.report_values()
    assert len(await counted(connection)) == 1024
    relay.send(PLAIN.circuit("r0"))
    await until("decided", partial(is_decided, server, 1031))
    await server.report_values()
    left = await counted(connection)
    assert (len(left), b"r0" in left, b"r1" in left) == (1024, True, False)


async def test_a_trace_tells_the_classes(site: Site, subnet: Subnet, servers: Servers, rack: int) -> None:
    """Also of a packet that is dropped for one of them; of the next packet, whose classes nobody looked at, none."""
    await site.client_class("odd", priority=2, match={"class": "rack", "prefix": "0xff"}, deny=True)
    server = await servers.start()
    relay = servers.relay(server, subnet.relay)
    watcher = Watcher(server.engine, octets(MAC), b"")
    try:
        await relay.offer(PLAIN.circuit("r17"))
        await relay.unanswered(PLAIN.suboption(1, b"\xff\0"))
        await relay.unanswered(say.discover(MAC).server_id("192.0.2.1"))
        trace = watcher.trace
        told = [watcher.entry(entry) for entry in trace.take()[0] if not entry["is_reply"]]
    finally:
        watcher.trace.close()
    assert [entry["classes"] for entry in told] == [["rack:r17"], ["rack:0xff00", "odd"], []]
    assert Trace(server.engine, octets(MAC), b"").take() == ([], 0)


async def test_what_is_no_template_makes_nothing(site: Site, subnet: Subnet, servers: Servers) -> None:
    """As rows may be that the service did not write: nobody is of such a class, nor of one that compares values of what
    is no template."""
    compared = {"option": 60, "equals": "x"}
    await site.client_class("odd", priority=1, match=compared, template=True, deny=True)
    await site.client_class("plain", priority=2, match={"option": 60, "exists": True})
    await site.client_class("late", priority=3, match={"class": "plain", "equals": "x"}, deny=True)
    server = await servers.start()
    await servers.relay(server, subnet.relay).offer(PLAIN.vendor("x"))
    assert server.counters()["class_values"] == 0


async def test_other_conditions_begin_anew(site: Site, subnet: Subnet, servers: Servers, rack: int) -> None:
    """And what the old ones had found is given back."""
    server = await servers.start()
    relay = servers.relay(server, subnet.relay)
    await relay.offer(PLAIN.circuit("r17"))
    async with subnet.change():
        await site.connection.execute("update client_class set match = $1", {"option": 60, "exists": True})
        await site.record(None, "client_class")
    await reloaded(server, subnet)
    await until("given back", lambda: server.counters()["class_values"] == 0)
    await relay.offer(PLAIN.vendor("x"))
    async with subnet.change():
        await site.record(None, "client_class")
    await reloaded(server, subnet)
    assert server.counters()["class_values"] == 1
