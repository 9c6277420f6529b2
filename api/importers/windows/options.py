"""Options of Windows: their definitions, and their values as payloads."""

from collections.abc import Iterable
from itertools import chain

from api.importers.lines import lose
from api.importers.options import Option, payload_of
from api.importers.plan import Fields, Planner, Reason
from api.importers.windows import reasons
from api.importers.windows.classes import Classes
from api.importers.windows.identities import octets
from api.importers.windows.model import ALWAYS, Definition, Value
from ipam_core.dhcp import kinds, registry
from ipam_core.dhcp.kinds.definition import OptionDef, unknown
from ipam_core.errors import ValidationError

KINDS = {
    "ipv4address": "address",
    "ipaddress": "address",
    "ipv6address": "address",
    "dword": "uint32",
    "word": "uint16",
    "byte": "uint8",
    "string": "string",
    "binarydata": "binary",
    "binary": "binary",
    "encapsulateddata": "binary",
    "encapsulated": "binary",
    "dworddword": "binary",
}
"""The type of a definition, as the XML or a dump calls it."""
WRITTEN = ("address", "string", "strings", "name", "ascii", "flag", "empty")
"""Kinds that are not written in octets."""
VENDOR_OPTION = 43
DDNS = 81


class OptionReader:
    """Reader of options of a server of one family."""

    def __init__(self, planner: Planner, family: int, classes: Classes) -> None:
        self.planner = planner
        self.family = family
        self.classes = classes
        self.own: dict[int, OptionDef] = {}
        self.vendors: dict[tuple[str, int], OptionDef] = {}
        self.known: dict[int, Option | None] = {}

    def define(self, definitions: Iterable[Definition]) -> None:
        for each in definitions:
            kind = KINDS.get(each.kind.lower())
            if kind is None or not each.code:
                why = f"a definition of type {each.kind or 'none'} has to be made by hand"
                self.lose(each, "manual", f"option {each.code} {each.name}", why)
                continue
            made = OptionDef(
                self.family, each.code, each.name, kind, array=each.array and kind not in kinds.NO_ARRAY
            )
            if each.vendor.lower() not in ALWAYS:
                self.vendors[each.vendor.lower(), each.code] = made
            elif registry.lookup(self.family, each.code) is None:
                self.own[each.code] = made
                fields = {"code": each.code, "name": each.name, "kind": kind, "array": made.array}
                if not self.planner.add(
                    "option-definitions", each.source.line, fields | {"family": self.family}
                ):
                    each.source.tell()

    def lose(self, value: Value | Definition, reason: Reason, what: str, why: str) -> None:
        lose(self.planner, value.source, reason, what, why)

    # --- values

    def standard(self, values: Iterable[Value]) -> dict[int, Option]:
        """Return the options for no vendor by code."""
        found = [self.option(each) for each in values if each.vendor.lower() in ALWAYS]
        return {each.code: each for each in found if each is not None}

    def option(self, value: Value) -> Option | None:
        """Return None where it is told. A value of the whole server is read once."""
        if id(value) not in self.known:
            self.known[id(value)] = self.read(value)
        return self.known[id(value)]

    def read(self, value: Value) -> Option | None:
        what = f"option {value.code}"
        if value.code == DDNS and self.family == 4:
            self.lose(value, "manual", what, reasons.DDNS)
            return None
        payload = payload_in(self.definition(value), value.values)
        if payload is None:
            self.lose(value, "dropped", what, f"{' '.join(value.values)!r} is not understood")
            return None
        return Option(value.source.line, {"code": value.code, "payload": payload, "family": self.family})

    def definition(self, value: Value) -> OptionDef:
        code = value.code
        if value.vendor.lower() not in ALWAYS:
            return self.vendors.get((value.vendor.lower(), code), unknown(self.family, code))
        return registry.lookup(self.family, code) or self.own.get(code) or unknown(self.family, code)

    def vendor_options(self, values: Iterable[Value]) -> list[Option]:
        """Return option 43 for each vendor class, with its suboptions."""
        wanted: dict[str, list[Value]] = {}
        for each in values:
            if each.vendor.lower() not in ALWAYS:
                wanted.setdefault(each.vendor.lower(), []).append(each)
        return list(chain.from_iterable(map(self.vendor_option, wanted.values())))

    def vendor_option(self, values: list[Value]) -> list[Option]:
        """Return the option of one vendor; none where the vendor is unknown."""
        name = values[0].vendor
        class_ = self.classes.text(name) if self.family == 4 else None
        if class_ is None:
            why = f"is for the vendor class {name}, which has no text form: create it by hand"
            for each in values:
                self.lose(each, "manual", f"option {each.code}", why)
            return []
        members = [found for each in values if (found := self.member(each))]
        payload = {"suboptions": members}
        fields = {"code": VENDOR_OPTION, "payload": payload, "family": 4, "vendor_class": class_}
        return [Option(values[0].source.line, fields)] if members else []

    def member(self, value: Value) -> Fields | None:
        definition = self.definition(value)
        payload = payload_in(definition, value.values)
        try:
            if payload is not None:
                return {"code": value.code, "hex": kinds.encode(definition, payload).hex()}
        except ValidationError:
            pass
        why = f"{' '.join(value.values)!r} is not understood"
        self.lose(value, "dropped", f"option {value.code} of {value.vendor}", why)
        return None


def payload_in(definition: OptionDef, values: list[str]) -> Fields | None:
    """Return None where the texts are no such value. What has no plainer form is written octet by octet: 0x01, 0x02."""
    if definition.kind in WRITTEN or definition.kind.startswith(("uint", "int")):
        texts = [each.replace(",", "\\,") for each in values]
        return payload_of(definition, ",".join(texts)) if values else None
    found = octets("".join(each.removeprefix("0x") for each in values))
    return None if found is None else {"hex": found}
