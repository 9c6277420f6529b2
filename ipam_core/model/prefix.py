"""A prefix is planned address space; subnets are made inside it."""

from typing import Any

import msgspec

from ipam_core.model.base import Command, Id, Model, Text
from ipam_core.model.values import Custom, Network, Tags


class PrefixFields(Command, kw_only=True, frozen=True):
    """What may be changed later."""

    cidr: Network
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
    """A row of a list. How much of it lies in subnets is no property of the object itself."""

    utilisation: float
