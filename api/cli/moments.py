"""Moments as people write them: `yesterday`, `2 hours ago`, `14:03`, `2026-11-22`, `2026-11-22 14:03`, RFC 3339.

What names no zone is in that of this machine; a day alone begins at its midnight. `span` keeps a day whole, for
questions such as "who had it yesterday?".
"""

import re
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple

from ipam_core.model.values import parse_instant, rfc3339

EXAMPLES = "yesterday, 2 hours ago, 14:03, 2026-11-22, 2026-11-22 14:03 or 2026-11-22T14:03:00Z"
DAYS = {"today": 0, "yesterday": -1, "tomorrow": 1}
SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
UNIT = r"(?P<unit>s|secs?|seconds?|m|mins?|minutes?|h|hours?|d|days?|w|weeks?)"
AGO = re.compile(rf"(?P<count>\d{{1,6}}|an?) ?{UNIT} ago", re.ASCII)
AHEAD = re.compile(rf"in (?P<count>\d{{1,6}}|an?) ?{UNIT}", re.ASCII)
DAY_AND_TIME = re.compile(
    r"(?P<day>\d{4}-\d\d-\d\d|today|yesterday|tomorrow)?[ t]?(?P<time>\d\d?:\d\d(?::\d\d)?)?", re.ASCII
)


class Span(NamedTuple):
    """Span from `begin` up to but not with `end`; a moment has no length."""

    begin: datetime
    end: datetime


def moment(text: str, now: datetime | None = None) -> str:
    """Return the moment as the API takes it. Raises ValueError."""
    return rfc3339(span(text, now).begin)


def span(text: str, now: datetime | None = None) -> Span:
    """Return the moment or the whole day that is meant, in UTC. Raises ValueError."""
    plain = " ".join(text.lower().split())
    now = (now or datetime.now(UTC)).astimezone()
    try:
        found = at_once(plain, now) or on_day(plain, now)
        return Span(found.begin.astimezone(UTC), found.end.astimezone(UTC))
    except (ValueError, OverflowError):
        raise ValueError(f"must be a time such as {EXAMPLES}") from None


def at_once(plain: str, now: datetime) -> Span | None:
    """Return whether the time counts from now, or is RFC 3339."""
    if plain == "now":
        return Span(now, now)
    for pattern, sign in ((AGO, -1), (AHEAD, 1)):
        if counted := pattern.fullmatch(plain):
            count = int(counted["count"]) if counted["count"].isdecimal() else 1
            at = now + sign * timedelta(seconds=count * SECONDS[counted["unit"][0]])
            return Span(at, at)
    try:
        at = parse_instant(plain)
    except ValueError:
        return None
    return Span(at, at)


def on_day(plain: str, now: datetime) -> Span:
    """Return a day, a time of today, or both. A day is as long as its clocks say."""
    found = DAY_AND_TIME.fullmatch(plain)
    if found is None or not (found["day"] or found["time"]):
        raise ValueError(plain)
    day = day_named(found["day"] or "today", now)
    if found["time"] is None:
        return Span(local(day, time()), local(day + timedelta(days=1), time()))
    at = local(
        day,
        time.fromisoformat(
            found["time"].zfill(len("00:00") if found["time"].count(":") == 1 else len("00:00:00"))
        ),
    )
    return Span(at, at)


def day_named(name: str, now: datetime) -> date:
    if name in DAYS:
        return now.date() + timedelta(days=DAYS[name])
    return date.fromisoformat(name)


def local(day: date, at: time) -> datetime:
    return datetime.combine(day, at).astimezone()
