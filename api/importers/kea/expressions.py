"""Kea's expressions over a packet as conditions of a client class, where these say the same.

A tree cannot compare what is computed (concat, hexstring, ifelse, split), nor look at fields of the packet that
conditions have not; those are refused, and whoever asked tells it with the line of the expression.
"""

import re
from collections.abc import Callable
from ipaddress import ip_address
from typing import Any

from api.importers.conditions import KNOWN, MAC, CannotSay, Tree, length_of, mentions, parted
from ipam_core.dhcp import registry

TOKEN = re.compile(
    r"\s*(?:(?P<text>'[^']*')|(?P<hex>0[xX][0-9A-Fa-f]*)|(?P<address>\d+\.\d+\.\d+\.\d+|[0-9A-Fa-f]*:[0-9A-Fa-f:.]*)"
    r"|(?P<number>-?\d+)|(?P<word>[A-Za-z][\w-]*)|(?P<mark>==|[().,\[\]*-]))"
)
DEEPEST = 16
FIELDS = {
    ("pkt4", "giaddr"): "giaddr",
    ("pkt4", "htype"): "hw_type",
    ("pkt", "iface"): "interface",
}
NIBBLE, LOCAL = "nibble", "locally_administered"
LOCALLY_ADMINISTERED = [{NIBBLE: digit} for digit in "26ae"]
"""The second digit of such a hardware address: Kea compares no bits."""
RESERVED = {"KNOWN": True, "UNKNOWN": False}


def tree_of(expression: str, family: int) -> tuple[Tree | None, Tree]:
    """Return the conditions, and the other criteria of a class beside them. Raises CannotSay."""
    reader = Reader(split(expression), family)
    tree = reader.either(0)
    if reader.at < len(reader.tokens):
        raise CannotSay(f"{reader.peek()} follows the end of the expression")
    parts = [local(each) for each in tree.get("all", [tree])]
    found = parted({"all": parts})
    if mentions(found, {NIBBLE}):
        raise CannotSay(
            "of a hardware address the beginning can be asked for, and whether it is administered locally"
        )
    return found


def local(tree: Tree) -> Tree:
    if tree.get("any") == LOCALLY_ADMINISTERED:
        return {LOCAL: True}
    return {LOCAL: False} if tree.get("not") == {"any": LOCALLY_ADMINISTERED} else tree


def split(expression: str) -> list[tuple[str, str]]:
    found, at = [], 0
    text = expression.rstrip()
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            raise CannotSay(f"{text[at : at + 10].strip()!r} is not understood")
        found.append((str(match.lastgroup), match[str(match.lastgroup)]))
        at = match.end()
    return found


SECOND_DIGIT = [each for _, each in split("substring(hexstring(pkt4.mac, ''), 1, 1)")]


class Reader:
    """Reader by recursive descent: or, and, not, comparison."""

    def __init__(self, tokens: list[tuple[str, str]], family: int) -> None:
        self.tokens = tokens
        self.family = family
        self.at = 0

    def peek(self) -> str:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def step(self, *kinds: str) -> str:
        if self.at >= len(self.tokens) or self.tokens[self.at][0] not in kinds:
            raise CannotSay(f"{' or '.join(kinds)} is expected instead of {self.peek() or 'the end'}")
        self.at += 1
        return self.tokens[self.at - 1][1]

    def took(self, text: str) -> bool:
        if self.peek() != text:
            return False
        self.at += 1
        return True

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
        if self.took("member"):
            self.need("(")
            name = self.step("text")[1:-1]
            self.need(")")
            return self.member(name)
        return self.comparison()

    def member(self, name: str) -> Tree:
        if name in RESERVED:
            return {KNOWN: RESERVED[name]}
        if name in ("ALL", "BOOTP", "DROP", "SKIP_DDNS") or name.startswith("VENDOR_CLASS_"):
            raise CannotSay(f"the class {name} is Kea's own")
        return {"class": name}

    def comparison(self) -> Tree:
        """Return a part of the packet, and what it is compared with."""
        part = self.part()
        if "exists" in part:
            return part
        self.need("==")
        if MAC in part:
            return self.compared_mac(part)
        if NIBBLE in part:
            return {NIBBLE: self.step("text")[1:-1]}
        return self.compared(part)

    def compared(self, part: Tree) -> Tree:
        kind, value = self.tokens[self.at] if self.at < len(self.tokens) else ("", "")
        self.step("text", "hex", "address", "number")
        if part.get("field") == "hw_type":
            return part | {"equals": int(value, 0)}
        if part.get("field") == "giaddr":
            return part | {"equals": checked_address(value)}
        wanted: str | int = octets_of(kind, value)
        if not wanted or wanted == "0x":
            raise CannotSay("it is compared with nothing, which what is missing equals too")
        if part.get("offset") == 0 and part.get("length") == length_of(str(wanted)):
            rest = {name: each for name, each in part.items() if name not in ("offset", "length")}
            return rest | {"prefix": wanted}
        return part | {"equals": wanted}

    def compared_mac(self, part: Tree) -> Tree:
        wanted = self.step("hex")[2:].lower()
        if part.get("offset", 0) != 0 or len(wanted) != 2 * part.get("length", 6):
            raise CannotSay("only the beginning of a hardware address can be asked for")
        return {MAC: bytes.fromhex(wanted).hex(":")}

    def part(self) -> Tree:
        if self.nibble():
            return {NIBBLE: ""}
        if self.took("substring"):
            self.need("(")
            part = self.part()
            self.need(",")
            offset = int(self.step("number"))
            self.need(",")
            length = None if self.took("all") else int(self.step("number"))
            self.need(")")
            if offset < 0 or (length is not None and length <= 0) or "exists" in part or "offset" in part:
                raise CannotSay("a part is cut from the front only, and once")
            return part | {"offset": offset} | ({"length": length} if length is not None else {})
        word = self.step("word")
        if word == "option":
            return self.option({})
        if word == "relay4":
            return self.relay4()
        if word == "relay6":
            return self.relay6()
        if word == "vendor":
            return self.vendor()
        if self.peek() != ".":
            raise CannotSay(f"{word} is nothing that conditions know")
        self.need(".")
        name = self.step("word")
        if (word, name) == ("pkt4", "mac"):
            return {MAC: ""}
        if (word, name) not in FIELDS:
            raise CannotSay(f"{word}.{name} is nothing that conditions look at")
        return {"field": FIELDS[word, name]}

    def relay4(self) -> Tree:
        return self.told({"option": self.code(self.relay_codes), "relay": True})

    def relay6(self) -> Tree:
        """Read relay6[-1].option[18].hex, of the relay next to the client; 0 is the one next to the server."""
        self.need("[")
        if self.peek() != "-1":
            raise CannotSay(
                f"conditions look at the relay next to the client, relay6[-1], not at relay6[{self.peek()}]"
            )
        for text in ("-1", "]", ".", "option"):
            self.need(text)
        return self.told({"option": self.code(self.relay_option6), "relay": True, "family": 6})

    def vendor(self) -> Tree:
        """Read vendor[4491].option[1].hex, which lies in option 125, or 17 of DHCPv6."""
        self.need("[")
        enterprise = int(self.step("number"))
        for text in ("]", ".", "option"):
            self.need(text)
        part: Tree = {"option": 125} if self.family == 4 else {"option": 17, "family": 6}
        return self.told(part | {"vendor": enterprise, "suboption": self.code(lambda _: None)})

    def nibble(self) -> bool:
        """Read substring(hexstring(pkt4.mac, ''), 1, 1)"""
        if [each[1] for each in self.tokens[self.at : self.at + len(SECOND_DIGIT)]] != SECOND_DIGIT:
            return False
        self.at += len(SECOND_DIGIT)
        return True

    def option(self, start: Tree) -> Tree:
        """Read option[60].hex, option[82].option[1].hex"""
        code = self.code(lambda name: registry.by_name(self.family, name))
        if self.family == 4 and code == 82 and self.peek() == "." and self.ahead(1) == "option":
            self.at += 2
            return self.told(start | {"option": self.code(self.relay_codes), "relay": True})
        part: Tree = start | {"option": code} | ({"family": 6} if self.family == 6 else {})
        if self.peek() == "." and self.ahead(1) == "option":
            self.at += 2
            part["suboption"] = self.code(lambda _: None)
        return self.told(part)

    def told(self, part: Tree) -> Tree:
        self.need(".")
        word = self.step("word")
        if word == "exists":
            return part | {"exists": True}
        if word not in ("hex", "text"):
            raise CannotSay(f"{word} is nothing that conditions look at")
        return part

    def code(self, named: Callable[[str], Any]) -> int:
        self.need("[")
        text = self.step("number", "word")
        self.need("]")
        if text.isdecimal():
            return int(text)
        found = named(text)
        if found is None:
            raise CannotSay(f"there is no option {text}")
        return int(found.code)

    def relay_codes(self, name: str) -> Any:
        found = registry.lookup(4, 82)
        return next((each for each in (found.suboptions if found else ()) if each.name == name), None)

    def relay_option6(self, name: str) -> Any:
        return registry.by_name(6, name)

    def ahead(self, by: int) -> str:
        return self.tokens[self.at + by][1] if self.at + by < len(self.tokens) else ""


def checked_address(value: str) -> str:
    try:
        return str(ip_address(value))
    except ValueError:
        raise CannotSay(f"{value} is no address") from None


def octets_of(kind: str, value: str) -> str:
    """Return octets as conditions write them: text, or octets behind 0x."""
    if kind == "text":
        text = value[1:-1]
        return "0x" + text.encode().hex() if text.startswith("0x") else text
    if kind == "hex":
        digits = value[2:].lower()
        return "0x" + digits.rjust(len(digits) + len(digits) % 2, "0")
    if kind == "address":
        return "0x" + ip_address(checked_address(value)).packed.hex()
    raise CannotSay("a number has no octets here; Kea writes 0x...")
