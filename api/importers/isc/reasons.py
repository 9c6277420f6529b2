"""Why a statement of dhcpd.conf is not taken over."""

from api.importers.plan import Reason

BY_HAND = {
    "if": "what depends on the packet is a class: make one with these conditions",
    "elsif": "what depends on the packet is a class: make one with these conditions",
    "else": "what depends on the packet is a class: make one with these conditions",
    "switch": "what depends on the packet is a class: make one with these conditions",
    "include": "put the text of that file here",
    "zone": "dynamic DNS is set up anew: DNS zones and servers (docs/how-to/ddns.md)",
    "key": "dynamic DNS is set up anew: DNS zones and servers (docs/how-to/ddns.md)",
    "allow": "for whom addresses are is a matter of pools with a class",
    "deny": "for whom addresses are is a matter of pools with a class",
    "ignore": "for whom addresses are is a matter of pools with a class",
    "on": "webhooks tell what happens (docs/how-to/webhooks.md)",
}
DROPPED = {
    "failover": "servers share one database; there are no failover pairs",
    "lease-file-name": "leases are never imported",
    "omapi-port": "the management API takes its place",
    "log-facility": "what is logged is a setting of the servers",
}


def of(name: str) -> tuple[Reason, str]:
    if name.startswith("ddns-"):
        return "manual", BY_HAND["zone"]
    if name in BY_HAND:
        return "manual", BY_HAND[name]
    return "dropped", DROPPED.get(name, "has no counterpart, or not in this place or with this value")
