"""Engine rule 19: the look in the database before "exhausted" reads what is free, beside the feed."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from engine.serving import Servers, mac_of, octets
from engine.site import Site, until
from oracle import packets as say

from ipam_core.db.connect import connect


async def full_pool(site: Site, size: int) -> Any:
    """All addresses leased, for ten minutes."""
    subnet = await site.subnet(5)
    await subnet.pool(100, 99 + size)
    for n in range(size):
        await site.put_lease(subnet.address(100 + n), octets(mac_of(n + 1)), subnet.no)
    return subnet


async def test_a_look_that_takes_long_does_not_end_freshness(site: Site, servers: Servers) -> None:
    """As that at a subnet of millions of addresses; here somebody holds the table."""
    subnet = await full_pool(site, 2)
    server = await servers.start()
    relay = servers.relay(server, subnet.relay)
    other = await connect(servers.dsn)
    async with other.transaction():
        await other.execute("lock table lease in access exclusive mode")
        await relay.unanswered(say.discover(mac_of(9)))
        waits = "select count(*) from pg_locks where relation = 'lease'::regclass and not granted"
        await until("looked", lambda: site.connection.fetchval(waits))
        for _ in range(4):
            before = server.last_feed
            await until("the feed is read", lambda before=before: server.last_feed > before)
    await other.close()


async def test_only_what_is_free_is_read(
    site: Site, servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row that became free unseen is found among those that are in use, which stay where they are."""
    subnet = await full_pool(site, 50)
    server = await servers.start()
    relay = servers.relay(server, subnet.relay)
    feed, rows = server.feed, []
    copy = feed.copy

    async def counted(*arguments: Any, **options: Any) -> int:
        rows.append(await copy(*arguments, **options))
        return rows[-1]

    await asyncio.sleep(0.6)
    monkeypatch.setattr(feed, "copy", counted)
    address = subnet.address(120)
    await site.connection.execute(
        "update lease set state = 'r', reuse_at = now(), version = nextval('lease_version') where address = $1",
        address,
    )
    offer = await relay.offer_in_time(mac_of(99))
    assert offer.yiaddr == address
    assert max(rows) == 1
