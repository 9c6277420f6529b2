"""`ipam notifications test` and `ipam webhooks test` beside a worker: they wait for the outcome."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cli.serving import Served, ipam, serving
from workers.receiver import Got, Receiver, Reply
from workers.test_process import until, worker

__all__ = ["worker"]


@pytest.fixture
def settings() -> dict[str, str]:
    return {"outbound_allow": "127.0.0.0/8"}


@pytest.fixture
def served(database: str, tmp_path: Path) -> Iterator[Served]:
    with serving(database, tmp_path, outbound_allow="127.0.0.0/8") as found:
        yield found


async def test_the_commands_wait_for_the_outcome(served: Served, worker: Any, pool: Any) -> None:
    """Exit status 0 if it was delivered, 1 with the reason if not; without a worker they do not wait."""
    status = 200

    def decide(_: Got) -> Reply:
        return Reply(status, body=b"said by the chat")

    def typed(*arguments: str, status: int = 0) -> Any:
        return asyncio.to_thread(ipam, served, *arguments, status=status)

    async with Receiver(decide).serving() as receiver:
        await typed("create", "notifications", "name=chat", "kind=slack", f"url={receiver.url}")
        await typed("create", "webhooks", f"url={receiver.url}")
        waiting = await typed("notifications", "test", "chat", status=1)
        assert "Does a worker run (ipam nodes)?" in waiting.stdout
        assert receiver.got == []
        worker()

        async def lives() -> bool:
            return bool(
                await pool.fetchval("select count(*) from node where role = 'worker' and state = 'ready'")
            )

        await until(lives)
        await receiver.until(1)
        for family, name in (("notifications", "chat"), ("webhooks", receiver.url)):
            assert (await typed(family, "test", name)).stdout.startswith("delivered ")
        status = 404
        for family, name in (("notifications", "chat"), ("webhooks", receiver.url)):
            told = await typed(family, "test", name, status=1)
            assert told.stdout.startswith("not delivered ")
            assert "404" in told.stdout
        assert "failed" in (await typed("notifications", "deliveries", "chat")).stdout
