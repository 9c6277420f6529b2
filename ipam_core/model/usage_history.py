"""History of the use of a subnet or a pool, as points of a graph: one a period, of equal length.

A row of the database says what held from its moment on, until the next one. So a period without a row is as the one
before ended; before the first row nothing is known, and after the last sample neither.
"""

import math
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import msgspec

from ipam_core.model.utilisation import exact, share_of
from ipam_core.model.values import encode_value

SAMPLE_SECONDS = 300
FEW_POINTS = 300
MOST_POINTS = 1000
STEPS = (300, 900, 1800, 3600, 3 * 3600, 6 * 3600, 12 * 3600, 86400)
LONGEST_STEP = 366 * 86400
ORIGIN = datetime(2000, 1, 1, tzinfo=UTC)


class UsagePoint(msgspec.Struct, frozen=True, kw_only=True):
    """Period that begins `at`: the figures of `Utilisation` at its end, or now, and the highest utilization in
    it."""

    at: str
    """Start of the period."""

    total: int
    """Total number of addresses, or of prefixes of a delegation pool."""

    total_exact: str
    """total as a decimal string: JavaScript and others round integers above 2^53."""

    leased: int
    """Number with an active lease at the end of the period."""

    free: int
    """Number that were free at the end of the period."""

    free_exact: str
    """free as a decimal string."""

    utilisation: float
    """Share in use at the end of the period, 0 to 1."""

    peak_utilisation: float
    """Highest share in use during the period, 0 to 1."""


class UsageHistory(msgspec.Struct, frozen=True, kw_only=True):
    """Utilization over time. `step`: length of a period in seconds, longer than requested if there would be too
    many periods."""

    since: str
    """Start of the first period."""

    until: str
    """End of the last period."""

    step: int
    """Length of a period in seconds; longer than requested if there would be over 1,000 periods."""

    items: list[UsagePoint]
    """Periods with data, in order."""


class Figures(NamedTuple):
    """Figures from a moment on; `peak`: the most in use since the row before."""

    at: datetime
    leased: int
    total: int
    used: int
    peak: int


def parse_step(text: str) -> int:
    """Return seconds of a period. Raises ValueError."""
    if not (text.isascii() and text.isdecimal() and len(text) <= 9) or not 0 < int(text) <= LONGEST_STEP:
        raise ValueError(f"must be a whole number of seconds from 1 to {LONGEST_STEP}")
    return max(SAMPLE_SECONDS, int(text))


def fit_step(since: datetime, until: datetime, step: int | None) -> int:
    """Return seconds of a period: as asked, or by which there are a few hundred points; more where there would be too
    many."""
    seconds = max(0.0, (until - since).total_seconds())
    return long_enough(seconds / FEW_POINTS) if step is None else longer(step, seconds / MOST_POINTS)


def longer(step: int, seconds: float) -> int:
    return step if step >= seconds else long_enough(seconds)


def long_enough(seconds: float) -> int:
    """Return the first of the usual steps that is as long, or as many days as it takes."""
    return next((each for each in STEPS if each >= seconds), math.ceil(seconds / 86400) * 86400)


def period_of(at: datetime, step: int) -> datetime:
    """Return the beginning of the period that contains a moment, or the calendar."""
    seconds = (at - ORIGIN) // timedelta(seconds=step) * step
    try:
        return ORIGIN + timedelta(seconds=seconds)
    except OverflowError:
        return datetime.min.replace(tzinfo=UTC)


def series(
    before: Figures | None, changes: Mapping[datetime, Figures], first: datetime, end: datetime, step: int
) -> Iterator[tuple[datetime, Figures]]:
    """Yield the figures of each period from `first` up to `end` of which something is known. `changes`: the last row of
    the periods that have one, with the moment of their first row and their highest peak."""
    last = before
    begins = first if last is not None else min(changes, default=end)
    while begins < end:
        row = changes.get(begins)
        if row is not None:
            held = last.used if last is not None and row.at > begins else 0
            yield begins, row._replace(peak=max(row.peak, held))
        elif last is not None:
            yield begins, last._replace(peak=last.used)
        last = row or last
        begins += timedelta(seconds=step)


def shown(
    since: datetime, until: datetime, step: int, points: Iterator[tuple[datetime, Figures]]
) -> UsageHistory:
    return UsageHistory(
        since=str(encode_value(since)),
        until=str(encode_value(until)),
        step=step,
        items=[point(begins, figures) for begins, figures in points],
    )


def point(begins: datetime, figures: Figures) -> UsagePoint:
    total, free = figures.total, max(0, figures.total - figures.used)
    return UsagePoint(
        **exact(total=total, free=free),
        at=str(encode_value(begins)),
        total=total,
        leased=figures.leased,
        free=free,
        utilisation=share_of(figures.used, total),
        peak_utilisation=share_of(min(figures.peak, total), total),
    )
