"""Octets, `{"hex": "..."}`: the kind of options without a shape of their own, and a way to write any."""

from __future__ import annotations

import re
from typing import Any

from ipam_core.dhcp.kinds.definition import OptionDef
from ipam_core.dhcp.kinds.misfit import MAX_DATA, Misfit, blocks, only, shown

_HEX = re.compile(r"(?:[0-9a-fA-F]{2}(?::?(?=[0-9a-fA-F])|\Z))*")


def shape(definition: OptionDef) -> str:
    """Return the shape: hexadecimal digits, and how many octets where that is fixed."""
    return '{"hex": "01ab"}' + (f" of {definition.octets} octets" if definition.octets else "")


def encode(definition: OptionDef, payload: dict[str, Any]) -> bytes:
    """Return two digits an octet, colons between octets allowed; sizes that the definition fixes must hold."""
    value = only(payload, "hex")
    if isinstance(value, str) and len(value) > 3 * MAX_DATA:
        raise Misfit(f"it is longer than {MAX_DATA} octets", "hex")
    if not isinstance(value, str) or not _HEX.fullmatch(value):
        raise Misfit(f"{shown(value)} is not hexadecimal", "hex")
    data = bytes.fromhex(value.replace(":", ""))
    _check(definition, data)
    return data


def decode(definition: OptionDef, data: bytes) -> dict[str, Any]:
    """Lower case, without colons."""
    _check(definition, data)
    return {"hex": data.hex()}


def text(payload: dict[str, Any]) -> str:
    """Return the octets, marked as hexadecimal."""
    return f"0x{payload['hex']}"


def _check(definition: OptionDef, data: bytes) -> None:
    if not data and not definition.may_be_empty and definition.kind != "empty":
        raise Misfit("there is no data", "hex")
    fixed, item = definition.fixed_octets, definition.item_octets
    if fixed is not None and len(data) != fixed:
        raise Misfit(f"{len(data)} octets instead of {fixed}", "hex")
    if item:
        blocks(data, item)
