"""What fields mean: how full it is."""

MEANINGS = {
    "total": "How many there are: addresses that hosts may bear, or prefixes of a delegation pool.",
    "subnets": "How many subnets lie in it.",
    "allocated": "How many of its addresses lie in subnets.",
    "excluded": "How many are excluded.",
    "reserved": "How many are reserved.",
    "assigned": "How many are assigned to hosts without DHCP.",
    "leased": "How many have an active lease, as of as_of.",
    "free": (
        "How many are none of these, nor the gateway or otherwise visibly in use. An address may be two of them at "
        "once."
    ),
    "utilisation": "Share that is not free, 0 to 1; of a prefix the share that lies in subnets.",
    "as_of": "When leases were counted. Null: not yet.",
}
