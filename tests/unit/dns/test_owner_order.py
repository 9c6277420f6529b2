"""Which names of a zone have others below theirs, for many owners of many labels and in any order of questions."""

import random
import tracemalloc

import pytest

from ipam_core.dns.content import Names, above
from ipam_core.dns.owner_order import FEW, Owners

LABELS = ["a", "b", "ab", "a-b", "a\\.b", "*", "_x", "0", "\\000", "xn--9"]


def some_name(dice: random.Random) -> str:
    return "@" if dice.random() < 0.05 else ".".join(dice.choices(LABELS, k=dice.randint(1, 5)))


@pytest.mark.parametrize("seed", range(8))
def test_a_name_has_others_below_as_a_plain_search_finds_them(seed: int) -> None:
    """Owners come one by one and many at once; questions are asked between them."""
    dice = random.Random(seed)
    owners, added = Owners(), set[str]()
    for _ in range(60):
        for name in {some_name(dice) for _ in range(dice.choice([1, 3, 2 * FEW]))} - added:
            owners.add(name)
            added.add(name)
        asked = some_name(dice)
        below = {each for each in added if asked in above(each)}
        found = owners.below(asked)
        assert found in below if below else found is None, asked


def test_long_names_cost_no_more_than_their_length() -> None:
    """65,536 of them are one line of a zone file ($GENERATE)."""
    tracemalloc.start()
    names = Names(())
    before = tracemalloc.get_traced_memory()[0]
    for number in range(2000):
        name = "a." * 100 + f"x{number}"
        assert names.obstacle(name, "A", "192.0.2.1") is None
        names.add(name, "A", "192.0.2.1")
    assert names.obstacle("x7", "DNAME", "example.") is not None
    assert names.obstacle("x2000", "DNAME", "example.") is None
    used = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert used < 2000 * 2000
