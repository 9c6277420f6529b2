"""Contents of the first page of a console: counts, pools near full, servers and their rates, queues and recent
events."""

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
    """Number of tenants."""

    prefixes: int
    """Number of prefixes."""

    subnets: int
    """Number of subnets."""

    pools: int
    """Number of pools."""

    reservations: int
    """Number of reservations."""

    assignments: int
    """Number of static assignments."""

    dns_zones: int
    """Number of zones."""

    active_leases: int
    """Number of active leases."""


class FullPool(msgspec.Struct, frozen=True):
    """Heavily used pool, when leases were last counted. A delegation pool has `prefix` instead of both ends."""

    pool_id: str
    """The pool."""

    name: str
    """Name of the pool."""

    subnet_id: str
    cidr: str
    """CIDR of the subnet."""

    start_ip: str | None
    """First address of the pool. Null: the pool delegates prefixes."""

    end_ip: str | None
    """Last address of the pool. Null: the pool delegates prefixes."""

    prefix: str | None
    """Prefix that the pool delegates from. Null: a pool of addresses."""

    utilisation: float
    """Share of the pool in use, 0 to 1."""


class Recent(msgspec.Struct, frozen=True):
    """Change, without its author. The audit log contains the author."""

    at: str
    """When the object was changed."""

    object_type: str
    """Kind of the changed object, such as subnet."""

    object_id: str
    """Id of the changed object, which may be deleted by now."""

    action: str
    """Kind of the change."""


class Traffic(msgspec.Struct, frozen=True):
    """Rates of the live servers of a family (dhcp4, dhcp6), from their last heartbeats. Null: no server has
    reported yet."""

    family: str
    """Family of the servers: dhcp4 or dhcp6."""

    servers: int
    """Number of servers that are alive."""

    packets_per_second: float | None
    """Packets per second of all servers. Null: no server has reported a rate yet."""

    acks_per_second: float | None
    """DHCPACKs (DHCPv6: Replies) per second of all servers. Null: no server has reported a rate yet."""

    commit_p50_ms: float | None
    """Median commit time of lease statements on the slowest server, in milliseconds. Null: no server has reported it
    yet."""

    commit_p99_ms: float | None
    """99th percentile of the commit time of lease statements on the slowest server, in milliseconds. Null: no server
    has reported it yet."""


class Waiting(msgspec.Struct, frozen=True):
    """Queued work, tried or not. 10,000 means 10,000 or more."""

    waiting: int
    """Number in the queue, tried or not. 10,000 means 10,000 or more."""

    oldest_at: str | None
    """Age of the oldest entry, as the time since which it waits. Null: the queue is empty."""


class Outbox(msgspec.Struct, frozen=True):
    ddns_updates: Waiting
    """DNS updates."""

    webhook_deliveries: Waiting
    """Webhook deliveries."""


class Dashboard(msgspec.Struct, frozen=True):
    managed_ips: int
    """Reservations and static assignments that count toward the managed address limit: of all tenants, or of the
    token's tenant."""

    managed_ips_limit: int
    """Managed address limit; 0: no limit."""

    counts: Counts
    """Number of objects."""

    top_pools: list[FullPool]
    """The ten most used pools."""

    pools_near_full: list[FullPool]
    """Pools of `top_pools` that are at least 80 percent in use."""

    nodes: list[Node]
    """Server processes. Empty for a token of one tenant."""

    traffic: list[Traffic]
    """Rates and latencies of the DHCP servers, by family. Empty for a token of one tenant."""

    outbox: Outbox
    """Work that is queued."""

    problems: list[Event]
    """Latest events that may need attention."""

    recent: list[Recent]
    """Latest changes."""

    as_of: str | None
    """When leases were counted. Null: not yet."""
