"""Kinds of option data: how a payload (JSON) becomes octets and octets a payload.

A file a kind, each with the same four functions: `shape` (what a payload looks like, for messages), `encode`,
`decode` and `text` (for people). Kinds raise `Misfit`; this module turns it into the ValidationError that
names the option and the shape that fits. `{"hex": "..."}` is taken for every option.
"""

from __future__ import annotations

from typing import Any

from ipam_core.dhcp.kinds import (
    address,
    binary,
    empty,
    flag,
    integer,
    name,
    repeated,
    resolvers,
    routes,
    sip_servers,
    string,
    strings,
    suboptions,
    vendor_suboptions,
)
from ipam_core.dhcp.kinds.definition import OptionDef
from ipam_core.dhcp.kinds.misfit import MAX_DATA, Misfit
from ipam_core.dhcp.kinds.table import BY_KEY, KINDS, raw, shape
from ipam_core.errors import ValidationError

KINDS.update(
    {
        "address": address,
        "ascii": string,
        "binary": binary,
        "empty": empty,
        "flag": flag,
        "int8": integer,
        "int16": integer,
        "int32": integer,
        "name": name,
        "resolvers": resolvers,
        "routes": routes,
        "sip-servers": sip_servers,
        "string": string,
        "strings": strings,
        "suboptions": suboptions,
        "uint8": integer,
        "uint16": integer,
        "uint32": integer,
        "vendor-suboptions": vendor_suboptions,
    }
)
# These are a list already, or have nothing to repeat.
NO_ARRAY = frozenset(
    {
        "ascii",
        "binary",
        "empty",
        "flag",
        "resolvers",
        "routes",
        "sip-servers",
        "string",
        "strings",
        "suboptions",
        "vendor-suboptions",
    }
)
BY_KEY.update(
    {
        "addresses": address,
        "flag": flag,
        "hex": binary,
        "names": name,
        "resolvers": resolvers,
        "routes": routes,
        "string": string,
        "strings": strings,
        "suboptions": suboptions,
        "value": integer,
        "values": integer,
    }
)


def encode(definition: OptionDef, payload: object) -> bytes:
    """Return the option's data. A payload that does not fit raises ValidationError naming the shape that does."""
    try:
        return _bounded(raw(definition, payload))
    except Misfit as misfit:
        raise _invalid(definition, misfit) from None


def encode_each(definition: OptionDef, payload: object) -> tuple[bytes, ...]:
    """Return the data of each option that the payload becomes: one, unless the definition is `repeated`. Raises as
    `encode` does; the octets of all are bounded together."""
    try:
        data = tuple(repeated.encode(definition, payload))
        _bounded(b"".join(data))
    except Misfit as misfit:
        raise _invalid(definition, misfit) from None
    return data


def _bounded(data: bytes) -> bytes:
    if len(data) > MAX_DATA:
        raise Misfit(f"{len(data)} octets are more than {MAX_DATA}")
    return data


def _invalid(definition: OptionDef, misfit: Misfit) -> ValidationError:
    field = f"payload.{misfit.where}".rstrip(".")
    return ValidationError(
        field=field, reason=f"{definition.label} takes {shape(definition)}; {misfit.detail}"
    )


def decode(definition: OptionDef, data: bytes) -> dict[str, Any]:
    """Return the payload of an option's data. Malformed data raises ValidationError."""
    try:
        return KINDS[definition.kind].decode(definition, data)
    except Misfit as misfit:
        raise ValidationError(field="payload.hex", reason=f"{definition.label}: {misfit.detail}") from None


def canonical(definition: OptionDef, payload: object) -> dict[str, Any]:
    """Return the payload as it is stored and shown: addresses, names and hex in one spelling, the shape unchanged.

    Raises as `encode` does.
    """
    data = encode_each(definition, payload)
    if not isinstance(payload, dict) or "hex" in payload:
        return {"hex": b"".join(data).hex()}
    if "suboptions" in payload:
        return {"suboptions": [_canonical_member(definition, sub) for sub in payload["suboptions"]]}
    return repeated.together([decode(definition, each) for each in data])


def _canonical_member(definition: OptionDef, sub: dict[str, Any]) -> dict[str, Any]:
    known = definition.suboptions
    if definition.kind == "vendor-suboptions":
        known = vendor_suboptions.known(definition, sub["enterprise"])
    return suboptions.canonical(known, definition.family, sub, canonical)


def text(definition: OptionDef, payload: dict[str, Any]) -> str:
    """Return a decoded payload in words, without the option's name."""
    return KINDS[definition.kind].text(payload)
