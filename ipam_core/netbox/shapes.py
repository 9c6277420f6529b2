"""Answers of NetBox 4, as far as they are read: lists with `next`, prefixes with their references."""

from ipaddress import ip_network
from typing import Generic, TypeVar

import msgspec

from ipam_core.model.values import Network

T = TypeVar("T")


class Reference(msgspec.Struct, frozen=True):
    """A tenant or a VRF, as other objects refer to it and as lists have it."""

    id: int
    name: str
    slug: str | None = None
    rd: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name in (self.name, self.slug, self.rd) if name)


class Choice(msgspec.Struct, frozen=True):
    value: str


class PrefixRow(msgspec.Struct, frozen=True):
    id: int
    prefix: str
    status: Choice
    vrf: Reference | None = None
    tenant: Reference | None = None
    description: str = ""

    @property
    def network(self) -> Network:
        """Raises ValueError."""
        return ip_network(self.prefix, strict=False)


class MadeRow(msgspec.Struct, frozen=True):
    """A prefix as far as export asks for it."""

    id: int
    prefix: str

    @property
    def cidr(self) -> str:
        """In our spelling."""
        try:
            return str(ip_network(self.prefix, strict=False))
        except ValueError:
            return self.prefix


class Listed(msgspec.Struct, Generic[T], frozen=True):
    results: list[T]
    next: str | None = None


class Status(msgspec.Struct, frozen=True):
    version: str = msgspec.field(name="netbox-version")


PATH = "/ipam/prefixes/"
VIEW = "to view prefixes (ipam.view_prefix)"
# Fields of a prefix that are requested.
FIELDS = "id,prefix,status,vrf,tenant,description"
FEW_FIELDS = "id,prefix"
