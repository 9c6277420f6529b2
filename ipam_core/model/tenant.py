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
    streams: Limit = None
    streams_per_token: Limit = None
    objects_per_family: Limit = None
    deliveries_per_second: Limit = None
    ddns_updates_per_second: Limit = None


class NewTenant(Command, kw_only=True, frozen=True):
    name: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=255,
            description="Also its virtual network's name (RFC 6607) towards DHCP relays.",
        ),
    ]
    description: Text = ""
    dns_suffixes: Annotated[tuple[DomainName, ...], Meta(max_length=64)] = ()
    limits: Limits | None = msgspec.field(default_factory=Limits)


class Use(msgspec.Struct, frozen=True, kw_only=True):
    """Count and its limit."""

    used: int
    limit: int | None


class Rate(msgspec.Struct, frozen=True, kw_only=True):
    """Rate limit, without a count."""

    limit: int | None


class TenantUsage(msgspec.Struct, frozen=True, kw_only=True):
    """Limits that apply, default or set, with the use of each."""

    webhooks: Use
    notifications: Use
    streams: Use
    streams_per_token: Rate
    deliveries_per_second: Rate
    ddns_updates_per_second: Rate
    objects: dict[str, Use]


class Tenant(Model, kw_only=True, frozen=True):
    beside: ClassVar[tuple[str, ...]] = ("usage",)

    name: str
    description: str
    dns_suffixes: list[str]
    is_default: bool
    limits: Limits
    usage: TenantUsage
