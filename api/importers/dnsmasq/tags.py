"""Tags of clients as client classes: whatever sets a tag is one of the conditions of its class."""

import re
from collections.abc import Callable

from api.importers.conditions import CannotSay, Tree
from api.importers.dnsmasq.options import NoOption, code_of
from api.importers.dnsmasq.syntax import Statement, tagged
from api.importers.lines import lose
from api.importers.plan import Fields, Planned, Planner
from ipam_core.dhcp import registry

IS_DHCPV4: Tree = {"option": 53, "exists": True}
NOBODY: Tree = {"all": [IS_DHCPV4, {"not": IS_DHCPV4}]}
"""Of a class whose clients are named by reservations alone."""
RELAY = {"dhcp-circuitid": 1, "dhcp-remoteid": 2, "dhcp-subscrid": 6}
OCTETS = re.compile(r"[0-9A-Fa-f]{1,2}(?::[0-9A-Fa-f]{1,2})+")


class Tags:
    """`made`: the classes of the plan by their tags. `fields`: what else the file says of who has a tag."""

    def __init__(self, planner: Planner) -> None:
        self.planner = planner
        self.rules: dict[str, list[tuple[Statement, Tree]]] = {}
        self.cards: dict[str, Statement] = {}
        self.made: dict[str, Planned] = {}
        self.fields: dict[str, Fields] = {}
        self.count = 0
        self.readers: dict[str, Callable[[list[str]], Tree]] = {
            "dhcp-match": matched,
            "dhcp-vendorclass": vendor,
            "dhcp-userclass": lambda words: {"option": 77, "contains": value(words)},
            "dhcp-mac": self.card,
        } | {name: relay(code) for name, code in RELAY.items()}

    def rule(self, statement: Statement) -> None:
        """Read dhcp-match and its kin: they set one tag."""
        asked, given, words = tagged(statement.words)
        if not given and words:
            given.append(words.pop(0))
        try:
            if asked or len(given) != 1:
                raise CannotSay("it sets not one tag, or asks for another")
            tree = self.readers[statement.name](words)
        except (CannotSay, NoOption) as reason:
            why = f"its clients cannot be selected by conditions ({reason}): they do not get the tag"
            lose(self.planner, statement, "manual", statement.text, why)
            return
        self.rules.setdefault(given[0], []).append((statement, tree))

    def named(self, tag: str, statement: Statement) -> None:
        """Note that a reservation puts its client into the class."""
        self.rules.setdefault(tag, []).append((statement, NOBODY))

    def card(self, words: list[str]) -> Tree:
        return {"class": f"hardware {card_prefix(value(words))}"}

    # --- classes

    def make(self, wanted: set[str]) -> None:
        """Make the classes that have contents."""
        for tag, rules in self.rules.items():
            if tag in wanted or tag in self.fields:
                self.class_of(tag, rules)
                continue
            for statement, tree in rules:
                why = f"nothing is for the tag {tag}"
                if tree is NOBODY:
                    self.planner.warn(statement.line, "dropped", f"set:{tag}", why)
                else:
                    lose(self.planner, statement, "dropped", statement.text, why)

    def class_of(self, tag: str, rules: list[tuple[Statement, Tree]]) -> None:
        trees = [tree for _, tree in rules if tree is not NOBODY] or [NOBODY]
        for statement, tree in rules:
            if "class" in tree:
                self.helper(statement, str(tree["class"]))
        match = trees[0] if len(trees) == 1 else {"any": trees}
        made = self.add(rules[0][0], {"name": tag, "match": match} | self.fields.get(tag, {}))
        if made:
            self.made[tag] = made

    def helper(self, statement: Statement, name: str) -> None:
        if name not in self.cards:
            self.cards[name] = statement
            self.add(statement, {"name": name, "mac_prefix": name.removeprefix("hardware ")})

    def add(self, statement: Statement, fields: Fields) -> Planned | None:
        self.count += 1
        return self.planner.add("client-classes", statement.line, fields | {"priority": self.count})


def value(words: list[str]) -> str:
    text = ",".join(words)
    if not text:
        raise CannotSay("it names nothing")
    return "0x" + text.encode().hex() if text.startswith("0x") else text


def matched(words: list[str]) -> Tree:
    """Return the match of option:client-arch,7; without a value the option is enough."""
    name, *values = words or [""]
    if name.startswith(("vi-encap:", "vendor:", "encap:")):
        raise CannotSay(f"{name.partition(':')[0]} is within an option")
    family, code = code_of(name)
    part: Tree = {"option": code} | ({"family": 6} if family == 6 else {})
    if not any(values):
        return part | {"exists": True}
    definition = registry.lookup(family, code)
    text = value(values)
    if definition and definition.kind.startswith("uint") and text.isdecimal() and len(text) < 10:
        return part | {"equals": int(text)}
    return part | ({"equals": octets_of(text)} if OCTETS.fullmatch(text) else {"contains": text})


def vendor(words: list[str]) -> Tree:
    if words and words[0].startswith("enterprise:"):
        raise CannotSay("the vendor class of an enterprise is within an option")
    return {"option": 60, "contains": value(words)}


def relay(code: int) -> Callable[[list[str]], Tree]:
    def read(words: list[str]) -> Tree:
        text = value(words)
        return {"option": code, "relay": True, "equals": octets_of(text) if OCTETS.fullmatch(text) else text}

    return read


def octets_of(text: str) -> str:
    return "0x" + "".join(each.rjust(2, "0") for each in text.split(":"))


def card_prefix(text: str) -> str:
    """Return 00:15:5d:*:*:* as 00:15:5d; raise CannotSay where an asterisk is not at the end."""
    groups = text.split(":")
    known = [each for each in groups if each != "*"]
    if len(groups) != 6 or groups[: len(known)] != known or not known:
        raise CannotSay(f"{text} is no beginning of a hardware address")
    if not all(re.fullmatch("[0-9A-Fa-f]{1,2}", each) for each in known):
        raise CannotSay(f"{text} is no hardware address")
    return ":".join(each.rjust(2, "0") for each in known)
