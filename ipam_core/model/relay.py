"""A trusted relay: packets of relays in its network are served, for the tenant that the entry names."""

from typing import Annotated, ClassVar

from msgspec import Meta

from ipam_core.errors import ValidationError
from ipam_core.model.base import Command, Id, Model, Text
from ipam_core.model.values import Network

Sources = Annotated[tuple[Network, ...], Meta(max_length=64)]


class RelayFields(Command, kw_only=True, frozen=True):
    """Fields that may be changed later."""

    cidr: Network
    """Network of trusted relay agents (giaddr, or source address in DHCPv6). A single address is a /32 or /128."""

    sources: Sources = ()
    """Networks that packets of the relay agents may come from; packets from elsewhere are dropped (untrusted_source).
    Empty: from any address, because routers often send from another interface."""

    vss: bool = False
    """Whether the virtual network that the relay agent names (RFC 6607: option 82.151, DHCPv6 option 68) selects the
    tenant. Without effect if tenant_id is set."""

    client_vss: bool = False
    """Whether the client's own option (DHCPv4 221, DHCPv6 68) may select the tenant too. Requires vss."""

    description: Text = ""


class NewTrustedRelay(RelayFields, kw_only=True, frozen=True):
    tenant_id: Id | None = None
    """Tenant of the relay agents, which select only its subnets. Null: the default tenant. A relay agent in several
    networks belongs to the most specific one."""


class TrustedRelay(Model, kw_only=True, frozen=True):
    beside: ClassVar[tuple[str, ...]] = ("sources_seen",)

    tenant_id: str | None
    cidr: str
    sources: list[str]
    sources_seen: list[str]
    """Source addresses of packets from its relay agents, newest first, at most 64. `If-Match` ignores them."""

    vss: bool
    client_vss: bool
    description: str


class UnknownRelay(Model, kw_only=True, frozen=True):
    """Relay agent whose packets were dropped because it is not trusted. Its address is its id."""

    address: str
    """Address of the relay agent."""

    count: int
    """Number of dropped packets."""

    first_seen_at: str
    """Time of the first dropped packet."""

    last_seen_at: str
    """Time of the last dropped packet."""


def check_relay(fields: RelayFields) -> None:
    """Raise ValidationError for fields that contradict each other."""
    for index, source in enumerate(fields.sources):
        if source.version != fields.cidr.version:
            raise ValidationError(
                f"sources[{index}]",
                f"{source} has another family than {fields.cidr}: use IPv{fields.cidr.version}",
            )
    if fields.client_vss and not fields.vss:
        raise ValidationError("client_vss", "requires vss: set vss to true too")
