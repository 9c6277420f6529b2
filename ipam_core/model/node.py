"""A node: a server process as its heartbeats show it. Silent for thirty seconds, it is down."""

from ipam_core.model.base import Model

STATES = ("starting", "ready", "degraded", "draining", "stopped", "down")


class Node(Model, kw_only=True, frozen=True):
    name: str
    role: str
    version: str
    state: str
    detail: str
    started_at: str
    heartbeat_at: str
    packets_per_second: float | None
    """Of a DHCP server, between its last two heartbeats; null before there were two, and of other processes."""
    acks_per_second: float | None
    """DHCPACKs, in DHCPv6 Replies."""
    commit_p50_ms: float | None
    """Half of its lease statements were committed within that time; null where it wrote none."""
    commit_p99_ms: float | None
