"""Reasons why an element of config.xml is not taken over."""

from api.importers.plan import Reason

DDNS = "dynamic DNS is set up anew: ddns_ fields of subnets, and an adapter (docs/how-to/ddns.md)"
BOOT = "make a class with option 93 in {}, and this boot file"
BY_HAND = {
    "filename32": BOOT.format("[6]"),
    "filename64": BOOT.format("[7, 9]"),
    "filename32arm": BOOT.format("[10]"),
    "filename64arm": BOOT.format("[11]"),
    "uefihttpboot": BOOT.format("[15, 16]"),
    "mac_allow": "make a class of these cards, and give it to the pools",
    "mac_deny": "make a class of these cards that denies",
    "ha": "servers share one database; there are no pairs",
    "dhcp_boot": "make a class with the boot file, or give it to the subnet",
    "ramode": "router advertisements are the router's",
    "interfaces": "on which interfaces servers listen is their own setting (docs/how-to/install.md)",
    "set_tag": "make a class with a condition",
    "tag": "make a class with a condition",
    "dhcp_tags": "make a class with a condition",
}
DROPPED = {
    "filename": "starting from the network is off (netboot)",
    "nextserver": "starting from the network is off (netboot)",
    "failover_peerip": "servers share one database; there are no failover pairs",
}


def of(name: str) -> tuple[Reason, str]:
    if name.startswith("ddns"):
        return "manual", DDNS
    if name in BY_HAND:
        return "manual", BY_HAND[name]
    return "dropped", DROPPED.get(name, "has no counterpart, or not in this place or with this value")
