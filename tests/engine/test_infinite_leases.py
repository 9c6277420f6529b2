"""Leases that never end: 4294967295 seconds in the plan and on the wire (RFC 2131 section 3.3)."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Any

import pytest
from engine.serving import Relay, Servers, Serving, cached, mac_of, reloaded
from engine.site import Site, Subnet
from oracle import packets as say
from oracle.message4 import Message
from oracle.options4 import number

pytestmark = pytest.mark.shared_server

MAC = mac_of(1)
STORED, INFINITE, NEVER = -1, 2**32 - 1, 2**32 - 1
FOREVER = datetime.max  # as asyncpg shows PostgreSQL's infinity


async def serve(site: Site, servers: Servers, **fields: Any) -> tuple[Subnet, Serving, Relay]:
    subnet = await site.subnet(**fields)
    await subnet.pool(100, 199)
    server = await servers.start()
    return subnet, server, servers.relay(server, subnet.relay)


def times(reply: Message) -> list[int]:
    return [number(reply.options[code]) for code in (51, 58, 59)]


async def test_an_infinite_lease(site: Site, servers: Servers) -> None:
    """Offer, grant and renewal; the row ends at infinity, and so does its history."""
    _, server, relay = await serve(site, servers, lease_time_seconds=STORED)
    ack = await relay.lease(MAC)
    assert times(ack) == [INFINITE] * 3
    row = await site.lease(ack.yiaddr)
    assert (row["expires_at"], row["reuse_at"]) == (FOREVER, FOREVER)
    assert [event["expires_at"] for event in await site.events(ack.yiaddr)] == [FOREVER]
    entry = cached(server, row["tenant_no"], ack.yiaddr)
    assert entry is not None
    assert (entry["expires"], entry["reuse"]) == (NEVER, NEVER)


async def test_an_early_renewal_of_an_infinite_lease(site: Site, servers: Servers) -> None:
    """Answered from memory, whatever the threshold above 0."""
    _, server, relay = await serve(site, servers, lease_time_seconds=STORED, cache_threshold=0.25)
    ack = await relay.lease(MAC)
    # Right after a grant the plan may still count as unread, and the renewal is written (engine rule 18).
    async with asyncio.timeout(10):
        while not server.counters()["early_renewals"]:
            assert times(await relay.ack(say.request_renewing(MAC, ack.yiaddr))) == [INFINITE] * 3


async def test_from_infinite_to_finite_and_back(site: Site, servers: Servers) -> None:
    """The next renewal takes what the plan says by then."""
    subnet, server, relay = await serve(site, servers, lease_time_seconds=STORED)
    ack = await relay.lease(MAC)
    for stored, told in ((600, 600), (STORED, INFINITE), (1200, 1200)):
        async with subnet.change():
            await subnet.set(lease_time_seconds=stored)
        await reloaded(server, subnet)
        renewed = await relay.ack(say.request_renewing(MAC, ack.yiaddr))
        assert number(renewed.options[51]) == told
        row = await site.lease(ack.yiaddr)
        if told == INFINITE:
            assert row["expires_at"] == FOREVER
        else:
            assert round((row["expires_at"] - row["renewed_at"]).total_seconds()) == told


@pytest.mark.parametrize(
    ("least", "usual", "most", "asked", "told"),
    [
        (None, 600, STORED, None, 600),
        (None, 600, STORED, INFINITE, INFINITE),
        (None, 600, STORED, 2**31, INFINITE),
        (None, 600, STORED, 2**31 - 1, 2**31 - 1),
        (None, 600, 7200, INFINITE, 7200),
        (None, 600, None, INFINITE, 600),
        (300, STORED, None, 400, 400),
        (300, STORED, None, 100, 300),
        (STORED, STORED, STORED, 100, INFINITE),
    ],
)
async def test_what_a_client_asks_for(
    least: int | None,
    usual: int,
    most: int | None,
    asked: int | None,
    told: int,
    site: Site,
    servers: Servers,
) -> None:
    """Option 51 within the bounds, of which each may be infinite."""
    bounds = {"min_lease_time_seconds": least, "max_lease_time_seconds": most}
    _, _, relay = await serve(site, servers, lease_time_seconds=usual, **bounds)
    discover = say.discover(MAC)
    if asked is not None:
        discover = discover.option(51, asked.to_bytes(4, "big"))
    ack = await relay.lease(MAC, discover)
    assert number(ack.options[51]) == told
    assert ((await site.lease(ack.yiaddr))["expires_at"] == FOREVER) == (told == INFINITE)


@pytest.mark.parametrize(
    ("renew", "rebind", "wanted"),
    [(86400, None, [86400, INFINITE]), (3600, 7200, [3600, 7200]), (STORED, STORED, [INFINITE, INFINITE])],
)
async def test_renewal_times_of_an_infinite_lease(
    renew: int | None, rebind: int | None, wanted: list[int], site: Site, servers: Servers
) -> None:
    """Those of the subnet, where it sets any: its clients come back for what has changed."""
    fields = {"renew_time_seconds": renew, "rebind_time_seconds": rebind}
    _, _, relay = await serve(site, servers, lease_time_seconds=STORED, **fields)
    assert times(await relay.offer(say.discover(MAC))) == [INFINITE, *wanted]


@pytest.mark.own_server
async def test_an_infinite_lease_after_a_restart(site: Site, servers: Servers) -> None:
    """Read from the table again, it is nobody else's and does not expire."""
    subnet, _, relay = await serve(site, servers, lease_time_seconds=STORED)
    ack = await relay.lease(MAC)
    server = await servers.start()
    again = servers.relay(server, subnet.relay)
    assert times(await again.ack(say.request_renewing(MAC, ack.yiaddr))) == [INFINITE] * 3
    assert (await again.offer(say.discover(mac_of(2)))).yiaddr != ack.yiaddr
    entry = cached(server, (await site.lease(ack.yiaddr))["tenant_no"], ack.yiaddr)
    assert entry is not None
    assert (entry["state"], entry["expires"]) == ("a", NEVER)


async def test_an_infinite_lease_is_released(site: Site, servers: Servers) -> None:
    _, _, relay = await serve(site, servers, lease_time_seconds=STORED)
    ack = await relay.lease(MAC)
    relay.send(say.release(MAC, ack.yiaddr, "127.0.0.1"))
    assert (await relay.offer(say.discover(MAC))).yiaddr == ack.yiaddr
