"""Public identifiers: UUIDv7 (RFC 9562 5.7), made here and nowhere else.

The first 48 bits are milliseconds, so that ids of one table grow with time and its index stays dense; the
rest is random. To a client an id is an opaque string: one that is no UUID names nothing.
"""

import os
import time
from uuid import UUID


def new_id() -> UUID:
    milliseconds = time.time_ns() // 1_000_000
    random = int.from_bytes(os.urandom(10), "big")
    high = (milliseconds & 0xFFFF_FFFF_FFFF) << 16 | 0x7000 | random >> 68
    low = 0x8000_0000_0000_0000 | random & 0x3FFF_FFFF_FFFF_FFFF
    return UUID(int=high << 64 | low)


def oldest_id(seconds: float) -> UUID:
    """Return an id below all that were made in the last `seconds`, by the clock of this host."""
    milliseconds = time.time_ns() // 1_000_000 - int(seconds * 1000)
    return UUID(int=(milliseconds & 0xFFFF_FFFF_FFFF) << 80)


def parse_id(text: str) -> UUID | None:
    """Return the id that `text` spells, in the one spelling that we hand out."""
    try:
        found = UUID(text)
    except ValueError:
        return None
    return found if str(found) == text else None
