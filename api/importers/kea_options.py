"""Kea's option-data and option-def: text of the configuration as payloads, by the table of options."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from api.importers.plan import Fields, Planned, Planner
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
TRUE = {"true": True, "1": True, "false": False, "0": False}
SETTINGS = {51: "lease_time_seconds", 58: "renew_time_seconds", 59: "rebind_time_seconds"}
BOOT = {66: "next_server", 67: "boot_file"}
TFTP_SERVER = 66
ROUTERS, NTP = 3, 42


class Option(NamedTuple):
    """One that was read, and its line."""

    line: int
    fields: Fields

    @property
    def code(self) -> int:
        return int(self.fields["code"])


class OptionReader:
    """Reads options of one family; knows what the file defines."""

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
        """The options of a scope by code."""
        found = [self.option(each) for each in entry.entries(name)]
        return {each.code: each for each in found if each is not None}

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
        payload = {"hex": octets(data)} if csv is False else payload_of(definition, data)
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


def payload_of(definition: OptionDef, data: str) -> Fields | None:
    """None where the text does not say such a value; whether the value is lawful is the model's to judge."""
    kind, parts = definition.kind, [each.strip() for each in re.split(r"(?<!\\),", data)]
    if kind in ("string", "ascii"):
        return {"string": data.replace("\\,", ",")}
    if kind in ("address", "name", "strings"):
        return {{"address": "addresses", "name": "names", "strings": "strings"}[kind]: parts}
    if kind == "flag":
        return {"flag": TRUE[data.strip().lower()]} if data.strip().lower() in TRUE else None
    if kind == "empty":
        return {"flag": True}
    if kind.startswith(("uint", "int")):
        return numbers(definition, parts)
    if kind == "routes":
        return routes(parts)
    return {"hex": octets(data)}


def numbers(definition: OptionDef, parts: list[str]) -> Fields | None:
    if not all(re.fullmatch(r"-?(?:0[xX][0-9a-fA-F]{1,8}|[0-9]{1,12})", each) for each in parts):
        return None
    values = [int(each, 16) if "x" in each.lower() else int(each) for each in parts]
    return {"values": values} if definition.array else {"value": values[0]} if len(values) == 1 else None


def routes(parts: list[str]) -> Fields | None:
    """10.0.0.0/8 - 10.1.1.1, ..."""
    pairs = [each.split("-") for each in parts]
    if any(len(each) != 2 for each in pairs):
        return None
    return {"routes": [{"destination": one.strip(), "router": other.strip()} for one, other in pairs]}


def octets(data: str) -> str:
    """Kea writes hexadecimal bare, behind 0x, with colons or blanks, or as text in quotes."""
    plain = data.strip()
    if len(plain) > 1 and plain[0] == plain[-1] == "'":
        return plain[1:-1].encode().hex()
    plain = re.sub(r"[\s:]", "", plain.removeprefix("0x").removeprefix("0X"))
    return plain.rjust(len(plain) + len(plain) % 2, "0")


def into_fields(options: dict[int, Option], fields: Fields, boot_only: bool = False) -> dict[int, Option]:
    """Takes what subnets have as fields out of the options of DHCPv4, and leaves the rest."""
    rest = dict(options)
    for code, name in (BOOT if boot_only else BOOT | SETTINGS).items():
        value = next(iter(rest[code].fields["payload"].values()), None) if code in rest else None
        if code == TFTP_SERVER and fields.get(
            "next_server"
        ):  # the address is in the header, the name in the option
            name = "server_name"
        if value and not fields.get(name):
            fields[name] = value
            del rest[code]
    if boot_only:
        return rest
    router = rest.get(ROUTERS)
    if router and len(addresses(router)) == 1 and "always_send" not in router.fields:
        fields["gateway"] = addresses(rest.pop(ROUTERS))[0]
    if NTP in rest and addresses(rest[NTP]):
        fields["ntp_servers"] = addresses(rest.pop(NTP))
    return rest


def addresses(option: Option) -> list[Any]:
    found: list[Any] = option.fields["payload"].get("addresses", [])
    return [] if option.fields.get("never_send") else found
