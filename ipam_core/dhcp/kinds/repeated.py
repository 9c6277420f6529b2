"""Options of which the RFC requires one for each item: a payload's list becomes several options, and back.

RFC 5908 section 4: a time source has an option 56 of its own. RFC 9463 section 4.1: so has an encrypted resolver.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ipam_core.dhcp.kinds import suboptions, table
from ipam_core.dhcp.kinds.definition import OptionDef
from ipam_core.dhcp.kinds.misfit import Misfit, items


def encode(definition: OptionDef, payload: object) -> Iterator[bytes]:
    """Yield the data of each option, in the payload's order. Hex that holds several sub-options is cut into them
    too."""
    if not definition.repeated or not isinstance(payload, dict) or len(payload) != 1:
        yield table.raw(definition, payload)
    elif "hex" in payload:
        yield from _pieces(definition, table.raw(definition, payload))
    else:
        (key,) = payload
        for at, item in enumerate(items(payload, key)):
            yield _item(definition, key, item, at)


def together(payloads: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the payload that becomes these options."""
    if len(payloads) == 1:
        return payloads[0]
    (key,) = payloads[0]
    return {key: [item for payload in payloads for item in payload[key]]}


def _item(definition: OptionDef, key: Any, item: object, at: int) -> bytes:
    try:
        return table.raw(definition, {key: [item]})
    except Misfit as misfit:
        raise Misfit(misfit.detail, misfit.where.replace("[0]", f"[{at}]", 1)) from None


def _pieces(definition: OptionDef, data: bytes) -> list[bytes]:
    if definition.kind != "suboptions":
        return [data]
    try:
        found = list(suboptions.walk(definition.family, data))
    except Misfit:  # is sent as it was stored
        return [data]
    return [suboptions.framed(definition.family, *pair) for pair in found] or [data]
