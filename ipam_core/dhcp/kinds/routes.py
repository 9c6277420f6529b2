"""Classless static routes (RFC 3442; options 121 and 249), `{"routes": [{"destination", "router"}]}`.

+-------+--------------------+-----------+
| width | significant octets | router    |   once a route; ceil(width / 8) octets of the destination
+-------+--------------------+-----------+
"""

from __future__ import annotations

from ipaddress import AddressValueError, IPv4Address, IPv4Network
from typing import Any

from ipam_core.dhcp.kinds.definition import OptionDef
from ipam_core.dhcp.kinds.misfit import Misfit, items, shown


def shape(definition: OptionDef) -> str:  # noqa: ARG001 - every kind has the same functions
    """Return a network and the router towards it."""
    return '{"routes": [{"destination": "198.51.100.0/24", "router": "192.0.2.1"}]}'


def encode(definition: OptionDef, payload: dict[str, Any]) -> bytes:
    """Return routes one after the other; the default route is destination 0.0.0.0/0."""
    routes = items(payload, "routes", definition.may_be_empty)
    return b"".join(_packed(route, f"routes[{at}]") for at, route in enumerate(routes))


def decode(definition: OptionDef, data: bytes) -> dict[str, Any]:
    """Host bits that a server left set are cleared, as section "Option Usage" requires of clients."""
    if not data and not definition.may_be_empty:
        raise Misfit("there is no route")
    routes, at = [], 0
    while at < len(data):
        route, at = _read(data, at)
        routes.append(route)
    return {"routes": routes}


def text(payload: dict[str, Any]) -> str:
    """Return routes as routing tables print them."""
    return ", ".join(f"{route['destination']} via {route['router']}" for route in payload["routes"])


def _packed(route: object, where: str) -> bytes:
    if not isinstance(route, dict) or set(route) != {"destination", "router"}:
        raise Misfit("a route has a destination and a router", where)
    network = _network(route["destination"], f"{where}.destination")
    significant = network.network_address.packed[: (network.prefixlen + 7) // 8]
    return bytes([network.prefixlen]) + significant + _router(route["router"], f"{where}.router")


def _network(value: object, where: str) -> IPv4Network:
    if isinstance(value, str) and value.rpartition("/")[2].isdecimal():
        try:
            return IPv4Network(value)
        except ValueError:
            pass
    raise Misfit(f"{shown(value)} is not an IPv4 network without host bits", where)


def _router(value: object, where: str) -> bytes:
    if isinstance(value, str):
        try:
            return IPv4Address(value).packed
        except AddressValueError:
            pass
    raise Misfit(f"{shown(value)} is not an IPv4 address", where)


def _read(data: bytes, at: int) -> tuple[dict[str, str], int]:
    width = data[at]
    end = at + 1 + (width + 7) // 8
    if width > 32 or end + 4 > len(data):
        raise Misfit(f"octet {at} does not begin a route")
    network = IPv4Network((data[at + 1 : end].ljust(4, b"\0"), width), strict=False)
    return {"destination": str(network), "router": str(IPv4Address(data[end : end + 4]))}, end + 4
