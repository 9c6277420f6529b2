"""What a change would do beside what it says: told by a dry run, which changes nothing."""

from typing import Any, Generic, TypeVar

import msgspec

T = TypeVar("T")
SHOWN = 100


class Counted(msgspec.Struct, Generic[T], frozen=True):
    """Number of objects, and the first hundred of them."""

    count: int
    items: list[T]


class RefusedLease(msgspec.Struct, kw_only=True, frozen=True):
    """Active lease that the server would refuse at the next renewal because of the change. `reason`: why."""

    id: str
    ip: str
    prefix_length: int
    mac: str | None
    duid: str | None
    hostname: str | None
    expires_at: str | None
    reason: str


class FallenReservation(msgspec.Struct, kw_only=True, frozen=True):
    """Reservation that would be deleted."""

    id: str
    ip: str | None
    mac: str | None
    duid: str | None
    hostname: str | None


class FallenRecord(msgspec.Struct, kw_only=True, frozen=True):
    """DNS record that would be deleted or withdrawn because its source is deleted. `source`: static, or that
    source."""

    name: str
    type: str
    data: str
    source: str


class Impact(msgspec.Struct, kw_only=True, frozen=True):
    leases: Counted[RefusedLease]
    reservations: Counted[FallenReservation]
    records: Counted[FallenRecord]


class Rehearsal(msgspec.Struct, kw_only=True, frozen=True):
    """Result of a dry run: the status and body that the request would be answered with."""

    status: int
    body: Any
    impact: Impact
