"""Results of a run so far, and its end: with all that there is, with its limit or its time, or by a fault.

A fault at the very beginning is the answer. A later one stands among the errors, with what was done before it and with
the cursor of where to go on.
"""

from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

from ipam_core.errors import IpamError, Unavailable, ValidationError
from ipam_core.model.netbox import (
    MadePrefix,
    NetBoxCommand,
    NetBoxFailure,
    NetBoxResult,
    Reason,
    SkippedPrefix,
)
from ipam_core.services.entity.entity import Connection

# With one request more, less than clients are used to wait.
SECONDS = 12.0

T = TypeVar("T")


class WithSession(Protocol):
    """Work with a session of the database, repeated where others were in the way."""

    async def __call__(self, work: Callable[[Connection], Awaitable[T]]) -> T: ...


class Run:
    def __init__(self, wanted: NetBoxCommand) -> None:
        self.wanted = wanted
        self.looked_at = 0
        self.created: list[MadePrefix] = []
        self.skipped: list[SkippedPrefix] = []
        self.errors: list[NetBoxFailure] = []

    @property
    def left(self) -> int:
        """How many prefixes may still be looked at."""
        return self.wanted.limit - self.looked_at

    def skip(
        self, cidr: str, reason: Reason, detail: str, *, id_: str | None = None, netbox_id: int | None = None
    ) -> None:
        self.skipped.append(SkippedPrefix(cidr, id_, netbox_id, reason, detail))

    def fail(self, cidr: str, detail: str) -> None:
        self.errors.append(NetBoxFailure(cidr, "cidr", detail))

    def end_by(self, error: IpamError) -> None:
        """Raise it if nothing came of the run before."""
        if not (self.looked_at or self.created) or not isinstance(error, ValidationError | Unavailable):
            raise error
        field = error.field if isinstance(error, ValidationError) else "url"
        self.errors.append(NetBoxFailure(None, field, str(error)))

    def result(self, cursor: str | None) -> NetBoxResult:
        return NetBoxResult(
            self.wanted.dry_run, self.looked_at, self.created, self.skipped, self.errors, cursor
        )
