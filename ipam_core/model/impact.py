"""What a change would do beside what it says: told by a dry run, which changes nothing."""

from typing import Any, Generic, TypeVar

import msgspec

T = TypeVar("T")
SHOWN = 100


class Counted(msgspec.Struct, Generic[T], frozen=True):
    """How many there are, and the first hundred of them."""

    count: int
    items: list[T]


class RefusedLease(msgspec.Struct, kw_only=True, frozen=True):
    """An active lease that the server would refuse to renew, and would have renewed before; `reason` says why."""

    id: str
    ip: str
    prefix_length: int
    mac: str | None
    duid: str | None
    hostname: str | None
    expires_at: str | None
    reason: str


class FallenReservation(msgspec.Struct, kw_only=True, frozen=True):
    """A reservation that would be deleted."""

    id: str
    ip: str | None
    mac: str | None
    duid: str | None
    hostname: str | None


class FallenRecord(msgspec.Struct, kw_only=True, frozen=True):
    """A DNS record that would be deleted, or withdrawn because what it follows falls. `source`: static, or that."""

    name: str
    type: str
    data: str
    source: str


class Impact(msgspec.Struct, kw_only=True, frozen=True):
    leases: Counted[RefusedLease]
    reservations: Counted[FallenReservation]
    records: Counted[FallenRecord]


class Rehearsal(msgspec.Struct, kw_only=True, frozen=True):
    """What a dry run of one request is answered: the status and body that the request would have been answered by."""

    status: int
    body: Any
    impact: Impact
