"""Reasons why a column or a type of an Infoblox export is not taken over."""

from api.importers.plan import Reason

DDNS = "dynamic DNS is set up anew: DNS zones and servers (docs/how-to/ddns.md)"
WHOM = "use pools with a class to choose the clients of addresses"
BY_HAND = {
    "enable_ddns": DDNS,
    "always_update_dns": DDNS,
    "generate_hostname": DDNS,
    "update_static_leases": DDNS,
    "update_dns_on_lease_renewal": DDNS,
    "lease_time": "is of the subnet",
    "next_server": "is of a subnet or a class",
    "boot_file": "is of a subnet or a class",
    "boot_server": "is of a subnet or a class",
}
DROPPED = {
    "dhcp_members": "servers share one database; each serves all",
    "member": "servers share one database; each serves all",
    "server_association_type": "servers share one database; each serves all",
    "failover_association": "servers share one database; there are no failover pairs",
}
DNS_TYPES = ("zone", "record", "nsgroup")


def of_column(name: str) -> tuple[Reason, str]:
    if name.startswith(("ea-", "eainherited-", "admgrp-")):
        return "dropped", "attributes and permissions are Infoblox's own"
    if name.startswith("ddns_"):
        return "manual", DDNS
    if name.startswith("option-"):
        return "manual", "is of a vendor's space: make it as option 43 or 125 by hand"
    if name.endswith(("filter_rules", "filters")):
        return "manual", WHOM
    if name in BY_HAND:
        return "manual", BY_HAND[name]
    return "dropped", DROPPED.get(name, "has no counterpart")


def of_type(kind: str) -> tuple[Reason, str]:
    if any(each in kind for each in DNS_TYPES):
        return "manual", "DNS is taken over apart: DNS zones and static records"
    return "dropped", "has no counterpart"
