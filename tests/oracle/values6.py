"""Values of single DHCPv6 options: what a reply carries and what identifies a client or tells a relay's place.

Functions give None for what their RFC does not allow.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from ipaddress import IPv6Address, IPv6Network

from oracle.options4 import Pair, number


@dataclass(frozen=True)
class Duid:
    """RFC 8415 section 11. `hardware`: type and address in DUID-LLT (1) and DUID-LL (3), else None."""

    kind: int
    rest: bytes
    hardware: tuple[int, bytes] | None
    time: int | None = None
    enterprise: int | None = None


def duid(value: bytes) -> Duid:
    """11.2 to 11.5; what is too short for its type is opaque, as section 11 asks of servers for all of them."""
    kind, rest = number(value[:2]), value[2:]
    if kind == 1 and len(rest) > 6:
        return Duid(kind, rest, (number(rest[:2]), rest[6:]), time=number(rest[2:6]))
    if kind == 2 and len(rest) > 4:
        return Duid(kind, rest, None, enterprise=number(rest[:4]))
    if kind == 3 and len(rest) > 2:
        return Duid(kind, rest, (number(rest[:2]), rest[2:]))
    return Duid(kind, rest, None)


def addresses(value: bytes) -> list[IPv6Address] | None:
    """A list of at least one (RFC 3646 3, RFC 4075, RFC 3319 and their kin)."""
    if not value or len(value) % 16:
        return None
    return [IPv6Address(raw) for (raw,) in struct.iter_unpack("!16s", value)]


def domain_names(value: bytes, *, partial: bool = False) -> list[str] | None:
    """RFC 8415 section 10: uncompressed, each ended by the root; RFC 4704 4.2: the last of `partial` need not be."""
    names: list[str] = []
    labels: list[bytes] = []
    while value:
        size = value[0]
        if size > 63 or size + 1 > len(value):
            return None
        if size == 0:
            names.append(_text(labels))
            labels = []
        else:
            labels.append(value[1 : 1 + size])
        value = value[1 + size :]
        if sum(len(label) + 1 for label in labels) > 254:
            return None
    if labels and not partial:
        return None
    return names + ([_text(labels)] if labels else [])


def _text(labels: list[bytes]) -> str:
    return ".".join(label.decode("latin-1") for label in labels)


def encode_domain_names(names: list[str]) -> bytes:
    return b"".join(_wire_name(name) + b"\0" for name in names)


def _wire_name(name: str) -> bytes:
    return b"".join(bytes([len(label)]) + label.encode("latin-1") for label in name.split(".") if label)


@dataclass(frozen=True)
class Fqdn:
    """RFC 4704 section 4: flags S (1), O (2), N (4); `whole` says that the name ends with the root."""

    flags: int
    name: str
    whole: bool


def fqdn(value: bytes) -> Fqdn | None:
    names = domain_names(value[1:], partial=True)
    if not value or names is None or len(names) > 1:
        return None
    return Fqdn(value[0], names[0] if names else "", value[1:].endswith(b"\0"))


def tuples(value: bytes) -> list[bytes] | None:
    """Octets behind their length of two octets, one after the other (RFC 8415 21.15, 21.16; RFC 5970 3.2)."""
    found = []
    while value:
        size = number(value[:2])
        if len(value) < 2 or 2 + size > len(value):
            return None
        found.append(value[2 : 2 + size])
        value = value[2 + size :]
    return found


def encode_tuples(parts: list[bytes]) -> bytes:
    return b"".join(struct.pack("!H", len(part)) + part for part in parts)


@dataclass(frozen=True)
class Vendor:
    """RFC 8415 21.16 (class, tuples) and 21.17 (options): whose, and what of it."""

    enterprise: int
    data: bytes


def vendor(value: bytes) -> Vendor | None:
    return Vendor(number(value[:4]), value[4:]) if len(value) >= 4 else None


def link_layer(value: bytes) -> tuple[int, bytes] | None:
    """RFC 6939 section 4: hardware type and address."""
    return (number(value[:2]), value[2:]) if len(value) >= 2 else None


def remote_id(value: bytes) -> tuple[int, bytes] | None:
    """RFC 4649 section 3: enterprise number and whatever it defines."""
    return (number(value[:4]), value[4:]) if len(value) >= 4 else None


def excluded_prefix(delegated: IPv6Network, value: bytes) -> IPv6Network | None:
    """RFC 6603 section 4.2: the excluded prefix's length, and its bits behind those of the delegated one."""
    if len(value) < 2 or not delegated.prefixlen < value[0] <= 128:
        return None
    bits = value[0] - delegated.prefixlen
    if len(value) != 1 + (bits + 7) // 8:
        return None
    subnet = number(value[1:]) >> (8 * (len(value) - 1) - bits)
    base = int(delegated.network_address) | subnet << (128 - value[0])
    return IPv6Network((base, value[0]))


def encode_excluded_prefix(delegated: IPv6Network, excluded: IPv6Network) -> bytes:
    """The bits between the two lengths, at the left of their octets, zeros behind."""
    bits = excluded.prefixlen - delegated.prefixlen
    size = (bits + 7) // 8
    subnet = int(excluded.network_address) >> (128 - excluded.prefixlen) & ((1 << bits) - 1)
    return bytes([excluded.prefixlen]) + (subnet << (8 * size - bits)).to_bytes(size)


def ntp_servers(options: tuple[Pair, ...]) -> list[str] | None:
    """RFC 5908 section 4: server address (1), multicast address (2), name (3), as text."""
    found: list[str] = []
    for code, value in options:
        if code in (1, 2) and len(value) == 16:
            found.append(str(IPv6Address(value)))
        elif code == 3 and (names := domain_names(value)) is not None and len(names) == 1:
            found += names
        elif code in (1, 2, 3):
            return None
    return found


@dataclass(frozen=True)
class Resolver:
    """RFC 9463 section 4: an encrypted resolver; with a name alone it is in ADN-only mode."""

    priority: int
    name: str
    addresses: tuple[IPv6Address, ...]
    parameters: bytes


def resolver(value: bytes) -> Resolver | None:
    """Priority, length and name; then length and addresses, and parameters to the end."""
    if len(value) < 4:
        return None
    priority, size = struct.unpack_from("!HH", value)
    names = domain_names(value[4 : 4 + size])
    if names is None or len(names) != 1 or 4 + size > len(value):
        return None
    rest = value[4 + size :]
    if not rest:
        return Resolver(priority, names[0], (), b"")
    held = number(rest[:2])
    found = addresses(rest[2 : 2 + held])
    if len(rest) < 2 + held or found is None:
        return None
    return Resolver(priority, names[0], tuple(found), rest[2 + held :])
