"""Conditions of other servers on their way to `match` of a client class: the common parts."""

from typing import Any

Tree = dict[str, Any]


MAC, KNOWN = "mac_prefix", "known"
CRITERIA = {MAC, KNOWN, "locally_administered"}
"""What a class asks for by fields of its own, beside its conditions."""


class CannotSay(Exception):
    """The tree has no words for it."""


def length_of(value: str) -> int:
    """Return the length in octets; numbers in hexadecimal begin with 0x."""
    return (len(value) - 2) // 2 if value.startswith("0x") else len(value.encode())


def parted(tree: Tree) -> tuple[Tree | None, Tree]:
    """Return the conditions, and the criteria among them. All of a class hold together, so criteria may only stand at
    the top or in its `all`. Raises CannotSay."""
    parts = tree.get("all", [tree])
    rest = [each for each in parts if not CRITERIA & set(each)]
    asked = [each for each in parts if CRITERIA & set(each)]
    found = {name: value for each in asked for name, value in each.items()}
    if len(found) < len(asked) or mentions(rest, CRITERIA):
        raise CannotSay(
            "the hardware address can be asked for once, beside what else must hold, and so can KNOWN"
        )
    joined = {"all": rest} if len(rest) > 1 else rest[0] if rest else None
    return joined, found


def mentions(node: Any, names: set[str]) -> bool:
    if isinstance(node, dict):
        return bool(names & set(node)) or any(mentions(each, names) for each in node.values())
    return isinstance(node, list | tuple) and any(mentions(each, names) for each in node)
