"""SIP servers (option 120, RFC 3361): one octet, 0 for names or 1 for addresses, precedes the list."""

from __future__ import annotations

from typing import Any

from ipam_core.dhcp.kinds import address, name
from ipam_core.dhcp.kinds.definition import OptionDef
from ipam_core.dhcp.kinds.misfit import Misfit

_NAMES = OptionDef(4, 120, "sip-servers", "name", array=True)
_ADDRESSES = OptionDef(4, 120, "sip-servers", "address", array=True)


def shape(definition: OptionDef) -> str:  # noqa: ARG001 - every kind has the same functions
    """Return either of two shapes."""
    return '{"addresses": ["192.0.2.1"]} or {"names": ["sip.example.org"]}'


def encode(definition: OptionDef, payload: dict[str, Any]) -> bytes:  # noqa: ARG001 - every kind has the same functions
    """Return the payload's key chooses the encoding octet."""
    if "names" in payload:
        return b"\0" + name.encode(_NAMES, payload)
    return b"\1" + address.encode(_ADDRESSES, payload)


def decode(definition: OptionDef, data: bytes) -> dict[str, Any]:  # noqa: ARG001 - every kind has the same functions
    """Return the encoding octet chooses the payload's key."""
    if data[:1] == b"\0":
        return name.decode(_NAMES, data[1:])
    if data[:1] == b"\1":
        return address.decode(_ADDRESSES, data[1:])
    raise Misfit("the first octet is neither 0 (names) nor 1 (addresses)")


def text(payload: dict[str, Any]) -> str:
    """Return what is there, with commas between."""
    return ", ".join(payload.get("names") or payload["addresses"])
