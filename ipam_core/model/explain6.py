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
    """`na`: an address; `pd`: a prefix."""

    iaid: Iaid = 1
    """IAID of the association, chosen by the client."""

    address: Address | None = None
    """Requested address. Null: none."""

    prefix: Network | None = None
    """Requested prefix. Null: none."""

    length: PrefixLength | None = None
    """Requested prefix length. Null: the client requests a certain prefix, or any length."""


ADDRESS = (Association(),)


class Question6(Command, kw_only=True, frozen=True):
    """DHCPv6 packet of a client. `link_address`: link-address from the relay agent; `interface_id` may select the
    subnet in addition. `relay`: source address of the relay agent, which must be trusted; default: link_address.
    `mac`: the client's hardware address from the relay agent (RFC 6939)."""

    link_address: Address
    """Link-address from the relay agent, which selects the subnet."""

    relay: Address | None = None
    """Where the relay sends from, which must be trusted. Null: from its link-address."""

    message: Message6 = "solicit"
    """Message of the client."""

    duid: Octets
    """DUID of the client in hex, 3 to 130 octets."""

    mac: Mac | None = None
    """Hardware address from the relay agent (RFC 6939). Null: none."""

    interface_id: TextOrOctets | None = None
    """Interface-Id from the relay agent. Null: none."""

    vendor_enterprise: Annotated[int, Meta(ge=0, le=2**32 - 1)] = 0
    """Enterprise number of the client's vendor class (option 16)."""

    vendor_class: ClassText | None = None
    """Vendor class (option 16) that the client sends. Null: none."""

    user_class: ClassText | None = None
    """User class (option 15) that the client sends. Null: none."""

    associations: Annotated[tuple[Association, ...], Meta(max_length=8)] = ADDRESS
    """Identity associations of the message: at most eight, which differ in kind or iaid."""

    requested_options: Annotated[tuple[Code6, ...], Meta(max_length=254)] = ()
    """Requested option codes (option 6)."""


class ExplainedSubnet6(msgspec.Struct, kw_only=True, frozen=True):
    id: str
    """The object."""

    cidr: str
    """The network."""

    name: str
    """Name of the object."""

    tenant_id: str
    """Tenant of the object."""

    dhcp_enabled: bool
    """Whether the server answers clients in the subnet."""


class ExplainedReservation6(msgspec.Struct, kw_only=True, frozen=True):
    id: str
    ip: str | None
    """Address of the reservation. Null: none."""

    prefix: str | None
    """Prefix of the reservation. Null: none."""

    excluded_prefix: str | None
    """Part of the reserved prefix that is excluded from delegation (RFC 6603). Null: none."""

    hostname: str | None
    """Hostname of the reservation. Null: none."""


class ExplainedBinding(msgspec.Struct, kw_only=True, frozen=True):
    """Address, or prefix with its length. Lifetimes are in seconds; 0: the client must stop using it."""

    address: str
    """An address, or a prefix with its length."""

    preferred_lifetime_seconds: int
    """Preferred lifetime in seconds; 0: the client must stop using it."""

    valid_lifetime_seconds: int
    """Valid lifetime in seconds; 0: the client must stop using it."""

    pool_id: str | None
    """Pool that contains it. Null: none."""

    excluded_prefix: str | None
    """Part of the prefix that is excluded from delegation (RFC 6603); the answer contains it if requested_options
    includes 67. Null: none."""


class ExplainedAssociation(msgspec.Struct, kw_only=True, frozen=True):
    """Answer for one association. `status`: reason for which nothing is given (RFC 8415 section 21.13)."""

    kind: Literal["na", "pd"]
    iaid: int
    t1: int
    """Seconds after which the client renews."""

    t2: int
    """Seconds after which the client rebinds."""

    bindings: list[ExplainedBinding]
    """Addresses or prefixes of the association."""

    status: str | None
    """Reason why the association gets nothing (RFC 8415 section 21.13). Null: it gets something."""


class ExplainedOption6(msgspec.Struct, kw_only=True, frozen=True):
    code: int
    """Code of the option."""

    text: str
    """Value of the option in readable form."""

    hex: str
    """Value of the option as sent."""


class Explanation6(msgspec.Struct, kw_only=True, frozen=True):
    """Answer of the server to a DHCPv6 client. `drop_reason`: reason for no answer. `leases`: all leases of the
    client. `notes`: remarks on the result."""

    outcome: Literal["advertise", "reply", "dropped"]
    """Type of the server's answer; `dropped`: no answer."""

    drop_reason: str | None
    """Reason for no answer, as named in the metrics. Null: there is an answer."""

    reason: str
    """The reason as a sentence."""

    status: str | None = None
    """Status code of the whole message (RFC 8415 section 21.13). Null: none."""

    relay_trusted: bool = False
    """Whether the server accepts packets of the relay agent."""

    trusted_relay_id: str | None = None
    """Trusted relay entry that contains the relay agent. Null: a network of the server's setting, or none."""

    tenant: ExplainedTenant | None = None
    """Tenant of the client. Null: unknown, or not visible to this token."""

    subnet: ExplainedSubnet6 | None = None
    """Selected subnet. Null: none."""

    classes: list[ExplainedClass] = []
    """All classes of the tenant, and whether the client is in each."""

    reservation: ExplainedReservation6 | None = None
    """Reservation of the client. Null: none."""

    leases: list[ExplainedLease] = []
    """All leases of the client."""

    associations: list[ExplainedAssociation] = []
    """Answer for each association of the client."""

    options: list[ExplainedOption6] = []
    """Options of the answer, in order."""

    notes: list[str] = []
    """Notes on the result, such as options that did not fit."""


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
