"""Durations as people write them: `90m`, `12h`, `7d`, `1.5h`, `1h30m`, `2 weeks`; a number alone is seconds."""

import re
from fractions import Fraction

SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
UNITS = r"s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?"
PART = re.compile(rf"([0-9]{{1,9}}(?:\.[0-9]{{1,9}})?)\s*({UNITS})(?![a-z])\s*", re.IGNORECASE | re.ASCII)
FIELDS = ("ttl", "ddns_ttl", "default_ttl")
EXAMPLES = "1h, 7d, 90m or seconds"


def is_duration(field: str) -> bool:
    """Return whether a field of this name is a number of seconds."""
    return field.endswith("_seconds") or field in FIELDS


def seconds(text: str) -> int | None:
    """Return the seconds of a duration, whose units come once each and the longest first; None for what is no duration
    of whole seconds."""
    total, at, plain = Fraction(0), 0, text.strip()
    longest = None
    while at < len(plain):
        found = PART.match(plain, at)
        unit = SECONDS[found[2][0].lower()] if found else 0
        if found is None or (longest is not None and unit >= longest):
            return None
        total, at, longest = total + Fraction(found[1]) * unit, found.end(), unit
    return int(total) if plain and total.denominator == 1 else None


def duration_text(total: int) -> str:
    """Return seconds as a duration of one unit: 86400 is 1d, 90 is 90s."""
    unit = next(each for each in ("d", "h", "m", "s") if total % SECONDS[each] == 0)
    return f"{total // SECONDS[unit]}{unit}"
