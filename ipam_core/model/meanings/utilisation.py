"""What fields mean: how full it is."""

MEANINGS = {
    "total": "Number of addresses that hosts may have, or of prefixes of a delegation pool.",
    "subnets": "Number of subnets in the prefix.",
    "allocated": "Number of its addresses that lie in subnets.",
    "excluded": "Number of excluded addresses.",
    "reserved": "Number of reserved addresses.",
    "assigned": "Number of addresses assigned to hosts without DHCP.",
    "leased": "Number of addresses with an active lease, as of as_of.",
    "free": (
        "Number of free addresses: none of the other uses applies, nor are they the gateway or "
        "visibly in use. An address may have two uses at once."
    ),
    "gateway": "Number of gateways that are not excluded, reserved or assigned.",
    "in_use": "Number of addresses that only a server or relay agent visibly uses.",
    "edges": "Number of network and broadcast addresses of subnets.",
    "overlap": (
        "Number by which the parts exceed the total, because addresses have two uses at once. The "
        "total is excluded + reserved + assigned + leased + gateway + in_use + free - overlap, for a "
        "prefix plus edges."
    ),
    "total_exact": "total as a decimal string: JavaScript and others round integers above 2^53.",
    "allocated_exact": "allocated as a decimal string.",
    "excluded_exact": "excluded as a decimal string.",
    "free_exact": "free as a decimal string.",
    "utilisation": "Share that is not free, 0 to 1; for a prefix the share that lies in subnets.",
    "as_of": "When leases were counted. Null: not yet.",
}
