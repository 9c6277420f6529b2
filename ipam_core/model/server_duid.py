"""The DUID of the DHCPv6 servers."""

from ipam_core.model.base import Command, Model
from ipam_core.model.values import Octets


class ServerDuidChange(Command, kw_only=True, frozen=True):
    duid: Octets | None


class ServerDuid(Model, kw_only=True, frozen=True):
    duid: str
    is_set: bool
