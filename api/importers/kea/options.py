"""Kea's option-data and option-def: text of the configuration as payloads, by the table of options."""

from collections.abc import Iterable, Mapping

from api.importers.options import Option, by_code, decoded, octets, payload_of
from api.importers.plan import Planned, Planner
from api.importers.source import Entry
from ipam_core.dhcp import registry
from ipam_core.dhcp.kinds import NO_ARRAY
from ipam_core.dhcp.kinds.definition import OptionDef, unknown

KINDS = {
    "ipv4-address": "address",
    "ipv6-address": "address",
    "boolean": "flag",
    "fqdn": "name",
    "record": "binary",
} | {
    name: name
    for name in ("binary", "empty", "string", "uint8", "uint16", "uint32", "int8", "int16", "int32")
}
SPACES = {4: "dhcp4", 6: "dhcp6"}


class OptionReader:
    """Reader of options of one family, with the definitions of the file."""

    def __init__(self, planner: Planner, family: int) -> None:
        self.planner = planner
        self.family = family
        self.named: dict[str, OptionDef] = {}

    def define(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            name, code = entry.text("name") or "", entry.number("code")
            space, kind = entry.text("space") or SPACES[self.family], entry.text("type") or ""
            what = f"option-def {name}"
            for member in ("record-types", "encapsulate"):
                if entry.text(member):
                    why = f"{member} {entry[member]}: the layout is not taken over, its data is hexadecimal"
                    self.planner.warn(entry.line_of(member), "approximated", what, why)
            if space != SPACES[self.family] or kind not in KINDS or code is None:
                why = f"a definition of type {kind or 'none'} in the space {space} has to be made by hand"
                self.planner.warn(entry.line, "manual", what, why)
                entry.tell()
                continue
            array = bool(entry.flag("array")) and KINDS[kind] not in NO_ARRAY
            fields = {"code": code, "name": name, "kind": KINDS[kind], "array": array, "family": self.family}
            if self.planner.add("option-definitions", entry.line, fields, lines=entry.lines):
                self.named[name] = OptionDef(self.family, code, name, KINDS[kind], array=array)

    def read(self, entry: Entry, name: str = "option-data") -> dict[int, Option]:
        """Return the options of a scope by code."""
        return by_code(self.option(each) for each in entry.entries(name))

    def option(self, entry: Entry) -> Option | None:
        name, code, space = entry.text("name"), entry.number("code"), entry.text("space")
        what = f"option {name or code}"
        definition = self.definition(name, code)
        if definition is None or space not in (None, SPACES[self.family]):
            entry.tell()
            why = (
                f"of the space {space}: make its suboptions by hand"
                if space
                else "has no code, and no name that is known"
            )
            self.planner.warn(entry.line, "manual", what, why)
            return None
        data, csv = entry.text("data") or "", entry.flag("csv-format")
        payload = decoded(definition, octets(data)) if csv is False else payload_of(definition, data)
        if payload is None:
            self.planner.warn(entry.line_of("data"), "dropped", what, f"{data!r} is not understood")
            return None
        fields = {"code": definition.code, "payload": payload, "family": self.family}
        flags = {name.replace("-", "_"): True for name in ("always-send", "never-send") if entry.flag(name)}
        return Option(entry.line, fields | flags)

    def definition(self, name: str | None, code: int | None) -> OptionDef | None:
        if code is not None:
            own = (each for each in self.named.values() if each.code == code)
            return registry.lookup(self.family, code) or next(own, unknown(self.family, code))
        return self.named.get(name or "") or registry.by_name(self.family, name or "")

    def place(self, options: Mapping[int, Option], inside: Planned) -> None:
        for option in options.values():
            self.planner.add("options", option.line, option.fields, inside)
