"""Conditions of a client class as an expression of Kea. Raises CannotSay where Kea 2.2 has no words for it."""

from collections.abc import Mapping
from typing import Any

from api.importers.conditions import CannotSay, length_of
from ipam_core.dhcp import registry
from ipam_core.model.values import parse_octets

Tree = Mapping[str, Any]
WIDTHS = (1, 2, 4, 8)
"""Octets in which a number may stand where the option's layout does not tell."""
FIELDS = {
    4: {
        "giaddr": "pkt4.giaddr",
        "interface": "pkt.iface",
        "hw_type": "pkt4.htype",
        "client_id": "option[61].hex",
    },
    6: {"interface": "pkt.iface", "duid": "option[1].hex"},
}
SECOND_DIGIT = "substring(hexstring(pkt4.mac, ''), 1, 1)"
LOCALLY_ADMINISTERED = " or ".join(f"{SECOND_DIGIT} == '{each}'" for each in "26ae")


def test_of(tree: Tree, family: int) -> str:
    for word, joint in (("all", " and "), ("any", " or ")):
        if word in tree:
            return joint.join(bracketed(each, family) for each in tree[word])
    if "not" in tree:
        return f"not {bracketed(tree['not'], family)}"
    if "class" in tree:
        return membership(tree)
    return leaf(tree, family)


def bracketed(tree: Tree, family: int) -> str:
    said = test_of(tree, family)
    return f"({said})" if " or " in said or " and " in said else said


def membership(tree: Tree) -> str:
    if len(tree) > 1:
        raise CannotSay("values of a template class cannot be compared")
    if "'" in tree["class"]:
        raise CannotSay(f"a class cannot be called {tree['class']}")
    return f"member('{tree['class']}')"


def leaf(tree: Tree, family: int) -> str:
    part = source(tree, family)
    if "exists" in tree:
        if not part.endswith(".hex"):
            raise CannotSay("it is asked whether a field is there")
        said = part.removesuffix("hex") + "exists"
        return said if tree["exists"] else f"not {said}"
    if "contains" in tree:
        raise CannotSay("Kea cannot look for something inside of an option")
    if "prefix" in tree:
        return beginning(part, tree)
    values = tree["in"] if "in" in tree else [tree["equals"]]
    cut = sliced(part, tree)
    return " or ".join(f"{cut} == {value}" for each in values for value in constants(each, tree, family))


def source(tree: Tree, family: int) -> str:
    if "field" in tree:
        said = FIELDS[family].get(tree["field"])
        if said is None:
            raise CannotSay(f"{tree['field']} is nothing that Kea looks at in DHCPv{family}")
        return said
    if tree.get("family", 4) != family and not tree.get("relay"):
        raise CannotSay(f"it asks for an option of DHCPv{10 - family}")
    code = f"option[{tree['option']}]"
    if tree.get("relay"):
        code = f"relay4[{tree['option']}]" if family == 4 else f"relay6[-1].{code}"
    if "vendor" in tree:
        if "suboption" not in tree or tree.get("relay"):
            raise CannotSay("a vendor's option is asked for by its suboption")
        code = f"vendor[{tree['vendor']}].option[{tree['suboption']}]"
    elif "suboption" in tree:
        code += f".option[{tree['suboption']}]"
    return f"{code}.hex"


def sliced(part: str, tree: Tree) -> str:
    if "offset" not in tree and "length" not in tree:
        return part
    return f"substring({part}, {tree.get('offset', 0)}, {tree.get('length', 'all')})"


def beginning(part: str, tree: Tree) -> str:
    wanted = octets(tree["prefix"])
    if tree.get("length", len(wanted)) < len(wanted):
        raise CannotSay("the part is shorter than what it shall begin with")
    return f"substring({part}, {tree.get('offset', 0)}, {len(wanted)}) == {spelt(tree['prefix'])}"


def constants(value: Any, tree: Tree, family: int) -> list[str]:
    """Return a number in each width in which it may stand."""
    if tree.get("field") in ("giaddr", "hw_type"):
        return [str(value)]
    if isinstance(value, str):
        return [
            f"0x{parse_octets(value).hex()}" if tree.get("field") in ("client_id", "duid") else spelt(value)
        ]
    return ["0x" + value.to_bytes(width).hex() for width in widths(tree, family) if value < 1 << 8 * width]


def widths(tree: Tree, family: int) -> tuple[int, ...]:
    if "length" in tree:
        return (tree["length"],)
    plain = "option" in tree and not {"suboption", "vendor", "relay", "offset"} & set(tree)
    row = registry.lookup(family, tree["option"]) if plain else None
    return (row.item_octets,) if row and row.item_octets in WIDTHS else WIDTHS


def octets(value: str) -> bytes:
    if value.startswith("0x"):
        return bytes.fromhex(value[2:])
    return value.encode()


def spelt(value: str) -> str:
    """Return the text in quotes where Kea accepts it so."""
    if value.startswith("0x"):
        return value
    plain = value.isascii() and value.isprintable() and "'" not in value
    return f"'{value}'" if plain else f"0x{value.encode().hex()}"


def begins(part: str, value: str, offset: int = 0) -> str:
    return f"substring({part}, {offset}, {length_of(value)}) == {spelt(value)}"
