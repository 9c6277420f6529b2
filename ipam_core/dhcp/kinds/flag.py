"""One octet, 1 or 0, `{"flag": true}`."""

from __future__ import annotations

from typing import Any

from ipam_core.dhcp.kinds.definition import OptionDef
from ipam_core.dhcp.kinds.misfit import Misfit, only, shown


def shape(definition: OptionDef) -> str:  # noqa: ARG001 - every kind has the same functions
    """Return a JSON boolean."""
    return '{"flag": true}'


def encode(definition: OptionDef, payload: dict[str, Any]) -> bytes:  # noqa: ARG001 - every kind has the same functions
    """Return 1 for true, 0 for false."""
    value = only(payload, "flag")
    if not isinstance(value, bool):
        raise Misfit(f"{shown(value)} is not true or false", "flag")
    return b"\1" if value else b"\0"


def decode(definition: OptionDef, data: bytes) -> dict[str, Any]:  # noqa: ARG001 - every kind has the same functions
    """Decode a flag; RFC 2132 section 4 knows 0 and 1 only."""
    if data not in (b"\0", b"\1"):
        raise Misfit(f"0x{data[:8].hex()} is neither 00 nor 01", "flag")
    return {"flag": data == b"\1"}


def text(payload: dict[str, Any]) -> str:
    """Return the flag as JSON writes it."""
    return "true" if payload["flag"] else "false"
