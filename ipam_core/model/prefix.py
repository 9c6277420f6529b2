"""A prefix is planned address space; subnets are made inside it."""

from ipam_core.model.base import Command, Id, Model, Text
from ipam_core.model.values import Network


class NewPrefix(Command, kw_only=True, frozen=True):
    cidr: Network
    description: Text = ""
    tenant_id: Id | None = None


class Prefix(Model, kw_only=True, frozen=True):
    tenant_id: str
    cidr: str
    description: str
