"""A tenant scopes objects: two tenants may use the same addresses. One tenant is the default."""

from typing import Annotated, ClassVar, TypeAlias

import msgspec
from msgspec import Meta

from ipam_core.model.base import Command, Model, Text
from ipam_core.model.dns_zone import DomainName

Limit: TypeAlias = Annotated[int, Meta(ge=0, le=2**31 - 1)] | None


class Limits(Command, kw_only=True, frozen=True, omit_defaults=True):
    """Limits that are set. 0: no limit. Null or left out: the default."""

    webhooks: Limit = None
    """Webhooks; the same limit applies to notifications."""

    streams: Limit = None
    """Live event streams, over all API processes."""

    streams_per_token: Limit = None
    """Live event streams of one token."""

    objects_per_family: Limit = None
    """Objects of each family, and stored idempotency keys."""

    deliveries_per_second: Limit = None
    """Deliveries of webhooks and notifications per second; further deliveries wait."""

    ddns_updates_per_second: Limit = None
    """DDNS updates per second; further updates wait."""


class NewTenant(Command, kw_only=True, frozen=True):
    name: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=255,
            description="Also its virtual network's name (RFC 6607) towards DHCP relays.",
        ),
    ]
    """Unique name of the tenant, and of its virtual network (RFC 6607) for DHCP relay agents."""

    description: Text = ""
    dns_suffixes: Annotated[tuple[DomainName, ...], Meta(max_length=64)] = ()
    """Names at or below which the tenant may enable DNS zones, also reverse zones (20.10.in-addr.arpa). Set by admins
    without a tenant. Suffixes of different tenants never lie at, above or below each other. The default tenant needs
    none."""

    limits: Limits | None = msgspec.field(default_factory=Limits)
    """Limits, set by admins without a tenant: webhooks (default 20), which also limits notifications, streams (200),
    streams_per_token (10), objects_per_family (100,000), deliveries_per_second (50), ddns_updates_per_second (200).
    0: no limit. Null or left out: the default, which is no limit for the default tenant."""


class Use(msgspec.Struct, frozen=True, kw_only=True):
    """Count and its limit."""

    used: int
    """Current number."""

    limit: int | None
    """Limit that applies. Null: no limit."""


class Rate(msgspec.Struct, frozen=True, kw_only=True):
    """Rate limit, without a count."""

    limit: int | None


class TenantUsage(msgspec.Struct, frozen=True, kw_only=True):
    """Limits that apply, default or set, with the use of each."""

    webhooks: Use
    notifications: Use
    """Notifications, at most as many as `webhooks` allows."""

    streams: Use
    streams_per_token: Rate
    deliveries_per_second: Rate
    ddns_updates_per_second: Rate
    objects: dict[str, Use]
    """Objects by family. DNS records that follow leases, reservations or static assignments do not count."""


class Tenant(Model, kw_only=True, frozen=True):
    beside: ClassVar[tuple[str, ...]] = ("usage",)

    name: str
    description: str
    dns_suffixes: list[str]
    is_default: bool
    """Whether creates without tenant_id use this tenant."""

    limits: Limits
    usage: TenantUsage
    """Limits of the tenant, default or set, with the current use of each."""
