"""Walking back through history, newest first, where no index serves the filter.

History is read in windows of its key (a moment, a number), each wider than the one before as long as that is
quick. After a second the page is answered as it is, and its cursor says where the next one goes on.
"""

import re
import time
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from ipam_core.errors import ValidationError
from ipam_core.model.page import read_cursor
from ipam_core.services.noun import Row

SECONDS = 1.0
QUICK_SECONDS = 0.1
GROWTH = 4
NUMBER = re.compile(r"[0-9]{1,18}")

Read = Callable[[int, int, int], Awaitable[list[Row]]]


class Walked(NamedTuple):
    """Rows from the newest to the oldest; all that lies at `edge` or above it has been looked at."""

    rows: list[Row]
    edge: int


async def walk_back(read: Read, top: int, bottom: int, step: int, wanted: int) -> Walked:
    """`read(low, high, limit)` gives the newest rows whose key is in [low, high)."""
    rows: list[Row] = []
    began = last = time.monotonic()
    while top > bottom and len(rows) < wanted:
        low = max(bottom, top - step)
        rows += await read(low, top, wanted - len(rows))
        top, now = low, time.monotonic()
        step = step * GROWTH if now - last < QUICK_SECONDS else max(1, step // 2)
        last = now
        if last - began >= SECONDS:
            break
    return Walked(rows, top)


def read_numbers(cursor: str, count: int) -> tuple[int, ...]:
    """A cursor of large numbers; they are texts in there, because a cursor's own numbers end at 31 bits."""
    kinds: list[Any] = [str] * count
    parts = read_cursor(cursor, *kinds)
    if not all(NUMBER.fullmatch(part) for part in parts):
        raise ValidationError("cursor", "is not one that this list gave")
    return tuple(map(int, parts))
