"""The shape of a vector: the octets, written out by hand, and what a reader of the RFCs says they mean."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from oracle.notation import octets
from oracle.options4 import Malformed


@dataclass(frozen=True)
class Vector:
    """`says` holds Message fields (addresses as text) that must read so; `options` every option's value."""

    name: str
    data: bytes
    says: dict[str, Any] = field(default_factory=dict)
    options: dict[int, bytes] = field(default_factory=dict)
    fault: Malformed | None = None


def good(name: str, written: str, says: dict[str, Any], options: dict[int, str]) -> Vector:
    return Vector(name, octets(written), says, {code: octets(value) for code, value in options.items()})


def bad(name: str, written: str, reason: str, code: int = 0) -> Vector:
    return Vector(name, octets(written), fault=Malformed(reason, code))
