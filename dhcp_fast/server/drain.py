"""A server that is taken out of service (`POST /nodes/{id}/drain`), for example before maintenance
of its host.

It makes no more offers, but still answers clients that accept an earlier one, renew or release.
When its last offer has expired it discards all packets and is `stopped` among the nodes; its
clients use the other servers. The process continues with its heartbeat: `POST /nodes/{id}/undrain`
or a restart returns it to service.
"""

import time

import structlog

DRAIN_SECONDS = 30.0  # how long an offer may be open

DRAINING = "draining: no offers; leases are renewed for a while"
STOPPED = "drained: serves again after an undrain or a restart"

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
        elif not asked and self.until is not None:
            self.until, self.stopped = None, False
            log.info("serving again after a drain")

    @property
    def begun(self) -> bool:
        return self.until is not None

    def is_over(self) -> bool:
        """Return whether it is time to answer nobody."""
        if self.until is None or time.monotonic() < self.until:
            return False
        if not self.stopped:
            self.stopped = True
            log.info("drained")
        return True

    def reason(self) -> str:
        """Return why it is not ready; empty when it is not asked to drain."""
        return STOPPED if self.stopped else DRAINING if self.begun else ""
