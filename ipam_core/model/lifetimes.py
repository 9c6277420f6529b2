"""Lease times in seconds, of which the greatest number never ends (RFC 2131 section 3.3, RFC 8415 section 7.7).

What is longer than 68 years and ends would be written as a time that some clients and databases cannot reach: such
numbers are refused. A column is an integer of 32 bits with a sign, where -1 has the bits of the infinite one.
"""

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta

from ipam_core.errors import ValidationError

INFINITE = 2**32 - 1
LONGEST = 2**31 - 1
STORED_INFINITE = -1

Lifetime = Annotated[int, Meta(ge=1, le=INFINITE)]

FIELDS = (
    "lease_time_seconds",
    "min_lease_time_seconds",
    "max_lease_time_seconds",
    "renew_time_seconds",
    "rebind_time_seconds",
    "preferred_lifetime_seconds",
)


def check_lifetimes(fields: object) -> None:
    """Raise ValidationError for a time that is neither at most LONGEST nor INFINITE."""
    for name in FIELDS:
        seconds = getattr(fields, name)
        if seconds is not None and LONGEST < seconds < INFINITE:
            raise ValidationError(
                name, f"must be at most {LONGEST}, or {INFINITE} for an infinite lease time"
            )


def columns_of(fields: object) -> Mapping[str, int | None]:
    """Return the lifetimes as their columns hold them."""
    return {name: stored(getattr(fields, name)) for name in FIELDS}


def share(seconds: int, part: float) -> int:
    """Return a part of a time, between 0 and 1: an infinite one has infinite parts (RFC 8415 section 7.7)."""
    return INFINITE if seconds == INFINITE else int(seconds * part)


def of_others(seconds: int) -> int:
    """Return a time of another server's configuration: beyond LONGEST it never ends."""
    return INFINITE if seconds > LONGEST else seconds


def stored(seconds: int | None) -> int | None:
    return STORED_INFINITE if seconds == INFINITE else seconds


def shown(column: Any) -> Any:
    """Return a column's number as the API has it."""
    return INFINITE if column == STORED_INFINITE else column
