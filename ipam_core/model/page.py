"""A page of a list, and the cursor that names where the next one starts.

The cursor is the key of the last row shown, so a list stays right while rows are added and removed. It is
opaque to clients: base64url of the key's JSON.
"""

import base64
import binascii
from typing import Any, Generic, TypeVar

import msgspec

from ipam_core.errors import ValidationError

T = TypeVar("T")

DEFAULT_LIMIT = 50
MAX_LIMIT = 1000


class Page(msgspec.Struct, Generic[T], frozen=True):
    items: list[T]
    """Objects of this page. There may be fewer than `limit` although more follow."""

    next_cursor: str | None
    """Query parameter `cursor` of the next page. Null: this is the last page."""


def write_cursor(*key: Any) -> str:
    return base64.urlsafe_b64encode(msgspec.json.encode(key)).rstrip(b"=").decode()


def read_cursor(text: str, *kinds: type) -> tuple[Any, ...]:
    try:
        data = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        key: tuple[Any, ...] = msgspec.json.decode(data, type=tuple[kinds])  # type: ignore[valid-type]  # made at run time
        if all(map(storable, key)):
            return key
    except (binascii.Error, ValueError, RecursionError, msgspec.MsgspecError):
        pass
    raise unknown_cursor()


def unknown_cursor() -> ValidationError:
    return ValidationError("cursor", "is not a cursor of this list; start without one")


def storable(part: Any) -> bool:
    """Return whether the database could hold it: a cursor made by somebody else must not fail there."""
    if isinstance(part, int):
        return -(2**31) <= part < 2**31
    return not isinstance(part, str) or "\x00" not in part


def read_limit(text: str | None) -> int:
    """Return the limit, at most the maximum. Raises ValidationError for a text that is no positive whole number."""
    if text is None:
        return DEFAULT_LIMIT
    if not text.isascii() or not text.isdecimal() or not text.strip("0"):
        raise ValidationError("limit", f"must be a whole number from 1 to {MAX_LIMIT}")
    return MAX_LIMIT if len(text.lstrip("0")) > 4 else min(int(text), MAX_LIMIT)
