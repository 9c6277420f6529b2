"""The log of refused requests: who was not let in, or asks too much.

At most so many lines a minute, because whoever is refused could otherwise fill the disk; how many were left out is
said by the next line.
"""

import time
from collections.abc import Callable, Mapping
from typing import Any

import structlog

log = structlog.get_logger("api")

REFUSED = {401: "unauthorized", 403: "forbidden", 429: "rate_limited"}
LINES = 60
MINUTE = 60.0


class Refusals:
    """Counts the lines of this minute."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.began = clock()
        self.lines = 0
        self.left_out = 0

    def note(self, status: int, told: Mapping[str, Any]) -> None:
        now = self.clock()
        if now >= self.began + MINUTE:
            self.began, self.lines = now, 0
        if self.lines == LINES:
            self.left_out += 1
            return
        self.lines += 1
        more = {"left_out": self.left_out} if self.left_out else {}
        self.left_out = 0
        log.warning("refused", status=status, code=REFUSED[status], **told, **more)
