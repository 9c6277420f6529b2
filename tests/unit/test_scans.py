"""How history is walked over from its end: how far each look reaches, and that none is left out."""

import pytest

from ipam_core.services.entity import scans
from ipam_core.services.entity.scans import walk_back


class History:
    """Rows at these moments; the looks at them."""

    def __init__(self, *moments: int) -> None:
        self.moments = sorted(moments, reverse=True)
        self.looks: list[tuple[int, int]] = []

    async def read(self, low: int, high: int, wanted: int) -> list[int]:
        self.looks.append((low, high))
        return [at for at in self.moments if low <= at < high][:wanted]


async def test_looks_grow_while_nothing_is_found() -> None:
    history = History(3)
    assert await walk_back(history.read, 1000, 0, 10, 5) == ([3], 0)
    assert history.looks == [(990, 1000), (950, 990), (790, 950), (150, 790), (0, 150)]


async def test_a_look_reaches_no_further_than_rows_are_likely_to_lie() -> None:
    history = History(*range(0, 1000, 10))
    found = await walk_back(history.read, 1000, 0, 100, 21)
    assert found.rows == list(range(990, 780, -10))
    assert history.looks == [(900, 1000), (735, 900)]


async def test_rows_that_end_do_not_make_looks_small() -> None:
    history = History(*range(900, 1000, 2), 0)
    found = await walk_back(history.read, 1000, 0, 100, 60)
    assert found.rows == [*range(998, 898, -2), 0]
    assert len(history.looks) <= 4


async def test_a_walk_ends_when_its_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scans, "SCAN_SECONDS", 0.0)
    assert await walk_back(History(3).read, 1000, 0, 10, 5) == ([], 990)
