"""Classless routes beside a gateway: clients that get option 121 or 249 ignore option 3 (RFC 3442), so that without a
route for 0.0.0.0/0 among them they have no default gateway."""

from collections.abc import Mapping
from typing import Any

from ipam_core.dhcp import kinds, registry
from ipam_core.errors import ValidationError

ROUTES = (121, 249)
DEFAULT = "0.0.0.0/0"


def lacks_default(payload: Mapping[str, Any]) -> bool:
    """Return whether a payload of option 121 or 249 has routes, and none of them for 0.0.0.0/0."""
    try:
        data = kinds.encode(registry.resolve(4, ROUTES[0]), dict(payload))
        routes = kinds.decode(registry.resolve(4, ROUTES[0]), data).get("routes", [])
    except ValidationError:
        return False
    return bool(routes) and all(route["destination"] != DEFAULT for route in routes)


def warnings(code: int, payload: Mapping[str, Any]) -> list[str]:
    """Return what is to be said of an option that is stored where a gateway is."""
    return [warning(code)] if code in ROUTES and lacks_default(payload) else []


def warning(code: int) -> str:
    row = registry.lookup(4, code)
    return (
        f"{row.label if row else code} has no route for {DEFAULT}: clients that use it ignore the gateway (RFC 3442) "
        "and have no default route; add one with the gateway as router"
    )
