"""What fields mean: relays."""

MEANINGS = {
    "cidr": (
        "Network whose relays (giaddr, or source address in DHCPv6) are served; a single address is a /32 or /128."
    ),
    "tenant_id": (
        "The tenant that its relays belong to, whose subnets alone they choose. Null: the default tenant. A relay in "
        "several networks belongs to the most specific one."
    ),
    "sources": (
        "Networks from which packets of its relays may come; packets from elsewhere are dropped (untrusted_source). "
        "Empty: from anywhere, because routers often send from another interface."
    ),
    "sources_seen": (
        "Addresses from which packets of its relays came, the latest first, at most 64. `If-Match` ignores them."
    ),
    "vss": (
        "Whether the virtual network that the relay names (RFC 6607: option 82.151, DHCPv6 option 68) chooses the "
        "tenant. No effect with a tenant_id, which always wins."
    ),
    "client_vss": "Whether the client's own option (DHCPv4 221, DHCPv6 68) does so too; needs vss.",
    "address": "Address of the relay.",
    "count": "How many of its packets were dropped.",
    "first_seen_at": "When its first packet was dropped.",
    "last_seen_at": "When its last packet was dropped.",
}
