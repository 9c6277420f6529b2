"""What fields mean: the first page of a console."""

MEANINGS = {
    "managed_ips": (
        "Reservations and static assignments that count toward the managed address limit: of all "
        "tenants, or of the token's tenant."
    ),
    "managed_ips_limit": "Managed address limit; 0: no limit.",
    "counts": "Number of objects.",
    "tenants": "Number of tenants.",
    "prefixes": "Number of prefixes.",
    "subnets": "Number of subnets.",
    "pools": "Number of pools.",
    "reservations": "Number of reservations.",
    "assignments": "Number of static assignments.",
    "dns_zones": "Number of zones.",
    "active_leases": "Number of active leases.",
    "top_pools": "The ten most used pools.",
    "pools_near_full": "Pools of `top_pools` that are at least 80 percent in use.",
    "nodes": "Server processes. Empty for a token of one tenant.",
    "traffic": "Rates and latencies of the DHCP servers, by family. Empty for a token of one tenant.",
    "outbox": "Work that is queued.",
    "problems": "Latest events that may need attention.",
    "recent": "Latest changes.",
    "as_of": "When leases were counted. Null: not yet.",
    "pool_id": "The pool.",
    "name": "Name of the pool.",
    "cidr": "CIDR of the subnet.",
    "start_ip": "First address of the pool. Null: the pool delegates prefixes.",
    "end_ip": "Last address of the pool. Null: the pool delegates prefixes.",
    "prefix": "Prefix that the pool delegates from. Null: a pool of addresses.",
    "utilisation": "Share of the pool in use, 0 to 1.",
    "at": "When the object was changed.",
    "object_type": "Kind of the changed object, such as subnet.",
    "object_id": "Id of the changed object, which may be deleted by now.",
    "action": "Kind of the change.",
    "family": "Family of the servers: dhcp4 or dhcp6.",
    "servers": "Number of servers that are alive.",
    "packets_per_second": "Packets per second of all servers. Null: no server has reported a rate yet.",
    "acks_per_second": (
        "DHCPACKs (DHCPv6: Replies) per second of all servers. Null: no server has reported a rate yet."
    ),
    "commit_p50_ms": (
        "Median commit time of lease statements on the slowest server, in milliseconds. Null: no "
        "server has reported it yet."
    ),
    "commit_p99_ms": (
        "99th percentile of the commit time of lease statements on the slowest server, in "
        "milliseconds. Null: no server has reported it yet."
    ),
    "waiting": "Number in the queue, tried or not. 10,000 means 10,000 or more.",
    "oldest_at": "Age of the oldest entry, as the time since which it waits. Null: the queue is empty.",
    "ddns_updates": "DNS updates.",
    "webhook_deliveries": "Webhook deliveries.",
}
