"""Text, `{"string": "..."}`: UTF-8, or printable ASCII where the definition's kind is `ascii`.

RFC 2132 section 2: text should not end in NUL, and a receiver must delete a NUL that is there.
"""

from __future__ import annotations

from typing import Any

from ipam_core.dhcp.kinds.definition import OptionDef
from ipam_core.dhcp.kinds.misfit import Misfit, only, shown


def shape(definition: OptionDef) -> str:
    """Return a string; ASCII where that is asked for."""
    return '{"string": "..."}' + (" of printable ASCII" if definition.kind == "ascii" else "")


def encode(definition: OptionDef, payload: dict[str, Any]) -> bytes:
    """Return the octets of the text, without an end mark."""
    value = only(payload, "string")
    if not isinstance(value, str):
        raise Misfit(f"{shown(value)} is not a string", "string")
    _check(definition, value)
    try:
        return value.encode()
    except UnicodeEncodeError:
        raise Misfit("the string contains half of a surrogate pair", "string") from None


def decode(definition: OptionDef, data: bytes) -> dict[str, Any]:
    """Return the text without the NULs at its end."""
    try:
        value = data.rstrip(b"\0").decode()
    except UnicodeDecodeError:
        raise Misfit("the octets are not UTF-8") from None
    _check(definition, value)
    return {"string": value}


def text(payload: dict[str, Any]) -> str:
    """Return the text, with control characters escaped."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in payload["string"])


def _check(definition: OptionDef, value: str) -> None:
    if not value and not definition.may_be_empty:
        raise Misfit("the string is empty", "string")
    if "\0" in value:
        raise Misfit("the string contains a NUL character", "string")
    if definition.kind == "ascii" and not (value.isascii() and value.isprintable()):
        raise Misfit("the string is not printable ASCII", "string")
