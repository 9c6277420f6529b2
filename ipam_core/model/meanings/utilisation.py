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
    "gateway": "How many are gateways and not excluded, reserved or assigned.",
    "in_use": "How many are none of these and visibly in use by a server or relay.",
    "edges": "How many are network or broadcast addresses of subnets.",
    "overlap": "By how much the parts exceed the total, because an address is two of them at once: the total is "
    "excluded + reserved + assigned + leased + gateway + in_use + free - overlap, of a prefix with edges.",
    "total_exact": "total as a decimal string: JavaScript and others round integers above 2^53.",
    "allocated_exact": "allocated as a decimal string.",
    "excluded_exact": "excluded as a decimal string.",
    "free_exact": "free as a decimal string.",
    "utilisation": "Share that is not free, 0 to 1; of a prefix the share that lies in subnets.",
    "as_of": "When leases were counted. Null: not yet.",
}
