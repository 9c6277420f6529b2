"""Payloads of options as text, as Kea's csv-format has them; octets where a payload has no such text."""

from collections.abc import Mapping
from typing import Any

from ipam_core.dhcp import kinds
from ipam_core.dhcp.kinds.definition import OptionDef

PLAIN = ("address", "name", "string", "ascii", "flag", "uint8", "uint16", "uint32", "int8", "int16", "int32")


def text_of(definition: OptionDef, payload: Mapping[str, Any]) -> str | None:
    """Return None where it cannot be said as text that reads back as the same octets."""
    (shape, value), *_ = payload.items()
    if definition.kind not in PLAIN or shape == "hex":
        return None
    if shape == "string":
        return value.replace(",", "\\,") if is_plain(value) else None
    if shape == "flag":
        return "true" if value else "false"
    return ", ".join(map(str, value if isinstance(value, list) else [value]))


def is_plain(text: str) -> bool:
    """Return whether a parser that trims and splits leaves it as it is."""
    return (
        text.isascii()
        and text.isprintable()
        and text.strip() == text
        and not set(text) & set("\\\"'")
        and bool(text)
    )


def octets_of(definition: OptionDef, payload: Mapping[str, Any]) -> tuple[bytes, ...]:
    """Return the octets of each option that the payload becomes."""
    return kinds.encode_each(definition, payload)
