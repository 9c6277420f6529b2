"""A worker that dies at any of its steps: nothing is lost, and what is done twice does no harm."""

from typing import Any

import asyncpg
import pytest
from workers.site import Site
from workers.test_ddns import both, subnet

from ipam_core.secrets import Keyring

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
