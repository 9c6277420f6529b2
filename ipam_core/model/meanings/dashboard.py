"""What fields mean: the first page of a console."""

MEANINGS = {
    "managed_ips": (
        "Reservations and assignments of all tenants, which count toward the managed address limit. A token of one "
        "tenant sees that tenant's."
    ),
    "managed_ips_limit": "Managed address limit; 0 is no limit.",
    "counts": "How many objects there are.",
    "tenants": "How many tenants.",
    "prefixes": "How many prefixes.",
    "subnets": "How many subnets.",
    "pools": "How many pools.",
    "reservations": "How many reservations.",
    "assignments": "How many assignments.",
    "dns_zones": "How many zones.",
    "active_leases": "How many leases are active.",
    "top_pools": "The ten most used pools.",
    "pools_near_full": "Of these those of 80 percent or more.",
    "nodes": "Server processes. Empty to a token of one tenant.",
    "traffic": "What DHCP servers answer, by family. Empty to a token of one tenant.",
    "outbox": "What waits to be done.",
    "problems": "The latest events that somebody should see to.",
    "recent": "The latest changes.",
    "as_of": "When leases were counted. Null: not yet.",
    "pool_id": "The pool.",
    "name": "What people call it.",
    "start_ip": "First address of the pool. Null: it delegates prefixes.",
    "end_ip": "Last address of the pool. Null: it delegates prefixes.",
    "prefix": "What the pool delegates from. Null: it is one of addresses.",
    "utilisation": "Share of it in use, 0 to 1.",
    "at": "When it was changed.",
    "object_type": "Which kind of object was changed, such as subnet.",
    "object_id": "The object that was changed; it may be gone.",
    "action": "What was done with it.",
    "family": "Of which servers: dhcp4 or dhcp6.",
    "servers": "How many servers are alive.",
    "packets_per_second": "Packets a second of all of them. Null: none told any yet.",
    "acks_per_second": "DHCPACKs, in DHCPv6 Replies, a second of all of them. Null: none told any yet.",
    "commit_p50_ms": (
        "Milliseconds within which the slowest server committed half of its lease statements. Null: none told any "
        "yet."
    ),
    "commit_p99_ms": (
        "Milliseconds within which the slowest server committed 99 of 100 lease statements. Null: none told any "
        "yet."
    ),
    "waiting": "How many wait, tried already or not; 10,000 are that many or more.",
    "oldest_at": "Since when the oldest waits. Null: none does.",
    "ddns_updates": "Updates of DNS.",
    "webhook_deliveries": "Messages to webhooks.",
}
