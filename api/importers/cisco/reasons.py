"""Why a line of a running-config is not taken over."""

from api.importers.plan import Reason

VRF = "is of the VRF {}: take out the others, and import it by --tenant"
BY_HAND = {
    "class": "who gets which part of a pool is a matter of pools with a class",
    "address": "who gets which part of a pool is a matter of pools with a class",
    "import": "what an uplink tells is written out: options of the subnet",
    "relay": "what a relay says is a condition of a class",
    "update": "dynamic DNS is set up anew: ddns_ fields of subnets, and an adapter (docs/how-to/ddns.md)",
    "relay-information": "what a relay says is a condition of a class",
}
DROPPED = {
    "database": "leases are never imported, and are kept in PostgreSQL",
    "ping": "whether addresses are tried by ping is ping_check of a subnet",
    "conflict": "what was found in use is a lease that is declined",
    "snooping": "is a matter of the switch",
    "utilization": "webhooks tell how full pools are (docs/how-to/webhooks.md)",
    "accounting": "lease events tell who had which address",
    "origin": "a pool's addresses are its own here",
    "subnet": "a pool's addresses are its own here",
}


def of(word: str) -> tuple[Reason, str]:
    if word in BY_HAND:
        return "manual", BY_HAND[word]
    return "dropped", DROPPED.get(word, "has no counterpart, or not with this value")
