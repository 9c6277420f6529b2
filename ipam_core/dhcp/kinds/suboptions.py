"""Encapsulated options (43 and 82 of DHCPv4; containers of DHCPv6), `{"suboptions": [{"code", ...}]}`.

A member carries its code and the payload of its own kind, or hex. Members are one-octet code and length in DHCPv4,
where code 0 pads and 255 ends (RFC 2132 section 8.4), and two octets each in DHCPv6. The definition's members set the
format of each; addresses, strings, names and flags need no definition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ipam_core.dhcp.kinds import table
from ipam_core.dhcp.kinds.definition import OptionDef, unknown
from ipam_core.dhcp.kinds.misfit import Misfit, items, joined, shown

_KEYS = ("enterprise", "code")
_OCTETS = {4: 1, 6: 2}
_LAST_CODE = {4: 254, 6: 65535}
_LONGEST = {4: 255, 6: 65535}
_BY_KEY = {
    "addresses": ("address", True),
    "string": ("string", False),
    "flag": ("flag", False),
    "names": ("name", True),
}


def shape(definition: OptionDef) -> str:  # noqa: ARG001 - every kind has the same functions
    """Return a member in hex, and one with a shape."""
    return '{"suboptions": [{"code": 1, "hex": "01ab"}, {"code": 2, "string": "..."}]}'


def encode(definition: OptionDef, payload: dict[str, Any]) -> bytes:
    """Return members one after the other, in the order given."""
    members = items(payload, "suboptions", definition.may_be_empty)
    return joined(
        packed(definition, definition.suboptions, member, f"suboptions[{at}]")
        for at, member in enumerate(members)
    )


def decode(definition: OptionDef, data: bytes) -> dict[str, Any]:
    """Return members by their definition; hex where there is none or it does not fit."""
    found = [
        member(definition.family, definition.suboptions, *pair) for pair in walk(definition.family, data)
    ]
    if not found and not definition.may_be_empty:
        raise Misfit("there is no sub-option")
    return {"suboptions": found}


def text(payload: dict[str, Any]) -> str:
    """Return `code: value`, with semicolons between."""
    return "; ".join(f"{sub['code']}: {value_text(sub)}" for sub in payload["suboptions"])


def packed(definition: OptionDef, known: tuple[OptionDef, ...], sub: object, where: str) -> bytes:
    """Return code, length and data of one member."""
    if not isinstance(sub, dict):
        raise Misfit("a sub-option is an object with a code", where)
    family, code = definition.family, sub.get("code")
    if not isinstance(code, int) or isinstance(code, bool) or not 1 <= code <= _LAST_CODE[family]:
        raise Misfit(f"{shown(code)} is not a code from 1 to {_LAST_CODE[family]}", f"{where}.code")
    payload = {key: value for key, value in sub.items() if key != "code"}
    data = _data(_defined(family, known, code, payload, where), payload, where)
    if len(data) > _LONGEST[family]:
        raise Misfit(f"{len(data)} octets do not fit in a sub-option", where)
    return framed(family, code, data)


def framed(family: int, code: int, data: bytes) -> bytes:
    """Return data behind its code and length."""
    size = _OCTETS[family]
    return code.to_bytes(size) + len(data).to_bytes(size) + data


def walk(family: int, data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield code and data of each member."""
    size, at = _OCTETS[family], 0
    while at < len(data):
        code = int.from_bytes(data[at : at + size])
        if family == 4 and code == 0:
            at += 1
            continue
        if family == 4 and code == 255:
            return
        start = at + 2 * size
        end = start + int.from_bytes(data[at + size : start])
        if start > len(data) or end > len(data):
            raise Misfit(f"the sub-option at octet {at} is cut off")
        yield code, data[start:end]
        at = end


def member(family: int, known: tuple[OptionDef, ...], code: int, data: bytes) -> dict[str, Any]:
    """Return one member as a payload."""
    row = next((row for row in known if row.code == code), unknown(family, code))
    try:
        return {"code": code, **table.KINDS[row.kind].decode(row, data)}
    except Misfit:
        return {"code": code, "hex": data.hex()}


def canonical(
    known: tuple[OptionDef, ...],
    family: int,
    sub: dict[str, Any],
    of_kind: Callable[[OptionDef, object], dict[str, Any]],
) -> dict[str, Any]:
    """Return one member that `packed` accepted, in one spelling; `of_kind` gives that of a payload."""
    payload = {key: value for key, value in sub.items() if key not in _KEYS}
    keys = {key: sub[key] for key in _KEYS if key in sub}
    return {**keys, **of_kind(_defined(family, known, sub["code"], payload, ""), payload)}


def value_text(sub: dict[str, Any]) -> str:
    """Return the value of one member, for people."""
    return table.payload_text({key: value for key, value in sub.items() if key not in _KEYS})


def _defined(
    family: int, known: tuple[OptionDef, ...], code: int, payload: dict[str, Any], where: str
) -> OptionDef:
    for row in known:
        if row.code == code:
            return row
    if set(payload) == {"hex"}:
        return unknown(family, code)
    for key, (kind, array) in _BY_KEY.items():
        if set(payload) == {key}:
            return OptionDef(family, code, f"sub-option-{code}", kind, array=array)
    raise Misfit(f"sub-option {code} is not defined: use hex, addresses, string, names or flag", where)


def _data(row: OptionDef, payload: dict[str, Any], where: str) -> bytes:
    try:
        return table.raw(row, payload)
    except Misfit as misfit:
        detail = f"sub-option {row.code} ({row.name}) takes {table.shape(row)}: {misfit.detail}"
        raise Misfit(detail, f"{where}.{misfit.where}".rstrip(".")) from None
