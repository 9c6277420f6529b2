"""Engine rule 26 on a host with several workers (rule 21): what a lost history does to addresses of which a worker has
the bit alone.

The lease is in the table when the workers start, so that only its client's worker makes an entry of it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from engine.serving import cached, drops, octets
from engine.sharing import Pair, macs_of, pair
from engine.site import Site, Subnet, until
from engine.test_lost_history import GO_BACK
from oracle import packets as say

OURS, THEIRS, THIRD = macs_of(0, 1)[0], *macs_of(1, 2)
LOST = "delete from lease"


@asynccontextmanager
async def leased(database: str, site: Site, subnet: Subnet, **times: float) -> AsyncIterator[Pair]:
    """To OURS, whose worker is the first; the second has the bit."""
    await site.connection.execute("select setval('lease_version', 1000)")
    await site.put_lease(subnet.address(100), octets(OURS), subnet.no, renewed_at=-5.0, **times)
    async with pair(database, subnet) as workers:
        assert cached(workers.workers[0], site.tenant_no, subnet.address(100)) is not None
        assert cached(workers.workers[1], site.tenant_no, subnet.address(100)) is None
        yield workers


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
