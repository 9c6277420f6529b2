"""Who follows this host's interfaces: each follower is called, whatever the others do, and what keeps changing is read
less and less often."""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress

import pytest

from dhcp_fast.net.links import Links, read_links
from dhcp_fast.server import link_watch
from dhcp_fast.server.link_watch import CALM_SECONDS, FIRST_PAUSE, LONGEST_PAUSE, LinkWatch


async def test_a_follower_that_fails_is_called_again_and_the_others_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(link_watch, "AGAIN_SECONDS", 0.01)
    watch, calls = LinkWatch(), {"good": 0, "bad": -1}

    def bad(_: Links) -> None:
        calls["bad"] += 1
        if calls["bad"]:
            raise OSError("of a test")

    def good(_: Links) -> None:
        calls["good"] += 1

    watch.follow("bad", bad)
    watch.follow("good", good)
    await run_until(watch, lambda: calls["bad"] > 1 and calls["good"] > 1)


async def test_interfaces_that_cannot_be_read_are_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_watch, "AGAIN_SECONDS", 0.01)
    monkeypatch.setattr(link_watch, "LONGEST_PAUSE", 0.01)
    watch, tried = LinkWatch(), []

    def fail_first() -> Links:
        tried.append(1)
        if len(tried) < 3:
            raise OSError("of a test")
        return read_links()

    monkeypatch.setattr(link_watch, "read_links", fail_first)
    await run_until(watch, lambda: len(tried) > 3)


async def test_a_kernel_that_keeps_a_reading_waiting_delays_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its lock for interfaces is that of all network namespaces. Packets are served meanwhile, and the next reading is
    not put off for the wait."""
    monkeypatch.setattr(link_watch, "AGAIN_SECONDS", 0.01)
    watch, readings, steps = LinkWatch(), [], []

    def read_late() -> Links:
        readings.append(1)
        time.sleep(0.2)  # as the kernel does
        return read_links()

    async def serve() -> None:
        while True:
            began = time.monotonic()
            await asyncio.sleep(0.01)
            steps.append(time.monotonic() - began)

    monkeypatch.setattr(link_watch, "read_links", read_late)
    serving = asyncio.create_task(serve())
    await run_until(watch, lambda: len(readings) >= 4)
    serving.cancel()
    assert watch.spent < 0.2
    assert sorted(steps)[len(steps) // 2] < 0.1
    assert len(steps) > 50


def test_what_keeps_changing_is_read_less_often() -> None:
    watch = LinkWatch()
    try:
        pauses = []
        for second in range(8):
            watch.note(changed=True, now=100.0 + second)
            pauses.append(watch.pause)
        assert pauses == [0.1, 0.2, 0.4, 0.8, LONGEST_PAUSE, LONGEST_PAUSE, LONGEST_PAUSE, LONGEST_PAUSE]
        watch.note(changed=False, now=107.0 + CALM_SECONDS)
        assert watch.pause == LONGEST_PAUSE
        watch.note(changed=False, now=107.1 + CALM_SECONDS)
        assert watch.pause == FIRST_PAUSE
    finally:
        watch.announcements.close()


async def run_until(watch: LinkWatch, reached: Callable[[], bool]) -> None:
    running = asyncio.create_task(watch.run())
    try:
        async with asyncio.timeout(30):
            while not reached():  # noqa: ASYNC110 - a watch tells nobody that it has read
                await asyncio.sleep(0.01)
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
