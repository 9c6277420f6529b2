"""Sentences on fields and query parameters in the OpenAPI document; those on fields stand beside the models
(ipam_core.model.meanings), those on query parameters that are no field's name here."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, get_args, get_origin

from msgspec import inspect

from ipam_core.model.meanings import meaning

QUERY = {
    "limit": "How many objects a page has at most, 1 to 1,000; more counts as 1,000.",
    "cursor": "next_cursor of the page before. Left out: the first page.",
    "raw": "Of CSV: true leaves texts that a spreadsheet would take for formulas. False: an apostrophe is put before.",
    "force": "True: an admin drains even the last ready server of a family. False: that is refused.",
    "dry_run": "True: nothing is changed; the answer says what would be, and what else it would do. False: it is done.",
    "cascade": "True: what stands below is deleted too. False: an object with something below is not deleted (409).",
    "move_records": "True: records that a zone would hide are moved into the zone that answers for them. False: a zone "
    "that would hide records is not enabled (409).",
    "count": "How many addresses are told, 1 to 1,000.",
    "q": "Text that must stand somewhere in names, addresses, tags or descriptions, whatever its case.",
    "sort": "Field to sort by; a hyphen before it turns the order round. Left out: as they were made.",
    "within": "Only what lies in this network.",
    "contains": "Only what this address lies in.",
    "family": "Only those of IPv4 (4) or of IPv6 (6).",
    "tag": "Only what has this tag, whatever its case; of several, given again or with commas, all.",
    "alias": "Only what has this name among its aliases, whatever its case.",
    "custom.NAME": "Only those whose custom field NAME, a name of your own, has this value: custom.owner=network. Dots "
    "name members of members: custom.rack.row=7. `null` means that the member is null or missing; the text is "
    '`"null"`.',
    "relay_address": "Only the subnet with this address among its relay_addresses.",
    "since": "Only from this moment on (RFC 3339).",
    "until": "Only before this moment (RFC 3339).",
    "at": "The leases as they were at this moment (RFC 3339): of each address its last event up to then.",
    "expires_before": "Only leases that end before this moment (RFC 3339).",
    "expires_after": "Only leases that end after this moment (RFC 3339).",
    "mac": "Only of this hardware address, in any notation.",
    "step": "Seconds of a period, 300 at least; longer ones are taken where there would be more than 1,000. Left out: "
    "some hundred periods.",
}
"""By name, in all lists."""

PAST = (
    "The map as it was at this moment (RFC 3339), as far back as the audit trail and the history of leases are kept, "
    "of networks up to /20 or /116. Left out: now."
)

OF_ADDRESSES = "Only the A and AAAA records of this address; of several with commas, those of any of them."

OF_OPERATION = {
    (
        "search",
        "q",
    ): "What is looked for: an address or its beginning, a network, a MAC, a DUID, a host name, a tag, "
    "a site, a VLAN; 1 to 255 characters.",
    (
        "list_events",
        "type",
    ): "Types, or all of a kind (`lease.*`), with commas. Left out: all but lease.renewed.",
    ("list_dns_records", "ip"): OF_ADDRESSES,
    ("list_dns_zone_dns_records", "ip"): OF_ADDRESSES,
    ("get_subnet_map", "at"): PAST,
    ("get_prefix_map", "at"): PAST,
}


def query_meaning(operation: str, answers: Any, name: str) -> str:
    """The sentence on a query parameter: its own, or that of the field that a list is filtered by."""
    own = OF_OPERATION.get((operation, name)) or QUERY.get(name)
    return own or f"Only those of which this is so. {meaning(row_of(answers), name)}"


def row_of(answers: Any) -> type:
    """Of Page[Model] the model."""
    kind: type = get_args(answers)[0] if get_args(answers) else answers
    return kind


def describe_fields(components: Mapping[str, Any], kinds: Iterable[Any]) -> None:
    """Puts a sentence on each field of the schemas of these kinds, and of all that they consist of."""
    structs = {kind.__name__: kind for kind in consisting_of(kinds)}
    for name, schema in components.items():
        kind = structs[name.partition("_")[0]]  # Page_Lease_ is a Page
        fields = schema.get("properties", {})
        for field in fields:
            if said := meaning(kind, field):
                fields[field] = fields[field] | {"description": said}


def consisting_of(kinds: Iterable[Any]) -> Iterator[type]:
    """The structs that these are made of, themselves too."""
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
