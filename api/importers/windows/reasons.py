"""Reasons why an element of an export, or a command of a dump, is not taken over."""

from api.importers.plan import Reason

DDNS = "dynamic DNS is set up anew: DNS zones and servers (docs/how-to/ddns.md)"
NAP = "network access protection has gone from Windows too"
BY_HAND: dict[str, str] = {
    "DnsSuffix": DDNS,
    "LeaseDuration": "is no duration, or one for some clients only, which has no counterpart",
    "StatelessStore": "clients that ask for options alone are answered without a store",
    "Type": "a scope for BOOTP alone answers nobody here",
}
DROPPED: dict[str, str] = {
    "Leases": "leases are never imported",
    "NapEnabled": NAP,
    "NapEnable": NAP,
    "NapProfile": NAP,
    "NpsUnreachableAction": NAP,
    "Delay": "servers share one database, and answer at once",
    "MaxBootpClients": "there is no such limit",
    "Preference": "servers share one database, and none is preferred",
}


def of(name: str) -> tuple[Reason, str]:
    if name in BY_HAND:
        return "manual", BY_HAND[name]
    return "dropped", DROPPED.get(name, "has no counterpart, or not in this place or with this value")
