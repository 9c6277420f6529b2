"""Addresses of the option's family, `{"addresses": [...]}`: one, a list, or a list of pairs (21, 33)."""

from __future__ import annotations

from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import Any

from ipam_core.dhcp.kinds.definition import OptionDef
from ipam_core.dhcp.kinds.misfit import Misfit, blocks, items, shown

_CLASS: dict[int, type[IPv4Address] | type[IPv6Address]] = {4: IPv4Address, 6: IPv6Address}
_EXAMPLE = {4: ('"192.0.2.1"', '"198.51.100.1"'), 6: ('"2001:db8::1"', '"2001:db8::2"')}


def shape(definition: OptionDef) -> str:
    """Return the shape: one address is shown; pairs and single addresses are named as such."""
    first, second = _EXAMPLE[definition.family]
    if definition.group > 1:
        return f'{{"addresses": [{first}, {second}]}} in pairs'
    return f'{{"addresses": [{first}]}}' + ("" if definition.array else " with exactly one address")


def encode(definition: OptionDef, payload: dict[str, Any]) -> bytes:
    """Return addresses one after the other."""
    texts = items(payload, "addresses", definition.may_be_empty)
    _check_count(definition, len(texts))
    return b"".join(_packed(definition.family, text, at) for at, text in enumerate(texts))


def decode(definition: OptionDef, data: bytes) -> dict[str, Any]:
    """Return every address in canonical form."""
    found = blocks(data, 4 if definition.family == 4 else 16)
    _check_count(definition, len(found))
    return {"addresses": [str(_CLASS[definition.family](block)) for block in found]}


def text(payload: dict[str, Any]) -> str:
    """Return addresses with commas between."""
    return ", ".join(payload["addresses"])


def _check_count(definition: OptionDef, count: int) -> None:
    if not count and not definition.may_be_empty:
        raise Misfit("there is no address", "addresses")
    if not definition.array and count != 1:
        raise Misfit(f"{count} addresses are too many", "addresses")
    if count % definition.group:
        raise Misfit(f"{count} addresses do not form pairs", "addresses")


def _packed(family: int, value: object, at: int) -> bytes:
    # The address classes take integers and octets too, and IPv6Address a zone, which no packet carries.
    if isinstance(value, str) and "%" not in value:
        try:
            return _CLASS[family](value).packed
        except AddressValueError:
            pass
    raise Misfit(f"{shown(value)} is not an IPv{family} address", f"addresses[{at}]")
