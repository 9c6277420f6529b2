"""Client classes as Kea's client-classes. One that no expression can say is left out, and what is for it too: it would
be for others."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from api.exporters.kea.context import context
from api.exporters.kea.expressions import LOCALLY_ADMINISTERED, begins, spelt, test_of
from api.exporters.kea.options import OptionWriter
from api.exporters.said import Fields, Losses, Said
from api.importers.conditions import CannotSay, length_of
from ipam_core.model.values import parse_mac_prefix

DROP = "DROP"
BUILT_IN = ("ALL", "KNOWN", "UNKNOWN", "BOOTP", "SKIP_DDNS")
FIRST_PRIORITY = 100
"""Of a class that says none."""


class ClassWriter:
    """`names`: the classes that Kea has. `denied`: those of them whose clients are not answered."""

    def __init__(self, losses: Losses, options: OptionWriter) -> None:
        self.losses = losses
        self.options = options
        self.family = options.family
        self.names: set[str] = set()
        self.denied: list[str] = []

    def all(self, entries: Iterable[Said], narrower: Collection[int]) -> list[Fields]:
        """Return all classes. `narrower`: codes of options that subnets and pools have."""
        ordered = sorted(entries, key=lambda each: each.fields.get("priority", FIRST_PRIORITY))
        made = [found for each in ordered if (found := self.made(each, narrower)) is not None]
        if self.denied and self.denied != [DROP]:
            made.append({"name": DROP, "test": " or ".join(f"member('{each}')" for each in self.denied)})
        return made

    def made(self, said: Said, narrower: Collection[int]) -> Fields | None:
        name = said.take("name")
        try:
            test = self.test(said, name)
        except CannotSay as reason:
            self.losses.whole(said, f"no expression of Kea selects its clients: {reason}")
            return None
        said.left["priority"] = said.fields.get("priority", FIRST_PRIORITY)
        self.names.add(name)
        if said.take("deny"):
            self.denied.append(name)
        made = {"name": name, "test": test} | boot(said, self.family)
        options = self.options.all(said.below("options")) + boot_options(said, self.options)
        for code in sorted({each["code"] for each in options} & set(narrower)):
            self.losses.tell(
                f"{said.what}: option {code}", "in Kea options of a subnet or pool take precedence"
            )
        made |= context(said)
        self.losses.rest(said)
        return made | ({"option-data": options} if options else {})

    def test(self, said: Said, name: str) -> str:
        if name in BUILT_IN or "'" in name:
            raise CannotSay(f"{name} is no name for one of its classes")
        if said.take("template"):
            raise CannotSay("Kea 2.2 has no templates")
        parts = list(criteria(said, self.family))
        unknown = [each for each in member_names(said.fields.get("match")) if each not in self.names]
        if unknown:
            raise CannotSay(f"it asks for the class {unknown[0]}, which is left out")
        return parts[0] if len(parts) == 1 else " and ".join(f"({each})" for each in parts)


def criteria(said: Said, family: int) -> Iterable[str]:
    for name, say in CRITERIA.items():
        value = said.take(name)
        if value is not None:
            yield say(value, family)


def vendor_class(value: str, family: int) -> str:
    """Return the vendor class; of DHCPv6 the data behind the enterprise number and the length of the first piece."""
    return begins("option[60].hex", value) if family == 4 else begins("option[16].hex", value, 6)


def user_class(value: str, family: int) -> str:
    """Return the user class behind its length (RFC 3004 section 4, RFC 8415 section 21.15), or bare as boot loaders
    send it."""
    width = 1 if family == 4 else 2
    counted = length_of(value).to_bytes(width) + value.encode()
    code = 77 if family == 4 else 15
    behind = f"substring(option[{code}].hex, 0, {len(counted)}) == 0x{counted.hex()}"
    return f"option[{code}].hex == {spelt(value)} or {behind}" if family == 4 else behind


def mac_prefix(value: str, family: int) -> str:
    if family != 4:
        raise CannotSay("its expressions do not see the hardware address in DHCPv6")
    octets = parse_mac_prefix(value)
    return f"substring(pkt4.mac, 0, {len(octets)}) == 0x{octets.hex()}"


def locally_administered(value: bool, family: int) -> str:
    if family != 4:
        raise CannotSay("its expressions do not see the hardware address in DHCPv6")
    return LOCALLY_ADMINISTERED if value else f"not ({LOCALLY_ADMINISTERED})"


def known(value: bool, _family: int) -> str:
    return "member('KNOWN')" if value else "member('UNKNOWN')"


CRITERIA: Mapping[str, Any] = {
    "known": known,
    "mac_prefix": mac_prefix,
    "locally_administered": locally_administered,
    "vendor_class": vendor_class,
    "user_class": user_class,
    "match": test_of,
}


def member_names(node: Any) -> list[str]:
    if isinstance(node, Mapping):
        own = [node["class"]] if isinstance(node.get("class"), str) else []
        return own + [each for value in node.values() for each in member_names(value)]
    return [each for value in node for each in member_names(value)] if isinstance(node, list) else []


# --- boot servers and files, of subnets too


def boot(said: Said, family: int) -> Fields:
    """Return what stands in the header; as options they are said too, to those that ask for them."""
    if family == 6:
        return {}
    found: Fields = {}
    server, name, file = (said.fields.get(each) for each in ("next_server", "server_name", "boot_file"))
    if server and is_address(server):
        found["next-server"] = server
    elif server and not name:
        found["server-hostname"] = server
    if name:
        found["server-hostname"] = name
    if file:
        found["boot-file-name"] = file
    return found


def boot_options(said: Said, options: OptionWriter) -> list[Fields]:
    if options.family == 6:
        return []
    server, name, file = (said.take(each) for each in ("next_server", "server_name", "boot_file"))
    values = {66: name or server, 67: file}
    return [made for code, value in values.items() if value for made in options.data(code, {"string": value})]


def is_address(text: str) -> bool:
    return text.replace(".", "").isdecimal() and text.count(".") == 3
