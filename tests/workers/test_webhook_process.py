"""Webhooks by `ipam worker` as a process: from a commit to a receiver; one worker of two is killed."""

import signal
import time
from typing import Any

import asyncpg
import pytest
from workers.receiver import SECRET, Receiver
from workers.site import Site
from workers.test_process import subnet, until, worker

__all__ = ["subnet", "worker"]

EVENTS = 60
PROMISED_SECONDS = 1.0


@pytest.fixture
def settings() -> dict[str, str]:
    return {"webhook_allow": "127.0.0.0/8"}


async def test_it_delivers_and_another_one_goes_on(
    pool: asyncpg.Pool, make: Any, site: Site, subnet: Any, worker: Any
) -> None:
    """In under a second; whatever the killed one had in hand comes, again where it was not noted yet."""
    first = worker()
    async with Receiver().serving() as receiver:

        async def has_begun() -> bool:
            return bool(await pool.fetchval("select count(*) from worker_cursor where name = 'webhooks'"))

        await until(has_begun)
        await make("/webhooks", url=receiver.url, secret=SECRET, events=["lease.*"])
        began = time.monotonic()
        await site.lease("10.20.1.5", "host0")
        await receiver.until(1)
        took = [time.monotonic() - began]
        for number in range(1, 4):
            began = time.monotonic()
            await site.lease("10.20.1.5", f"host{number}")
            await receiver.until(number + 1)
            took.append(time.monotonic() - began)
        assert min(took) < PROMISED_SECONDS, took

        async def is_counted() -> bool:
            return float(first.metric("ipam_webhook_attempts_total")) == 4

        await until(is_counted)
        page = first.page("/metrics")[1]
        assert 'ipam_webhook_deliveries{state="pending"} 0.0' in page
        assert "ipam_webhook_lag_seconds 0.0" in page
        assert "ipam_webhook_enqueued_total 4.0" in page
        worker()
        for number in range(4, EVENTS):
            await site.lease("10.20.1.5", f"host{number}")
            if number == EVENTS // 2:
                first.end(signal.SIGKILL)
                # What it had claimed ends by itself, which takes its time.
                await pool.execute("update webhook set claimed_until = now() where claimed_until is not null")

        async def all_delivered() -> bool:
            states = await pool.fetch("select state, count(*) from webhook_delivery group by state")
            return [tuple(row) for row in states] == [("delivered", EVENTS)]

        await until(all_delivered)
    names = [got.verified()["data"]["hostname"] for got in receiver.got]
    assert list(dict.fromkeys(names)) == [f"host{number}" for number in range(EVENTS)]
    assert [names.count(f"host{number}") for number in range(4)] == [1] * 4  # those that were counted
