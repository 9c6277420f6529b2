"""What fields mean: relays."""

MEANINGS = {
    "cidr": (
        "Network of trusted relay agents (giaddr, or source address in DHCPv6). A single address is "
        "a /32 or /128."
    ),
    "tenant_id": (
        "Tenant of the relay agents, which select only its subnets. Null: the default tenant. A "
        "relay agent in several networks belongs to the most specific one."
    ),
    "sources": (
        "Networks that packets of the relay agents may come from; packets from elsewhere are dropped "
        "(untrusted_source). Empty: from any address, because routers often send from another "
        "interface."
    ),
    "sources_seen": (
        "Source addresses of packets from its relay agents, newest first, at most 64. `If-Match` "
        "ignores them."
    ),
    "vss": (
        "Whether the virtual network that the relay agent names (RFC 6607: option 82.151, DHCPv6 "
        "option 68) selects the tenant. Without effect if tenant_id is set."
    ),
    "client_vss": (
        "Whether the client's own option (DHCPv4 221, DHCPv6 68) may select the tenant too. Requires vss."
    ),
    "address": "Address of the relay agent.",
    "count": "Number of dropped packets.",
    "first_seen_at": "Time of the first dropped packet.",
    "last_seen_at": "Time of the last dropped packet.",
}
