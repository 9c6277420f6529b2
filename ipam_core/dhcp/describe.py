"""Options and times in words, for terminals and logs: `domain-name-servers (6): 10.0.0.1, 10.0.0.2`."""

from __future__ import annotations

from ipam_core.dhcp import kinds, registry
from ipam_core.dhcp.kinds.definition import OptionDef, unknown
from ipam_core.dhcp.message_types import MESSAGE_TYPES4
from ipam_core.errors import ValidationError

_MESSAGE_TYPE4 = (4, 53)
_UNITS = (("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1))
_FOREVER = 0xFFFFFFFF


def describe(family: int, code: int, data: bytes) -> str:
    """Return one option as a line. Never raises: data that does not fit its option is shown in hex and called so."""
    row = registry.lookup(family, code) or unknown(family, code)
    return f"{row.name} ({row.code}): {_value(row, data)}"


def _value(row: OptionDef, data: bytes) -> str:
    try:
        text = kinds.text(row, kinds.decode(row, data))
    except ValidationError:
        return f"0x{data.hex()} (malformed)"
    if (row.family, row.code) == _MESSAGE_TYPE4 and data[0] in MESSAGE_TYPES4:
        return f"{MESSAGE_TYPES4[data[0]]} ({text})"
    return text


def duration(seconds: int | None) -> str:
    """Return a duration as words: `5400` is "1 hour 30 minutes"; the largest number means no end (RFC 2131 section
    3.3)."""
    if seconds is None:
        return ""
    if seconds == _FOREVER:
        return "forever"
    parts = []
    rest = seconds
    for name, size in _UNITS:
        count, rest = divmod(rest, size)
        if count:
            parts.append(f"{count} {name}{'s' if count > 1 else ''}")
    return " ".join(parts) or "0 seconds"
