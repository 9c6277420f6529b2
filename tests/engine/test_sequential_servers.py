"""A sequential pool that several servers give from: each from a lane of its own, so that none loses what it offered.

No server hears of another's offers, and of its leases only with the next reading of the feed.
"""

from __future__ import annotations

import pytest
from engine.serving import Relay, Servers, mac_of
from engine.site import Site, Subnet
from oracle import packets as say

from dhcp_fast.server.serving import Serving

FIRST, LAST = 100, 249
Station = tuple[Serving, Relay]


async def beat(server: Serving) -> None:
    """Now, although it is not due."""
    server.duties.heartbeat.last = 0
    await server.duties.beat(server)


async def stations(servers: Servers, subnet: Subnet, count: int) -> list[Station]:
    """Servers that know of each other, and a relay before each."""
    started = [await servers.start() for _ in range(count)]
    for server in started:
        await beat(server)
    return [(server, servers.relay(server, subnet.relay)) for server in started]


async def sequential(site: Site, first: int = FIRST, last: int = LAST) -> Subnet:
    subnet = await site.subnet()
    await subnet.pool(first, last, allocation="sequential")
    return subnet


def lost(found: list[Station]) -> int:
    return sum(server.counters()["lost"] for server, _ in found)


@pytest.mark.parametrize("count", [2, 3])
async def test_no_server_is_refused_what_it_offered(count: int, site: Site, servers: Servers) -> None:
    """All offer before any of them is asked for it; and together they give the lowest addresses."""
    subnet = await sequential(site)
    found = await stations(servers, subnet, count)
    clients = 24
    offers = []
    for place, (_, relay) in enumerate(found):
        for number in range(clients):
            mac = mac_of(place * clients + number)
            offers.append((relay, mac, await relay.offer(say.discover(mac))))
    for relay, mac, offer in offers:
        assert (await relay.select(mac, offer)).yiaddr == offer.yiaddr
    assert lost(found) == 0
    assert {offer.yiaddr for *_, offer in offers} == {
        subnet.address(last) for last in range(FIRST, FIRST + count * clients)
    }


async def test_a_busy_server_keeps_to_its_lane(site: Site, servers: Servers) -> None:
    """However many addresses of others lie free between its own."""
    subnet = await sequential(site)
    (_, busy), *_ = await stations(servers, subnet, 3)
    given = [(await busy.lease(mac_of(number))).yiaddr.packed[3] - FIRST for number in range(50)]
    assert given == list(range(given[0], 150, 3))


async def test_a_server_whose_lane_is_empty_takes_any(site: Site, servers: Servers) -> None:
    subnet = await sequential(site, 100, 105)
    (_, only), *_ = await stations(servers, subnet, 3)
    given = {(await only.lease(mac_of(number))).yiaddr for number in range(6)}
    assert given == {subnet.address(last) for last in range(100, 106)}


async def test_the_lanes_end_with_the_other_servers(site: Site, servers: Servers) -> None:
    """One that is alone gives the lowest."""
    subnet = await sequential(site)
    found = await stations(servers, subnet, 2)
    (first, relay), (second, _) = found
    await second.duties.deregister(second.connections.feed)
    await beat(first)
    given = [(await relay.lease(mac_of(number))).yiaddr for number in range(4)]
    assert given == [subnet.address(last) for last in range(FIRST, FIRST + 4)]
