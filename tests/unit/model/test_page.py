"""Limits and cursors as clients send them."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipam_core.errors import ValidationError
from ipam_core.model.page import read_cursor, read_limit, write_cursor


@pytest.mark.parametrize(
    ("text", "limit"),
    [(None, 50), ("1", 1), ("0050", 50), ("1000", 1000), ("1001", 1000), ("9" * 5000, 1000)],
)
def test_limits_are_clamped_from_above(text: str | None, limit: int) -> None:
    assert read_limit(text) == limit


@pytest.mark.parametrize("text", ["", "0", "000", "-1", "+1", "1.0", "ten", "٣", "1e3", " 1"])
def test_what_is_no_positive_number_is_no_limit(text: str) -> None:
    with pytest.raises(ValidationError):
        read_limit(text)


@given(
    st.integers(-(2**31), 2**31 - 1),
    st.text(alphabet=st.characters(exclude_characters="\x00", codec="utf-8")),
)
def test_a_cursor_comes_back_as_the_key_it_was_made_of(number: int, text: str) -> None:
    assert read_cursor(write_cursor(number, text), int, str) == (number, text)


@given(st.text(max_size=60))
def test_a_text_is_a_cursor_or_refused(text: str) -> None:
    with suppress(ValidationError):
        assert len(read_cursor(text, int)) == 1


@pytest.mark.parametrize("key", [(2**31,), (-(2**40),), ("1",), (1, 2), ()])
def test_a_cursor_that_the_database_could_not_take_is_refused(key: tuple[object, ...]) -> None:
    with pytest.raises(ValidationError):
        read_cursor(write_cursor(*key), int)
