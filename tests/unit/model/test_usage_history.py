"""Points of a graph out of rows that say what held from their moment on."""

from datetime import UTC, datetime, timedelta

import pytest

from ipam_core.model.usage_history import (
    MOST_POINTS,
    Figures,
    fit_step,
    parse_step,
    period_of,
    series,
    shown,
)

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def row(minutes: float, used: int, peak: int | None = None) -> Figures:
    return Figures(NOON + timedelta(minutes=minutes), used, 100, used, used if peak is None else peak)


def told(before: Figures | None, rows: list[Figures], hours: float) -> list[tuple[float, int, int]]:
    """Hour, used, peak of each point, of hours from noon on."""
    changes = {period_of(each.at, 3600): each for each in rows}
    points = series(before, changes, NOON, NOON + hours * HOUR, 3600)
    return [((begins - NOON) / HOUR, found.used, found.peak) for begins, found in points]


def test_figures_hold_until_the_next_row() -> None:
    assert told(row(-500, 7), [row(130, 9, 30)], 4) == [(0, 7, 7), (1, 7, 7), (2, 9, 30), (3, 9, 9)]


def test_what_held_when_a_period_began_counts_for_its_peak() -> None:
    assert told(row(-5, 50), [row(30, 9, 20)], 1) == [(0, 9, 50)]
    assert told(row(-5, 50), [row(0, 9, 20)], 1) == [(0, 9, 20)]


def test_nothing_is_told_before_the_first_row_or_after_the_last_sample() -> None:
    assert told(None, [row(130, 9)], 3.5) == [(2, 9, 9), (3, 9, 9)]
    assert told(None, [], 3) == []
    assert told(row(-5, 1), [], 0) == []


@pytest.mark.parametrize(
    ("days", "asked", "step"),
    [
        (1, None, 300),
        (1.1, None, 900),
        (7, None, 3600),
        (31, None, 3 * 3600),
        (365, None, 2 * 86400),
        (1, 300, 300),
        (1, 7200, 7200),
        (31, 300, 3600),
        (0, None, 300),
        (-1, 300, 300),
    ],
)
def test_steps_fit_the_span(days: float, asked: int | None, step: int) -> None:
    assert fit_step(NOON, NOON + timedelta(days=days), asked) == step


@pytest.mark.parametrize("asked", [None, 300, 301, 86400, 31_622_400])
def test_there_are_never_too_many_points(asked: int | None) -> None:
    first = datetime.min.replace(tzinfo=UTC)
    for days in (1, 9, 40, 400, 4000, 700_000):
        step = fit_step(first, first + timedelta(days=days), asked)
        assert days * 86400 / step <= MOST_POINTS
        assert asked is None or step >= asked


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "x", "", "31622401", "9" * 30, "٣"])
def test_steps_that_are_none(text: str) -> None:
    with pytest.raises(ValueError, match="whole number of seconds from 1 to 31622400"):
        parse_step(text)


def test_a_step_below_that_of_samples_is_theirs() -> None:
    assert (parse_step("1"), parse_step("300"), parse_step("0301")) == (300, 300, 301)


def test_points_as_they_are_shown() -> None:
    """A pool that has shrunk may hold more than it has room for."""
    found = shown(NOON, NOON + HOUR, 3600, iter([(NOON, Figures(NOON, 8, 10, 12, 15))]))
    (point,) = found.items
    assert (point.at, point.free, point.utilisation) == ("2026-01-31T12:00:00.000Z", 0, 1.2)
    assert point.peak_utilisation == 1.0
