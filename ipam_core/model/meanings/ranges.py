"""What fields mean: ranges of addresses."""

MEANINGS = {
    "start_ip": "First address of the range, inclusive.",
    "end_ip": "Last address of the range, inclusive. The same as start_ip for a single address.",
    "NewPool.start_ip": "First address of the range. Null for a pool that delegates prefixes.",
    "NewPool.end_ip": "Last address of the range, inclusive. Null for a pool that delegates prefixes.",
    "Pool.start_ip": "First address of the range. Null for a pool that delegates prefixes.",
    "Pool.end_ip": "Last address of the range, inclusive. Null for a pool that delegates prefixes.",
    "prefix": ("IPv6 prefix of a delegation pool, outside all subnets. Null: a pool of addresses."),
    "delegated_length": (
        "Length of the prefix that each client of a delegation pool gets, such as 56. Null: a pool "
        "of addresses."
    ),
    "excluded_prefix": (
        "Part of each delegated prefix that is excluded from delegation (RFC 6603), written within "
        "the first prefix of the pool. Null: none."
    ),
    "name": "Name of the pool.",
    "used": (
        "Number of addresses (of a delegation pool: prefixes) that are not free: leased, reserved, assigned, "
        "excluded or visibly in use, when leases were last counted. Null: not counted yet."
    ),
    "used_exact": "`used` as a decimal string.",
    "utilisation": "Share of the pool that is not free, as of `as_of`, 0 to 1. Null: not counted yet.",
    "as_of": "When leases were counted for `used` and `utilisation`. Null: not yet.",
    "class_id": (
        "Only clients of this class may use the pool; such pools are tried first. Null: all clients "
        "may use it."
    ),
    "in_use": (
        "Addresses of the pool that machines visibly use: servers, relay agents, the gateway. The "
        "pool leases none of them, nor a prefix that contains one. `If-Match` ignores them."
    ),
    "AddressInUse.ip": "The address.",
    "AddressInUse.used_by": (
        "`gateway`: the subnet's gateway. `relay`: a trusted relay or relay_addresses names it, or "
        "packets of a trusted relay contained it within the last hour. `server`: a host with a DHCP "
        "server."
    ),
    "AddressInUse.leased": (
        "Whether a client has an active lease of the address. If a relay agent or server uses it "
        "too, the client keeps it until the lease expires."
    ),
    "allocation": (
        "`hashed`: a new client's address is derived from its identity, so that servers need not "
        "agree. `sequential`: the lowest free address."
    ),
}
