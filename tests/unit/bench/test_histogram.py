"""Percentiles from buckets against percentiles from the sorted values."""

import math
import random

import pytest

from dhcp_fast.bench.generator.histogram import Histogram

PERCENTS = (0.1, 1, 25, 50, 90, 99, 99.9, 100)


def naive_percentile(values: list[int], percent: float) -> int:
    """Nearest rank."""
    return sorted(values)[max(math.ceil(len(values) * percent / 100), 1) - 1]


def filled(values: list[int]) -> Histogram:
    histogram = Histogram()
    for value in values:
        histogram.add(value)
    return histogram


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("largest", [50, 5_000, 5_000_000, 5_000_000_000])
def test_percentiles_are_within_a_bucket_of_the_truth(seed: int, largest: int) -> None:
    chance = random.Random(seed)
    values = [int(largest ** chance.random()) for _ in range(2000)]
    histogram = filled(values)
    for percent in PERCENTS:
        truth = naive_percentile(values, percent)
        assert abs(histogram.percentile(percent) - truth) <= truth / 64


def test_small_values_are_exact() -> None:
    histogram = filled(list(range(128)))
    assert [histogram.percentile(percent) for percent in (25, 50, 75, 100)] == [31, 63, 95, 127]


def test_no_percentile_exceeds_the_largest_value() -> None:
    histogram = filled([1_000_003])
    assert histogram.percentile(50) == histogram.percentile(100) == histogram.maximum == 1_000_003


def test_counts_and_clears() -> None:
    histogram = filled([5, 5, 1 << 50])
    assert (histogram.count, histogram.maximum) == (3, 1 << 50)
    histogram.clear()
    assert (histogram.count, histogram.maximum, histogram.percentile(99)) == (0, 0, 0)
