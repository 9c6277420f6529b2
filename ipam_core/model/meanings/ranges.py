"""What fields mean: ranges of addresses."""

MEANINGS = {
    "start_ip": "First address of the range; both ends belong to it.",
    "end_ip": "Last address of the range; the same as start_ip for a single one.",
    "NewPool.start_ip": "First address of the range. Null in a pool that delegates prefixes.",
    "NewPool.end_ip": "Last address of the range, which belongs to it. Null in a pool that delegates prefixes.",
    "Pool.start_ip": "First address of the range. Null in a pool that delegates prefixes.",
    "Pool.end_ip": "Last address of the range, which belongs to it. Null in a pool that delegates prefixes.",
    "prefix": (
        "Of a delegation pool: the IPv6 space that prefixes are delegated from, outside of all subnets. Null: the "
        "pool is one of addresses."
    ),
    "delegated_length": (
        "Of a delegation pool: the length of the prefix that each client gets, such as 56. Null: the pool is one of "
        "addresses."
    ),
    "excluded_prefix": (
        "What each client leaves to its link (RFC 6603), written within the first prefix of the pool. Null: "
        "nothing."
    ),
    "name": "What people call it.",
    "class_id": (
        "Client class that the pool serves alone, tried before pools for everybody. Null: it serves everybody."
    ),
    "in_use": (
        "Addresses of the pool that machines visibly use: servers, relays, the gateway. The pool gives none of them, "
        "nor a prefix that contains one. `If-Match` ignores them."
    ),
    "AddressInUse.ip": "The address.",
    "AddressInUse.used_by": (
        "`gateway`: the subnet's. `relay`: named by a trusted relay or relay_addresses, or seen in packets of a "
        "trusted relay within the last hour. `server`: of a machine with a DHCP server."
    ),
    "AddressInUse.leased": (
        "Whether a client has an active lease of it. Of a relay or server the client keeps it until the lease ends."
    ),
    "allocation": (
        "`hashed`: a new client's address comes of its identity, so that servers need not agree. `sequential`: the "
        "lowest free one."
    ),
}
