"""Columns that are options: those with names of their own, and OPTION-6."""

import re
from collections.abc import Iterator

from api.importers.lines import lose
from api.importers.options import Option, octets, payload_of
from api.importers.plan import Fields, Planner
from api.importers.rows import Row
from ipam_core.dhcp import registry
from ipam_core.dhcp.kinds.definition import OptionDef, unknown

NAMED = {
    4: {"routers": 3, "domain_name_servers": 6, "domain_name": 15, "broadcast_address": 28},
    6: {"domain_name_servers": 23, "domain_name": 24},
}
NUMBERED = re.compile(r"option-([0-9]{1,5})")


def is_option(name: str) -> bool:
    return name in NAMED[4] or bool(NUMBERED.fullmatch(name))


def options_of(planner: Planner, row: Row, family: int) -> dict[int, Option]:
    """Return the options by code; a column of a name goes before a number."""
    found: dict[int, Option] = {}
    for name, code in codes(row, family):
        definition = registry.lookup(family, code) or unknown(family, code)
        payload = payload_in(definition, row.said(name))
        if payload is None:
            why = f"{row.said(name)!r} is not understood"
            lose(planner, row, "dropped", f"{name} of {row.kind}", why)
        else:
            found[code] = Option(row.line, {"code": code, "payload": payload, "family": family})
    return found


def codes(row: Row, family: int) -> Iterator[tuple[str, int]]:
    for name in row.cells:
        if numbered := NUMBERED.fullmatch(name):
            yield name, int(numbered[1])
    for name, code in NAMED[family].items():
        if name in row.cells:
            yield name, code


def payload_in(definition: OptionDef, text: str) -> Fields | None:
    """Return the payload; a value of no known layout is octets, or the text as it is."""
    plain = text.strip().rstrip(",")
    if definition.kind == "binary" and not re.fullmatch(r"(?:0x)?[0-9A-Fa-f:\s]+", plain):
        return {"hex": plain.encode().hex()}
    if definition.kind == "binary":
        return {"hex": octets(plain)}
    return payload_of(definition, plain)
