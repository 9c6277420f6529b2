"""Descriptions that are made when they are first asked for."""

import asyncio

import pytest

from api.openapi.documents import Once


async def test_requests_that_come_meanwhile_wait_for_the_same() -> None:
    """Also if the first of them has gone by then."""
    begun: list[asyncio.Event] = []

    async def make() -> int:
        begun.append(asyncio.Event())
        await begun[-1].wait()
        return len(begun)

    once = Once(make)
    first, second = asyncio.ensure_future(once()), asyncio.ensure_future(once())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    first.cancel()
    begun[0].set()
    assert (await second, await once(), len(begun)) == (1, 1, 1)


async def test_what_failed_is_made_again() -> None:
    faults = [RuntimeError("can't start new thread")]

    async def make() -> str:
        if faults:
            raise faults.pop()
        return "made"

    once = Once(make)
    with pytest.raises(RuntimeError):
        await once()
    assert await once() == "made"
