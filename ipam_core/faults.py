"""Exceptions that stay with the item that caused them: other items are served, and the fault is counted.

Loops over queries, packets, rows, events and deliveries catch what one item raises and report it here. The log gets one
line a minute for each place and type of exception, with the number of those in between, so that nobody can fill a disk
with a bad packet. An item that would be tried again rests first, longer each time.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Hashable
from typing import Any

import structlog
from prometheus_client.core import CounterMetricFamily

EVERY_SECONDS = 60.0
FIRST_REST = 1.0
LONGEST_REST = 60.0
MOST_RESTING = 10_000
MOST_KINDS = 1_000

Kind = tuple[str, str]  # place and type of exception, both names in the source and therefore few
Clock = Callable[[], float]

log = structlog.get_logger("fault")


class Faults:
    """Faults that were caught in one process; `clock` counts seconds."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self.clock = clock
        self.counts: Counter[Kind] = Counter()
        self.logged: dict[Hashable, tuple[float, int]] = {}  # when last, and how many came since then
        self.failing: dict[str, str] = {}  # loops whose last step failed, and how

    def due(self, kind: Hashable) -> int | None:
        """Return how many of this kind came since one was logged; None: one was logged less than a minute ago."""
        now = self.clock()
        if kind not in self.logged and len(self.logged) >= MOST_KINDS:
            kind = "others"
        when, suppressed = self.logged.get(kind, (now - EVERY_SECONDS, 0))
        if now - when < EVERY_SECONDS:
            self.logged[kind] = when, suppressed + 1
            return None
        self.logged[kind] = now, 0
        return suppressed

    def caught(self, place: str, error: BaseException, **facts: object) -> None:
        """Count an exception and log it, unless its kind was logged less than a minute ago. `place` is a constant;
        `facts` name the item and contain no secret."""
        kind = place, type(error).__name__
        self.counts[kind] += 1
        suppressed = self.due(kind)
        if suppressed is not None:
            log.error("fault", place=place, suppressed=suppressed, exc_info=error, **facts)

    def fails(self, loop: str, error: BaseException) -> None:
        """Record that a step of a loop failed in an unforeseen way. It is reported until `works`."""
        self.caught(loop, error)
        self.failing[loop] = type(error).__name__

    def works(self, loop: str) -> None:
        self.failing.pop(loop, None)

    def warnings(self) -> list[str]:
        """Return the failing loops, for /readyz."""
        return [f"degraded: {loop} fails ({error}); see the log" for loop, error in self.failing.items()]

    def family(self) -> CounterMetricFamily:
        """Return the counts, for every page of metrics."""
        text = "Exceptions caught because one item caused them, by place and type."
        found = CounterMetricFamily("ipam_faults", text, labels=["place", "error"])
        for (place, error), count in sorted(self.counts.items()):
            found.add_metric([place, error], count)
        return found


class Rests:
    """Pauses of a loop after each step that failed: a second, doubling up to a minute."""

    def __init__(self) -> None:
        self.seconds = FIRST_REST

    def next(self) -> float:
        seconds, self.seconds = self.seconds, min(self.seconds * 2, LONGEST_REST)
        return seconds

    def end(self) -> None:
        """Record that a step has succeeded."""
        self.seconds = FIRST_REST


class Resting:
    """Items that failed, by any key, and until when each is left alone, as a loop that fails."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self.clock = clock
        self.items: dict[Hashable, tuple[float, Rests]] = {}  # until when

    def rest(self, key: Hashable) -> None:
        _, rests = self.items.pop(key, (0.0, Rests()))
        if len(self.items) >= MOST_RESTING:
            self.items.pop(next(iter(self.items)))
        self.items[key] = self.clock() + rests.next(), rests

    def rests(self, key: Hashable) -> bool:
        return key in self.items and self.clock() < self.items[key][0]

    def keys(self) -> list[Any]:
        """Return the items that are left alone now."""
        return [key for key in self.items if self.rests(key)]

    def forget(self, key: Hashable) -> None:
        self.items.pop(key, None)


async def outlive(loop: str, run: Callable[[], Awaitable[None]]) -> None:
    """Run an endless task, and restart it after a rest when it fails with an unexpected exception. Other tasks
    continue. It ends only where `run` does."""
    rests = Rests()
    while True:
        began = faults.clock()
        try:
            await run()
        except Exception as error:  # noqa: BLE001 - as above
            faults.fails(loop, error)
        else:
            return
        if faults.clock() - began > LONGEST_REST:
            rests.end()
        await asyncio.sleep(rests.next())
        faults.works(loop)


faults = Faults()
caught, due, family = faults.caught, faults.due, faults.family
