"""Options of dhcpd.conf: its names, its own definitions, its values as payloads."""

import re

from api.importers.isc.syntax import Statement, Word
from api.importers.options import Option, octets, payload_of
from api.importers.plan import Fields, Planner
from ipam_core.dhcp import registry
from ipam_core.dhcp.kinds import NO_ARRAY
from ipam_core.dhcp.kinds.definition import OptionDef

NAMES6 = {
    "name-servers": "dns-servers",
    "info-refresh-time": "information-refresh-time",
    "sip-servers-addresses": "sip-server-addr",
    "sip-servers-names": "sip-server-dns",
    "sntp-servers": "sntp-servers",
}
KINDS = {
    "text": "string",
    "string": "binary",
    "ip-address": "address",
    "ip6-address": "address",
    "boolean": "flag",
    "domain-list": "name",
    "integer 8": "int8",
    "integer 16": "int16",
    "integer 32": "int32",
    "unsigned integer 8": "uint8",
    "unsigned integer 16": "uint16",
    "unsigned integer 32": "uint32",
}
FLAGS = {"on": "true", "off": "false"}
FLAG_KINDS = ("flag", "empty")


class OptionReader:
    """Reader of options of a file of one family."""

    def __init__(self, planner: Planner, family: int) -> None:
        self.planner = planner
        self.family = family
        self.own: dict[str, OptionDef] = {}

    def definition(self, name: str) -> OptionDef | None:
        """Return the definition by the file's name; those of DHCPv6 begin with dhcp6."""
        if name in self.own:
            return self.own[name]
        space, _, inner = name.rpartition(".")
        if space == "dhcp6":
            return registry.by_name(6, NAMES6.get(inner, inner))
        return registry.by_name(4, name) if not space else None

    def define(self, statement: Statement) -> None:
        """Read a definition: option NAME code N = KIND; the words `array of` before the kind."""
        name, code, kind = statement.word(1), statement.word(3), " ".join(w.text for w in statement.words[5:])
        array = kind.startswith("array of ")
        kind = kind.removeprefix("array of ").removeprefix("signed ")
        space, _, inner = name.rpartition(".")
        if kind not in KINDS or space not in ("", "dhcp6") or not re.fullmatch("[0-9]{1,5}", code):
            why = f"a definition of {kind or 'nothing'} in the space {space or 'dhcp'} has to be made by hand"
            self.tell(statement, "manual", f"option {name}", why)
            return
        family = 6 if space else 4
        statement.settle("read")
        array = array and KINDS[kind] not in NO_ARRAY
        made = OptionDef(family, int(code), inner, KINDS[kind], array=array)
        standard = registry.lookup(family, int(code))
        if standard is not None:
            self.own[name] = standard
            if standard.kind != made.kind or standard.array != array:
                why = f"option {code} is {standard.name}, and has the layout of its RFC"
                self.planner.warn(statement.line, "approximated", f"option {name}", why)
            return
        fields = {"code": made.code, "name": inner, "kind": made.kind, "array": array, "family": family}
        if self.planner.add("option-definitions", statement.line, fields):
            self.own[name] = made

    def read(self, statement: Statement) -> Option | None:
        name = statement.word(1)
        definition = self.definition(name)
        what = f"option {name}"
        if definition is None:
            self.tell(statement, "manual", what, "is of no name that is known: define it, or take its code")
            return None
        if definition.family != self.family or statement.word(2) == "=":
            why = "is computed" if statement.word(2) == "=" else f"is of DHCPv{definition.family}"
            self.tell(statement, "manual", what, why)
            return None
        payload = payload_in(definition, statement.words[2:])
        if payload is None:
            self.tell(statement, "dropped", what, f"{statement.text} is not understood")
            return None
        statement.settle("read")
        return Option(
            statement.line, {"code": definition.code, "payload": payload, "family": definition.family}
        )

    def tell(self, statement: Statement, reason: str, what: str, why: str) -> None:
        statement.settle("warned", below=True)
        self.planner.warn(statement.line, reason, what, why)  # type: ignore[arg-type]  # one of the three


def payload_in(definition: OptionDef, words: list[Word]) -> Fields | None:
    """Return None where the words are no such value."""
    quoted = [each.text for each in words if each.quoted]
    if definition.kind in ("string", "ascii"):
        return {"string": "".join(quoted)} if quoted else {"string": " ".join(each.text for each in words)}
    if definition.kind == "binary":
        return {"hex": "".join(quoted).encode().hex() if quoted else octets_in(words)}
    if definition.kind in FLAG_KINDS:
        return payload_of(definition, FLAGS.get(words[0].text, words[0].text) if words else "")
    return payload_of(definition, " ".join(each.text for each in words))


def octets_in(words: list[Word]) -> str:
    """Return the octets: 1:aa:b is 01aa0b."""
    text = "".join(each.text for each in words)
    return "".join(each.rjust(2, "0") for each in text.split(":")) if ":" in text else octets(text)
