"""The names above a name, which are cut out of the text where no character is escaped."""

import random

import dns.name
import pytest

from ipam_core.dns.names import names_above

LABELS = ["a", "ab", "*", "_x", "-", "0", "xn--9", "a\\.b", "\\000", "\\@", "x" * 63]


def by_dnspython(text: str) -> list[str]:
    name, found = dns.name.from_text(text), []
    while name != dns.name.root:
        found.append(name.to_text(omit_final_dot=True))
        name = name.parent()
    return found


@pytest.mark.parametrize("seed", range(50))
def test_they_are_those_of_dnspython(seed: int) -> None:
    dice = random.Random(seed)
    text = ".".join(dice.choices(LABELS, k=dice.randint(1, 3))) + dice.choice(["", "", "."])
    assert names_above(text) == by_dnspython(text)


@pytest.mark.parametrize("text", ["", ".", "a." * 126 + "b"])
def test_the_shortest_and_the_longest(text: str) -> None:
    assert names_above(text) == by_dnspython(text)
