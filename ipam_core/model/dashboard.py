"""What the first page of a console shows: how much there is, what runs full, who serves and how fast, what waits, what
happened."""

import msgspec

from ipam_core.model.event import Event
from ipam_core.model.node import Node

MOST_COUNTED = 10_000
# Events that somebody should see to.
PROBLEMS = (
    "pool.exhausted",
    "pool.decline_storm",
    "pool.utilization_high",
    "client.identity_shared",
    "node.down",
    "node.degraded",
    "ddns.failed",
    "ddns.conflict",
    "dns.secondary_behind",
    "relay.untrusted",
    "license.threshold",
)


class Counts(msgspec.Struct, frozen=True):
    tenants: int
    prefixes: int
    subnets: int
    pools: int
    reservations: int
    assignments: int
    dns_zones: int
    active_leases: int


class FullPool(msgspec.Struct, frozen=True):
    """Heavily used pool, when leases were last counted. A delegation pool has `prefix` instead of both ends."""

    pool_id: str
    name: str
    subnet_id: str
    cidr: str
    start_ip: str | None
    end_ip: str | None
    prefix: str | None
    utilisation: float


class Recent(msgspec.Struct, frozen=True):
    """Change, without its author. The audit log contains the author."""

    at: str
    object_type: str
    object_id: str
    action: str


class Traffic(msgspec.Struct, frozen=True):
    """Rates of the live servers of a family (dhcp4, dhcp6), from their last heartbeats. Null: no server has
    reported yet."""

    family: str
    servers: int
    packets_per_second: float | None
    acks_per_second: float | None
    commit_p50_ms: float | None
    """Of the slowest server."""
    commit_p99_ms: float | None


class Waiting(msgspec.Struct, frozen=True):
    """Queued work, tried or not. 10,000 means 10,000 or more."""

    waiting: int
    oldest_at: str | None


class Outbox(msgspec.Struct, frozen=True):
    ddns_updates: Waiting
    webhook_deliveries: Waiting


class Dashboard(msgspec.Struct, frozen=True):
    managed_ips: int
    """Of all tenants; to a token of one tenant its own."""
    managed_ips_limit: int
    """0 is no limit."""
    counts: Counts
    top_pools: list[FullPool]
    """The ten most used ones; those of 80 percent or more are near their end."""
    pools_near_full: list[FullPool]
    nodes: list[Node]
    traffic: list[Traffic]
    """Servers are no tenant's: to a token of one tenant there are none, as there are no nodes."""
    outbox: Outbox
    problems: list[Event]
    """The latest events that somebody should see to."""
    recent: list[Recent]
    as_of: str | None
    """When leases were counted."""
