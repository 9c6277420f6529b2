"""A tenant scopes objects: two tenants may use the same addresses. One tenant is the default."""

from typing import Annotated

from msgspec import Meta

from ipam_core.model.base import Command, Model, Text
from ipam_core.model.dns_zone import DomainName


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


class Tenant(Model, kw_only=True, frozen=True):
    name: str
    description: str
    dns_suffixes: list[str]
    is_default: bool
