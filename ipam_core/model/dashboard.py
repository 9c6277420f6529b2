"""What the first page of a console shows: how much there is, what runs full, who serves, what happened."""

import msgspec

from ipam_core.model.node import Node


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
    """A pool near its end, as of the figures' moment."""

    pool_id: str
    name: str
    subnet_id: str
    start_ip: str
    end_ip: str
    utilisation: float


class Recent(msgspec.Struct, frozen=True):
    """A change, without its author: that is the audit trail's to tell."""

    at: str
    object_type: str
    object_id: str
    action: str


class Dashboard(msgspec.Struct, frozen=True):
    managed_ips: int
    """Of all tenants; to a token of one tenant its own."""
    managed_ips_limit: int
    """0 is no limit."""
    counts: Counts
    pools_near_full: list[FullPool]
    nodes: list[Node]
    recent: list[Recent]
    as_of: str | None
    """When leases were counted."""
