"""What fields mean: maps."""

MEANINGS = {
    "cidr": "The network.",
    "start_ip": "First address of the run.",
    "end_ip": "Last address of the run.",
    "addresses": "How many addresses it has.",
    "type": "What they are: the kind of an object, `free`, or `pool` for those that clients may get.",
    "id": "The object they are of. Null: of none.",
    "excluded": "How many are excluded.",
    "reserved": "How many are reserved.",
    "assigned": "How many are assigned.",
    "leased": "How many are leased.",
    "pool": "How many lie in pools, used or not.",
    "free": "How many are none of these.",
    "subnets": "How many subnets it touches.",
    "allocated": "How many lie in subnets.",
    "runs": "Neighbouring addresses that are the same, in order; empty where there would be more than 4,096.",
    "blocks": "Counts by aligned block, where there would be more than 4,096 runs; else empty.",
}
