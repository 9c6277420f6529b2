"""Descriptions of fields and query parameters in the OpenAPI document. Meanings of fields are docstrings of the models
(ipam_core/model/field_docs.py); this module has meanings of query parameters that are not named like a field."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, get_args, get_origin

from msgspec import inspect

from ipam_core.model.base import Common
from ipam_core.model.field_docs import meaning

QUERY = {
    "limit": "Maximum number of objects on a page, 1 to 1,000; larger values count as 1,000.",
    "cursor": "`next_cursor` of the previous page. Left out: the first page.",
    "raw": (
        "For CSV. True: cells are written unchanged. False: an apostrophe precedes text that a "
        "spreadsheet would evaluate."
    ),
    "force": "True: drain even the last ready server of a family (admins only). False: refuse that.",
    "dry_run": (
        "True: change nothing, and return the result and further effects of the request. False: perform it."
    ),
    "cascade": (
        "True: also delete the objects below this one. False: refuse to delete an object that has "
        "objects below it (409)."
    ),
    "move_records": (
        "True: move records that the zone would hide into the zone that answers for them. False: "
        "refuse to enable a zone that would hide records (409)."
    ),
    "count": "Number of addresses to return, 1 to 1,000.",
    "q": "Text that names, addresses, tags or descriptions must contain. Case is ignored.",
    "sort": "Field to sort by; a leading hyphen reverses the order. Left out: order of creation.",
    "within": "Only objects inside this network.",
    "contains": "Only objects that contain this address.",
    "family": "Only IPv4 (4) or IPv6 (6).",
    "tag": (
        "Only objects with this tag; case is ignored. Several tags, repeated or separated by commas, "
        "must all be present."
    ),
    "alias": "Only objects with this alias; case is ignored.",
    "custom.NAME": (
        "Only objects whose custom field NAME has this value: custom.owner=network. Dots separate "
        "nested names: custom.rack.row=7. `null` matches a null or missing field; for the text null "
        'write `"null"`.'
    ),
    "relay_address": "Only the subnet with this address in its relay_addresses.",
    "since": "Only at or after this time (RFC 3339).",
    "until": "Only before this time (RFC 3339).",
    "at": "Leases as they were at this time (RFC 3339): the last event of each address up to then.",
    "expires_before": "Only leases that expire before this time (RFC 3339).",
    "expires_after": "Only leases that expire after this time (RFC 3339).",
    "mac": "Only this hardware address, in any notation.",
    "step": (
        "Length of a period in seconds, at least 300. It is increased if there would be more than "
        "1,000 periods. Left out: a length that gives some hundred periods."
    ),
}
"""By name, in all lists."""

PAST = (
    "The map as it was at this time (RFC 3339), as far back as audit log and lease history are "
    "kept, for networks up to /20 or /116. Left out: now."
)

OF_ADDRESSES = "Only A and AAAA records of this address, or of any of several addresses separated by commas."

OF_OPERATION = {
    (
        "search",
        "q",
    ): (
        "Text to find: an address or its beginning, a network, a MAC address, a DUID, a hostname, a "
        "tag, a site or a VLAN; 1 to 255 characters."
    ),
    (
        "list_events",
        "type",
    ): (
        "Event types, or all types of a kind (`lease.*`), separated by commas. Left out: all but "
        "lease.renewed."
    ),
    ("list_dns_records", "ip"): OF_ADDRESSES,
    ("list_dns_zone_dns_records", "ip"): OF_ADDRESSES,
    ("get_subnet_map", "at"): PAST,
    ("get_prefix_map", "at"): PAST,
}

# A filter with the meaning of most families, although another model of the module has its own.
COMMON = {("list_assignments", "tenant_id")}


def query_meaning(operation: str, answers: Any, name: str) -> str:
    """Return the description of a query parameter: its own, or that of the field that a list is filtered by."""
    own = OF_OPERATION.get((operation, name)) or QUERY.get(name)
    row = Common if (operation, name) in COMMON else row_of(answers)
    return own or f"Only objects with this value. {meaning(row, name)}"


def row_of(answers: Any) -> type:
    """Return the model of Page[Model]."""
    kind: type = get_args(answers)[0] if get_args(answers) else answers
    return kind


def describe_fields(components: Mapping[str, Any], kinds: Iterable[Any]) -> None:
    """Put a sentence on each field of the schemas of these kinds, and of all that they consist of."""
    structs = {kind.__name__: kind for kind in consisting_of(kinds)}
    for name, schema in components.items():
        kind = structs[name.partition("_")[0]]  # Page_Lease_ is a Page
        fields = schema.get("properties", {})
        for field in fields:
            if said := meaning(kind, field):
                fields[field] = fields[field] | {"description": said}


def consisting_of(kinds: Iterable[Any]) -> Iterator[type]:
    """Yield the structs that these are made of, themselves too."""
    waiting, seen = list(inspect.multi_type_info(kinds)), set[Any]()
    while waiting:
        each = waiting.pop()
        if isinstance(each, inspect.StructType) and each.cls not in seen:
            seen.add(each.cls)
            waiting += [field.type for field in each.fields]
            yield get_origin(each.cls) or each.cls
        elif isinstance(each, inspect.Metadata):
            waiting.append(each.type)
        elif isinstance(each, inspect.UnionType):
            waiting += each.types
        elif isinstance(each, inspect.ListType | inspect.VarTupleType):
            waiting.append(each.item_type)
