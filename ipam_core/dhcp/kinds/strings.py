"""Several texts, each behind its length in two octets, `{"strings": ["...", "..."]}` (RFC 5970 3.2, RFC 8572 8.2)."""

from __future__ import annotations

from typing import Any

from ipam_core.dhcp.kinds import string
from ipam_core.dhcp.kinds.definition import OptionDef
from ipam_core.dhcp.kinds.misfit import Misfit, items, joined, shown


def shape(definition: OptionDef) -> str:  # noqa: ARG001 - every kind has the same functions
    """Return the shape: strings in their order."""
    return '{"strings": ["...", "..."]}'


def encode(definition: OptionDef, payload: dict[str, Any]) -> bytes:
    """Return each text's length and octets, one after the other."""
    return joined(
        _packed(definition, text, f"strings[{at}]") for at, text in enumerate(items(payload, "strings"))
    )


def decode(definition: OptionDef, data: bytes) -> dict[str, Any]:
    """Return the texts; each must be whole."""
    found, at = [], 0
    while at < len(data):
        end = at + 2 + int.from_bytes(data[at : at + 2])
        if at + 2 > len(data) or end > len(data):
            raise Misfit(f"the string at octet {at} is cut off")
        found.append(string.decode(definition, data[at + 2 : end])["string"])
        at = end
    if not found:
        raise Misfit("there is no string")
    return {"strings": found}


def text(payload: dict[str, Any]) -> str:
    """Return each text as one alone would be shown, with commas between."""
    return ", ".join(string.text({"string": one}) for one in payload["strings"])


def _packed(definition: OptionDef, value: object, where: str) -> bytes:
    if not isinstance(value, str):
        raise Misfit(f"{shown(value)} is not a string", where)
    try:
        data = string.encode(definition, {"string": value})
    except Misfit as misfit:
        raise Misfit(misfit.detail, where) from None
    if len(data) > 65535:
        raise Misfit(f"{len(data)} octets are too long for a string", where)
    return len(data).to_bytes(2) + data
