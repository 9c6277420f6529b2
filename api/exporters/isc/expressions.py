"""Conditions of a client class as `match if` of dhcpd.conf. A class that a condition names stands there by what it asks
for: dhcpd has no words for being in one. Raises CannotSay where dhcpd has none at all."""

from collections.abc import Callable, Mapping
from ipaddress import ip_address
from typing import Any

from api.exporters.isc.text import constant
from api.exporters.kea.expressions import octets, widths
from api.importers.conditions import CannotSay
from ipam_core.dhcp import registry
from ipam_core.model.values import parse_octets

Tree = Mapping[str, Any]
AGENT = {1: "agent.circuit-id", 2: "agent.remote-id"}
FIELDS = {
    4: {"giaddr": "packet(24, 4)", "hw_type": "packet(1, 1)", "client_id": "option dhcp-client-identifier"},
    6: {"duid": "option dhcp6.client-id"},
}


class Expressions:
    """`named`: dhcpd's name of an option; `classes`: what the classes before this one ask for."""

    def __init__(self, family: int, named: Callable[[int], str], classes: Mapping[str, str]) -> None:
        self.family = family
        self.named = named
        self.classes = classes

    def said(self, tree: Tree) -> str:
        for word, joint in (("all", " and "), ("any", " or ")):
            if word in tree:
                return joint.join(f"({self.said(each)})" for each in tree[word])
        if "not" in tree:
            return f"not ({self.said(tree['not'])})"
        if "class" in tree:
            return self.member(tree)
        return self.leaf(tree)

    def member(self, tree: Tree) -> str:
        if len(tree) > 1 or tree["class"] not in self.classes:
            raise CannotSay(f"it asks for the class {tree['class']}, which is left out")
        return self.classes[tree["class"]]

    def leaf(self, tree: Tree) -> str:
        part = self.source(tree)
        if "exists" in tree:
            if not part.startswith("option "):
                raise CannotSay("it is asked whether a field is there")
            said = f"exists {part.removeprefix('option ')}"
            return said if tree["exists"] else f"not {said}"
        if "contains" in tree:
            raise CannotSay("dhcpd cannot look for something inside of an option")
        if "prefix" in tree:
            return self.beginning(part, tree)
        values = tree["in"] if "in" in tree else [tree["equals"]]
        cut = self.sliced(part, tree)
        return " or ".join(
            f"{cut} = {constant(each)}" for value in values for each in self.values(value, tree)
        )

    def beginning(self, part: str, tree: Tree) -> str:
        wanted = octets(tree["prefix"])
        if tree.get("length", len(wanted)) < len(wanted):
            raise CannotSay("the part is shorter than what it shall begin with")
        return f"substring({part}, {tree.get('offset', 0)}, {len(wanted)}) = {constant(wanted)}"

    def source(self, tree: Tree) -> str:
        if "field" in tree:
            said = FIELDS[self.family].get(tree["field"])
            if said is None:
                raise CannotSay(f"{tree['field']} is nothing that dhcpd looks at in DHCPv{self.family}")
            return said
        if "vendor" in tree or tree.get("family", 4) != self.family:
            raise CannotSay("it asks for an option of another family or of a vendor")
        agent = tree.get("option") if tree.get("relay") else tree.get("suboption")
        if agent is not None:
            if self.family != 4 or agent not in AGENT or not (tree.get("relay") or tree["option"] == 82):
                raise CannotSay("of suboptions dhcpd sees the circuit id and the remote id")
            return f"option {AGENT[agent]}"
        return f"option {self.request_name(tree['option'])}"

    def request_name(self, code: int) -> str:
        """Return the table's name for a value that clients send."""
        return REQUEST_NAMES[self.family].get(code) or self.named(code)

    def sliced(self, part: str, tree: Tree) -> str:
        if "offset" not in tree and "length" not in tree:
            return part
        return f"substring({part}, {tree.get('offset', 0)}, {tree.get('length', 255)})"

    def values(self, value: Any, tree: Tree) -> list[bytes]:
        if tree.get("field") == "giaddr":
            return [ip_address(value).packed]
        if tree.get("field") == "hw_type":
            return [bytes([value])]
        if isinstance(value, str):
            return [parse_octets(value) if tree.get("field") in ("client_id", "duid") else octets(value)]
        return [value.to_bytes(width) for width in widths(tree, self.family) if value < 1 << 8 * width]


REQUEST_NAMES = {
    4: {code: row.name for code in (12, 50, 55, 57, 60, 61) if (row := registry.lookup(4, code)) is not None},
    6: {1: "dhcp6.client-id"},
}
