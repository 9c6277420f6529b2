"""The log of refused requests: who was not let in, or asks too much.

Each source has a few lines a minute, so that junk of one does not hide a refusal of another: tokens that are known by
themselves, everybody else by address. A source that has had its lines is counted; so are sources that come when very
many had theirs. A minute's end tells how many refusals were left out, and whose were the most.
"""

import time
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import structlog

log = structlog.get_logger("api")

REFUSED = {401: "unauthorized", 403: "forbidden", 429: "rate_limited"}
OF_ONE = 5
REPEATED = 60
"""Lines a minute of sources that had one already."""
SOURCES = 300
"""That are told apart; each has its first line."""
TOLD = 5
OTHERS = "others"
MINUTE = 60.0


class Minute:
    """Lines that were logged and left out in one minute for one kind of source."""

    def __init__(self) -> None:
        self.lines: Counter[str] = Counter()
        self.left_out: Counter[str] = Counter()

    def admits(self, source: str) -> bool:
        """Return whether a refusal of the source is logged; it is counted either way."""
        known = source in self.lines
        repeated = self.lines.total() - len(self.lines)
        fits = (self.lines[source] < OF_ONE and repeated < REPEATED) if known else len(self.lines) < SOURCES
        if fits:
            self.lines[source] += 1
        else:
            self.left_out[source if known else OTHERS] += 1
        return fits


class Refusals:
    """Logs refusals, of known tokens apart from all others."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.begin()

    def begin(self) -> None:
        self.began = self.clock()
        self.kinds = {True: Minute(), False: Minute()}

    def note(self, status: int, told: Mapping[str, Any], source: str, known: bool) -> None:
        """Log a refusal of `source`: a token's id if it is `known`, else an address."""
        if self.clock() >= self.began + MINUTE:
            self.tell_left_out()
            self.begin()
        if self.kinds[known].admits(source):
            log.warning("refused", status=status, code=REFUSED[status], **told)

    def tell_left_out(self) -> None:
        for minute in self.kinds.values():
            if minute.left_out:
                most = dict(minute.left_out.most_common(TOLD))
                log.warning("refusals_left_out", refusals=minute.left_out.total(), most=most)
