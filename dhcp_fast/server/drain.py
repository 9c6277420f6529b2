"""A server that is taken out of service (`POST /nodes/{id}/drain`), before a maintenance of its host, say.

From then on it offers nothing, while it still answers who takes an offer of its own, renews or gives back. When its
last offer has lapsed it hears nobody any more and is `stopped` among the nodes; its clients go to the other servers.
The process stays until somebody ends it, since whatever started it would start it again: started anew it serves.
"""

import time

import structlog

DRAIN_SECONDS = 30.0  # how long an offer may be open

DRAINING = "it drains: it offers nothing, and renews leases for a while"
STOPPED = "it was drained, and serves again when it is started anew"

log = structlog.get_logger()


class Drain:
    """`note` some times a second whether that is asked."""

    def __init__(self) -> None:
        self.until: float | None = None
        self.stopped = False

    def note(self, asked: bool) -> None:
        if asked and self.until is None:
            self.until = time.monotonic() + DRAIN_SECONDS
            log.info("drains")

    @property
    def begun(self) -> bool:
        return self.until is not None

    def is_over(self) -> bool:
        """Once: it is time to stop."""
        if self.until is None or self.stopped or time.monotonic() < self.until:
            return False
        self.stopped = True
        log.info("drained")
        return True

    def reason(self) -> str:
        """Why it is not ready; empty when it was never asked."""
        return STOPPED if self.stopped else DRAINING if self.begun else ""
