"""What fields mean: maps."""

MEANINGS = {
    "cidr": "The network.",
    "start_ip": "First address of the range.",
    "end_ip": "Last address of the range.",
    "addresses": "Number of addresses.",
    "type": (
        "Use of the addresses: the kind of an object, `free`, or `pool` for addresses that clients can get."
    ),
    "id": "Object that the addresses belong to. Null: none.",
    "excluded": "Number of excluded addresses.",
    "reserved": "Number of reserved addresses.",
    "assigned": "Number of assigned addresses.",
    "leased": "Number of leased addresses.",
    "pool": "Number of addresses in pools, used or not.",
    "free": "Number of free addresses.",
    "subnets": "Number of subnets that overlap the block.",
    "allocated": "Number of addresses in subnets.",
    "addresses_exact": "addresses as a decimal string: JavaScript and others round integers above 2^53.",
    "excluded_exact": "excluded as a decimal string.",
    "pool_exact": "pool as a decimal string.",
    "allocated_exact": "allocated as a decimal string.",
    "free_exact": "free as a decimal string.",
    "runs": (
        "Ranges of adjacent addresses with the same use, in order. Empty if there would be more than 4,096."
    ),
    "blocks": "Counts by aligned block, if there would be more than 4,096 ranges. Else empty.",
}
