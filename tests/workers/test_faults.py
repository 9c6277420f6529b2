"""A worker that dies at any of its steps: nothing is lost, and what is done twice does no harm."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Any

import asyncpg
import pytest
from workers.receiver import SECRET, Receiver
from workers.site import Site
from workers.test_ddns import both, subnet

from ipam_core.secrets import Keyring
from ipam_core.workers import webhook_outcomes, webhook_sender
from ipam_core.workers.webhook_outcomes import Release

__all__ = ["subnet"]


class Killed(BaseException):
    """Nothing of ours handles it, as nothing handles SIGKILL."""


class MortalPool:
    """Sessions of a worker that dies when it asks for the last of them."""

    def __init__(self, pool: asyncpg.Pool, life: int) -> None:
        self.pool = pool
        self.life = life

    def acquire(self) -> Any:
        self.life -= 1
        if self.life <= 0:
            raise Killed
        return self.pool.acquire()


class WatchedPool:
    """Sessions with something that happens once on the way to one, or on the way back when all is committed."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self.pool = pool
        self.happens: dict[str, Callable[[], object]] = {}

    @contextlib.asynccontextmanager
    async def acquire(self) -> AsyncIterator[asyncpg.Connection]:
        await self.come_to("before")
        async with self.pool.acquire() as connection:
            yield connection
        await self.come_to("behind")

    async def come_to(self, place: str) -> None:
        self.happens.pop(place, bool)()
        await asyncio.sleep(0)


def lose() -> None:
    raise ConnectionResetError


STEPS = range(1, 12)  # of an addition or a removal: read, claim, look up the name, write, note the outcome


@pytest.mark.parametrize("step", STEPS)
async def test_a_worker_that_dies_at_a_step(
    pool: asyncpg.Pool, keyring: Keyring, site: Site, subnet: Any, step: int
) -> None:
    async def die() -> None:
        mortal = Site(MortalPool(pool, step), keyring)  # type: ignore[arg-type]  # as much of a pool as a worker uses
        try:
            while True:
                await mortal.events.step()
                await mortal.sender.step()
        except Killed:
            # Its claims end by themselves, after some seconds.
            await pool.execute("update ddns_update set claimed_until = now() where claimed_until is not null")

    await site.lease("10.20.1.5", "laptop")
    await die()
    await site.settle()
    assert await site.records() == both("laptop", "10.20.1.5")
    await site.lease("10.20.1.5", "desktop")
    await die()
    await site.settle()
    assert await site.records() == both("desktop", "10.20.1.5")
    await site.lease("10.20.1.5", "desktop", state="r")
    await die()
    await site.settle()
    assert await site.records() == set()
    assert {state for _, _, state in await site.states()} <= {"applied", "superseded"}
    assert await pool.fetchval("select count(*) from ddns_owner") == 0


@pytest.mark.parametrize("step", range(1, 6))  # read, claim, look, note what was answered and release, look
async def test_a_worker_that_dies_while_it_delivers(
    pool: asyncpg.Pool, make: Any, keyring: Keyring, site: Site, subnet: Any, step: int
) -> None:
    """Each event is told, in order; what was answered and not noted comes twice, by the same ids."""
    async with Receiver().serving() as receiver:
        await site.webhook_events.step()
        await make("/webhooks", url=receiver.url, secret=SECRET, events=["lease.*"])
        for number in range(3):
            await site.lease("10.20.1.5", f"host{number}")
        mortal = Site(MortalPool(pool, step), keyring)  # type: ignore[arg-type]  # as much of a pool as a worker uses
        with contextlib.suppress(Killed):
            while True:
                await mortal.webhook_events.step()
                await mortal.webhook_sender.step()
        await pool.execute("update webhook set claimed_until = now() where claimed_until is not null")
        await site.deliver()
    names = [got.verified()["data"]["hostname"] for got in receiver.got]
    once = list(dict.fromkeys(names))
    assert once == ["host0", "host1", "host2"]
    assert names == (once * 2 if step in (3, 4) else once)
    assert len({got.headers["webhook-id"] for got in receiver.got}) == 3
    assert {state for _, state, _ in await site.deliveries()} == {"delivered"}


@pytest.mark.parametrize("lost", ["before", "behind"])
async def test_what_the_database_did_not_take_is_written_later(
    pool: asyncpg.Pool, make: Any, keyring: Keyring, site: Site, subnet: Any, lost: str
) -> None:
    """Nothing is sent again, and nothing counted twice where it had been taken after all."""
    watched = WatchedPool(pool)
    worker = Site(watched, keyring)  # type: ignore[arg-type]  # as much of a pool as a worker uses
    async with Receiver().serving() as receiver:
        await site.webhook_events.step()
        await make("/webhooks", url=receiver.url, secret=SECRET, events=["lease.*"])
        for number in range(3):
            await site.lease("10.20.1.5", f"host{number}")
        await site.webhook_events.step()
        await worker.webhook_sender.step()
        await receiver.until(3)
        watched.happens[lost] = lose
        with pytest.raises(ConnectionResetError):
            await worker.webhook_sender.step()
        await worker.deliver()
    assert len(receiver.got) == 3
    assert await site.deliveries() == [("lease.granted", "delivered", 1)] * 3
    assert worker.webhook_sender.outcomes == {"delivered": 3}
    assert await pool.fetchval("select count(*) from webhook where claimed_until is not null") == 0
    await worker.webhook_sender.close()


async def test_who_is_told_to_end_leaves_no_claim(
    pool: asyncpg.Pool, make: Any, keyring: Keyring, site: Site, subnet: Any
) -> None:
    """Also where that came when it had made one and did not know yet: others need not wait for its end."""
    async with Receiver().serving() as receiver:
        await site.webhook_events.step()
        await make("/webhooks", url=receiver.url, secret=SECRET, events=["lease.*"])
        await site.lease("10.20.1.5", "laptop")
        await site.webhook_events.step()
        watched = WatchedPool(pool)
        worker = Site(watched, keyring)  # type: ignore[arg-type]  # as much of a pool as a worker uses
        step = asyncio.create_task(worker.webhook_sender.step())
        watched.happens["behind"] = step.cancel
        with pytest.raises(asyncio.CancelledError):
            await step
        await worker.webhook_sender.close()
        assert await pool.fetchval("select claimed_until from webhook") is None
        await site.deliver()
        assert len(receiver.got) == 1


async def test_a_claim_ends_by_itself(pool: asyncpg.Pool, site: Site) -> None:
    """Not before what was begun in it is over."""
    timing = webhook_sender.Timing()
    assert timing.claim >= timing.turn + timing.attempt
    await pool.execute("insert into webhook (id, url, secret) values (gen_random_uuid(), 'http://x/', 'x')")
    await pool.execute(
        "insert into webhook_delivery (id, webhook_no, event, payload)"
        " select gen_random_uuid(), no, 'webhook.ping', '{}' from webhook"
    )
    claim = webhook_sender.SQL.claim_endpoints
    async with pool.acquire() as connection:
        asked = {"busy": [], "at_most": 5, "of_tenant": 5, "seconds": timing.claim}
        first = [row async for row in claim(connection, **asked)]
        assert len(first) == 1
        assert [row async for row in claim(connection, **asked)] == []
        await pool.execute("update webhook set claimed_until = now()")
        assert len([row async for row in claim(connection, **asked)]) == 1
        # Who comes late does not take away what is another's by now.
        late = Release(first[0]["no"], first[0]["claimed_until"], 0, 0.0)
        await webhook_outcomes.write(connection, [], [late])
        assert [row async for row in claim(connection, **asked)] == []
