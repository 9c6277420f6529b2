"""Moments as people write them, in a zone with summer time."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from api.cli.moments import moment, span

NOW = datetime(2026, 11, 25, 9, 30, tzinfo=UTC)  # 10:30 in Berlin


@pytest.fixture(autouse=True)
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("now", "2026-11-25T09:30:00.000Z"),
        ("2 hours ago", "2026-11-25T07:30:00.000Z"),
        ("an hour ago", "2026-11-25T08:30:00.000Z"),
        ("90m ago", "2026-11-25T08:00:00.000Z"),
        ("1 week ago", "2026-11-18T09:30:00.000Z"),
        ("in 3 days", "2026-11-28T09:30:00.000Z"),
        ("today", "2026-11-24T23:00:00.000Z"),
        ("Yesterday", "2026-11-23T23:00:00.000Z"),
        ("yesterday  14:03", "2026-11-24T13:03:00.000Z"),
        ("14:03", "2026-11-25T13:03:00.000Z"),
        ("9:05:07", "2026-11-25T08:05:07.000Z"),
        ("2026-11-22", "2026-11-21T23:00:00.000Z"),
        ("2026-07-22", "2026-07-21T22:00:00.000Z"),
        ("2026-11-22 14:03", "2026-11-22T13:03:00.000Z"),
        ("2026-11-22T14:03", "2026-11-22T13:03:00.000Z"),
        ("2026-11-22T14:03:00Z", "2026-11-22T14:03:00.000Z"),
        ("2026-11-22T14:03:00+02:00", "2026-11-22T12:03:00.000Z"),
    ],
)
def test_a_moment(text: str, meant: str) -> None:
    assert moment(text, NOW) == meant


@pytest.mark.parametrize(
    "text", ["", "soon", "25:00", "2026-13-01", "2026-11-31", "yesterday morning", "999999 weeks ago", "5"]
)
def test_what_is_no_moment_is_refused_with_examples(text: str) -> None:
    with pytest.raises(ValueError, match="such as yesterday, 2 hours ago, 14:03"):
        moment(text, NOW)


def test_a_day_is_as_long_as_its_clocks_say() -> None:
    for day, hours in (("2026-11-22", 24), ("2026-03-29", 23), ("2026-10-25", 25)):
        begin, end = span(day, NOW)
        assert end - begin == timedelta(hours=hours)
    begin, end = span("14:03", NOW)
    assert begin == end
