"""Descriptions of operations and tags in the OpenAPI document.

Operations that every family has are described by their verb; the table OWN holds the others by operation id. A test
fails for an operation or a tag that has no description.
"""

from collections.abc import Iterator

from ipam_core.model.families import FAMILIES, Family, with_article

OWN: dict[str, str] = {
    "create_global_option": "Creates an option of the tenant that applies to all its subnets, unless a more "
    "specific scope sets the same option.",
    "list_class_values": (
        "Lists the classes that a template has created, one for each value of its leaf, while "
        "clients with that value have leases."
    ),
    "create_next_subnet": "Finds the first free range of the requested length in the prefix and creates a "
    "subnet there, in one transaction. Two requests at the same time get different subnets.",
    "list_free_addresses": "Lists addresses of the subnet that are not leased, reserved, assigned or "
    "excluded. The answer reserves nothing: another request may take the same address.",
    "get_subnet_map": "Returns which ranges of the subnet are free, excluded, reserved, assigned, leased or "
    "in a pool, now or at an earlier moment.",
    "get_prefix_map": "Returns which ranges of the prefix belong to which subnet, and which are free, now or "
    "at an earlier moment.",
    "get_prefix_utilisation": "Returns how many addresses of the prefix lie in subnets and how many are in "
    "use. `as_of` is the moment at which the leases were counted.",
    "get_subnet_utilisation": "Returns how many addresses of the subnet are excluded, reserved, assigned, "
    "leased and free. `as_of` is the moment at which the leases were counted.",
    "get_pool_utilisation": "Returns how many addresses of the pool are excluded, reserved, assigned, leased "
    "and free; of a pool for delegation, how many prefixes.",
    "get_subnet_utilisation_history": "Returns the utilization of the subnet over time, one point for each "
    "period.",
    "get_pool_utilisation_history": "Returns the utilization of the pool over time, one point for each "
    "period.",
    "perform_bulk": "Performs up to 1,000 creates, updates and deletes in one transaction. If one operation "
    "fails, none is performed, and the error names it in `index`. A later operation refers to the result of "
    "an earlier one by its `ref`.",
    "test_dns_server": "Connects to the DNS server with its stored credentials and reports whether it would "
    "accept updates. Changes nothing there.",
    "reconcile_dns_zone": "Compares the zone's records at its server with the current leases, reservations "
    "and assignments. Without `dry_run` it adds missing records and removes obsolete ones.",
    "check_dns_zone": "Reads the whole zone and reports what BIND, NSD and Knot as its secondaries would refuse or "
    "warn about, with the record, the servers and the fix. Changes nothing.",
    "import_dns_zone": "Reads a zone file and adds its records (`merge`) or makes the zone equal to it "
    "(`replace`). With `dry_run` the answer reports the result and nothing is changed.",
    "export_dns_zone": "Returns all records of the zone in the format of RFC 1035, section 5.",
    "list_dns_zone_secondaries": (
        "Lists the zone's secondaries: the serial that each reported last, how many serials it is "
        "behind and since when, and its last refusal."
    ),
    "list_reverse_zones": "Lists the reverse zones that cover the addresses of the subnet, and which of them "
    "exist.",
    "retry_ddns_update": "Schedules a failed or waiting DNS update at once.",
    "import_from_netbox": "Reads prefixes from a NetBox and creates those that are missing here. Existing "
    "prefixes are not changed. The answer has a cursor if time ran out before the end.",
    "export_to_netbox": "Creates in a NetBox the prefixes that are missing there. Existing prefixes are not "
    "changed. The answer has a cursor if time ran out before the end.",
    "rotate_webhook": "Creates a new signing secret and returns it once. For 24 hours deliveries carry "
    "signatures of both secrets.",
    "test_webhook": "Sends an event `webhook.ping` to this webhook only, and waits up to seven seconds for "
    "the outcome.",
    "test_notification": "Sends a test message, and waits up to seven seconds for the outcome.",
    "redeliver": "Queues the delivery's event for one more attempt to the same webhook or notification. In five "
    "minutes 100 are possible for a webhook and 10 for a notification; then the status is 429.",
    "rotate_token": "Creates a new secret for the token and returns it once. The old secret is no longer "
    "accepted.",
    "get_own_token": "Returns the token that the request was made with: its role, tenant and expiry.",
    "delete_token": "Revokes the token. Requests with it are refused from then on.",
    "release_lease": "Ends an active lease as if the client had released it. The client is not informed.",
    "reserve_lease": "Creates a reservation of the lease's address for the client that holds it.",
    "reconfigure_lease": "Sends a Reconfigure message (RFC 8415, section 18.3) to a DHCPv6 client that "
    "accepts it.",
    "drain_node": "Makes a server stop answering new clients, so that it can be stopped without loss. Other "
    "servers take over.",
    "undrain_node": "Makes a drained server answer clients again.",
    "list_unknown_relays": "Lists relay agents whose packets were dropped because no trusted relay entry "
    "contains them.",
    "get_dashboard": "Returns totals for the whole service or one tenant: utilization, leases, nodes, the "
    "address limit and recent problems.",
    "get_inbox": "Lists conditions that need attention, the most severe first.",
    "get_server_duid": "Returns the DUID by which all DHCPv6 servers identify themselves.",
    "update_server_duid": "Replaces the DUID of all DHCPv6 servers, for a migration from another server. "
    "Clients with leases of the old DUID rebind.",
    "search": (
        "Finds objects of all kinds by address, network, MAC address, name or description. Texts of "
        "three or more characters match anywhere. `as_of` is the time up to which the search table "
        "contains all changes."
    ),
    "explain_dhcp": "Returns what the server would answer to a DHCPv4 client, and the reason for each "
    "decision. Nothing is sent or stored.",
    "explain_dhcp6": "Returns what the server would answer to a DHCPv6 client, and the reason for each "
    "decision. Nothing is sent or stored.",
    "list_events": (
        "Lists events, newest first. With `Accept: text/event-stream` the response is a stream that "
        "continues with new events."
    ),
    "list_lease_events": "Lists lease events, newest first, as far back as the history is kept.",
    "list_audit": "Lists changes and their authors, newest first, as far back as the audit log is kept.",
    "get_openapi": "Returns this document: every operation of the API in OpenAPI 3.1.",
    "get_openapi_ipam": "Returns the part of this document about the address plan, DHCP options and leases.",
}

LIST = (
    "Returns one page of {plural}{place}. Pass `next_cursor` of the answer as `cursor` to get the next page."
)
CREATE = "Creates {one}{place} and returns it with its id. An `Idempotency-Key` makes it safe to repeat the request."
GET = "Returns {one} by its id, with an entity tag for If-Match and If-None-Match."
UPDATE = (
    "Changes the fields that the body contains (JSON Merge Patch, RFC 7396). With If-Match, only "
    "if the object has not changed since it was read."
)
DELETE = "Deletes {one}. With If-Match, only if the object has not changed since it was read."

TAGS: dict[str, str] = {
    "tenants": "Tenants, whose plans are separate from each other.",
    "prefixes": "Planned address space of a tenant, with its subnets and free space.",
    "subnets": "Networks with their DHCP and DNS settings, and the objects in them.",
    "pools": "Ranges of addresses or delegated prefixes for clients.",
    "excludes": "Ranges of a subnet that are never leased.",
    "reservations": "Addresses that are kept for one client.",
    "options": "DHCP options of all scopes.",
    "global-options": "DHCP options of a tenant that apply to all its subnets.",
    "option-definitions": "Names and types of DHCP options that the server does not define.",
    "client-classes": "Groups of clients by the data they send, with options and pools of their own.",
    "assignments": "Static addresses of hosts that do not use DHCP.",
    "trusted-relays": "Relay agents whose packets are accepted, and those that are not trusted.",
    "dns-servers": "DNS servers that receive updates, and secondaries of zones served here.",
    "dns-zones": "DNS zones and their import, export and reconciliation.",
    "dns-records": "Records of DNS zones.",
    "bulk": "Many changes in one transaction.",
    "ddns-updates": "DNS updates that follow leases, reservations and assignments.",
    "netbox": "Import from NetBox and export to it.",
    "webhooks": "Receivers of events.",
    "notifications": "Messages to people about events: chats and mail.",
    "deliveries": "Attempts to deliver events to webhooks and notifications.",
    "tokens": "Bearer tokens of the API.",
    "leases": "Leases of DHCPv4 and DHCPv6 clients.",
    "lease-events": "History of leases.",
    "audit": "Log of all changes by people and programs.",
    "events": "Events as a list or a stream.",
    "nodes": "Processes of the service and their state.",
    "dashboard": "Overview of the service and conditions that need attention.",
    "server-duid": "DUID of the DHCPv6 servers.",
    "search": "Search over the plan and the leases.",
    "dhcp": "Explanation of DHCPv4 answers.",
    "dhcp6": "Explanation of DHCPv6 answers.",
    "openapi.json": "Description of this API.",
    "openapi-ipam.json": "Description of the address plan's part of this API.",
}


def described(operation_id: str) -> str | None:
    """Return the description of an operation; None if there is none."""
    return OWN.get(operation_id) or BY_VERB.get(operation_id)


def tags(used: set[str]) -> list[dict[str, str]]:
    """Return the declarations of the tags in use, in the order of TAGS; a family without a sentence of its own comes
    behind them. Raises KeyError for any other tag without one."""
    said = TAGS | {
        family.name: f"Operations on {family.plural}."
        for family in FAMILIES.values()
        if family.name not in TAGS
    }
    if missing := used - said.keys():
        raise KeyError(f"no description in api.openapi.operations.TAGS: {sorted(missing)}")
    return [{"name": name, "description": text} for name, text in said.items() if name in used]


def by_verb() -> Iterator[tuple[str, str]]:
    for family in FAMILIES.values():
        yield from of_family(family)


def of_family(family: Family) -> Iterator[tuple[str, str]]:
    one, plural = with_article(family.label), family.many
    yield f"get_{family.singular}", GET.format(one=one)
    yield f"update_{family.singular}", UPDATE
    yield f"delete_{family.singular}", DELETE.format(one=one)
    for parent in (None, *family.parents):
        prefix = f"{parent.singular}_" if parent else ""
        place = f" of {with_article(parent.label)}" if parent else ""
        yield f"list_{prefix}{family.plural}", LIST.format(plural=plural, place=place)
        yield f"create_{prefix}{family.singular}", CREATE.format(one=one, place=place)


BY_VERB = dict(by_verb())
