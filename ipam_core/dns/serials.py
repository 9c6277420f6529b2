"""Serial numbers of zones, which go round (RFC 1982 with 32 bits)."""

from ipam_core.model.dns_zone import LAST_SERIAL

HALF = 1 << 31
LAG = 1 << 20
"""Serials that a secondary may be behind and still follow to the farthest one to which a zone's is raised at once."""
FARTHEST = HALF - 1 - LAG


def following(serial: int) -> int:
    """Return the next one; 0 is none."""
    return serial % LAST_SERIAL + 1


def is_later(serial: int, other: int) -> bool:
    """Return whether a secondary that has `other` follows to `serial` (RFC 1982 section 3.2)."""
    return 0 < (serial - other) % (LAST_SERIAL + 1) < HALF


def may_be_raised(serial: int, to: int) -> bool:
    """Return whether secondaries that have a serial, or are up to LAG behind it, follow to another one."""
    return 0 < (to - serial) % (LAST_SERIAL + 1) <= FARTHEST


def strands(serial: int, to: int, held: int) -> bool:
    """Return whether a secondary that has `held` follows to a zone's serial now, and would not follow when that is
    raised to another one."""
    return (held == serial or is_later(serial, held)) and not is_later(to, held)
