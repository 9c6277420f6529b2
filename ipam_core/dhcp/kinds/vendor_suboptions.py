"""Options of identified vendors (125 of DHCPv4, RFC 3925; 17 of DHCPv6), by IANA enterprise number.

A payload is `{"suboptions": [{"enterprise": 3561, "code": 1, "hex": "..."}]}`. DHCPv4 puts one block a vendor
in the option (number, octet count, members); DHCPv6 puts one vendor in an option (number, members).
"""

from __future__ import annotations

from itertools import groupby
from typing import Any

from ipam_core.dhcp.kinds import suboptions
from ipam_core.dhcp.kinds.definition import OptionDef
from ipam_core.dhcp.kinds.misfit import Misfit, items, shown


def shape(definition: OptionDef) -> str:  # noqa: ARG001 - every kind has the same functions
    """Return a member of some vendor."""
    return '{"suboptions": [{"enterprise": 3561, "code": 1, "hex": "01ab"}]}'


def encode(definition: OptionDef, payload: dict[str, Any]) -> bytes:
    """Encode the members. Members of one vendor must be adjacent."""
    members = items(payload, "suboptions")
    parts = [_packed(definition, sub, f"suboptions[{at}]") for at, sub in enumerate(members)]
    vendors = [
        (number, b"".join(part for _, part in run)) for number, run in groupby(parts, lambda part: part[0])
    ]
    if len({number for number, _ in vendors}) < len(vendors):
        raise Misfit("the sub-options of one enterprise are not adjacent", "suboptions")
    if definition.family == 6:
        return _one_vendor(vendors)
    return b"".join(_block(number, data) for number, data in vendors)


def decode(definition: OptionDef, data: bytes) -> dict[str, Any]:
    """Return members of all vendors in one list."""
    found: list[dict[str, Any]] = []
    for number, block in _vendors(definition.family, data):
        rows = known(definition, number)
        pairs = suboptions.walk(definition.family, block)
        found += [
            {"enterprise": number, **suboptions.member(definition.family, rows, *pair)} for pair in pairs
        ]
    if not found:
        raise Misfit("there is no sub-option")
    return {"suboptions": found}


def text(payload: dict[str, Any]) -> str:
    """Return `enterprise.code: value`, with semicolons between."""
    return "; ".join(
        f"{sub['enterprise']}.{sub['code']}: {suboptions.value_text(sub)}" for sub in payload["suboptions"]
    )


def known(definition: OptionDef, enterprise: int) -> tuple[OptionDef, ...]:
    return tuple(row for row in definition.suboptions if row.space == str(enterprise))


def _packed(definition: OptionDef, sub: object, where: str) -> tuple[int, bytes]:
    if not isinstance(sub, dict):
        raise Misfit("a sub-option is an object with an enterprise number and a code", where)
    number = sub.get("enterprise")
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < 1 << 32:
        raise Misfit(f"{shown(number)} is not an enterprise number", f"{where}.enterprise")
    rest = {key: value for key, value in sub.items() if key != "enterprise"}
    return number, suboptions.packed(definition, known(definition, number), rest, where)


def _one_vendor(vendors: list[tuple[int, bytes]]) -> bytes:
    if len(vendors) > 1:
        raise Misfit(
            "an option contains the sub-options of one enterprise: create another option for another enterprise",
            "suboptions",
        )
    number, data = vendors[0]
    return number.to_bytes(4) + data


def _block(number: int, data: bytes) -> bytes:
    if len(data) > 255:
        raise Misfit(f"{len(data)} octets of enterprise {number} do not fit in 255", "suboptions")
    return number.to_bytes(4) + bytes([len(data)]) + data


def _vendors(family: int, data: bytes) -> list[tuple[int, bytes]]:
    if family == 6:
        if len(data) < 4:
            raise Misfit("the enterprise number is cut off")
        return [(int.from_bytes(data[:4]), data[4:])]
    vendors, at = [], 0
    while at < len(data):
        end = at + 5 + int.from_bytes(data[at + 4 : at + 5])
        if at + 5 > len(data) or end > len(data):
            raise Misfit(f"the vendor block at octet {at} is cut off")
        vendors.append((int.from_bytes(data[at : at + 4]), data[at + 5 : end]))
        at = end
    return vendors
