"""The pools' bitmap against a Python set: any claims and releases, and both know the same numbers.

Sizes stand at the edges of words and levels: one word has 64 numbers, two levels 4,096, three 2^18, four 2^24.
"""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from dhcp_fast.structures.bitmap import Numbers

EDGES = [1, 2, 63, 64, 65, 127, 128, 4095, 4096, 4097, 1 << 18, (1 << 18) + 1]
LARGE = [1 << 24, (1 << 24) + 1]
PROBES = 8


class BitmapAgainstSet(RuleBasedStateMachine):
    """`free` is the truth; numbers are drawn near the edges, where mistakes live."""

    size: int
    numbers: Numbers
    free: set[int]

    @initialize(size=st.sampled_from(EDGES), full=st.booleans())
    def begin(self, size: int, full: bool) -> None:
        self.size = size
        self.numbers = Numbers(size, full)
        self.free = set(range(size)) if full else set()

    def pick(self, data: st.DataObject) -> int:
        near = [n + d for n in (0, 63, 64, 4095, 4096, self.size - 1) for d in (-1, 0, 1)]
        anywhere = st.integers(0, self.size - 1)
        return int(data.draw(st.one_of(st.sampled_from([n for n in near if 0 <= n < self.size]), anywhere)))

    @rule(data=st.data())
    def claim(self, data: st.DataObject) -> None:
        number = self.pick(data)
        self.numbers.remove(number)
        self.free.discard(number)

    @rule(data=st.data())
    def release(self, data: st.DataObject) -> None:
        number = self.pick(data)
        self.numbers.add(number)
        self.free.add(number)

    @rule(data=st.data())
    def withdraw_range(self, data: st.DataObject) -> None:
        first, last = sorted((self.pick(data), self.pick(data)))
        self.numbers.remove_range(first, last)
        self.free -= set(range(first, last + 1))

    @rule(data=st.data())
    def claim_the_next(self, data: st.DataObject) -> None:
        start = self.pick(data)
        number = self.numbers.next(start)
        assert number == min((n for n in self.free if n >= start), default=-1)
        if number >= 0:
            self.numbers.remove(number)
            self.free.discard(number)

    @rule(beyond=st.integers(0, 1 << 33))
    def outside(self, beyond: int) -> None:
        """Numbers that the pool does not have change nothing."""
        self.numbers.add(self.size + beyond)
        self.numbers.remove(self.size + beyond)
        assert self.size + beyond not in self.numbers
        assert self.numbers.next(self.size + beyond) == -1

    @invariant()
    def agree(self) -> None:
        if not hasattr(self, "numbers"):
            return
        assert len(self.numbers) == len(self.free)
        assert self.numbers.next(0) == min(self.free, default=-1)
        some = list(self.free)[:PROBES]
        assert all(number in self.numbers for number in some)
        assert (self.size - 1 in self.numbers) == (self.size - 1 in self.free)


BitmapAgainstSet.TestCase.settings = settings(
    max_examples=60, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
)
TestBitmapAgainstSet = BitmapAgainstSet.TestCase


def members(numbers: Numbers) -> list[int]:
    found, number = [], numbers.next(0)
    while number >= 0:
        found.append(number)
        number = numbers.next(number + 1)
    return found


@pytest.mark.parametrize("size", [size for size in EDGES if size <= 4097])
def test_every_number_is_found_once_in_order(size: int) -> None:
    numbers = Numbers(size, True)
    assert members(numbers) == list(range(size))
    for number in range(0, size, 2):
        numbers.remove(number)
    assert members(numbers) == list(range(1, size, 2))


@pytest.mark.parametrize("size", LARGE)
def test_a_pool_of_a_slash_8(size: int) -> None:
    """Full, then all but the last claimed: the last is found at once from anywhere, and then none."""
    numbers = Numbers(size, True)
    assert len(numbers) == size
    numbers.remove_range(0, size - 2)
    assert len(numbers) == 1
    for start in (0, 1, 63, 64, 4096, 1 << 18, size // 2, size - 1):
        assert numbers.next(start) == size - 1
    numbers.remove(size - 1)
    assert numbers.next(0) == -1
    numbers.add(size // 2)
    assert members(numbers) == [size // 2]


@pytest.mark.parametrize("size", [0, (1 << 32) + 1])
def test_sizes_that_no_pool_has(size: int) -> None:
    with pytest.raises(ValueError, match="size must be"):
        Numbers(size)
