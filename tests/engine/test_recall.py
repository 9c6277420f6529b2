"""Renewals that come past the relay: a class that asks for the relay's words keeps its clients.

The lease's row says by which relay and line they came; what they say of themselves in option 82 counts for nothing.
"""

from __future__ import annotations

from typing import Any

import pytest
from engine.serving import Relay, Servers, mac_of, server_id, verdict
from engine.site import Site, Subnet
from oracle import packets as say

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
