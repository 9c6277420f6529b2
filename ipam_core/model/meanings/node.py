"""What fields mean: server processes."""

MEANINGS = {
    "name": (
        "Host, and address or role of the process, such as host-1/0.0.0.0:67. A second process of that name "
        "on the host has a number: host-1/worker#2."
    ),
    "role": "Role of the process: dhcp (DHCPv4), dhcp6, dns, api or worker.",
    "version": "Version of the program.",
    "state": (
        "`starting`, `ready`, `degraded`, `draining`, `stopped`, or `down` after thirty seconds without a "
        "heartbeat."
    ),
    "detail": "Reasons for which it is not ready, or problems that need attention. Empty: none.",
    "started_at": "When the process started.",
    "heartbeat_at": "Time of its last heartbeat.",
    "packets_per_second": (
        "Packets per second of a DHCP server, between its last two heartbeats. Null: other "
        "processes, or fewer than two heartbeats."
    ),
    "acks_per_second": (
        "DHCPACKs (DHCPv6: Replies) per second. Null: other processes, or fewer than two heartbeats."
    ),
    "commit_p50_ms": "Median commit time of its lease statements, in milliseconds. Null: it wrote none.",
    "commit_p99_ms": (
        "99th percentile of the commit time of its lease statements, in milliseconds. Null: it wrote none."
    ),
}
