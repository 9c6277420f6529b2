"""Trees of conditions: what is accepted, where a mistake is said to be, and that the flat list decides as the tree."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipam_core.dhcp.conditions import (
    FAILS,
    HOLDS,
    MOST_LEAVES,
    Comparison,
    Subject,
    compared_values,
    flatten,
    template_leaf,
    value_text,
)
from ipam_core.errors import ValidationError

LEAF = {"option": 60, "prefix": "PXEClient"}


def test_a_leaf_alone() -> None:
    (leaf,) = flatten({"option": 93, "in": [7, 9], "offset": 1, "length": 1})
    assert (leaf.subject, leaf.code, leaf.comparison) == (Subject.OPTION, 93, Comparison.EQUALS)
    assert (leaf.values, leaf.offset, leaf.length) == ((7, 9), 1, 1)
    assert (leaf.yes, leaf.no) == (HOLDS, FAILS)


def test_values_are_text_numbers_or_hexadecimal() -> None:
    (leaf,) = flatten({"option": 43, "in": ["text", "0x0102", 3]})
    assert leaf.values == (b"text", b"\x01\x02", 3)
    (giaddr,) = flatten({"field": "giaddr", "equals": "192.0.2.1"})
    assert giaddr.values == (b"\xc0\0\2\1",)
    (duid,) = flatten({"field": "duid", "prefix": "00:03:00:01"})
    assert duid.values == (b"\0\3\0\1",)


def test_what_is_not_there() -> None:
    (leaf,) = flatten({"option": 93, "exists": False})
    assert (leaf.comparison, leaf.yes, leaf.no) == (Comparison.EXISTS, FAILS, HOLDS)


def test_a_value_of_a_template() -> None:
    (leaf,) = flatten({"class": "rack", "in": ["r17", "0x01ff", 7]})
    assert (leaf.subject, leaf.name, leaf.comparison) == (Subject.CLASS, "rack", Comparison.EQUALS)
    assert leaf.values == (b"r17", b"\x01\xff", 7)
    (named,) = flatten({"class": "rack"})
    assert (named.comparison, named.values) == (Comparison.EXISTS, ())


def test_values_are_spelled_as_the_template_has_them() -> None:
    tree = {"not": {"class": "site", "equals": "10.0.0.1"}}
    template = template_leaf({"all": [{"field": "giaddr", "exists": True}]})
    assert template.comparison is Comparison.FILLED
    assert compared_values(tree, flatten(tree)[0], template) == (b"\n\0\0\1",)
    for subject, octets, text in (
        (Subject.GIADDR, b"\n\0\0\1", "10.0.0.1"),
        (Subject.GIADDR, b"\n\0", "0x0a00"),
        (Subject.HW_TYPE, b"\1", "1"),
        (Subject.DUID, b"\0\3", "00:03"),
        (Subject.OPTION, b"abc", "abc"),
        (Subject.RELAY_OPTION, b"\0\7", "0x0007"),
    ):
        assert value_text(subject, octets) == text


REFUSED: list[tuple[Any, str, str]] = [
    ([], "match", "must be an object"),
    ({}, "match", "needs one of option, field, class"),
    ({"all": []}, "match.all", "at least one condition"),
    ({"any": LEAF}, "match.any", "must be a list"),
    ({"all": [LEAF], "any": [LEAF]}, "match", "must be the only member"),
    ({"all": [LEAF, {"not": 7}]}, "match.all[1].not", "must be an object"),
    ({"all": [LEAF, {"option": 0, "exists": True}]}, "match.all[1].option", "between 1 and 255"),
    ({"option": 300, "exists": True}, "match.option", "between 1 and 255"),
    ({"option": True, "exists": True}, "match.option", "must be a number"),
    ({"option": 60}, "match", "needs one of exists, equals"),
    ({"option": 60, "equals": "a", "prefix": "b"}, "match", "needs one of exists, equals"),
    ({"option": 60, "equals": None}, "match.equals", "must be text"),
    ({"option": 60, "equals": ""}, "match.equals", "must be text"),
    ({"option": 60, "equals": "0xzz"}, "match.equals", "not hexadecimal"),
    ({"option": 60, "equals": -1}, "match.equals", "must be between 0"),
    ({"option": 60, "prefix": 7}, "match.prefix", "not a number"),
    ({"option": 60, "in": []}, "match.in", "must be a list of 1"),
    ({"option": 60, "exists": 1}, "match.exists", "true or false"),
    ({"option": 60, "exists": True, "colour": 1}, "match.colour", "is unknown here"),
    ({"option": 60, "exists": True, "family": 5}, "match.family", "4 or 6"),
    ({"option": 60, "exists": True, "relay": 1}, "match.relay", "true or false"),
    ({"option": 60, "exists": True, "vendor": 2**32}, "match.vendor", "between 0"),
    ({"option": 60, "equals": "a", "length": 0}, "match.length", "between 1"),
    ({"field": "colour", "exists": True}, "match.field", "giaddr, interface"),
    ({"field": "giaddr", "equals": "192.0.2"}, "match.equals", "IP address"),
    ({"field": "hw_type", "equals": "1"}, "match.equals", "must be a number"),
    ({"field": "interface", "prefix": "eth"}, "match", "equals or in"),
    ({"class": "a", "exists": True}, "match.exists", "is unknown here"),
    ({"class": 7}, "match.class", "must be text"),
    ({"any": [LEAF] * (MOST_LEAVES + 1)}, "match", "at most 64"),
]


@pytest.mark.parametrize(("tree", "field", "words"), REFUSED, ids=[str(n) for n in range(len(REFUSED))])
def test_a_mistake_is_told_with_its_place(tree: Any, field: str, words: str) -> None:
    with pytest.raises(ValidationError) as refused:
        flatten(tree)
    assert refused.value.field == field
    assert words in refused.value.reason


def test_a_tree_that_is_too_deep() -> None:
    tree: dict[str, Any] = LEAF
    for _ in range(200):
        tree = {"not": tree}
    with pytest.raises(ValidationError, match="deeper than"):
        flatten(tree)


LEAVES = st.integers(0, 5).map(lambda code: {"option": code + 1, "exists": True})
TREES = st.recursive(
    LEAVES,
    lambda below: st.one_of(
        st.lists(below, min_size=1, max_size=4).map(lambda nodes: {"all": nodes}),
        st.lists(below, min_size=1, max_size=4).map(lambda nodes: {"any": nodes}),
        below.map(lambda node: {"not": node}),
    ),
    max_leaves=12,
)


def holds(tree: Any, present: set[int]) -> bool:
    if "all" in tree:
        return all(holds(node, present) for node in tree["all"])
    if "any" in tree:
        return any(holds(node, present) for node in tree["any"])
    return not holds(tree["not"], present) if "not" in tree else tree["option"] in present


def depth(tree: Any) -> int:
    below = tree.get("all") or tree.get("any") or ([tree["not"]] if "not" in tree else [])
    return 1 + max(map(depth, below), default=0)


@given(TREES.filter(lambda tree: depth(tree) < 16), st.sets(st.integers(1, 6)))
def test_the_list_decides_as_the_tree(tree: Any, present: set[int]) -> None:
    leaves = flatten(tree)
    at = 0
    while at >= 0:
        leaf = leaves[at]
        following = leaf.yes if leaf.code in present else leaf.no
        assert following < 0 or at < following < len(leaves)
        at = following
    assert (at == HOLDS) == holds(tree, present)
