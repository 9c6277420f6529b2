"""A node: a server process as its heartbeats show it. Silent for thirty seconds, it is down."""

from ipam_core.model.base import Model

STATES = ("starting", "ready", "degraded", "draining", "stopped", "down")


class Node(Model, kw_only=True, frozen=True):
    name: str
    """Host, and address or role of the process, such as host-1/0.0.0.0:67. A second process of that name on the host
    has a number: host-1/worker#2."""

    role: str
    """Role of the process: dhcp (DHCPv4), dhcp6, dns, api or worker."""

    version: str
    """Version of the program."""

    state: str
    """`starting`, `ready`, `degraded`, `draining`, `stopped`, or `down` after thirty seconds without a heartbeat."""

    detail: str
    """Reasons for which it is not ready, or problems that need attention. Empty: none."""

    started_at: str
    """When the process started."""

    heartbeat_at: str
    """Time of its last heartbeat."""

    packets_per_second: float | None
    """Packets per second of a DHCP server, between its last two heartbeats. Null: other processes, or fewer than two
    heartbeats."""

    acks_per_second: float | None
    """DHCPACKs (DHCPv6: Replies) per second. Null: other processes, or fewer than two heartbeats."""

    commit_p50_ms: float | None
    """Median commit time of its lease statements, in milliseconds. Null: it wrote none."""

    commit_p99_ms: float | None
    """99th percentile of the commit time of its lease statements, in milliseconds. Null: it wrote none."""
