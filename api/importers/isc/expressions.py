"""`match if` of dhcpd.conf as conditions of a client class, where these say the same."""

from collections.abc import Callable
from typing import Any

from api.importers.conditions import KNOWN, MAC, CannotSay, Tree, length_of, mentions, parted
from api.importers.isc.syntax import Word
from ipam_core.dhcp import registry
from ipam_core.dhcp.kinds.definition import OptionDef
from ipam_core.model.values import parse_octets

DEEPEST = 16
Named = Callable[[str], OptionDef | None]


def tree_of(words: list[Word], named: Named) -> tuple[Tree | None, Tree]:
    """Return the conditions, and other criteria beside them. Raises CannotSay. `named` finds options by the file's
    names."""
    reader = Reader(words, named)
    tree = reader.either(0)
    if reader.at < len(words):
        raise CannotSay(f"{reader.peek()} follows the end of the expression")
    return parted(tree)


def leaf_of(words: list[Word], named: Named) -> Tree:
    """Return a part of the packet, without what it is compared with."""
    reader = Reader(words, named)
    part = reader.part(0)
    if reader.at < len(words):
        raise CannotSay(f"{reader.peek()} follows the end of the expression")
    if mentions(part, {MAC}):
        raise CannotSay("hardware is nothing whose values conditions list")
    return part


class Reader:
    """Reader by recursive descent: or, and, not, comparison."""

    def __init__(self, words: list[Word], named: Named) -> None:
        self.words = words
        self.named = named
        self.at = 0

    def peek(self) -> str:
        return self.words[self.at].text if self.at < len(self.words) else ""

    def step(self) -> Word:
        if self.at >= len(self.words):
            raise CannotSay("it ends too early")
        self.at += 1
        return self.words[self.at - 1]

    def took(self, text: str) -> bool:
        found = self.peek().lower() == text
        self.at += found
        return found

    def need(self, text: str) -> None:
        if not self.took(text):
            raise CannotSay(f"{text} is expected instead of {self.peek() or 'the end'}")

    def either(self, depth: int) -> Tree:
        return self.joined("or", "any", lambda: self.both(depth))

    def both(self, depth: int) -> Tree:
        return self.joined("and", "all", lambda: self.negated(depth))

    def joined(self, word: str, name: str, read: Callable[[], Tree]) -> Tree:
        parts = [read()]
        while self.took(word):
            parts.append(read())
        return parts[0] if len(parts) == 1 else {name: parts}

    def negated(self, depth: int) -> Tree:
        if depth > DEEPEST:
            raise CannotSay(f"it is deeper than {DEEPEST} levels")
        if self.took("not"):
            return {"not": self.negated(depth + 1)}
        if self.took("("):
            tree = self.either(depth + 1)
            self.need(")")
            return tree
        if self.took("exists"):
            return self.option() | {"exists": True}
        if self.took("known"):
            return {KNOWN: True}
        return self.comparison()

    def comparison(self) -> Tree:
        part = self.part(0)
        word = self.step()
        negated = word.text == "!"
        if negated:
            self.need("=")
        elif word.text != "=":
            raise CannotSay(f"= is expected instead of {word.text}")
        tree = compared(part, value_of(self.step()))
        return {"not": tree} if negated else tree

    def part(self, depth: int) -> Tree:
        if depth > DEEPEST:
            raise CannotSay(f"it is deeper than {DEEPEST} levels")
        if self.took("substring"):
            self.need("(")
            part = self.part(depth + 1)
            if "offset" in part:
                raise CannotSay("a part of a part has no words")
            self.need(",")
            offset = self.number()
            self.need(",")
            length = self.number()
            self.need(")")
            return part | {"offset": offset, "length": length}
        if self.took("hardware"):
            return {MAC: ""}
        if self.peek().lower() != "option":
            raise CannotSay(f"{self.peek() or 'the end'} is nothing that conditions look at")
        return self.option()

    def number(self) -> int:
        text = self.step().text
        if not text.isdecimal() or len(text) > 5:
            raise CannotSay(f"{text} is no number")
        return int(text)

    def option(self) -> Tree:
        self.need("option")
        name = self.step().text
        space, _, inner = name.rpartition(".")
        if space == "agent":
            options = registry.lookup(4, 82)
            found = next(
                (each for each in (options.suboptions if options else ()) if each.name == inner), None
            )
            if found is not None:
                return {"option": found.code, "relay": True}
        definition = self.named(name)
        if definition is None:
            raise CannotSay(f"there is no option {name}")
        return {"option": definition.code} | ({"family": 6} if definition.family == 6 else {})


def compared(part: Tree, value: str) -> Tree:
    if MAC in part:
        return hardware(part, value)
    if part.get("offset") == 0 and part.get("length") == length_of(value):
        return {name: each for name, each in part.items() if name not in ("offset", "length")} | {
            "prefix": value
        }
    return part | {"equals": value}


def hardware(part: Tree, value: str) -> Tree:
    """Return its type, 1, and the address; a part of it from the address on."""
    octets = bytes.fromhex(value[2:]) if value.startswith("0x") else value.encode()
    if "offset" not in part and octets[:1] == b"\1":
        return {MAC: octets[1:].hex(":")}
    if part.get("offset") != 1 or part.get("length") != len(octets):
        raise CannotSay("only the beginning of a hardware address can be asked for")
    return {MAC: octets.hex(":")}


def value_of(word: Word) -> str:
    """Return text, or octets: 00:07."""
    if word.quoted and word.text:
        return "0x" + word.text.encode().hex() if word.text.startswith("0x") else word.text
    try:
        return "0x" + b"".join(octet(each) for each in word.text.split(":")).hex()
    except ValueError:
        raise CannotSay(f"{word.text or 'nothing'} is no constant") from None


def octet(text: str) -> bytes:
    return parse_octets(text.rjust(2, "0"))


def values_in(part: Tree, values: list[Any]) -> Tree:
    """Return a class whose subclasses say the values."""
    return compared(part, values[0]) if len(values) == 1 else part | {"in": values}
