"""Serial numbers of zones, which go round (RFC 1982 with 32 bits)."""

from ipam_core.model.dns_zone import LAST_SERIAL

HALF = 1 << 31


def following(serial: int) -> int:
    """Return the next one; 0 is none."""
    return serial % LAST_SERIAL + 1


def is_later(serial: int, other: int) -> bool:
    """Return whether a secondary that has `other` follows to `serial` (RFC 1982 section 3.2)."""
    return 0 < (serial - other) % (LAST_SERIAL + 1) < HALF
