"""Help texts of the filters of lists: the kind of the value, and the objects that it selects."""

from typing import NamedTuple

from ipam_core.model.families import in_words


class Meaning(NamedTuple):
    """`value` stands for the value in the usage; `text` is one sentence."""

    value: str
    text: str


YES_OR_NO = "yes|no"
WHEN = "WHEN"

ANYWHERE = {
    "alias": Meaning("NAME", "Only objects with this alias."),
    "at": Meaning(WHEN, "Only leases in force at this time (yesterday, 2 hours ago, 2026-11-22 14:03)."),
    "cidr": Meaning("CIDR", "Only the object of this network."),
    "circuit_id": Meaning(
        "TEXT|HEX", "Only objects with this circuit ID (option 82.1, or interface-id of DHCPv6)."
    ),
    "client_id": Meaning("HEX", "Only clients with this client identifier (option 61)."),
    "code": Meaning("NUMBER", "Only objects with this option code."),
    "contains": Meaning("ADDRESS", "Only networks that contain this address."),
    "description": Meaning("TEXT", "Only objects with exactly this description."),
    "duid": Meaning("HEX", "Only clients with this DUID."),
    "end_ip": Meaning("ADDRESS", "Only ranges that end with this address."),
    "expires_after": Meaning(WHEN, "Only leases that expire after this time (in 2 hours, tomorrow)."),
    "expires_before": Meaning(WHEN, "Only leases that expire before this time (in 2 hours, tomorrow)."),
    "family": Meaning("4|6", "Only IPv4 or IPv6."),
    "fqdn": Meaning("NAME", "Only this name in full, such as www.example.net."),
    "gateway": Meaning("ADDRESS", "Only subnets with this gateway."),
    "hostname": Meaning("NAME", "Only this hostname."),
    "ip": Meaning("ADDRESS", "Only this address."),
    "mac": Meaning("MAC", "Only this MAC address, in any notation."),
    "mac_prefix": Meaning("MAC", "Only classes of this beginning of a MAC address."),
    "name": Meaning("NAME", "Only objects of this name."),
    "object_id": Meaning("ID", "Only entries about the object of this id."),
    "object_type": Meaning("TYPE", "Only entries about objects of this type, such as subnet or dns_zone."),
    "prefix": Meaning("CIDR", "Only objects with this delegated prefix."),
    "priority": Meaning("NUMBER", "Only classes of this priority."),
    "q": Meaning("TEXT", "Only objects with this text in any field."),
    "relay": Meaning("ADDRESS", "Only leases through this relay agent."),
    "relay_address": Meaning("ADDRESS", "Only the subnet with this relay address."),
    "remote_address": Meaning("ADDRESS", "Only requests from this address."),
    "remote_id": Meaning("TEXT|HEX", "Only objects with this remote ID (option 82.2, or 37 of DHCPv6)."),
    "request_id": Meaning("ID", "Only the changes of this request, whose id refusals and logs contain."),
    "since": Meaning(WHEN, "Only from this time on (yesterday, 2 hours ago); a day begins at midnight."),
    "start_ip": Meaning("ADDRESS", "Only ranges that begin with this address."),
    "tag": Meaning("TAG", "Only objects with this tag, or with all of several, separated by commas."),
    "token_name": Meaning("NAME", "Only changes by the token of this name."),
    "until": Meaning(WHEN, "Only before this time (yesterday, 2 hours ago)."),
    "url": Meaning("URL", "Only webhooks with this URL."),
    "vlan_id": Meaning("NUMBER", "Only subnets with this VLAN, 1 to 4094."),
    "within": Meaning("CIDR", "Only objects inside this network."),
}
"""By the name of the filter, in all families that have no text of their own."""

FLAGS = {
    "always_send": "Only options that are also sent to clients that did not request them, or only the others.",
    "array": "Only definitions of a list of values, or only those of one value.",
    "ddns_enabled": "Only subnets whose leases create DNS records, or only the others.",
    "deny": "Only classes whose clients get no answer, or only the others.",
    "dhcp_enabled": "Only subnets that are served, or only those that are not.",
    "dns_enabled": "Only zones that the built-in server answers for, or only the others.",
    "enabled": "Only webhooks that are enabled, or only disabled ones.",
    "is_default": "Only the default tenant, or only the others.",
    "known": "Only classes of clients with a reservation, or only of clients without one.",
    "never_send": "Only options that are withheld in their scope, or only the others.",
    "template": "Only templates, or only classes that are none.",
    "updated_elsewhere": "Only zones that another server updates, or only the others.",
    "vss": "Only relays that may select a virtual network (RFC 6607), or only the others.",
}

CHOICES = {
    ("audit", "action"): "created updated deleted",
    ("ddns-updates", "action"): "add remove",
    ("ddns-updates", "state"): "pending applied partial retrying failed conflict superseded",
    ("deliveries", "state"): "pending delivered failed dead",
    ("dns-records", "source"): "static lease assignment reservation delegation",
    ("dns-servers", "adapter"): "ad_gsstsig bind_tsig powerdns_http embedded",
    ("lease-events", "event"): "granted renewed released expired declined revoked registered",
    ("leases", "state"): "active released expired revoked declined registered",
    ("nodes", "role"): "api dhcp dhcp6 dns worker",
    ("nodes", "state"): "starting ready degraded draining stopped down",
    ("notifications", "kind"): "slack teams mattermost ntfy mail",
    ("pools", "allocation"): "hashed sequential",
    ("tokens", "role"): "admin operator viewer",
}
"""The values of filters that have few of them."""

OF_FAMILY = {
    ("leases", "hostname"): Meaning("NAME", "Only hostnames that begin with this text."),
    ("lease-events", "hostname"): Meaning("NAME", "Only hostnames that begin with this text."),
    ("events", "type"): Meaning("TYPE,...", "Only these types, or all of a group: lease.*,pool.exhausted."),
    ("deliveries", "event"): Meaning("TYPE", "Only deliveries of this event, such as lease.granted."),
    ("webhooks", "event"): Meaning(
        "TYPE", "Only webhooks that this event is sent to, such as lease.granted."
    ),
    ("dns-servers", "address"): Meaning("ADDRESS", "Only the DNS server of this address."),
    ("dns-records", "data"): Meaning("TEXT", "Only records with this data."),
    ("dns-records", "type"): Meaning("TYPE", "Only records of this type, such as A, CNAME or MX."),
    ("dns-records", "ip"): Meaning("ADDRESS,...", "Only A and AAAA records of these addresses."),
    ("option-definitions", "kind"): Meaning(
        "KIND", "Only definitions of this kind of value, such as address."
    ),
}


def choices_of(family: str, name: str) -> list[str]:
    """Return the values of a filter that has few of them; none for any other."""
    return ["4", "6"] if name == "family" else CHOICES.get((family, name), "").split()


def any_of(values: list[str]) -> str:
    return f"{', '.join(values[:-1])} or {values[-1]}"


def meaning(family: str, name: str) -> Meaning:
    """Return what the help has about a filter of a family."""
    if (family, name) in CHOICES:
        values = CHOICES[family, name].split()
        return Meaning(name.upper(), f"Only this {name}: {any_of(values)}.")
    if name in FLAGS:
        return Meaning(YES_OR_NO, FLAGS[name])
    plain = in_words(name)
    return (
        OF_FAMILY.get((family, name))
        or ANYWHERE.get(name)
        or Meaning("TEXT", f"Only objects with this {plain}.")
    )
