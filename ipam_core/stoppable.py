"""Work in a thread that ends with the request that asked for it.

A thread cannot be canceled from outside. So the work calls `step()` often, and the first call after its request has
ended raises `Stopped`. A step takes milliseconds at most; the cancellation of a request waits for that one step.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")

THREADS = 2
"""More would only compete for the interpreter, and with the requests that the event loop serves."""
executor = ThreadPoolExecutor(THREADS, "request")


class Stopped(Exception):
    """The request that asked for this work has ended."""


class Steps:
    """The pace of one piece of work, and whether it still has a request."""

    def __init__(self) -> None:
        self.stopped = False

    def step(self) -> None:
        """Raise Stopped when nobody waits for the result any more."""
        if self.stopped:
            raise Stopped


async def in_thread(work: Callable[[Steps], T]) -> T:
    """Return what `work` returns; when the caller is canceled, the thread has ended before this returns."""
    steps = Steps()
    running = executor.submit(work, steps)
    try:
        return await asyncio.wrap_future(running)
    except asyncio.CancelledError:
        steps.stopped = True
        if not running.cancel():
            await asyncio.wait([asyncio.wrap_future(running)])
        raise
