"""Lists whose filters have no index: a page takes about a second of scanning, whatever the table holds.

The table is read in windows of its key, in its order, history backwards. A window grows while the scan is quick; when
the time is up the page ends where the scan does, with what was found, and its cursor goes on from there.
"""

import re
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple

from ipam_core.model.page import read_cursor, unknown_cursor
from ipam_core.services.entity.entity import Connection, Row

SCAN_SECONDS = 0.7
FIRST_WINDOW = 10_000
WINDOW_SECONDS = 0.2
GROWTH = 4
HALF_AS_MUCH_MORE = 3  # halves
NUMBER = re.compile(r"[0-9]{1,18}")

Key = tuple[Any, ...]


class Keyset(NamedTuple):
    """The unique key in whose order a table is listed: columns with their types."""

    table: str
    columns: tuple[tuple[str, str], ...]

    @property
    def names(self) -> str:
        return ", ".join(f"{self.table}.{name}" for name, _ in self.columns)

    def compared(self, operator: str, placeholder: Callable[[Any], str], key: Key) -> str:
        """Return a condition on the key; `placeholder` gives the placeholder of a value."""
        values = (f"{placeholder(value)}::{kind}" for value, (_, kind) in zip(key, self.columns, strict=True))
        return f"({self.names}) {operator} ({', '.join(values)})"

    def of(self, row: Row, names: Sequence[str]) -> Key:
        return tuple(row[name] for name in names)


class Found(NamedTuple):
    rows: list[Row]
    after: Key | None
    """The key after which the list goes on; None at its end."""


Fetch = Callable[[Key | None, Key | None, int], Awaitable[list[Row]]]
ReadBack = Callable[[int, int, int], Awaitable[list[Row]]]


class Pace:
    """Pace of the windows: how far the next one reaches, and when it is time to stop."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.began = time.monotonic()
        self.deadline = self.began + SCAN_SECONDS

    def is_over(self) -> bool:
        """Return whether the time is over; ask after each window."""
        now = time.monotonic()
        wanted = WINDOW_SECONDS / (now - self.began + 1e-6)
        self.size = max(1, int(self.size * min(GROWTH, max(0.1, wanted))))
        self.began = now
        return now > self.deadline


async def scan(
    connection: Connection, keys: Keyset, start: Key | None, limit: int, fetch: Fetch, shown: Sequence[str]
) -> Found:
    """Return rows until the page is full, the list at its end or the time up. `fetch(after, upto, n)` reads a window of
    the filtered list; `shown` are the key's names in its rows."""
    rows: list[Row] = []
    pace, after = Pace(FIRST_WINDOW), start
    while True:
        upto = await edge(connection, keys, after, pace.size)
        rows += await fetch(after, upto, limit + 1 - len(rows))
        if len(rows) > limit:
            return Found(rows[:limit], keys.of(rows[limit - 1], shown))
        if upto is None:
            return Found(rows, None)
        after = upto
        if pace.is_over():
            return Found(rows, after)


async def edge(connection: Connection, keys: Keyset, after: Key | None, size: int) -> Key | None:
    """Return the key `size` rows further on; None: the table ends before. select KEY from TABLE where (KEY) > ($2, ...)
    order by KEY offset $1 limit 1."""
    values: list[Any] = [size - 1]

    def placeholder(value: Any) -> str:
        values.append(value)
        return f"${len(values)}"

    where = "" if after is None else " where " + keys.compared(">", placeholder, after)
    query = f"select {keys.names} from {keys.table}{where} order by {keys.names} offset $1 limit 1"  # noqa: S608 - names of our own
    row = await connection.fetchrow(query, *values)
    return tuple(row.values()) if row else None


class Walked(NamedTuple):
    """Rows from the newest to the oldest; all that lies at `edge` or above it has been looked at."""

    rows: list[Row]
    edge: int


async def walk_back(read: ReadBack, top: int, bottom: int, step: int, wanted: int) -> Walked:
    """Return rows of a history, whose key is a number that only grows; `read(low, high, limit)` gives the newest rows
    in [low, high)."""
    rows: list[Row] = []
    pace, first, reach = Pace(step), top, step
    while top > bottom and len(rows) < wanted:
        low = max(bottom, top - min(reach, pace.size))
        found = await read(low, top, wanted - len(rows))
        rows, top = rows + found, low
        if pace.is_over():
            break
        reach = max(step, enough(len(rows), wanted, first - top)) if found else pace.size
    return Walked(rows, top)


def enough(found: int, wanted: int, covered: int) -> int:
    """Return how far it may be to the last row that is wanted, if rows go on to lie as densely as those that were
    found."""
    return HALF_AS_MUCH_MORE * (wanted - found) * covered // (2 * found)


def read_numbers(cursor: str, count: int) -> tuple[int, ...]:
    """Return a cursor of large numbers; they are texts in there, because a cursor's own numbers end at 31 bits. Raises
    ValidationError."""
    kinds: list[Any] = [str] * count
    parts = read_cursor(cursor, *kinds)
    if not all(NUMBER.fullmatch(part) for part in parts):
        raise unknown_cursor()
    return tuple(map(int, parts))
