"""Domain names in DNS wire form, `{"names": [...]}`: a search list or a single name.

Option 119 compresses as RFC 3397 section 2 describes: pointers count from the start of the option's data,
joined first where it was split over several options. Everywhere else names are written in full (RFC 8415
section 10 forbids pointers; other DHCPv4 options gain nothing by them), but DHCPv4 readers follow pointers.
"""

from __future__ import annotations

import io
import re
from typing import Any

import dns.exception
import dns.name

from ipam_core.dhcp.kinds.definition import OptionDef
from ipam_core.dhcp.kinds.misfit import Misfit, items, shown

_LABEL = r"[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"
_NAME = re.compile(rf"{_LABEL}(?:\.{_LABEL})*\.?")
_LONGEST = 254  # a name of 255 octets on the wire, written with its last dot


def shape(definition: OptionDef) -> str:
    """Return names as people write them."""
    return '{"names": ["example.org"]}' + ("" if definition.array else " with exactly one name")


def encode(definition: OptionDef, payload: dict[str, Any]) -> bytes:
    """Return names one after the other, each ended by the root label."""
    texts = items(payload, "names", definition.may_be_empty)
    if not definition.array and len(texts) != 1:
        raise Misfit(f"{len(texts)} names are too many", "names")
    wire = io.BytesIO()
    seen: dict[dns.name.Name, int] | None = {} if definition.compressed else None
    for at, text in enumerate(texts):
        _parsed(text, at).to_wire(wire, seen)
    return wire.getvalue()


def decode(definition: OptionDef, data: bytes) -> dict[str, Any]:
    """Return names without their last dot."""
    names, at = [], 0
    while at < len(data):
        name, used = _read(definition.family, data, at)
        names.append(name.to_text(omit_final_dot=True))
        at += used
    if not names and not definition.may_be_empty:
        raise Misfit("there is no name")
    if not definition.array and len(names) > 1:
        raise Misfit(f"{len(names)} names are too many")
    return {"names": names}


def text(payload: dict[str, Any]) -> str:
    """Return names with commas between."""
    return ", ".join(payload["names"])


def _parsed(value: object, at: int) -> dns.name.Name:
    if not isinstance(value, str) or len(value) > _LONGEST or not _NAME.fullmatch(value):
        # An internationalised name has more than one ASCII form; the administrator chooses.
        raise Misfit(f'{shown(value)} is not a domain name (ASCII; "xn--" for others)', f"names[{at}]")
    return dns.name.from_text(value, dns.name.root)


def _read(family: int, data: bytes, at: int) -> tuple[dns.name.Name, int]:
    try:
        name, used = dns.name.from_wire(data, at)
    except dns.exception.DNSException as error:
        raise Misfit(f"octet {at} does not begin a domain name ({type(error).__name__})") from None
    if family == 6 and len(name.to_wire() or b"") != used:
        raise Misfit(f"the name at octet {at} is compressed")
    return name, used
