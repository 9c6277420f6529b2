"""Integers in network order, `{"value": n}` or `{"values": [...]}`; the kind's name contains sign and width."""

from __future__ import annotations

from typing import Any

from ipam_core.dhcp.kinds.definition import ITEM_OCTETS, OptionDef
from ipam_core.dhcp.kinds.misfit import Misfit, blocks, items, only, shown


def shape(definition: OptionDef) -> str:
    """Return one or several integers, and which are legal."""
    low, high = _range(definition)
    example = definition.choices[0] if definition.choices else max(low, 1)
    body = f'{{"values": [{example}]}}' if definition.array else f'{{"value": {example}}}'
    if definition.choices:
        return f"{body}, one of {', '.join(map(str, definition.choices))}"
    return f"{body} from {low} to {high}"


def encode(definition: OptionDef, payload: dict[str, Any]) -> bytes:
    """Return integers one after the other."""
    if not definition.array:
        return _packed(definition, only(payload, "value"), "value")
    values = items(payload, "values", definition.may_be_empty)
    return b"".join(_packed(definition, value, f"values[{at}]") for at, value in enumerate(values))


def decode(definition: OptionDef, data: bytes) -> dict[str, Any]:
    """Return integers, legal or not: the range applies to administrators, not to peers."""
    signed = definition.kind.startswith("int")
    values = [int.from_bytes(block, signed=signed) for block in blocks(data, ITEM_OCTETS[definition.kind])]
    if definition.array:
        return {"values": values}
    if len(values) != 1:
        raise Misfit(f"{len(data)} octets are not one {definition.kind}", "value")
    return {"value": values[0]}


def text(payload: dict[str, Any]) -> str:
    """Return the numbers in decimal, with commas between."""
    return ", ".join(map(str, payload["values"] if "values" in payload else [payload["value"]]))


def _range(definition: OptionDef) -> tuple[int, int]:
    bits = 8 * ITEM_OCTETS[definition.kind]
    signed = definition.kind.startswith("int")
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    return (
        low if definition.minimum is None else definition.minimum,
        high if definition.maximum is None else definition.maximum,
    )


def _packed(definition: OptionDef, value: object, where: str) -> bytes:
    # JSON's true and false are integers to Python.
    if not isinstance(value, int) or isinstance(value, bool):
        raise Misfit(f"{shown(value)} is not an integer", where)
    low, high = _range(definition)
    if not low <= value <= high:
        raise Misfit(f"{shown(value)} is out of range", where)
    if definition.choices and value not in definition.choices:
        raise Misfit(f"{value} is not one of them", where)
    return value.to_bytes(ITEM_OCTETS[definition.kind], signed=definition.kind.startswith("int"))
