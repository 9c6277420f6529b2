"""Serial numbers that go round (RFC 1982)."""

import pytest

from ipam_core.dns.serials import FARTHEST, LAG, following, is_later, may_be_raised, strands

MOST = 4294967295


@pytest.mark.parametrize(
    ("serial", "other", "later"),
    [
        (2, 1, True),
        (1, 2, False),
        (1, 1, False),
        (1, MOST, True),
        (MOST, 1, False),
        (2147483648, 1, True),
        (2147483649, 1, False),  # undefined by RFC 1982 section 3.2: no secondary has to follow
        (1, 2147483649, False),
        (5, 2147483654, True),
    ],
)
def test_which_is_later(serial: int, other: int, later: bool) -> None:
    assert is_later(serial, other) is later


def test_a_secondary_that_lags_follows_the_farthest_raise() -> None:
    assert may_be_raised(7, 7 + FARTHEST)
    assert not may_be_raised(7, 8 + FARTHEST)
    assert not may_be_raised(7, 7)
    assert not may_be_raised(7, 6)
    assert may_be_raised(MOST, 1)
    assert is_later(7 + FARTHEST, 7 - LAG)


def test_the_next_one_is_never_none() -> None:
    assert [following(each) for each in (1, MOST - 1, MOST)] == [2, MOST, 1]


@pytest.mark.parametrize(
    ("serial", "to", "held", "stranded"),
    [
        (7, 7 + FARTHEST, 7, False),
        (7 + FARTHEST, 7 + 2 * FARTHEST, 7, True),
        (7 + FARTHEST, 7 + 2 * FARTHEST, 7 + FARTHEST, False),
        (7, 8, 9, False),  # it is ahead, and follows neither
    ],
)
def test_which_raise_strands_a_secondary(serial: int, to: int, held: int, stranded: bool) -> None:
    assert strands(serial, to, held) is stranded
