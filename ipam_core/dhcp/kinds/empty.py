"""No data: the option's presence is its meaning, `{"flag": true}`."""

from __future__ import annotations

from typing import Any

from ipam_core.dhcp.kinds.definition import OptionDef
from ipam_core.dhcp.kinds.misfit import Misfit, only


def shape(definition: OptionDef) -> str:  # noqa: ARG001 - every kind has the same functions
    """Return the shape: presence is true; absence is not stored at all."""
    return '{"flag": true}'


def encode(definition: OptionDef, payload: dict[str, Any]) -> bytes:  # noqa: ARG001 - every kind has the same functions
    """Return no octets."""
    if only(payload, "flag") is not True:
        raise Misfit("only true is allowed", "flag")
    return b""


def decode(definition: OptionDef, data: bytes) -> dict[str, Any]:  # noqa: ARG001 - every kind has the same functions
    """Decode an empty value; any octet is one too many."""
    if data:
        raise Misfit(f"{len(data)} octets instead of none")
    return {"flag": True}


def text(payload: dict[str, Any]) -> str:  # noqa: ARG001 - every kind has the same functions
    """Return a word, so that the line does not end in a colon."""
    return "present"
