"""Options as pfSense and OPNsense write them: by elements of their own, and by numbers."""

import base64
import binascii
from collections.abc import Mapping

from api.importers.options import Option, octets, payload_of
from api.importers.plan import Fields, Planner
from api.importers.xml_source import Element
from ipam_core.dhcp import kinds, registry
from ipam_core.dhcp.kinds.definition import OptionDef, unknown
from ipam_core.errors import ValidationError

NAMED: dict[int, Mapping[str, int]] = {
    4: {
        **{
            "dnsserver": 6,
            "domain": 15,
            "domainsearchlist": 119,
            "ntpserver": 42,
            "winsserver": 44,
            "tftp": 66,
        },
        **{"rootpath": 17},
    },
    6: {"dnsserver": 23, "domainsearchlist": 24, "domain": 24},
}
LONGEST = 10
"""Digits of a number."""
KINDS = {"ip-address": "address", "text": "string", "boolean": "flag", "string": "binary"} | {
    f"{sign} integer {bits}": f"{'u' if sign == 'unsigned' else ''}int{bits}"
    for sign in ("unsigned", "signed")
    for bits in (8, 16, 32)
}


class OptionReader:
    """`encoded`: values of numbered options are in base64."""

    def __init__(self, planner: Planner, encoded: bool) -> None:
        self.planner = planner
        self.encoded = encoded

    def read(self, element: Element, version: int) -> dict[int, Option]:
        found: dict[int, Option] = {}
        for name, code in NAMED[version].items():
            said = element.texts(name)
            if said:
                text = ", ".join(said).replace(";", ",").replace(" ", ",").strip(",")
                self.put(found, element.line_of(name), version, code, text if code != 17 else said[0])
        for item in element.element("numberoptions").elements("item"):
            self.numbered(found, item, version)
        return found

    def put(self, found: dict[int, Option], line: int, version: int, code: int, text: str) -> None:
        definition = registry.lookup(version, code) or unknown(version, code)
        text = ", ".join(each for each in text.split(",") if each) if definition.array else text
        payload = payload_of(definition, text)
        if payload is None:
            self.planner.warn(line, "dropped", f"option {code}", f"{text!r} is not understood")
            return
        found[code] = Option(line, {"code": code, "payload": payload} | family(version))

    def numbered(self, found: dict[int, Option], item: Element, version: int) -> None:
        said, kind, value = (item.text(name) or "" for name in ("number", "type", "value"))
        value = decoded(value) if self.encoded else value
        code = number(said)
        definition = registry.lookup(version, code) if code else None
        payload = payload_in(definition, KINDS.get(kind, "string"), value, version) if code else None
        if code is None or payload is None:
            item.tell()
            self.planner.warn(item.line, "dropped", f"option {said}", f"{value!r} is not understood")
            return
        found[code] = Option(item.line, {"code": code, "payload": payload} | family(version))


def payload_in(definition: OptionDef | None, kind: str, value: str, version: int) -> Fields | None:
    """Return the payload in the option's own layout, or the octets for one that is unknown."""
    if definition is not None and definition.kind != "binary":
        return payload_of(definition, value)
    if kind == "binary":
        return {"hex": octets(value)}
    plain = OptionDef(version, 0, "", kind, array=kind == "address")
    payload = payload_of(plain, value)
    try:
        return None if payload is None else {"hex": kinds.encode(plain, payload).hex()}
    except ValidationError:
        return None


def number(text: str | None) -> int | None:
    """Return None where it is none, or longer than any that is meant."""
    return int(text) if text is not None and text.isdecimal() and len(text) <= LONGEST else None


def family(version: int) -> Fields:
    return {"family": version} if version == 6 else {}


def decoded(value: str) -> str:
    try:
        return base64.b64decode(value, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return value
