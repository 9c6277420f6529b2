"""A worker that dies at any of its steps: nothing is lost, and what is done twice does no harm."""

import contextlib
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
    assert await pool.fetchval("select count(*) from ddns_name") == 0


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
        asked = {"busy": [], "at_most": 5, "seconds": timing.claim}
        first = [row async for row in claim(connection, **asked)]
        assert len(first) == 1
        assert [row async for row in claim(connection, **asked)] == []
        await pool.execute("update webhook set claimed_until = now()")
        assert len([row async for row in claim(connection, **asked)]) == 1
        # Who comes late does not take away what is another's by now.
        late = Release(first[0]["no"], first[0]["claimed_until"], 0, 0.0)
        await webhook_outcomes.write(connection, [], [late])
        assert [row async for row in claim(connection, **asked)] == []
