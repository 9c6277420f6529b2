"""Engine rule 26 on a host with several workers (rule 21): what a lost history does to addresses of which a worker has
the bit alone.

The lease is in the table when the workers start, so that only its client's worker makes an entry of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from engine.restored_rows import FORMER, FORMER_RAN_OUT, GIVEN_BACK, GO_BACK, RUN_OUT
from engine.serving import cached, drops, octets, read_feed, server_id
from engine.sharing import Pair, macs_of, pair
from engine.site import Site, Subnet, until
from oracle import packets as say

from dhcp_fast.server import duties

OURS, MATE = macs_of(0, 2)
THEIRS, THIRD = macs_of(1, 2)
LOST = "delete from lease"


@pytest.fixture
async def narrow(site: Site) -> Subnet:
    """A pool of one address; leases of ten minutes."""
    subnet = await site.subnet(5)
    await subnet.pool(100, 100)
    return subnet


@asynccontextmanager
async def leased(database: str, site: Site, subnet: Subnet, **times: float) -> AsyncIterator[Pair]:
    """To OURS, whose worker is the first; the second has the bit."""
    await site.connection.execute("select setval('lease_version', 1000)")
    await site.put_lease(subnet.address(100), octets(OURS), subnet.no, renewed_at=-5.0, **times)
    async with pair(database, subnet) as workers:
        assert cached(workers.workers[0], site.tenant_no, subnet.address(100)) is not None
        assert cached(workers.workers[1], site.tenant_no, subnet.address(100)) is None
        yield workers


@pytest.fixture
async def workers(database: str, site: Site, narrow: Subnet) -> AsyncIterator[Pair]:
    async with leased(database, site, narrow) as made:
        yield made


async def restored(workers: Pair, site: Site, change: str, *arguments: object) -> None:
    await site.connection.execute(change, *arguments)
    await site.connection.execute(GO_BACK)
    await until("read anew", lambda: all(worker.feed.version < 1000 for worker in workers.workers))


async def gives_nothing(workers: Pair) -> None:
    """The second worker, also after its look at what the database says is free."""
    before = drops(workers.workers[1], "exhausted")
    for count in (1, 2):
        await workers.relay(THIRD).unanswered(say.discover(THIRD))
        await until("refused", lambda count=count: drops(workers.workers[1], "exhausted") == before + count)


async def test_a_lost_lease_of_another_workers_client_is_free_when_it_must_be_over(
    database: str, site: Site
) -> None:
    """No event will say so, and there is no row that could be read."""
    short = await site.subnet(5, lease_time_seconds=2, reuse_margin_seconds=1)
    await short.pool(100, 100)
    async with leased(database, site, short, expires_at=8.0, reuse_at=9.0) as workers:
        await restored(workers, site, LOST)
        await gives_nothing(workers)
        assert (await workers.relay(THEIRS).offer_in_time(THEIRS, 20.0)).yiaddr == short.address(100)
        assert (await workers.relay(THEIRS).lease(THEIRS)).yiaddr == short.address(100)


@pytest.mark.parametrize(("row", "end"), [(FORMER, GIVEN_BACK), (FORMER_RAN_OUT, RUN_OUT)])
@pytest.mark.parametrize("mac", [MATE, THEIRS])
async def test_an_older_row_does_not_give_another_workers_address_away(
    row: str, end: str, mac: str, workers: Pair, site: Site
) -> None:
    """Whosever it is, and however it ends."""
    await restored(workers, site, row, octets(mac))
    await gives_nothing(workers)
    await site.connection.execute(end)
    await workers.read_feeds()
    await gives_nothing(workers)


async def test_a_former_client_does_not_get_another_workers_address(
    workers: Pair, site: Site, narrow: Subnet
) -> None:
    """Its row says that it is his, and would bear his renewal."""
    relay, address = workers.relay(THEIRS), narrow.address(100)
    await restored(workers, site, FORMER, octets(THEIRS))
    await relay.unanswered(say.discover(THEIRS))
    await relay.nak(say.request_selecting(THEIRS, address, "127.0.0.1"))
    for ask in (say.request_init_reboot, say.request_rebinding):
        await relay.nak(ask(THEIRS, address))
    assert (cached(workers.workers[0], site.tenant_no, address) or {})["held"]


async def test_who_was_acknowledged_it_keeps_it(workers: Pair, site: Site, narrow: Subnet) -> None:
    """Its own worker has it written again; by another its packet goes unanswered, which cannot know whose it is."""
    await restored(workers, site, FORMER_RAN_OUT, octets(THEIRS))
    asked = say.request_rebinding(OURS, narrow.address(100))
    await workers.relays[1].unanswered(asked)
    await workers.relay(OURS).ack(asked)
    await workers.read_feeds()
    await gives_nothing(workers)


async def test_a_look_at_what_is_free_does_not_come_before_the_doubt(
    monkeypatch: pytest.MonkeyPatch, database: str, site: Site, narrow: Subnet
) -> None:
    """The feed has not told yet that the database's history is another one."""
    monkeypatch.setattr(duties, "FEED_SECONDS", 3600.0)
    async with leased(database, site, narrow) as workers:
        second = workers.workers[1]
        await read_feed(second)
        await site.connection.execute(FORMER_RAN_OUT, octets(MATE))
        second.feed.history = "another one"
        await workers.relay(THIRD).unanswered(say.discover(THIRD))
        await second.look_at_exhausted()
        await read_feed(second)
        await gives_nothing(workers)


@pytest.mark.parametrize("change", [LOST, "select"])
async def test_what_is_written_since_is_no_more_in_doubt(
    change: str, workers: Pair, site: Site, narrow: Subnet
) -> None:
    """When that ends, the address is anybody's at once."""
    await restored(workers, site, change)
    ack = await workers.relay(OURS).ack(say.request_rebinding(OURS, narrow.address(100)))
    await workers.read_feeds()
    await gives_nothing(workers)
    workers.relay(OURS).send(say.release(OURS, ack.yiaddr, server_id(ack)))
    assert (await workers.relay(THEIRS).offer_in_time(THEIRS, 5.0)).yiaddr == ack.yiaddr


async def test_a_lease_that_outlasts_the_doubt_is_seen(database: str, site: Site) -> None:
    """A BOOTP client's, which has no end: its row is there."""
    short = await site.subnet(5, lease_time_seconds=1, reuse_margin_seconds=1)
    await short.pool(100, 100)
    endless: dict[str, Any] = {"expires_at": 5.0, "reuse_at": 6.0}
    async with leased(database, site, short, **endless) as workers:
        await restored(workers, site, "update lease set expires_at = 'infinity', reuse_at = 'infinity'")
        await asyncio.sleep(6.0)
        await gives_nothing(workers)
