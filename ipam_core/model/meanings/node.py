"""What fields mean: server processes."""

MEANINGS = {
    "name": "Host and process, such as dhcp-1.",
    "role": "What it does: dhcp4, dhcp6, dns, api or worker.",
    "version": "Version of the program.",
    "state": (
        "`starting`, `ready`, `degraded`, `draining`, `stopped`, or `down` after thirty seconds without a "
        "heartbeat."
    ),
    "detail": "Why it is not ready, or what an operator should look at; empty where nothing is wrong.",
    "started_at": "When the process began.",
    "heartbeat_at": "When it was heard of last.",
    "packets_per_second": (
        "Packets of a DHCP server a second, between its last two heartbeats. Null: of other processes, and before "
        "there were two."
    ),
    "acks_per_second": (
        "DHCPACKs a second, in DHCPv6 Replies. Null: of other processes, and before there were two heartbeats."
    ),
    "commit_p50_ms": "Milliseconds within which half of its lease statements were committed. Null: it wrote none.",
    "commit_p99_ms": "Milliseconds within which 99 of 100 lease statements were committed. Null: it wrote none.",
}
