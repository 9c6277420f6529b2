"""Reasons why a line of a running-config is not taken over."""

from api.importers.plan import Reason

VRF = "is of the VRF {}: take out the others, and import it by --tenant"
BY_HAND = {
    "class": "use pools with a class to choose the clients of a part of a pool",
    "address": "use pools with a class to choose the clients of a part of a pool",
    "import": "options from an uplink must be written as options of the subnet",
    "relay": "use a class with conditions for data of relay agents",
    "update": "dynamic DNS is set up anew: ddns_ fields of subnets, and an adapter (docs/how-to/ddns.md)",
    "relay-information": "use a class with conditions for data of relay agents",
}
DROPPED = {
    "database": "leases are never imported, and are kept in PostgreSQL",
    "ping": "whether addresses are tried by ping is ping_check of a subnet",
    "conflict": "addresses found in use are declined leases",
    "snooping": "is a matter of the switch",
    "utilization": "webhooks report the use of pools (docs/how-to/webhooks.md)",
    "accounting": "lease events show which client had which address",
    "origin": "a pool's addresses are its own here",
    "subnet": "a pool's addresses are its own here",
}


def of(word: str) -> tuple[Reason, str]:
    if word in BY_HAND:
        return "manual", BY_HAND[word]
    return "dropped", DROPPED.get(word, "has no counterpart, or not with this value")
