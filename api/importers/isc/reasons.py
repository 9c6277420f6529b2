"""Reasons why a statement of dhcpd.conf is not taken over."""

from api.importers.plan import Reason

BY_HAND = {
    "if": "use a class with these conditions for packet-dependent values",
    "elsif": "use a class with these conditions for packet-dependent values",
    "else": "use a class with these conditions for packet-dependent values",
    "switch": "use a class with these conditions for packet-dependent values",
    "include": "put the text of that file here",
    "zone": "dynamic DNS is set up anew: DNS zones and servers (docs/how-to/ddns.md)",
    "key": "dynamic DNS is set up anew: DNS zones and servers (docs/how-to/ddns.md)",
    "allow": "use pools with a class to choose the clients of addresses",
    "deny": "use pools with a class to choose the clients of addresses",
    "ignore": "use pools with a class to choose the clients of addresses",
    "on": "webhooks report events (docs/how-to/webhooks.md)",
}
DROPPED = {
    "failover": "servers share one database; there are no failover pairs",
    "lease-file-name": "leases are never imported",
    "omapi-port": "the management API takes its place",
    "log-facility": "logging is a setting of the servers",
}


def of(name: str) -> tuple[Reason, str]:
    if name.startswith("ddns-"):
        return "manual", BY_HAND["zone"]
    if name in BY_HAND:
        return "manual", BY_HAND[name]
    return "dropped", DROPPED.get(name, "has no counterpart, or not in this place or with this value")
