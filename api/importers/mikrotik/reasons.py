"""Reasons why a command or an argument of RouterOS is not taken over."""

from api.importers.plan import Reason

V6: tuple[Reason, str] = ("manual", "DHCPv6 of RouterOS is to be made by hand")
SECTIONS: dict[str, tuple[Reason, str]] = {
    "ip dhcp-server config": ("dropped", "leases are kept in PostgreSQL"),
    "ip dhcp-server alert": ("manual", "nothing here looks for foreign servers"),
    "ip dhcp-server matcher": ("manual", "make a class with this condition, and give it to its pool"),
    "ip dhcp-server vendor-class-id": (
        "manual",
        "make a class with this vendor class, and give it to its pool",
    ),
    "ipv6 dhcp-server": V6,
    "ipv6 pool": V6,
    "ipv6 dhcp-server binding": V6,
    "ipv6 dhcp-server option": V6,
    "ipv6 dhcp-server option sets": V6,
}
CHANGES: tuple[Reason, str] = ("manual", "changes what an export does not show")
ARGUMENTS: dict[str, tuple[Reason, str]] = {
    "lease-script": ("manual", "webhooks report events (docs/how-to/webhooks.md)"),
    "use-radius": ("manual", "clients are not asked for at a RADIUS server"),
    "ranges": ("dropped", "no server gives from this pool"),
    "lease-time": ("manual", "is of a subnet"),
    "address-lists": ("dropped", "is for the router's firewall"),
    "rate-limit": ("dropped", "is for the router's queues"),
    "bootp-support": ("dropped", "BOOTP clients are answered where they have a reservation"),
    "conflict-detection": ("dropped", "whether addresses are tried by ping is ping_check of a subnet"),
}


def of(name: str) -> tuple[Reason, str]:
    return ARGUMENTS.get(name, ("dropped", "has no counterpart, or not in this place or with this value"))
