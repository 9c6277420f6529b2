"""The shape of a DHCPv6 vector: the octets, written out by hand, and what a reader of the RFCs says they mean."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from oracle.notation import octets
from oracle.options4 import Malformed, Pair


@dataclass(frozen=True)
class Vector6:
    """`says` holds properties of Message that must read so, addresses as text; `leases` what its IAs hold.

    A lease is written `na 1 2001:db8::5` or `pd 7 2001:db8:7::/56`, an IA without any `na 1`. `options` are those
    that a server counts, in order.
    """

    name: str
    data: bytes
    says: dict[str, Any] = field(default_factory=dict)
    leases: tuple[str, ...] = ()
    options: tuple[Pair, ...] = ()
    fault: Malformed | None = None


def good(
    name: str, written: str, options: list[tuple[int, str]], leases: tuple[str, ...] = (), **says: Any
) -> Vector6:
    return Vector6(
        name, octets(written), says, leases, tuple((code, octets(value)) for code, value in options)
    )


def bad(name: str, written: str, reason: str, code: int = 0) -> Vector6:
    return Vector6(name, octets(written), fault=Malformed(reason, code))
