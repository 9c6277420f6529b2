"""What a server knows of the leases when it begins to serve, and what it is told while it serves."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from mmap import PAGESIZE
from pathlib import Path
from typing import Any

import pytest
from engine.serving import Servers, cached, heard, mac_of, octets
from engine.site import Site, Subnet, until
from oracle import packets as say

from dhcp_fast.database.leases import initial_load, lease_feed
from dhcp_fast.engine.engine import Engine
from dhcp_fast.engine.lease_preload import reserve
from dhcp_fast.server.serving import Serving

EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
MOST_BUCKETS, BUCKET = 1 << 28, 4
STATES = ("a", "r", "x", "v", "d")
# More than one, because a server that was not heard for two seconds, as on a machine that stands still, writes.
TOLD = (101, 102, 103)


@pytest.fixture
def mute(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that is not told more than its start reads."""

    async def nothing(_: Any) -> None:
        return

    monkeypatch.setattr(Serving, "read_in_full", nothing)


async def tell_all(server: Serving) -> None:
    async with server.connections.plan.acquire() as connection:
        while await server.feed.read_pages(connection):
            pass


async def put(subnet: Subnet, last: int, **fields: Any) -> int:
    return await subnet.site.put_lease(
        subnet.address(last), octets(mac_of(last)), subnet.no, hostname=f"h{last}", **fields
    )


async def test_an_early_renewal_is_written_until_the_row_is_told(
    site: Site, subnet: Subnet, servers: Servers, mute: None
) -> None:
    await subnet.set(cache_threshold=0.25)
    await site.connection.execute("update subnet set lease_time_seconds = 660")
    for last in (100, *TOLD):
        await put(subnet, last, relay=subnet.relay)
    server = await servers.start()
    relay = servers.relay(server, subnet.relay)
    before = await site.lease(subnet.address(100))

    await relay.ack(renew(subnet, 100))
    assert server.counters()["early_renewals"] == 0
    assert (await site.lease(subnet.address(100)))["version"] > before["version"]

    await tell_all(server)
    for last in TOLD:
        written = await site.lease(subnet.address(last))
        await heard(server)
        await relay.ack(renew(subnet, last))
        if server.counters()["early_renewals"]:
            break
    assert server.counters()["early_renewals"] == 1
    assert await site.lease(subnet.address(last)) == written


async def test_pages_are_read_by_two_at_once(
    site: Site, subnet: Subnet, servers: Servers, mute: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reading that ends behind another one neither fails nor takes its position back."""
    monkeypatch.setattr(lease_feed, "PAGES", 1)
    await put(subnet, 100, relay=subnet.relay)
    server = await servers.start()
    feed, pool = server.feed, server.connections.plan
    async with pool.acquire() as one, pool.acquire() as other:
        while feed.next_page is not None:
            before = feed.next_page
            await asyncio.gather(feed.read_pages(one), feed.read_pages(other))
            assert feed.next_page is None or feed.next_page == before + 1


def renew(subnet: Subnet, last: int) -> say.Packet:
    return say.request_renewing(mac_of(last), subnet.address(last)).option(12, f"h{last}".encode())


async def test_the_server_is_told_by_itself(subnet: Subnet, servers: Servers) -> None:
    await put(subnet, 100)
    server = await servers.start()
    tenant = subnet.site.tenant_no
    await until("told", lambda: (cached(server, tenant, subnet.address(100)) or {}).get("told"))


async def test_told_in_brief_and_then_the_rest_is_all(
    monkeypatch: pytest.MonkeyPatch, site: Site, subnet: Subnet, servers: Servers, mute: None
) -> None:
    """The same as the rows themselves say, whatever their state, over several pages and two connections."""
    monkeypatch.setattr(initial_load, "FEW_PAGES", 0)
    monkeypatch.setattr(lease_feed, "PAGES", 1)
    for last in range(2, 252):
        await put(subnet, last, state=STATES[last % 5], expires_at=600.0 + last, reuse_at=700.0 + last)
    await site.connection.execute("analyze lease")
    assert await site.connection.fetchval("select pg_relation_size('lease')") > 4 * 8192
    server = await servers.start()
    assert server.counters()["leases_known"] == 250
    brief = {last: cached(server, site.tenant_no, subnet.address(last)) or {} for last in range(2, 252)}
    await tell_all(server)
    for last in range(2, 252):
        row = await site.lease(subnet.address(last))
        told = cached(server, site.tenant_no, subnet.address(last)) or {}
        assert not brief[last]["told"]
        assert told["told"]
        assert told["renewed"] == int((row["renewed_at"] - EPOCH).total_seconds())
        same = ("state", "version", "reuse", "subnet_no", "client")
        assert [brief[last][name] for name in same] == [told[name] for name in same]
        assert (told["state"], told["version"], told["subnet_no"]) == (
            row["state"],
            row["version"],
            subnet.no,
        )
        assert told["expires"] == int((row["expires_at"] - EPOCH).total_seconds())


async def test_a_client_keeps_its_address_under_its_other_identity(
    site: Site, subnet: Subnet, servers: Servers, mute: None
) -> None:
    """match_client_id was switched on; the row is under the MAC, and its client id is not told yet."""
    await put(subnet, 150, client_id=b"\1me")
    await subnet.set(match_client_id=True)
    server = await servers.start()
    relay = servers.relay(server, subnet.relay)
    asked = say.discover(mac_of(150)).option(61, b"\1me")
    assert (await relay.lease(mac_of(150), asked)).yiaddr == subnet.address(150)


async def test_who_is_not_that_client_gets_another_address(
    site: Site, subnet: Subnet, servers: Servers, mute: None
) -> None:
    """The same MAC with another client id: the database refuses, and the next try goes elsewhere."""
    await put(subnet, 150, client_id=b"\1me")
    await subnet.set(match_client_id=True)
    server = await servers.start()
    relay = servers.relay(server, subnet.relay)
    asked = say.discover(mac_of(150)).option(61, b"\1you")
    offer = await relay.offer(asked)
    if offer.yiaddr == subnet.address(150):
        await relay.nak(
            say.request_selecting(mac_of(150), offer.yiaddr, server.sockets[0].address[0]).option(
                61, b"\1you"
            )
        )
    assert (await relay.lease(mac_of(150), asked)).yiaddr != subnet.address(150)
    assert (await site.lease(subnet.address(150)))["client_id"] == b"\1me"


def test_more_leases_than_there_can_be_buckets_have_what_there_is() -> None:
    """The quarter more that is reserved counts against a bound that the leases alone keep."""
    leases, before = MOST_BUCKETS * 9 // 10, mapped()
    engine = Engine((1, 2))
    reserve(engine, leases)
    assert mapped() - before >= 2 * leases * BUCKET  # by address and by client


def mapped() -> int:
    """Octets of this process's address space."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * PAGESIZE
