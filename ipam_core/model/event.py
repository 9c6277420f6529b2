"""Events: what happened to leases, to the objects of the plan and around it, all in one shape.

Webhooks carry them, and the list and the stream of events show them.
"""

from collections.abc import Iterable
from typing import Any

from ipam_core.model.base import Model
from ipam_core.model.families import PLAIN, WITH_SECRETS
from ipam_core.model.history import EVENTS as LEASE_WORDS

PING = "webhook.ping"
TEST = "notification.test"
SUMMARY = "notification.summary"
DIRECT = frozenset({PING, TEST, SUMMARY})
"""Events for one receiver, which no log contains."""
LEASES = frozenset(f"lease.{word}" for word in LEASE_WORDS.values())
OBJECTS = frozenset(
    f"{family.singular}.{word}"
    for family in (*PLAIN, *WITH_SECRETS)
    for word in ("created", "updated", "deleted")
)
SYSTEM = frozenset(
    {
        "pool.utilization_high",
        "pool.exhausted",
        "pool.decline_storm",
        "client.identity_shared",
        "ddns.applied",
        "ddns.failed",
        "ddns.conflict",
        "dns.secondary_behind",
        "dns.secondary_current",
        "relay.untrusted",
        "node.up",
        "node.down",
        "node.degraded",
        "license.threshold",
    }
    | DIRECT
)
TYPES = LEASES | OBJECTS | SYSTEM
OFF_BY_DEFAULT = frozenset({"lease.renewed"})
# `subnet.*` is all of a kind, `*` is all.
PATTERNS = TYPES | {type_.partition(".")[0] + ".*" for type_ in TYPES} | {"*"}

# Actors and old values belong to the audit trail, and so do tokens (decisions: Roles and tokens).
ADMINS_ONLY = frozenset(type_ for type_ in OBJECTS if type_.startswith("token."))
SHOWN_TO_ALL = ("object_type", "object_id", "subnet_id", "action")


class Event(Model, kw_only=True, frozen=True):
    """Event of the service. `timestamp`: when it happened. `data`: for a lease event the fields of /lease-events;
    for an object the change and, for admins, its author and the object before and after; else the facts of the
    event."""

    timestamp: str
    """When it happened, in UTC (RFC 3339)."""

    type: str
    """Type of the event, such as lease.granted, subnet.updated or pool.exhausted."""

    tenant_id: str | None
    """Tenant of the event. Null: the service itself."""

    data: dict[str, Any]
    """Data of the event: for a lease event the fields of /lease-events; for an object what changed and, for admins,
    the author."""


def types_of(patterns: Iterable[str]) -> frozenset[str]:
    """Return the types that patterns stand for; none at all stands for all but what is off by default. Raises
    ValueError for a pattern that stands for nothing."""
    named = list(patterns)
    for pattern in named:
        if pattern not in PATTERNS:
            raise ValueError(f"there is no event {pattern}")
    if not named:
        return TYPES - OFF_BY_DEFAULT
    return frozenset(
        type_ for type_ in TYPES if not {type_, type_.partition(".")[0] + ".*", "*"}.isdisjoint(named)
    )


def parse_types(text: str) -> frozenset[str]:
    """Return the types of a list of types and patterns with commas between them."""
    return types_of(text.split(","))
