"""Conditions of policies as `match` of a client class, where these say the same."""

import re
from collections.abc import Callable, Iterator

from api.importers.conditions import CannotSay, Tree
from api.importers.windows.identities import MAC_OCTETS, colons, octets
from api.importers.windows.model import Policy

OPERATORS = ("EQ", "NE")
OPTIONS: dict[str, Tree] = {
    "VendorClass": {"option": 60},
    "UserClass": {"option": 77},
    "RelayAgent": {"option": 82},
    "CircuitId": {"option": 1, "relay": True},
    "RemoteId": {"option": 2, "relay": True},
    "SubscriberId": {"option": 6, "relay": True},
}
CLASSES = ("VendorClass", "UserClass")
ETHERNET = "01"
DataOf = Callable[[str], str | None]


def tree_of(policy: Policy, data_of: DataOf) -> tuple[Tree, list[str]]:
    """Return the tree, and the beginnings of hardware addresses whose classes (card_class) it names. Raises
    CannotSay."""
    reader = Reader(data_of)
    parts = [reader.criterion(name, words) for name, words in policy.criteria.items()]
    if not parts:
        raise CannotSay("it has no conditions")
    return joined("all" if policy.every else "any", parts), reader.cards


def joined(word: str, parts: list[Tree]) -> Tree:
    return parts[0] if len(parts) == 1 else {word: parts}


def card_class(prefix: str) -> str:
    return f"hardware {colons(prefix)}"


def card_prefix(text: str) -> str:
    """Return the prefix of 00-15-5D-* or the whole address, in bare hexadecimal."""
    plain = re.sub(r"(?:[-:]?\*)+$", "", text.strip())
    found = octets(plain)
    if found is None or len(found) > 2 * MAC_OCTETS:
        raise CannotSay(f"{text or 'nothing'} is no beginning of a hardware address")
    if plain == text.strip() and len(found) < 2 * MAC_OCTETS:
        raise CannotSay(f"{text} is no whole hardware address")
    return found


class Reader:
    """`data_of`: the octets of a class by its name."""

    def __init__(self, data_of: DataOf) -> None:
        self.data_of = data_of
        self.cards: list[str] = []

    def criterion(self, name: str, words: list[str]) -> Tree:
        """Return the criterion. EQ: one of the values that follow; NE: none of them."""
        return joined(
            "all", [self.comparison(name, operator, operands) for operator, operands in runs(words)]
        )

    def comparison(self, name: str, operator: str, operands: list[str]) -> Tree:
        if not operands:
            raise CannotSay(f"{name} {operator} compares with nothing")
        tree = joined("any", [self.leaf(name, each) for each in operands])
        return tree if operator == "EQ" else {"not": tree}

    def leaf(self, name: str, operand: str) -> Tree:
        if name == "MacAddress":
            prefix = card_prefix(operand)
            if prefix not in self.cards:
                self.cards.append(prefix)
            return {"class": card_class(prefix)}
        if name not in (*OPTIONS, "ClientId"):
            raise CannotSay(f"{name} is nothing that conditions look at")
        word = "prefix" if operand.endswith("*") else "equals"
        value = self.value(name, operand.removesuffix("*"))
        if name == "ClientId":
            return client_leaf(value, word)
        return OPTIONS[name] | {word: "0x" + value}

    def value(self, name: str, operand: str) -> str:
        """Return the value in hexadecimal."""
        found = self.data_of(operand) if name in CLASSES else octets(operand)
        if found is None:
            raise CannotSay(
                f"{operand or 'nothing'} is no {'class of the file' if name in CLASSES else 'octets'}"
            )
        return found


def runs(words: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield operators with the operands that follow each. Raises CannotSay where they begin with none."""
    if not words or words[0].upper() not in OPERATORS:
        raise CannotSay(f"{words[0] if words else 'nothing'} is no operator")
    starts = [at for at, each in enumerate(words) if each.upper() in OPERATORS]
    for start, end in zip(starts, [*starts[1:], len(words)], strict=True):
        yield words[start].upper(), words[start + 1 : end]


def client_leaf(value: str, word: str) -> Tree:
    """Return the leaf for a client; Windows leaves out the hardware type in front of an Ethernet address."""
    if word == "prefix":
        raise CannotSay("whether the beginning of a client id is that of a hardware address is not said")
    whole = ETHERNET + value if len(value) == 2 * MAC_OCTETS else value
    return {"field": "client_id", "equals": whole}
