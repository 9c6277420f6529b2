"""THE table of DHCP options: which code has which name, and how its data is laid out.

The API validates payloads by it, the engine's compiler builds wire data by it, the codec's constants are
generated from it, importers and the console name options by it. The rows are in `options4.py` and
`options6.py`; custom definitions come from the database through `definition_from` and are passed in, so
this module holds no state.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from ipam_core.dhcp.kinds import NO_ARRAY
from ipam_core.dhcp.kinds.definition import OptionDef, unknown
from ipam_core.dhcp.kinds.table import KINDS
from ipam_core.dhcp.options4 import OPTIONS4, UNSTORABLE4
from ipam_core.dhcp.options6 import OPTIONS6, UNSTORABLE6
from ipam_core.errors import ValidationError

MAX_CODE = {4: 254, 6: 65535}
UNSTORABLE = {4: UNSTORABLE4, 6: UNSTORABLE6}
_BY_CODE = {(row.family, row.code): row for row in OPTIONS4 + OPTIONS6}
_BY_NAME = {(row.family, row.name): row for row in OPTIONS4 + OPTIONS6}


def lookup(family: int, code: int) -> OptionDef | None:
    """Return the standard definition of a code."""
    return _BY_CODE.get((family, code))


def by_name(family: int, name: str) -> OptionDef | None:
    """Return the standard definition of a name such as `domain-name-servers`."""
    return _BY_NAME.get((family, name))


def every(family: int) -> tuple[OptionDef, ...]:
    """Return all standard definitions of a family, by code."""
    return tuple(sorted((row for row in _BY_CODE.values() if row.family == family), key=lambda row: row.code))


def storable(family: int, code: int) -> bool:
    """Return whether an administrator may store the option; the server or the message owns the others."""
    return not why_unstorable(family, code)


def why_unstorable(family: int, code: int) -> str:
    """Return why nobody may store the option, as a clause that names the code and what to use instead; empty when one
    may."""
    if reason := UNSTORABLE[family].get(code):
        row = lookup(family, code)
        return f"{row.label if row else f'option {code}'} {reason}, and cannot be stored"
    if 1 <= code <= MAX_CODE[family]:
        return ""
    return f"must be 1 to {MAX_CODE[family]}"


def width(family: int, code: int) -> int | None:
    """Return the only legal length of an option's data in octets; None where it varies or is unknown."""
    row = lookup(family, code)
    return row.fixed_octets if row else None


def resolve(
    family: int, code: int, vendor_class: str | None = None, custom: Iterable[OptionDef] = ()
) -> OptionDef:
    """Return the definition that a stored option is read by: standard, else custom, else plain octets.

    Members of an encapsulated option are the custom definitions whose space is the row's vendor class (43)
    or an enterprise number (125, and 17 of DHCPv6).
    """
    custom = [row for row in custom if row.family == family]
    base = lookup(family, code) or next(
        (row for row in custom if row.space is None and row.code == code), unknown(family, code)
    )
    members = _members(base, vendor_class, custom)
    return msgspec.structs.replace(base, suboptions=base.suboptions + members) if members else base


def _members(base: OptionDef, vendor_class: str | None, custom: Iterable[OptionDef]) -> tuple[OptionDef, ...]:
    if base.kind == "suboptions":
        return tuple(row for row in custom if row.space is not None and row.space == vendor_class)
    if base.kind == "vendor-suboptions":
        return tuple(row for row in custom if row.space is not None and row.space.isdecimal())
    return ()


def definition_from(row: Mapping[str, Any]) -> OptionDef:
    """Return a custom definition from its stored row (family, code, name, kind, is_array, vendor_space)."""
    kind, array = row["kind"], row["is_array"]
    if kind not in KINDS:
        raise ValidationError(field="kind", reason=f"must be one of {', '.join(sorted(KINDS))}")
    if array and kind in NO_ARRAY:
        raise ValidationError(field="array", reason=f"kind {kind} cannot be an array")
    return OptionDef(row["family"], row["code"], row["name"], kind, array=array, space=row["vendor_space"])
