"""Misfit of a payload or data and its place, as a kind raises it; how it is reported is up to callers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

# A reply with everything in it must still travel in one packet of common size.
MAX_DATA = 1024


class Misfit(ValueError):
    """`where` is the path below the payload (`addresses[1]`, or empty), `detail` a clause for people."""

    def __init__(self, detail: str, where: str = "") -> None:
        super().__init__(detail)
        self.detail = detail
        self.where = where


def shown(value: object) -> str:
    """Return a value as messages cite it: short, and without characters that a log or a JSON encoder chokes on."""
    try:
        return f"{value!r:.80}"
    except (ValueError, RecursionError):  # an integer of thousands of digits, a list of thousands of levels
        return f"that {type(value).__name__}"


def only(payload: dict[str, Any], key: str) -> Any:
    """Return the value of the one key that the payload must consist of."""
    if key not in payload:
        raise Misfit(f'"{key}" is missing')
    extra = sorted(set(payload) - {key}, key=str)
    if extra:
        raise Misfit(f"{shown(extra[0])} does not belong here")
    return payload[key]


def items(payload: dict[str, Any], key: str, may_be_empty: bool = False) -> list[Any]:
    """Return the list under the one key that the payload must consist of."""
    value = only(payload, key)
    if not isinstance(value, list):
        raise Misfit(f'"{key}" is not a list', key)
    if not value and not may_be_empty:
        raise Misfit(f'"{key}" is empty', key)
    if len(value) > MAX_DATA:  # none is shorter than an octet, and to encode them all would take long
        raise Misfit(f"{len(value)} are more than fit in {MAX_DATA} octets", key)
    return value


def joined(parts: Iterable[bytes]) -> bytes:
    """Return the concatenated parts. It stops when the result is too long."""
    data = bytearray()
    for part in parts:
        data += part
        if len(data) > MAX_DATA:
            raise Misfit(f"it is longer than {MAX_DATA} octets")
    return bytes(data)


def blocks(data: bytes, size: int) -> list[bytes]:
    """Return the data cut into items of one size; a remainder is a misfit."""
    if len(data) % size:
        raise Misfit(f"{len(data)} octets are not a multiple of {size}", "hex")
    return [data[at : at + size] for at in range(0, len(data), size)]
