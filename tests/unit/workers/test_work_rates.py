"""What a heartbeat tells of a host's work: differences, of all its workers together."""

import pytest

from dhcp_fast.database.leases.commit_stats import SECONDS, Histogram
from dhcp_fast.database.work_rates import Rates, Work, WorkRates, quantile_ms, together


def counts(*seconds: float) -> list[int]:
    histogram = Histogram(SECONDS)
    for each in seconds:
        histogram.note(each)
    return histogram.counts


def test_rates_are_of_the_time_between_two_heartbeats() -> None:
    noted = WorkRates()
    assert noted.note(Work(1000, 500, counts(0.003)), 100.0) == Rates()
    found = noted.note(Work(2000, 1000, counts(0.003, 0.0015)), 105.0)
    assert (found.packets_per_second, found.acks_per_second) == (200.0, 100.0)
    assert found.commit_p50_ms == 1.5
    assert noted.note(Work(9000, 9000, counts(0.003, 0.0015)), 105.5) == found
    assert noted.note(Work(2000, 1000, counts(0.003, 0.0015)), 110.0) == Rates(0.0, 0.0, None, None)


def test_a_worker_that_was_started_again_takes_nothing_away() -> None:
    noted = WorkRates()
    noted.note(together([Work(1000, 500, counts(0.003)), Work(10, 5, [])]), 0.0)
    assert noted.note(together([Work(), Work(60, 55, [])]), 5.0) == Rates(0.0, 0.0, None, None)
    assert noted.note(together([Work(50, 50, counts(0.3)), Work(60, 55, [])]), 10.0).acks_per_second == 10.0


def test_workers_are_one_host() -> None:
    assert together([]) == Work(0, 0, [])
    assert together([Work(1, 2, [1, 0, 3]), Work(10, 20, []), Work(5, 5, [1, 1, 1])]) == Work(
        16, 27, [2, 1, 4]
    )


@pytest.mark.parametrize(
    ("seconds", "share", "ms"),
    [
        ([], 0.5, None),
        ([0.0001], 0.5, 0.25),
        ([0.0015] * 99 + [0.15], 0.5, 1.505),
        ([0.0015] * 99 + [0.15], 0.99, 2.0),
        ([0.0015] * 98 + [0.15] * 2, 0.99, 150.0),
        ([60.0], 0.99, 5000.0),
    ],
)
def test_quantiles(seconds: list[float], share: float, ms: float | None) -> None:
    assert quantile_ms(counts(*seconds), share) == ms
