"""Durations as people write them: `90m`, `12h`, `7d`, `1h30m`, `2 weeks`; a number alone is seconds."""

import re

SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
UNITS = r"s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?"
PART = re.compile(rf"(\d{{1,9}})\s*({UNITS})(?![a-z])\s*", re.IGNORECASE)
FIELDS = ("ttl", "ddns_ttl", "default_ttl")
EXAMPLES = "1h, 7d, 90m or seconds"


def is_duration(field: str) -> bool:
    """Return whether a field of this name is a number of seconds."""
    return field.endswith("_seconds") or field in FIELDS


def seconds(text: str) -> int | None:
    """Return the seconds of a duration; None for what is no duration."""
    total, at, plain = 0, 0, text.strip()
    while at < len(plain):
        found = PART.match(plain, at)
        if found is None:
            return None
        total, at = total + int(found[1]) * SECONDS[found[2][0].lower()], found.end()
    return total if plain else None


def duration_text(total: int) -> str:
    """Return seconds as a duration of one unit: 86400 is 1d, 90 is 90s."""
    unit = next(each for each in ("d", "h", "m", "s") if total % SECONDS[each] == 0)
    return f"{total // SECONDS[unit]}{unit}"
