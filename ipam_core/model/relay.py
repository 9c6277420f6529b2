"""A trusted relay: packets of relays in its network are served, for the tenant that the entry names."""

from typing import Annotated, ClassVar

from msgspec import Meta

from ipam_core.errors import ValidationError
from ipam_core.model.base import Command, Id, Model, Text
from ipam_core.model.values import Network

Sources = Annotated[tuple[Network, ...], Meta(max_length=64)]


class RelayFields(Command, kw_only=True, frozen=True):
    """What may be changed later."""

    cidr: Network
    sources: Sources = ()
    vss: bool = False
    client_vss: bool = False
    description: Text = ""


class NewTrustedRelay(RelayFields, kw_only=True, frozen=True):
    tenant_id: Id | None = None


class TrustedRelay(Model, kw_only=True, frozen=True):
    beside: ClassVar[tuple[str, ...]] = ("sources_seen",)

    tenant_id: str | None
    cidr: str
    sources: list[str]
    sources_seen: list[str]
    vss: bool
    client_vss: bool
    description: str


class UnknownRelay(Model, kw_only=True, frozen=True):
    """Relay agent whose packets were dropped because it is not trusted. Its address is its id."""

    address: str
    count: int
    first_seen_at: str
    last_seen_at: str


def check_relay(fields: RelayFields) -> None:
    """Raises ValidationError for fields that contradict each other."""
    for index, source in enumerate(fields.sources):
        if source.version != fields.cidr.version:
            raise ValidationError(
                f"sources[{index}]",
                f"{source} has another family than {fields.cidr}: use IPv{fields.cidr.version}",
            )
    if fields.client_vss and not fields.vss:
        raise ValidationError("client_vss", "requires vss: set vss to true too")
