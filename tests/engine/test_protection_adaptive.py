"""Shorter leases under pressure: when the pools that serve a client run full, it gets the subnet's shortest time."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from engine.serving import Relay, Servers, counters, mac_of, octets
from engine.site import Site, Subnet, until
from oracle import packets as say
from oracle.message4 import Message
from oracle.options4 import number

USUAL, SHORTEST, LONGEST = 600, 60, 7200
LEASE_TIME = 51
MINUTE = timedelta(seconds=SHORTEST)
PERCENT = 50
SETTING = {"dhcp4_adaptive_percent": PERCENT}


async def crowd(site: Site, subnet: Subnet, first: int, last: int) -> None:
    """Leases of others on these addresses, for an hour."""
    for at in range(first, last + 1):
        times = {"renewed_at": -60.0, "expires_at": 3600.0, "reuse_at": 3610.0}
        await site.put_lease(subnet.address(at), octets(mac_of(1000 + at)), subnet.no, **times)


def seconds(reply: Message) -> int:
    return number(reply.options[LEASE_TIME])


async def granted(relay: Relay, mac: str, asked: int | None = None) -> tuple[int, int]:
    """The lease times of the OFFER and of the ACK."""
    discover = say.discover(mac) if asked is None else say.discover(mac).lease_time(asked)
    offer = await relay.offer(discover)
    return seconds(offer), seconds(await relay.select(mac, offer, discover))


@pytest.mark.parametrize(
    ("in_use", "fields", "asked", "expected"),
    [
        pytest.param(4, {"min_lease_time_seconds": SHORTEST}, None, USUAL, id="half is not more than half"),
        pytest.param(5, {"min_lease_time_seconds": SHORTEST}, None, SHORTEST, id="more than half"),
        pytest.param(5, {"min_lease_time_seconds": SHORTEST}, 300, SHORTEST, id="whatever it asks for"),
        pytest.param(4, {"min_lease_time_seconds": SHORTEST}, 300, 300, id="asked with room"),
        pytest.param(6, {}, None, USUAL, id="no shortest time set"),
        pytest.param(6, {"max_lease_time_seconds": LONGEST}, 3600, 3600, id="no shortest, a longest"),
    ],
)
async def test_what_is_granted(
    in_use: int,
    fields: dict[str, Any],
    asked: int | None,
    expected: int,
    site: Site,
    servers: Servers,
) -> None:
    """Its own address counts, in the offer as in the lease that follows, so that both tell the same."""
    subnet = await site.subnet(**fields)
    await subnet.pool(100, 109)
    await crowd(site, subnet, 100, 100 + in_use - 1)
    relay = servers.relay(await servers.start(**SETTING), subnet.relay)
    assert await granted(relay, mac_of(1), asked) == (expected, expected)


async def test_off_by_default(site: Site, servers: Servers) -> None:
    subnet = await site.subnet(min_lease_time_seconds=SHORTEST)
    await subnet.pool(100, 109)
    await crowd(site, subnet, 100, 108)
    relay = servers.relay(await servers.start(), subnet.relay)
    assert await granted(relay, mac_of(1)) == (USUAL, USUAL)


async def test_renewals_follow_the_pressure(site: Site, servers: Servers) -> None:
    """Also those that would be answered from memory (rule 18): what would be written differs."""
    subnet = await site.subnet(min_lease_time_seconds=SHORTEST, cache_threshold=0.9)
    await subnet.pool(100, 109)
    server = await servers.start(**SETTING)
    relay = servers.relay(server, subnet.relay)
    assert await granted(relay, mac_of(1)) == (USUAL, USUAL)
    address = (await relay.offer(say.discover(mac_of(1)))).yiaddr
    await relay.unanswered(say.request_selecting(mac_of(1), address, "192.0.2.99"))  # and the offer is over

    async def early() -> bool:
        await relay.ack(say.request_rebinding(mac_of(1), address))
        return bool(counters(server)["early_renewals"])

    await until("early", early)
    others = [mac_of(n) for n in range(2, 8)]
    addresses = {mac: (await relay.lease(mac)).yiaddr for mac in others}
    written = counters(server)["early_renewals"]
    assert seconds(await relay.ack(say.request_rebinding(mac_of(1), address))) == SHORTEST
    assert counters(server)["early_renewals"] == written
    assert (await site.lease(address))["expires_at"] - (await site.lease(address))["renewed_at"] == MINUTE
    for mac in others:
        relay.send(say.release(mac, addresses[mac], "127.0.0.1"))

    async def is_usual() -> bool:
        return seconds(await relay.ack(say.request_rebinding(mac_of(1), address))) == USUAL

    await until("usual", is_usual)


async def test_only_pools_that_could_serve_the_client_count(site: Site, servers: Servers) -> None:
    """A full pool of a class that the client is not in is no pressure on it; on those of the class it is."""
    subnet = await site.subnet(min_lease_time_seconds=SHORTEST)
    phones = await site.client_class("phones", vendor_class="phone")
    await subnet.pool(100, 109, class_no=phones)
    await subnet.pool(120, 121)
    await crowd(site, subnet, 100, 109)
    relay = servers.relay(await servers.start(**SETTING), subnet.relay)
    assert seconds(await relay.offer(say.discover(mac_of(1)))) == USUAL
    assert seconds(await relay.offer(say.discover(mac_of(2)).vendor("phone"))) == SHORTEST


async def test_the_pools_of_a_shared_network_count_together(site: Site, servers: Servers) -> None:
    """And each subnet grants its own shortest time."""
    fields = {"shared_network": "floor", "min_lease_time_seconds": SHORTEST}
    first = await site.subnet(5, **fields)
    second = await site.subnet(6, **fields | {"min_lease_time_seconds": 90})
    await first.pool(100, 109)
    await second.pool(100, 119)
    await crowd(site, first, 100, 109)
    relay = servers.relay(await servers.start(**SETTING), first.relay)
    offers = [await relay.offer(say.discover(mac_of(n))) for n in range(1, 12)]
    assert [seconds(offer) for offer in offers] == [USUAL] * 5 + [90] * 6


async def test_a_reserved_address_is_given_for_its_usual_time(site: Site, servers: Servers) -> None:
    """It takes nothing from the pools."""
    subnet = await site.subnet(min_lease_time_seconds=SHORTEST)
    await subnet.pool(100, 109)
    await subnet.reserve(50, mac=mac_of(1))
    await crowd(site, subnet, 100, 108)
    relay = servers.relay(await servers.start(**SETTING), subnet.relay)
    assert await granted(relay, mac_of(1)) == (USUAL, USUAL)
