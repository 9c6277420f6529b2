"""Renewals that come past the relay: a class that asks for the relay's words keeps its clients.

The lease's row says by which relay and line they came; what they say of themselves in option 82 counts for nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from engine.serving import Relay, Servers, mac_of, server_id, verdict
from engine.site import Site, Subnet, add
from oracle import packets as say
from oracle.packets import Packet

from dhcp_fast.server.serving import Serving

MAC, OTHER = mac_of(1), mac_of(2)
HALL = {"relay": True, "option": 1, "equals": "hall-3"}
TREES: dict[str, dict[str, Any]] = {
    "circuit": HALL,
    "option 82": {"option": 82, "contains": "hall"},
    "giaddr": {"field": "giaddr", "equals": "127.0.5.1"},
    "not elsewhere": {"not": {"relay": True, "option": 1, "prefix": "cellar"}},
}


@pytest.fixture
async def subnet(site: Site) -> Subnet:
    return await site.direct_subnet()


async def in_hall(servers: Servers, server: Serving, subnet: Subnet) -> Any:
    """The address of a client behind the relay, on the line hall-3."""
    relay: Relay = servers.relay(server, subnet.relay)
    offer = await relay.offer(say.discover(MAC).circuit("hall-3"))
    request = say.request_selecting(MAC, offer.yiaddr, server_id(offer))
    return (await relay.ack(request.circuit("hall-3"))).yiaddr


@pytest.mark.parametrize("why", TREES)
async def test_a_pool_of_a_class_keeps_its_clients(
    why: str, site: Site, subnet: Subnet, servers: Servers
) -> None:
    """Restarted in between: nothing of it is in memory alone."""
    no = await site.client_class("hall", match=TREES[why])
    await subnet.pool(100, 199, class_no=no)
    address = await in_hall(servers, await servers.start(), subnet)
    server = await servers.start()
    before = await site.lease(address)
    assert await verdict(server, say.request_renewing(MAC, address)) == "ack"
    after = await site.lease(address)
    assert after["renewed_at"] > before["renewed_at"]
    assert (after["relay"], after["circuit_id"]) == (before["relay"], b"hall-3")


async def test_a_denied_class_is_denied_past_its_relay(site: Site, subnet: Subnet, servers: Servers) -> None:
    await subnet.pool(100, 199)
    server = await servers.start()
    address = await in_hall(servers, server, subnet)
    async with subnet.change():
        await site.client_class("hall", match=HALL, deny=True)
        await site.record(None, "client_class")
    server = await servers.start()
    assert await verdict(server, say.request_renewing(MAC, address)) == "denied_class"
    elsewhere = {"not": HALL}
    await site.connection.execute("update client_class set match = $1", elsewhere)
    server = await servers.start()
    assert await verdict(server, say.request_renewing(MAC, address)) == "ack"


async def test_no_client_says_another_line_of_itself(site: Site, subnet: Subnet, servers: Servers) -> None:
    """Not to come into a class, nor to leave one."""
    no = await site.client_class("hall", match=HALL)
    await subnet.pool(100, 199, class_no=no)
    await subnet.pool(200, 220)
    server = await servers.start()
    inside = await in_hall(servers, server, subnet)
    outside = (await servers.relay(server, subnet.relay).lease(OTHER)).yiaddr
    assert await verdict(server, say.request_renewing(MAC, inside).circuit("cellar-1")) == "ack"
    assert await verdict(server, say.request_renewing(OTHER, inside).circuit("hall-3")) == "nak"
    assert await verdict(server, say.request_renewing(OTHER, outside).circuit("hall-3")) == "ack"


async def test_rows_without_the_whole_option_have_its_parts(
    site: Site, subnet: Subnet, servers: Servers
) -> None:
    no = await site.client_class("hall", match=HALL)
    await subnet.pool(100, 199, class_no=no)
    address = await in_hall(servers, await servers.start(), subnet)
    await site.connection.execute("update lease set relay_info = null")
    assert await verdict(await servers.start(), say.request_renewing(MAC, address)) == "ack"


async def test_a_lease_without_a_relay_asks_nobody(site: Site, subnet: Subnet, servers: Servers) -> None:
    no = await site.client_class("hall", match=HALL)
    await subnet.pool(100, 199, class_no=no)
    address = await in_hall(servers, await servers.start(), subnet)
    await site.connection.execute("update lease set relay = null, circuit_id = null, relay_info = null")
    assert await verdict(await servers.start(), say.request_renewing(MAC, address)) == "nak"


LINES: dict[str, tuple[dict[str, Any], Callable[[Packet], Packet]]] = {
    "circuit_id": ({"circuit_id": b"hall-3"}, lambda packet: packet.circuit("hall-3")),
    "remote_id": ({"remote_id": b"line"}, lambda packet: packet.circuit("hall-3").remote("line")),
    "subscriber_id": ({"subscriber_id": b"smith"}, lambda packet: packet.suboption(6, "smith")),
}


@pytest.mark.parametrize("kind", LINES)
async def test_a_profile_of_a_line_counts_past_its_relay(
    kind: str, site: Site, subnet: Subnet, servers: Servers
) -> None:
    """It has no address by which the line would be known. A client of another line is none of it, whatever it says."""
    identity, through = LINES[kind]
    await subnet.pool(100, 199)
    await add(site.connection, "reservation", subnet_no=subnet.no, hostname="printer", **identity)
    server = await servers.start()
    relay = servers.relay(server, subnet.relay)
    leased = {}
    for mac, packet in ((MAC, through), (OTHER, lambda packet: packet.circuit("cellar-1"))):
        offer = await relay.offer(packet(say.discover(mac)))
        await relay.ack(packet(say.request_selecting(mac, offer.yiaddr, server_id(offer))))
        leased[mac] = offer.yiaddr
    assert (await site.lease(leased[MAC]))["hostname"] == "printer"
    server = await servers.start()
    assert await verdict(server, say.request_renewing(MAC, leased[MAC]).hostname("mine")) == "ack"
    assert (await site.lease(leased[MAC]))["hostname"] == "printer"
    assert (
        await verdict(server, through(say.request_renewing(OTHER, leased[OTHER]).hostname("mine"))) == "ack"
    )
    assert (await site.lease(leased[OTHER]))["hostname"] == "mine"


@pytest.mark.parametrize("why", TREES)
async def test_each_renewal_keeps_what_the_relay_said(
    why: str, site: Site, subnet: Subnet, servers: Servers
) -> None:
    """A renewal past the relay says nothing of the line, so the next one finds what the grant said too."""
    no = await site.client_class("hall", match=TREES[why])
    await subnet.pool(100, 199, class_no=no)
    server = await servers.start()
    address = await in_hall(servers, server, subnet)
    for _ in range(3):
        assert await verdict(server, say.request_renewing(MAC, address)) == "ack"
    assert (await site.lease(address))["circuit_id"] == b"hall-3"
