"""Query parameters in the OpenAPI document: a filter's schema follows from the function that reads its text."""

from collections.abc import Callable, Mapping
from typing import Any

from api.openapi.described import query_meaning
from ipam_core.model import labels, usage_history, values
from ipam_core.model.event import PATTERNS, parse_types
from ipam_core.services import dns_zones, leases
from ipam_core.services.entity import filters
from ipam_core.services.entity.entity import Filter
from ipam_core.services.entity.filters import Words
from ipam_core.services.spaces import MAX_COUNT

NO_NUL = "^[^\\u0000]*$"
TEXT: dict[str, Any] = {"type": "string", "pattern": NO_NUL}
FLAG: dict[str, Any] = {"type": "boolean"}

BY_READER: dict[Callable[[str], Any], dict[str, Any]] = {
    values.parse_address: values.PATTERNS[values.Address],
    values.parse_network: values.PATTERNS[values.Network],
    values.parse_mac: values.PATTERNS[values.Mac],
    leases.mac_octets: values.PATTERNS[values.Mac],
    values.parse_octets: values.PATTERNS[values.Octets],
    values.parse_text_or_octets: values.PATTERNS[values.TextOrOctets],
    values.parse_mac_prefix: values.PATTERNS[values.MacPrefix],
    values.parse_instant: values.PATTERNS[values.Instant],
    filters.hostname: values.PATTERNS[values.Hostname],
    parse_types: {
        "type": "array",
        "items": {"type": "string", "enum": sorted(PATTERNS)},
        "minItems": 1,
    },
    dns_zones.addresses: {"type": "array", "items": values.PATTERNS[values.Address], "minItems": 1},
    labels.parse_tag_list: {**labels.TAGS_SCHEMA, "minItems": 1},
    filters.family: {"type": "integer", "enum": [4, 6]},
    filters.flag: FLAG,
    filters.whole_number: {"type": "integer", "minimum": 0, "maximum": 999_999_999},
    usage_history.parse_step: {
        "type": "integer",
        "minimum": 1,
        "maximum": usage_history.LONGEST_STEP,
    },
}

PLAIN: dict[str, dict[str, Any]] = {
    "limit": {"type": "integer", "minimum": 1, "default": 50},
    "cursor": {"type": "string", "format": "cursor"},
    "cascade": {**FLAG, "default": False},
    "dry_run": {**FLAG, "default": False},
    "move_records": {**FLAG, "default": False},
    "force": {**FLAG, "default": False},
    "count": {"type": "integer", "minimum": 1, "maximum": MAX_COUNT, "default": 1},
    "raw": {**FLAG, "default": False},
    "q": {"type": "string", "pattern": r"^[^\u0000]*[^\u0000\s][^\u0000]*$", "maxLength": 255},
}
REQUIRED = {"q"}


def parameters(operation: str, opt: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the query parameters of a handler's `opt`: `query` names, `filters` with their readers, `sorts`."""
    told = {name: PLAIN[name] for name in opt.get("query", ())}
    if "cursor" in told:  # every list is CSV too
        told["raw"] = PLAIN["raw"]
    if opt.get("sorts"):
        told["sort"] = sort(opt["sorts"])
    told |= {name: schema(filter_) for name, filter_ in opt.get("filters", {}).items()}
    needed = REQUIRED.intersection(opt.get("query", ()))
    return [
        parameter(name, each, name in needed)
        | {"description": query_meaning(operation, opt.get("answers"), name)}
        for name, each in told.items()
    ]


def parameter(name: str, schema: dict[str, Any], required: bool) -> dict[str, Any]:
    """Return the parameter; a list is one text with commas."""
    whole = {"explode": False} if schema.get("type") == "array" else {}
    return {"name": name, "in": "query", "required": required, "schema": schema, **whole}


def sort(names: Mapping[str, Any]) -> dict[str, Any]:
    orders = [sign + name for name in names for sign in ("", "-")]
    return {"type": "string", "enum": orders}


def schema(filter_: Filter) -> dict[str, Any]:
    if isinstance(filter_.parse, Words):
        return {"type": "string", "enum": [*filter_.parse.meanings]}
    return BY_READER.get(filter_.parse, TEXT)
