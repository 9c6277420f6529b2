"""Values seen lately against a dict in the order of sight: any values, and both know the same ones and counts."""

from __future__ import annotations

import random

import pytest

from dhcp_fast.structures.recent_values import MOST, RecentValues


@pytest.mark.parametrize("kinds", [3, MOST, 3 * MOST])
def test_it_knows_what_a_dict_knows(kinds: int) -> None:
    drawn = random.Random(kinds)
    values, known, forgotten = RecentValues(), dict[bytes, int](), 0
    for _ in range(4 * MOST):
        value = b"%d" % (drawn.randrange(kinds) ** 2) * drawn.randint(1, 2)
        makes_room = value not in known and len(known) == MOST
        if makes_room:
            del known[next(iter(known))]
            forgotten += 1
        known[value] = known.pop(value, 0) + 1
        assert values.count(value) == makes_room
        if drawn.random() < 0.002:
            assert values.take() == [(value, count) for value, count in known.items() if count]
            known = dict.fromkeys(known, 0)
    assert values.take() == [(value, count) for value, count in known.items() if count]
    assert values.take() == []
    assert len(values) == len(known)
    assert (forgotten > 0) == (2 * kinds > MOST)  # each stands alone and twice in a row


def test_the_longest_and_the_shortest() -> None:
    values = RecentValues()
    for value in (b"x" * 255, b"\0", b"x" * 255):
        values.count(value)
    assert values.take() == [(b"\0", 1), (b"x" * 255, 2)]
    for value in (b"", b"x" * 256):
        with pytest.raises(ValueError, match="1 to 255"):
            values.count(value)
