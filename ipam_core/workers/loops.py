"""Loops that outlive the database: what a step cannot do now a later one does."""

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from ipam_core.db.outage import FAILED, reason

AGAIN_SECONDS = 1.0

log = structlog.get_logger("worker")

Step = Callable[[], Awaitable[bool]]


class Loop:
    """Runs a step again and again: at once while it says that more waits, else after a pause, or when it is woken."""

    def __init__(self, name: str, step: Step, pause: float) -> None:
        self.name = name
        self.step = step
        self.pause = pause
        self.woken = asyncio.Event()
        self.fault = ""

    def wake(self) -> None:
        self.woken.set()

    async def run(self) -> None:
        """Until it is cancelled."""
        while True:
            self.woken.clear()
            more = False
            try:
                more = await self.step()
                self.fault = ""
            except FAILED as error:
                if not self.fault:
                    log.warning("cannot go on for now", loop=self.name, error=reason(error))
                self.fault = reason(error)
            if not more:
                await self.rest(AGAIN_SECONDS if self.fault else self.pause)

    async def rest(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self.woken.wait()
        except TimeoutError:
            return
