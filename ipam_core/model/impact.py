"""Further effects of a change, which a dry run reports and does not perform."""

from typing import Any, Generic, TypeVar

import msgspec

T = TypeVar("T")
SHOWN = 100


class Counted(msgspec.Struct, Generic[T], frozen=True):
    """Number of objects, and the first hundred of them."""

    count: int
    """Number of objects."""

    items: list[T]
    """The first hundred objects."""


class RefusedLease(msgspec.Struct, kw_only=True, frozen=True):
    """Active lease that the server would refuse at the next renewal because of the change. `reason`: why."""

    id: str
    ip: str
    """Leased address, or the first address of the prefix."""

    prefix_length: int
    """Length of the leased prefix; 32 or 128: an address."""

    mac: str | None
    duid: str | None
    """DHCPv6 identity of the client, octets in hexadecimal. Null: unknown."""

    hostname: str | None
    expires_at: str | None
    """When the lease expires if it is not renewed (RFC 3339). Null: never."""

    reason: str
    """Reason for which the server would refuse the lease."""


class FallenReservation(msgspec.Struct, kw_only=True, frozen=True):
    """Reservation that would be deleted."""

    id: str
    ip: str | None
    """Reserved address. Null: none."""

    mac: str | None
    duid: str | None
    hostname: str | None


class FallenRecord(msgspec.Struct, kw_only=True, frozen=True):
    """DNS record that would be deleted or withdrawn because its source is deleted. `source`: static, or that
    source."""

    name: str
    """Fully qualified name."""

    type: str
    """Record type, such as A."""

    data: str
    """Data of the record, such as an address."""

    source: str
    """static, or the source of the record: lease, assignment, reservation."""


class Impact(msgspec.Struct, kw_only=True, frozen=True):
    leases: Counted[RefusedLease]
    """Active leases that the server would refuse at their next renewal."""

    reservations: Counted[FallenReservation]
    """Reservations that would be deleted."""

    records: Counted[FallenRecord]
    """DNS records that would be deleted or withdrawn because their source is deleted."""


class Rehearsal(msgspec.Struct, kw_only=True, frozen=True):
    """Result of a dry run: the status and body that the request would be answered with."""

    status: int
    """HTTP status that the request would have."""

    body: Any
    """Body that the request would be answered with. Null: none."""

    impact: Impact
    """Further effects of the request."""
