"""Loops that outlive the database: what a step cannot do now a later one does. A step that fails in a way nobody
foresaw rests, longer each time; only what no later step finds right (FATAL) ends the worker."""

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from ipam_core import faults
from ipam_core.db.outage import FAILED, reason
from ipam_core.errors import FATAL
from ipam_core.faults import Rests

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
        self.rests = Rests()

    def wake(self) -> None:
        self.woken.set()

    async def run(self) -> None:
        """Run until cancelled."""
        while True:
            self.woken.clear()
            more = False
            try:
                more = await self.step()
                self.fault = ""
                self.rests.end()
            except FAILED as error:
                if not self.fault:
                    log.warning("loop stopped by an error; retrying", loop=self.name, error=reason(error))
                self.fault = reason(error)
            except FATAL:
                raise
            except Exception as error:  # noqa: BLE001 - the other loops go on
                faults.caught(f"worker {self.name}", error)
                self.fault = f"{type(error).__name__}; see the log"
                await asyncio.sleep(self.rests.next())
            if not more:
                await self.rest(AGAIN_SECONDS if self.fault else self.pause)

    async def rest(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self.woken.wait()
        except TimeoutError:
            return
