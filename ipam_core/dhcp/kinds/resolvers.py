"""Encrypted DNS resolvers of the network (RFC 9463: 162 of DHCPv4, 144 of DHCPv6).

A payload is `{"resolvers": [{"priority": 1, "name": "dot.example.org", "addresses": ["192.0.2.1"],
"params": {"alpn": ["dot"], "port": 853}}]}`. Without addresses, a client looks the name up itself, and there are no
parameters either ("ADN-only mode"). A priority of 0 is none (RFC 9460: an alias). DHCPv4 puts one behind the other,
each with its length; an option of DHCPv6 holds one, and several become several options.
Parameters are those of RFC 9460: `alpn`, `port`, `dohpath` (RFC 9461), and any other as `keyN` in hex.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ipam_core.dhcp.kinds import address, name
from ipam_core.dhcp.kinds.definition import OptionDef
from ipam_core.dhcp.kinds.misfit import Misfit, items, shown

_NAME = OptionDef(6, 0, "authentication-domain-name", "name")
_ALPN, _PORT, _DOHPATH = 1, 3, 7
_KEYS = {"alpn": _ALPN, "port": _PORT, "dohpath": _DOHPATH}
_NAMES = {number: key for key, number in _KEYS.items()}
# ipv4hint and ipv6hint: addresses have a field of their own.
_HINTS = (4, 6)
_OTHER = re.compile("key(0|[1-9][0-9]{0,4})")
_MOST_PRIORITY = 0xFFFF


def shape(definition: OptionDef) -> str:
    """Return one resolver, or a list of them."""
    example = "192.0.2.1" if definition.family == 4 else "2001:db8::1"
    text = (
        '{"resolvers": [{"priority": 1, "name": "dot.example.org", '
        f'"addresses": ["{example}"], "params": {{"alpn": ["dot"], "port": 853}}}}]}}'
    )
    return text if definition.family == 4 or definition.repeated else f"{text} with exactly one resolver"


def encode(definition: OptionDef, payload: dict[str, Any]) -> bytes:
    """Encode resolvers; in DHCPv4 each follows its length in two octets."""
    found = items(payload, "resolvers")
    if definition.family == 6 and len(found) != 1:
        raise Misfit("an option of DHCPv6 contains one resolver", "resolvers")
    parts = [_packed(definition, resolver, f"resolvers[{at}]") for at, resolver in enumerate(found)]
    return parts[0] if definition.family == 6 else b"".join(_counted(2, part, "resolvers") for part in parts)


def decode(definition: OptionDef, data: bytes) -> dict[str, Any]:
    """Return the resolvers in the order of the data."""
    parts = list(_pieces(data)) if definition.family == 4 else [data]
    if not parts:
        raise Misfit("there is no resolver")
    return {"resolvers": [_read(definition, part) for part in parts]}


def text(payload: dict[str, Any]) -> str:
    """Return `name (priority, addresses, parameters)`, with semicolons between."""
    return "; ".join(_words(resolver) for resolver in payload["resolvers"])


# --- one resolver


def _packed(definition: OptionDef, resolver: object, where: str) -> bytes:
    if not isinstance(resolver, dict):
        raise Misfit("a resolver is an object with a priority and a name", where)
    if strange := sorted(set(resolver) - {"priority", "name", "addresses", "params"}, key=str):
        raise Misfit(f"{shown(strange[0])} does not belong here", where)
    size = _length_octets(definition)
    head = _number(resolver.get("priority"), f"{where}.priority", 1)
    head += _counted(size, _wire_name(resolver.get("name"), f"{where}.name"), f"{where}.name")
    if "addresses" not in resolver:
        if "params" in resolver:
            raise Misfit("parameters need addresses", f"{where}.params")
        return head
    packed = _wire_addresses(definition, resolver["addresses"], f"{where}.addresses")
    params = _packed_params(resolver.get("params"), f"{where}.params")
    return head + _counted(size, packed, f"{where}.addresses") + params


def _read(definition: OptionDef, data: bytes) -> dict[str, Any]:
    size = _length_octets(definition)
    domain, rest = _taken(size, data[2:], "name")
    names = name.decode(_NAME, domain)["names"]
    found: dict[str, Any] = {
        "priority": int.from_bytes(data[:2], "big"),
        "name": names[0],
    }
    if rest:
        packed, params = _taken(size, rest, "addresses")
        found["addresses"] = address.decode(_addresses(definition), packed)["addresses"]
        found["params"] = _read_params(params)
    return found


def _words(resolver: dict[str, Any]) -> str:
    words = [f"priority {resolver['priority']}", *resolver.get("addresses", ())]
    for key, value in resolver.get("params", {}).items():
        words.append(f"{key}={','.join(value) if isinstance(value, list) else value}")
    return f"{resolver['name']} ({', '.join(words)})"


def _length_octets(definition: OptionDef) -> int:
    """Return the number of octets for the length of name and addresses."""
    return 1 if definition.family == 4 else 2


def _addresses(definition: OptionDef) -> OptionDef:
    return OptionDef(definition.family, definition.code, definition.name, "address", array=True)


def _wire_name(value: object, where: str) -> bytes:
    try:
        return name.encode(_NAME, {"names": [value]})
    except Misfit as misfit:
        raise Misfit(misfit.detail, where) from None


def _wire_addresses(definition: OptionDef, value: object, where: str) -> bytes:
    try:
        return address.encode(_addresses(definition), {"addresses": value})
    except Misfit as misfit:
        raise Misfit(misfit.detail, where + misfit.where.removeprefix("addresses")) from None


# --- its parameters (RFC 9460 section 2.2): key, length and value, by rising keys


def _packed_params(params: object, where: str) -> bytes:
    if not isinstance(params, dict) or "alpn" not in params:
        raise Misfit('must be an object with "alpn", which clients need to choose a protocol', where)
    found = {_key(key, where): _value(key, value, f"{where}.{key}") for key, value in params.items()}
    if len(found) < len(params):
        raise Misfit("a parameter occurs twice", where)
    return b"".join(key.to_bytes(2, "big") + _counted(2, found[key], where) for key in sorted(found))


def _key(key: object, where: str) -> int:
    if isinstance(key, str) and key in _KEYS:
        return _KEYS[key]
    if not isinstance(key, str) or not _OTHER.fullmatch(key):
        raise Misfit(f"{shown(key)} is neither alpn, port, dohpath nor keyN", where)
    number = int(key[3:])
    if number > 0xFFFF or number in _NAMES or number in _HINTS:
        raise Misfit(f"{key} has its own field or name, or is not a key", where)
    return number


def _value(key: str, value: object, where: str) -> bytes:
    if key == "alpn":
        return _packed_protocols(value, where)
    if key == "port":
        return _number(value, where)
    try:
        return str.encode(value) if key == "dohpath" else bytes.fromhex(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise Misfit(f"{shown(value)} is not {'text' if key == 'dohpath' else 'hex'}", where) from None


def _packed_protocols(value: object, where: str) -> bytes:
    if not isinstance(value, list) or not value:
        raise Misfit("must be a list of protocols, such as dot, doq or h2", where)
    for protocol in value:
        if (
            not isinstance(protocol, str)
            or not protocol
            or not protocol.isascii()
            or not protocol.isprintable()
        ):
            raise Misfit(f"{shown(protocol)} is not the name of a protocol", where)
    return b"".join(_counted(1, protocol.encode(), where) for protocol in value)


def _read_params(data: bytes) -> dict[str, Any]:
    found: dict[str, Any] = {}
    last = -1
    while data:
        key = int.from_bytes(data[:2], "big")
        value, data = _taken(2, data[2:], "parameter")
        if key <= last:
            raise Misfit("the parameters are not in the order of their keys")
        last = key
        found[_NAMES.get(key, f"key{key}")] = _read_value(key, value)
    return found


def _read_value(key: int, value: bytes) -> Any:
    if key == _ALPN:
        protocols = []
        while value:
            protocol, value = _taken(1, value, "protocol")
            protocols.append(_text(protocol))
        if not all(protocols):
            raise Misfit("a protocol has no name")
        return protocols
    if key == _PORT:
        if len(value) != 2:
            raise Misfit("a port is two octets")
        return int.from_bytes(value, "big")
    return _text(value) if key == _DOHPATH else value.hex()


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise Misfit("a parameter is not text") from None


# --- lengths


def _number(value: object, where: str, least: int = 0) -> bytes:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= _MOST_PRIORITY:
        raise Misfit(f"{shown(value)} is not a number from {least} to {_MOST_PRIORITY}", where)
    return value.to_bytes(2, "big")


def _counted(size: int, data: bytes, where: str) -> bytes:
    if len(data) >= 1 << (8 * size):
        raise Misfit(f"{len(data)} octets are too many", where)
    return len(data).to_bytes(size, "big") + data


def _taken(size: int, data: bytes, what: str) -> tuple[bytes, bytes]:
    """Return the octets behind their length, and what follows."""
    end = size + int.from_bytes(data[:size], "big")
    if len(data) < size or len(data) < end:
        raise Misfit(f"the {what} is cut off")
    return data[size:end], data[end:]


def _pieces(data: bytes) -> Iterator[bytes]:
    while data:
        piece, data = _taken(2, data, "resolver")
        yield piece
