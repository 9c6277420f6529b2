"""Plans as documents of a site file: what is said in them, in one spelling, and what they come to on other servers."""

from collections.abc import Iterator, Mapping
from ipaddress import ip_network
from typing import Any

from api.cli.site.reading import Reader, Wanted
from api.cli.site.shapes import TOP
from api.exporters.kea.expressions import octets, widths
from api.importers.kea.context import SUBNET_ID
from ipam_core.model.lifetimes import share
from ipam_core.untrusted_yaml import Entry

Document = dict[str, Any]
Tree = Mapping[str, Any]


def entry(value: Any) -> Any:
    """As a site file that is read has it."""
    if isinstance(value, Mapping):
        made = Entry()
        made.update((name, entry(each)) for name, each in value.items())
        return made
    return [entry(each) for each in value] if isinstance(value, list) else value


def objects(document: Document, family: int) -> dict[tuple[str, ...], Document]:
    """Each object by what it stands in, with all its fields. Raises SiteError where it is no plan."""
    mapping = entry(pushed_down(document, family))
    reader = Reader({}, "document")
    below = reader.lists(mapping, TOP, "", reader.around(None, mapping))
    reader.faults.refuse()
    found = dict(flat(below, ()))
    return {path: plain(path, fields, family) for path, fields in found.items()}


def flat(
    lists: Mapping[str, list[Wanted]], path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], Document]]:
    for entries in lists.values():
        for each in entries:
            here = (*path, each.what)
            yield here, dict(each.fields)
            yield from flat(each.below, here)


def plain(path: tuple[str, ...], fields: Document, family: int) -> Document:
    """What says the same looks the same."""
    kind = path[-1].split()[0]
    if kind == "client-classes":
        return of_class(fields, family)
    if kind == "subnets":
        fields["custom"] = {name: each for name, each in fields["custom"].items() if name != SUBNET_ID}
        if family == 6 and fields["preferred_lifetime_seconds"] is None:
            fields["preferred_lifetime_seconds"] = share(fields["lease_time_seconds"], 5 / 8)
    return fields


def of_class(fields: Document, family: int) -> Document:
    """Criteria that are conditions too, as conditions."""
    vendor, user, match = (fields.pop(name) for name in ("vendor_class", "user_class", "match"))
    parts = [] if vendor is None else [{"option": 60, "prefix": vendor}]
    if user is not None:
        counted = "0x" + (bytes([len(user)]) + user.encode()).hex()
        parts.append({"any": [{"option": 77, "equals": user}, {"option": 77, "prefix": counted}]})
    parts += [] if match is None else [match]
    return fields | {
        "conditions": sorted(repr(each) for part in parts for each in conjuncts(conditions(part, family)))
    }


def conjuncts(tree: Any) -> list[Any]:
    return sorted(tree[1], key=repr) if tree[0] == "all" else [tree]


def conditions(tree: Tree, family: int) -> tuple[Any, ...]:
    """A tree as tuples: parts of a packet, and octets."""
    if tree.get("option") == 82 and "suboption" in tree:
        rest = {name: each for name, each in tree.items() if name != "suboption"}
        return conditions({**rest, "option": tree["suboption"], "relay": True}, family)
    for word in ("all", "any"):
        if word in tree:
            return joined(word, [conditions(each, family) for each in tree[word]])
    if "not" in tree:
        return ("not", conditions(tree["not"], family))
    if tree.get("exists") is False:
        return ("not", conditions({**tree, "exists": True}, family))
    if "class" in tree or "exists" in tree:
        return ("leaf", *sorted(tree.items()))
    part = {
        name: each
        for name, each in tree.items()
        if name not in ("in", "equals", "prefix", "length", "offset")
    }
    if "prefix" in tree:
        return (
            "leaf",
            *sorted(part.items()),
            tree.get("offset", 0),
            len(octets(tree["prefix"])),
            octets(tree["prefix"]),
        )
    values = [each for told in tree.get("in", [tree.get("equals")]) for each in spellings(told, tree, family)]
    cut = (tree.get("offset", 0), tree.get("length", "all"))
    return joined("any", [("leaf", *sorted(part.items()), *cut, each) for each in values])


def joined(word: str, parts: list[Any]) -> tuple[Any, ...]:
    flat = [each for part in parts for each in (part[1] if part[0] == word else [part])]
    return flat[0] if len(flat) == 1 else (word, sorted(flat, key=repr))


def spellings(value: Any, tree: Tree, family: int) -> list[Any]:
    if isinstance(value, str):
        return [octets(value)] if "option" in tree else [value]
    if "option" not in tree:
        return [value]
    return [value.to_bytes(width) for width in widths(tree, family) if value < 1 << 8 * width]


def pushed_down(document: Document, family: int) -> Document:
    """Global options in each subnet that has none of the code: so an import leaves them."""
    wide = [each for each in document.get("global_options", []) if each.get("family", family) == family]
    made = {name: each for name, each in document.items() if name != "global_options"}
    made["prefixes"] = [
        prefix | {"subnets": [with_options(each, wide) for each in prefix["subnets"]]}
        for prefix in document["prefixes"]
    ]
    return made


def with_options(subnet: Document, wide: list[Document]) -> Document:
    own = subnet.get("options", [])
    there = {each["code"] for each in own} | ({42} if subnet.get("ntp_servers") else set())
    return subnet | {"options": own + [each for each in wide if each["code"] not in there]}


def given(document: Document) -> set[str]:
    """Every address that some pool gives to clients that have no reservation."""
    found: set[str] = set()
    for subnet in (each for prefix in document["prefixes"] for each in prefix["subnets"]):
        network = ip_network(subnet["cidr"])
        spans = [span(each) for each in subnet.get("pools", []) if each.get("start_ip")]
        out = [span(each) for each in subnet.get("excludes", [])]
        never = {subnet.get("gateway"), str(network[0]), str(network[-1])}
        never |= {each["ip"] for each in subnet.get("assignments", [])}
        for address in map(str, network):
            if address not in never and within(address, spans) and not within(address, out):
                found.add(address)
    return found


def span(range_: Document) -> tuple[int, int]:
    return int_of(range_["start_ip"]), int_of(range_["end_ip"])


def within(address: str, spans: list[tuple[int, int]]) -> bool:
    return any(first <= int_of(address) <= last for first, last in spans)


def int_of(address: str) -> int:
    from ipaddress import ip_address

    return int(ip_address(address))
