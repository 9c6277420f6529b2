"""What fields mean: relays."""

MEANINGS = {
    "cidr": (
        "Network whose relays (giaddr, or source address in DHCPv6) are served; a single address is a /32 or /128."
    ),
    "tenant_id": "The tenant whose subnets its relays may choose. Null: those of all tenants.",
    "address": "Address of the relay.",
    "count": "How many of its packets were dropped.",
    "first_seen_at": "When its first packet was dropped.",
    "last_seen_at": "When its last packet was dropped.",
}
