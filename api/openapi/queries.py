"""Query parameters in the OpenAPI document: a filter's schema follows from the function that reads its text."""

from collections.abc import Callable, Mapping
from typing import Any

from ipam_core.model import labels, usage_history, values
from ipam_core.model.event import PATTERNS, parse_types
from ipam_core.model.page import MAX_LIMIT
from ipam_core.services import leases
from ipam_core.services.entity import filters
from ipam_core.services.entity.entity import Filter
from ipam_core.services.entity.filters import Words
from ipam_core.services.spaces import MAX_COUNT

NO_NUL = "^[^\\u0000]*$"
TEXT: dict[str, Any] = {"type": "string", "pattern": NO_NUL}
FLAG: dict[str, Any] = {"type": "boolean"}
MAC = values.PATTERNS[values.Mac] | {"description": "In any notation"}

BY_READER: dict[Callable[[str], Any], dict[str, Any]] = {
    values.parse_address: values.PATTERNS[values.Address],
    values.parse_network: values.PATTERNS[values.Network],
    values.parse_mac: MAC,
    leases.mac_octets: MAC,
    values.parse_octets: values.PATTERNS[values.Octets],
    values.parse_text_or_octets: values.PATTERNS[values.TextOrOctets],
    values.parse_mac_prefix: values.PATTERNS[values.MacPrefix],
    values.parse_instant: values.PATTERNS[values.Instant],
    filters.hostname: values.PATTERNS[values.Hostname],
    parse_types: {
        "type": "array",
        "items": {"type": "string", "enum": sorted(PATTERNS)},
        "minItems": 1,
        "description": "Types, or all of a kind; without it all but lease.renewed.",
    },
    labels.parse_tag_list: {**labels.TAGS_SCHEMA, "minItems": 1},
    filters.family: {"type": "integer", "enum": [4, 6]},
    filters.flag: FLAG,
    filters.whole_number: {"type": "integer", "minimum": 0, "maximum": 999_999_999},
    usage_history.parse_step: {
        "type": "integer",
        "minimum": 1,
        "maximum": usage_history.LONGEST_STEP,
        "description": "Seconds of a period; longer ones are taken where there would be more than "
        f"{usage_history.MOST_POINTS} points. Left out, there are some hundreds.",
    },
}

PLAIN: dict[str, dict[str, Any]] = {
    "limit": {
        "type": "integer",
        "minimum": 1,
        "default": 50,
        "description": f"Over {MAX_LIMIT} counts as {MAX_LIMIT}.",
    },
    "cursor": {"type": "string", "format": "cursor", "description": "next_cursor of the page before"},
    "cascade": {**FLAG, "default": False, "description": "Delete what stands below too."},
    "count": {"type": "integer", "minimum": 1, "maximum": MAX_COUNT, "default": 1},
    "q": {"type": "string", "pattern": r"^[^\u0000]*[^\u0000\s][^\u0000]*$", "maxLength": 255},
}
REQUIRED = {"q"}


def parameters(opt: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What a handler's `opt` says of its query: `query` names, `filters` with their readers, `sorts`."""
    told = {name: PLAIN[name] for name in opt.get("query", ())}
    if opt.get("sorts"):
        told["sort"] = sort(opt["sorts"])
    told |= {name: schema(filter_) for name, filter_ in opt.get("filters", {}).items()}
    needed = REQUIRED.intersection(opt.get("query", ()))
    return [parameter(name, each, name in needed) for name, each in told.items()]


def parameter(name: str, schema: dict[str, Any], required: bool) -> dict[str, Any]:
    """A list is one text with commas."""
    whole = {"explode": False} if schema.get("type") == "array" else {}
    return {"name": name, "in": "query", "required": required, "schema": schema, **whole}


def sort(names: Mapping[str, Any]) -> dict[str, Any]:
    orders = [sign + name for name in names for sign in ("", "-")]
    described = "Field to sort by; a hyphen before it turns the order round."
    return {"type": "string", "enum": orders, "description": described}


def schema(filter_: Filter) -> dict[str, Any]:
    if isinstance(filter_.parse, Words):
        return {"type": "string", "enum": [*filter_.parse.meanings]}
    return BY_READER.get(filter_.parse, TEXT)
