"""Conditions of a client class beside the plain criteria: a tree of conditions, checked and laid flat.

    {"all": [{"option": 93, "in": [7, 9]}, {"not": {"field": "giaddr", "equals": "192.0.2.1"}}]}
    {"class": "rack", "in": ["r17", "r18"]}

Inner nodes are `all`, `any` and `not`. A leaf reads an option, a field or another class; of a template it may also read
the client's value. An option has a code, `family` 6 for DHCPv6, and `vendor` (an enterprise number) and `suboption` for
one inside of it. With `relay` true, the code is that of a suboption of option 82, or of an option of the relay next to
the client. `offset` and `length` cut a part out of it. The conditions of a template are one leaf that reads a value
without comparing it (`template_leaf`). The tree becomes a list of tests. Each names the test that follows if it holds
and the one if it does not, always a later one, so a decision takes at most as many steps as there are leaves.
"""

import re
from collections.abc import Callable, Mapping
from enum import IntEnum
from ipaddress import ip_address
from typing import Any

import msgspec

from ipam_core.errors import ValidationError
from ipam_core.model.values import parse_octets, text_or_octets

MOST_LEAVES = 64
DEEPEST = 16
HOLDS, FAILS = -1, -2
"""In place of the test that follows: the tree is decided."""

COMPARING = ("equals", "in", "prefix", "contains")
OPERATORS = ("exists", *COMPARING)
PARTS = ("offset", "length")
OF_OPTION = ("family", "relay", "vendor", "suboption", *PARTS)
CODES = {4: 255, 6: 65535}
LONGEST_VALUE = 255
TEMPLATE_MATCH = (
    "must be, in a template, one leaf that reads a value without comparing it, such as "
    '{"option": 82, "suboption": 1, "exists": true}'
)


class Subject(IntEnum):
    """Subject of a test; the numbers are those of dhcp_fast/plan/conditions.pxd."""

    OPTION = 0
    RELAY_OPTION = 1
    GIADDR = 2
    INTERFACE = 3
    HW_TYPE = 4
    CLIENT_ID = 5
    DUID = 6
    CLASS = 7


class Comparison(IntEnum):
    EXISTS = 0
    EQUALS = 1
    BEGINS = 2
    CONTAINS = 3
    FILLED = 4
    """Of a template: there is a value, and not an empty one."""


FIELDS = {
    "giaddr": Subject.GIADDR,
    "interface": Subject.INTERFACE,
    "hw_type": Subject.HW_TYPE,
    "client_id": Subject.CLIENT_ID,
    "duid": Subject.DUID,
}
Value = int | bytes
Reader = Callable[[Any, str], Value]


class Leaf(msgspec.Struct, frozen=True):
    """One leaf. `values`: one of them is enough; numbers are compared with the octets read as a number. `yes` and `no`:
    the index of the next test, HOLDS or FAILS. `name`: of the class, or of the interface where it is looked for."""

    subject: Subject
    comparison: Comparison
    family: int = 4
    code: int = 0
    suboption: int = -1
    vendor: int = -1
    offset: int = 0
    length: int = -1
    values: tuple[Value, ...] = ()
    name: str = ""
    yes: int = HOLDS
    no: int = FAILS
    path: str = ""


def flatten(tree: Any, path: str = "match") -> list[Leaf]:
    """Raise ValidationError, whose field is the path in the tree, as `match.all[1].option`."""
    count = count_leaves(tree, path, 0)
    if count > MOST_LEAVES:
        raise ValidationError(path, f"has {count} leaves; at most {MOST_LEAVES} are allowed")
    return lay(tree, path, 0, HOLDS, FAILS)


def classes_named(tree: Any) -> set[str]:
    """Return the classes that a checked tree names."""
    return {test.name for test in flatten(tree) if test.subject is Subject.CLASS}


def template_leaf(tree: Any) -> Leaf:
    """Return what a template reads of its clients. Raises ValidationError for conditions that are not one such leaf."""
    leaves = [] if tree is None else flatten(tree)
    if len(leaves) != 1 or leaves[0].yes != HOLDS or not reads_a_value(leaves[0]):
        raise ValidationError("match", TEMPLATE_MATCH)
    return msgspec.structs.replace(leaves[0], comparison=Comparison.FILLED)


def reads_a_value(leaf: Leaf) -> bool:
    return leaf.comparison is Comparison.EXISTS and leaf.subject is not Subject.CLASS


def compared_values(tree: Any, leaf: Leaf, template: Leaf) -> tuple[Value, ...]:
    """Return what a leaf of `tree` compares the value of the template with, spelled as the template's own subject is.
    Raises ValidationError."""
    read = READERS.get(template.subject, octets_or_number)
    return read_operator(node_at(tree, leaf.path), leaf.path, read)[1]


def value_text(subject: Subject, octets: bytes) -> str:
    """Return a value as conditions spell it: text where it can be read, else octets."""
    if subject is Subject.GIADDR and len(octets) in (4, 16):
        return str(ip_address(octets))
    if subject is Subject.HW_TYPE:
        return str(octets[0])
    return octets.hex(":") if subject in (Subject.CLIENT_ID, Subject.DUID) else text_or_octets(octets)


def node_at(tree: Any, path: str) -> Any:
    """Return the leaf at a path of a tree that was checked."""
    for step in re.findall(r"\w+", path)[1:]:
        tree = tree[int(step) if isinstance(tree, list) else step]
    return tree


# --- the tree


def children(node: Any, path: str) -> tuple[str, list[tuple[Any, str]]] | None:
    """Return the inner node's word and what is below it with its path; None for a leaf."""
    if not isinstance(node, Mapping):
        raise ValidationError(
            path, "must be an object: all, any, not, or a test of an option, a field or a class"
        )
    words = [word for word in ("all", "any", "not") if word in node]
    if not words:
        return None
    word = words[0]
    if len(node) > 1:
        raise ValidationError(path, f"{word} must be the only member; put the others into a list of all")
    if word == "not":
        return word, [(node[word], f"{path}.not")]
    below = node[word]
    if not isinstance(below, list) or not below:
        raise ValidationError(f"{path}.{word}", "must be a list of at least one condition")
    return word, [(child, f"{path}.{word}[{index}]") for index, child in enumerate(below)]


def count_leaves(node: Any, path: str, depth: int) -> int:
    if depth > DEEPEST:
        raise ValidationError(path, f"is deeper than {DEEPEST} levels")
    found = children(node, path)
    if found is None:
        return 1
    return sum(count_leaves(child, below, depth + 1) for child, below in found[1])


def lay(node: Any, path: str, start: int, yes: int, no: int) -> list[Leaf]:
    """Return the node's tests from index `start` on, which lead to `yes` and `no`."""
    found = children(node, path)
    if found is None:
        return [read_leaf(node, path, yes, no)]
    word, below = found
    if word == "not":
        return lay(*below[0], start, no, yes)
    tests: list[Leaf] = []
    for child, where in below:
        at = start + len(tests)
        last = where == below[-1][1]
        following = at + count_leaves(child, where, 0)
        if word == "all":
            tests += lay(child, where, at, yes if last else following, no)
        else:
            tests += lay(child, where, at, yes, no if last else following)
    return tests


# --- leaves


def read_leaf(node: Mapping[str, Any], path: str, yes: int, no: int) -> Leaf:
    subjects = [name for name in ("option", "field", "class") if name in node]
    if len(subjects) != 1:
        raise ValidationError(path, "needs one of option, field, class, all, any, not")
    if subjects[0] == "class":
        return msgspec.structs.replace(class_test(node, path), yes=yes, no=no, path=path)
    test = option_test(node, path) if subjects[0] == "option" else field_test(node, path)
    if node.get("exists") is False:
        yes, no = no, yes
    return msgspec.structs.replace(test, yes=yes, no=no, path=path)


def class_test(node: Mapping[str, Any], path: str) -> Leaf:
    """Return whether the client is in a class; with an operator, also what it brings to that template."""
    refuse_others(node, path, ("class", *COMPARING))
    name = read_text(node["class"], f"{path}.class")
    if not any(word in node for word in COMPARING):
        return Leaf(Subject.CLASS, Comparison.EXISTS, name=name)
    comparison, values = read_operator(node, path, octets_or_number)
    return Leaf(Subject.CLASS, comparison, values=values, name=name)


def option_test(node: Mapping[str, Any], path: str) -> Leaf:
    refuse_others(node, path, ("option", *OF_OPTION, *OPERATORS))
    family = node.get("family", 4)
    if family not in CODES or isinstance(family, bool):
        raise ValidationError(f"{path}.family", "must be 4 or 6")
    comparison, values = read_operator(node, path, octets_or_number)
    return Leaf(
        Subject.RELAY_OPTION if read_flag(node, path, "relay") else Subject.OPTION,
        comparison,
        family=family,
        code=read_number(node, path, "option", 1, CODES[family]),
        suboption=read_number(node, path, "suboption", 0, CODES[family], -1),
        vendor=read_number(node, path, "vendor", 0, 2**32 - 1, -1),
        offset=read_number(node, path, "offset", 0, 65535, 0),
        length=read_number(node, path, "length", 1, LONGEST_VALUE, -1),
        values=values,
    )


def field_test(node: Mapping[str, Any], path: str) -> Leaf:
    refuse_others(node, path, ("field", *PARTS, *OPERATORS))
    subject = FIELDS.get(node["field"]) if isinstance(node["field"], str) else None
    if subject is None:
        raise ValidationError(f"{path}.field", f"must be one of {', '.join(FIELDS)}")
    comparison, values = read_operator(node, path, READERS[subject])
    if subject is Subject.INTERFACE and comparison is not Comparison.EQUALS:
        raise ValidationError(path, "compare an interface with equals or in")
    return Leaf(
        subject,
        comparison,
        offset=read_number(node, path, "offset", 0, 65535, 0),
        length=read_number(node, path, "length", 1, LONGEST_VALUE, -1),
        values=values,
    )


def read_operator(node: Mapping[str, Any], path: str, read: Reader) -> tuple[Comparison, tuple[Value, ...]]:
    words = [word for word in OPERATORS if word in node]
    if len(words) != 1:
        raise ValidationError(path, f"needs one of {', '.join(OPERATORS)}")
    word, where = words[0], f"{path}.{words[0]}"
    told = node[word]
    if word == "exists":
        if not isinstance(told, bool):
            raise ValidationError(where, "must be true or false")
        return Comparison.EXISTS, ()
    if word == "in":
        if not isinstance(told, list) or not 0 < len(told) <= LONGEST_VALUE:
            raise ValidationError(where, f"must be a list of 1 to {LONGEST_VALUE} values")
        return Comparison.EQUALS, tuple(read(value, f"{where}[{at}]") for at, value in enumerate(told))
    value = read(told, where)
    if word == "equals":
        return Comparison.EQUALS, (value,)
    if isinstance(value, int):
        raise ValidationError(where, "must be text or hexadecimal (0x...), not a number")
    return (Comparison.BEGINS if word == "prefix" else Comparison.CONTAINS), (value,)


# --- values


def octets_or_number(told: Any, path: str) -> Value:
    """Return a number, text, or octets in hexadecimal behind 0x."""
    if isinstance(told, int) and not isinstance(told, bool):
        if not 0 <= told < 2**64:
            raise ValidationError(path, "must be between 0 and 18446744073709551615")
        return told
    text = read_text(told, path)
    if not text.startswith("0x"):
        return text.encode()
    try:
        return bytes.fromhex(text[2:])
    except ValueError:
        raise ValidationError(path, "is not hexadecimal after 0x") from None


def address(told: Any, path: str) -> Value:
    try:
        return ip_address(read_text(told, path)).packed
    except ValueError:
        raise ValidationError(path, "must be an IP address") from None


def identifier(told: Any, path: str) -> Value:
    """Return octets as everywhere in the API, 00:03:00:01:... or bare."""
    try:
        return parse_octets(read_text(told, path).removeprefix("0x"))
    except (ValueError, ValidationError):
        raise ValidationError(path, "must be octets in hexadecimal") from None


def hardware_type(told: Any, path: str) -> Value:
    if not isinstance(told, int) or isinstance(told, bool) or not 0 <= told <= 65535:
        raise ValidationError(path, "must be a number between 0 and 65535 (1 is Ethernet)")
    return told


def text_octets(told: Any, path: str) -> Value:
    return read_text(told, path).encode()


READERS: dict[Subject, Reader] = {
    Subject.GIADDR: address,
    Subject.INTERFACE: text_octets,
    Subject.HW_TYPE: hardware_type,
    Subject.CLIENT_ID: identifier,
    Subject.DUID: identifier,
}


def read_text(told: Any, path: str) -> str:
    if not isinstance(told, str) or not 0 < len(told.encode()) <= 2 * LONGEST_VALUE + 2:
        raise ValidationError(path, f"must be text of 1 to {LONGEST_VALUE} octets")
    return told


def read_number(
    node: Mapping[str, Any], path: str, name: str, least: int, most: int, default: int | None = None
) -> int:
    if name not in node and default is not None:
        return default
    told = node[name]
    if not isinstance(told, int) or isinstance(told, bool) or not least <= told <= most:
        raise ValidationError(f"{path}.{name}", f"must be a number between {least} and {most}")
    return told


def read_flag(node: Mapping[str, Any], path: str, name: str) -> bool:
    told = node.get(name, False)
    if not isinstance(told, bool):
        raise ValidationError(f"{path}.{name}", "must be true or false")
    return told


def refuse_others(node: Mapping[str, Any], path: str, allowed: tuple[str, ...]) -> None:
    for name in node:
        if name not in allowed:
            raise ValidationError(f"{path}.{name}", f"is unknown here; there may be {', '.join(allowed)}")
