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
