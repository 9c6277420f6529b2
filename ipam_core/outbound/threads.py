"""Calls that block and cannot be canceled: lookups of names, and Kerberos.

Each runs in a daemon thread, so that it keeps neither the event loop nor the end of the process waiting. A caller that
gives up leaves its thread running, so the thread, not the caller, holds the tenant's place: names whose server never
answers use up the places of their own tenant only.
"""

import asyncio
import threading
from collections import defaultdict
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")

MOST = 256
MOST_OF_TENANT = 8


class Threads:
    """Runs calls in threads, a few for each tenant (None: objects without one) at a time."""

    def __init__(self, most: int = MOST, of_tenant: int = MOST_OF_TENANT) -> None:
        self.places = asyncio.Semaphore(most)
        self.of_tenant: dict[int | None, asyncio.Semaphore] = defaultdict(
            lambda: asyncio.Semaphore(of_tenant)
        )

    async def run(self, tenant_no: int | None, call: Callable[[], T]) -> T:
        """Return or raise what the call does."""
        mine = self.of_tenant[tenant_no]
        await mine.acquire()
        try:
            await self.places.acquire()
        except BaseException:
            mine.release()
            raise
        return await self.start(call, mine)

    def start(self, call: Callable[[], T], mine: asyncio.Semaphore) -> "asyncio.Future[T]":
        loop = asyncio.get_running_loop()
        done: asyncio.Future[T] = loop.create_future()

        def ended(settle: Callable[[Any], None], found: Any) -> None:
            mine.release()
            self.places.release()
            if not done.done():
                settle(found)

        def run() -> None:
            try:
                found = call()
            except BaseException as error:  # noqa: BLE001 - it is raised where the call is awaited
                hand_over(loop, ended, done.set_exception, error)
            else:
                hand_over(loop, ended, done.set_result, found)

        threading.Thread(target=run, name="outbound", daemon=True).start()
        return done


def hand_over(loop: asyncio.AbstractEventLoop, *call: Any) -> None:
    """Call on a loop that may have ended meanwhile."""
    try:
        loop.call_soon_threadsafe(*call)
    except RuntimeError:
        return
