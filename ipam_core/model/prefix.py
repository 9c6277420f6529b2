"""A prefix is planned address space; subnets are made inside it."""

from typing import Any

import msgspec

from ipam_core.model.base import Command, Id, Model, Text
from ipam_core.model.values import Custom, Network, Tags


class PrefixFields(Command, kw_only=True, frozen=True):
    """Fields that may be changed later."""

    cidr: Network
    """Network without host bits. Prefixes of one tenant do not overlap. It can be changed only to a network that
    contains all its subnets."""

    description: Text = ""
    tags: Tags = ()
    custom: Custom = msgspec.field(default_factory=dict)


class NewPrefix(PrefixFields, kw_only=True, frozen=True):
    tenant_id: Id | None = None


class Prefix(Model, kw_only=True, frozen=True):
    tenant_id: str
    cidr: str
    description: str
    tags: list[str]
    custom: dict[str, Any]


class ListedPrefix(Prefix, kw_only=True, frozen=True):
    """Row of a list, with the share of the prefix that lies in subnets. The share does not affect the entity
    tag."""

    utilisation: float
    """Share of the prefix that lies in subnets, 0 to 1."""
