"""A trusted relay: packets of relays in its network are served."""

from ipam_core.model.base import Command, Id, Model, Text
from ipam_core.model.values import Network


class RelayFields(Command, kw_only=True, frozen=True):
    """What may be changed later."""

    cidr: Network
    description: Text = ""


class NewTrustedRelay(RelayFields, kw_only=True, frozen=True):
    tenant_id: Id | None = None


class TrustedRelay(Model, kw_only=True, frozen=True):
    tenant_id: str | None
    cidr: str
    description: str


class UnknownRelay(Model, kw_only=True, frozen=True):
    """A relay whose packets were dropped because nobody trusts it; its address is its id."""

    address: str
    count: int
    first_seen_at: str
    last_seen_at: str
