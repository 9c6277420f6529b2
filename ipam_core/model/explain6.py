"""Explain, DHCPv6: what a client behind a relay would be answered now, and why.

The question describes a message, a SOLICIT unless it says otherwise, as a relay would pass it on. Open offers to other
clients, which only a running server holds in memory, are not known here.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from ipam_core.errors import ValidationError
from ipam_core.model.base import Command
from ipam_core.model.explain import ClassText, ExplainedClass, ExplainedLease, ExplainedTenant
from ipam_core.model.values import Address, Mac, Network, Octets, TextOrOctets

Code6 = Annotated[int, Meta(ge=1, le=65535)]
Iaid = Annotated[int, Meta(ge=0, le=2**32 - 1)]
PrefixLength = Annotated[int, Meta(ge=1, le=128)]

Message6 = Literal["solicit", "request", "renew", "rebind", "confirm", "information_request"]
TO_ONE_SERVER = ("request", "renew")


class Association(Command, kw_only=True, frozen=True):
    """Identity association of the client: an address (na) or a prefix (pd). It may contain a requested address,
    prefix or length."""

    kind: Literal["na", "pd"] = "na"
    iaid: Iaid = 1
    address: Address | None = None
    prefix: Network | None = None
    length: PrefixLength | None = None


ADDRESS = (Association(),)


class Question6(Command, kw_only=True, frozen=True):
    """DHCPv6 packet of a client. `link_address`: link-address from the relay agent; `interface_id` may select the
    subnet in addition. `relay`: source address of the relay agent, which must be trusted; default: link_address.
    `mac`: the client's hardware address from the relay agent (RFC 6939)."""

    link_address: Address
    relay: Address | None = None
    message: Message6 = "solicit"
    duid: Octets
    mac: Mac | None = None
    interface_id: TextOrOctets | None = None
    vendor_enterprise: Annotated[int, Meta(ge=0, le=2**32 - 1)] = 0
    vendor_class: ClassText | None = None
    user_class: ClassText | None = None
    associations: Annotated[tuple[Association, ...], Meta(max_length=8)] = ADDRESS
    requested_options: Annotated[tuple[Code6, ...], Meta(max_length=254)] = ()


class ExplainedSubnet6(msgspec.Struct, kw_only=True, frozen=True):
    id: str
    cidr: str
    name: str
    tenant_id: str
    dhcp_enabled: bool


class ExplainedReservation6(msgspec.Struct, kw_only=True, frozen=True):
    id: str
    ip: str | None
    prefix: str | None
    excluded_prefix: str | None
    hostname: str | None


class ExplainedBinding(msgspec.Struct, kw_only=True, frozen=True):
    """Address, or prefix with its length. Lifetimes are in seconds; 0: the client must stop using it."""

    address: str
    preferred_lifetime_seconds: int
    valid_lifetime_seconds: int
    pool_id: str | None
    excluded_prefix: str | None


class ExplainedAssociation(msgspec.Struct, kw_only=True, frozen=True):
    """Answer for one association. `status`: reason for which nothing is given (RFC 8415 section 21.13)."""

    kind: Literal["na", "pd"]
    iaid: int
    t1: int
    t2: int
    bindings: list[ExplainedBinding]
    status: str | None


class ExplainedOption6(msgspec.Struct, kw_only=True, frozen=True):
    code: int
    text: str
    hex: str


class Explanation6(msgspec.Struct, kw_only=True, frozen=True):
    """Answer of the server to a DHCPv6 client. `drop_reason`: reason for no answer. `leases`: all leases of the
    client. `notes`: remarks on the result."""

    outcome: Literal["advertise", "reply", "dropped"]
    drop_reason: str | None
    reason: str
    status: str | None = None
    relay_trusted: bool = False
    trusted_relay_id: str | None = None
    tenant: ExplainedTenant | None = None
    subnet: ExplainedSubnet6 | None = None
    classes: list[ExplainedClass] = []
    reservation: ExplainedReservation6 | None = None
    leases: list[ExplainedLease] = []
    associations: list[ExplainedAssociation] = []
    options: list[ExplainedOption6] = []
    notes: list[str] = []


def check_question6(question: Question6) -> None:
    for name in ("link_address", "relay"):
        address = getattr(question, name)
        if address is not None and address.version != 6:
            raise ValidationError(name, "must be an IPv6 address")
    if not 3 <= len(question.duid) <= 130:
        raise ValidationError("duid", "must be 3 to 130 octets (RFC 8415 section 11.1)")
    for index, asked in enumerate(question.associations):
        check_association(asked, f"associations[{index}]")
    named = [(asked.kind, asked.iaid) for asked in question.associations]
    if len(set(named)) < len(named):
        raise ValidationError("associations", "must differ in kind or iaid")


def check_association(asked: Association, place: str) -> None:
    if asked.address is not None and (asked.kind != "na" or asked.address.version != 6):
        raise ValidationError(f"{place}.address", "must be an IPv6 address, in an association of kind na")
    if asked.prefix is not None and (asked.kind != "pd" or asked.prefix.version != 6):
        raise ValidationError(f"{place}.prefix", "must be an IPv6 prefix, in an association of kind pd")
    if asked.length is not None and (asked.kind != "pd" or asked.prefix is not None):
        raise ValidationError(
            f"{place}.length", "is the wish of an association of kind pd that names no prefix"
        )
