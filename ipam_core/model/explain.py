"""Explain: what a DHCPv4 client would be answered now, and why.

The question describes a message, a DISCOVER unless it says otherwise, as a server would receive it: by which relay
or on which interface, from which client, with which options. The answer follows the decision's own order: relay,
subnet, classes, reservation, leases, address, pool, options. What only a running server holds in memory, open
offers to other clients, is not known here.
"""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from ipam_core.errors import ValidationError
from ipam_core.model.base import Command, Name
from ipam_core.model.values import Address, Hostname, Mac, Octets, TextOrOctets

Code = Annotated[int, Meta(ge=1, le=254)]
ClassText = Annotated[str, Meta(min_length=1, max_length=255)]


Message = Literal["discover", "request", "init_reboot", "renew", "rebind"]
NAMES_ADDRESS = {
    "request": "requested_ip", "init_reboot": "requested_ip", "renew": "ciaddr", "rebind": "ciaddr"
}  # fmt: skip


class SentOption(Command, kw_only=True, frozen=True):
    """Option of the client's packet that has no field of its own in the question."""

    code: Code
    """Code of the option."""

    payload: dict[str, Any]
    """Value of the option, in the form of a stored option."""


class Question(Command, kw_only=True, frozen=True):
    """DHCPv4 packet of a client. It arrives through a relay agent, `relay` (giaddr), or at the server's `interface`
    (name or address): give one of the two. `source`: source address of the relay agent's packet, which its entry
    may restrict; default: a permitted one.

    `renew` (unicast, past any relay agent) and `rebind` need the client's address as `ciaddr`; `request` (after an
    offer) and `init_reboot` (after a restart) as `requested_ip`.
    """

    message: Message = "discover"
    """Message of the client: `discover`, `request` after an offer, `init_reboot` after a restart, `renew` or
    `rebind`."""

    ciaddr: Address | None = None
    """The client's address in `renew` and `rebind`. Null: for other messages."""

    relay: Address | None = None
    """Address of the relay agent (giaddr) that forwards the packet. Null: the packet arrives at `interface`."""

    source: Address | None = None
    """Source address of the relay agent's packets. Null: one that its entry permits."""

    interface: Name | None = None
    """Name or address of the server's interface that receives the packet. Null: the packet comes from `relay`."""

    mac: Mac | None = None
    """Hardware address of the client (chaddr). Null: none."""

    client_id: Octets | None = None
    """Client identifier (option 61) in hex. Null: it sends none."""

    hostname: Hostname | None = None
    """Hostname (option 12) that the client sends. Null: none."""

    vendor_class: ClassText | None = None
    """Vendor class (option 60) that the client sends. Null: none."""

    user_class: ClassText | None = None
    """User class (option 77) that the client sends. Null: none."""

    circuit_id: TextOrOctets | None = None
    """Circuit ID from the relay agent (option 82.1). Null: none."""

    remote_id: TextOrOctets | None = None
    """Remote ID from the relay agent (option 82.2). Null: none."""

    link_selection: Address | None = None
    """Address that chooses the subnet instead of giaddr (option 82.5). Null: none."""

    requested_ip: Address | None = None
    """Requested address (option 50). Null: none."""

    requested_options: Annotated[tuple[Code, ...], Meta(max_length=254)] = ()
    """Requested option codes (option 55)."""

    options: Annotated[tuple[SentOption, ...], Meta(max_length=32)] = ()
    """Further options of the packet, which have no field here."""


class ExplainedRelay(msgspec.Struct, kw_only=True, frozen=True):
    """Relay agent. `trusted_relay_id`: entry that contains it; null: a network of the server's setting, or none."""

    address: str
    """Address of the relay agent."""

    trusted: bool
    """Whether the server accepts packets of the relay agent. For a token of one tenant, false for relay agents of
    other tenants."""

    trusted_relay_id: str | None = None
    """Trusted relay entry that contains the relay agent. Null: a network of the server's setting, or not trusted."""


ChosenBy = Literal["relay", "relay_network", "client_network", "link", "lease", "reachable", "default"]


class ExplainedTenant(msgspec.Struct, kw_only=True, frozen=True):
    """Tenant of the client. `chosen_by`: the rule that selected it. `reason`: the rule as a sentence."""

    id: str
    """The tenant."""

    name: str
    """Its name."""

    chosen_by: ChosenBy
    """Rule that selected the tenant: the relay's entry, a virtual network that the relay or the client names, the
    link, a lease of the client's source address, or a link that reaches its subnet. Otherwise: none."""

    reason: str
    """The reason as a sentence."""


class ExplainedSubnet(msgspec.Struct, kw_only=True, frozen=True):
    """Subnet of the client. `chosen_by`: the field that selected it."""

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

    chosen_by: Literal[
        "shared_network",
        "link_selection",
        "subnet_selection",
        "relay",
        "relay_addresses",
        "interface_address",
        "interface",
        "ciaddr",
    ]
    """Field that led to this subnet."""


class ExplainedCondition(msgspec.Struct, kw_only=True, frozen=True):
    """Condition that decided whether the client is in a class: the first that fails, else the last that matches.

    `condition`: its place in the class, such as `vendor_class` or `match.all[1]`; `reservation`: the client's
    reservation assigns the class. `asks`: the condition. `seen`: the compared value, as text or 0x octets; null if
    neither client nor relay agent sent one. `holds`: whether the condition matches, by itself.
    """

    condition: str
    """Place of the condition in the class, such as match.all[1]."""

    asks: dict[str, Any] | str | bool | None
    """Value of the field."""

    seen: str | None
    """Value that was compared, as text or 0x octets. Null: neither client nor relay agent sent one."""

    holds: bool
    """Whether this condition matches, by itself."""


class ExplainedClass(msgspec.Struct, kw_only=True, frozen=True):
    """Client class. `made`: for a template, the class that the client's value creates, NAME:VALUE."""

    id: str
    """The object."""

    name: str
    """Name of the object."""

    matched: bool
    """Whether the client is in the class."""

    deny: bool
    """Whether the server refuses clients of the class."""

    made: str | None = None
    """For a template: the class that the client's value creates, NAME:VALUE. Null: none."""

    decided_by: ExplainedCondition
    """Condition that decided: the first that fails, else the last that matches."""


class ExplainedReservation(msgspec.Struct, kw_only=True, frozen=True):
    id: str
    """The object."""

    ip: str | None
    """Address of the reservation. Null: none."""

    hostname: str | None
    """Hostname of the reservation. Null: none."""


class ExplainedLease(msgspec.Struct, kw_only=True, frozen=True):
    id: str
    """The object."""

    ip: str
    state: str
    """State of the lease."""

    expires_at: str | None
    """When the lease expires. Null: never."""


class ExplainedPool(msgspec.Struct, kw_only=True, frozen=True):
    id: str
    """The object."""

    name: str
    """Name of the object."""

    start_ip: str
    """First address of the pool."""

    end_ip: str
    """Last address of the pool."""


class Scope(msgspec.Struct, kw_only=True, frozen=True):
    """Scope of an option. `protocol`: the server sets it by itself."""

    type: Literal["reservation", "class", "pool", "subnet", "global", "protocol"]
    """Where the option is stored; `protocol`: the server fills it in itself."""

    id: str | None = None
    """Id of the object that the option is stored at. Null: none."""

    name: str | None = None
    """Name of that object. Null: none."""


class ExplainedOption(msgspec.Struct, kw_only=True, frozen=True):
    code: int
    text: str
    """Value of the option in readable form."""

    hex: str
    """Value of the option as sent."""

    scope: Scope
    """Where it comes from."""


class Explanation(msgspec.Struct, kw_only=True, frozen=True):
    """Answer of the server to a DHCPv4 client. `address_from`: reason for the address. `drop_reason`: reason for no
    answer. `notes`: facts that the question leaves open, and other remarks."""

    outcome: Literal["offer", "ack", "nak", "dropped"]
    """Type of the server's answer; `dropped`: no answer."""

    drop_reason: str | None
    """Reason for no answer, as named in the metrics. Null: there is an answer."""

    reason: str
    """The reason as a sentence."""

    relay: ExplainedRelay | None = None
    """The relay agent. Null: the packet arrives at an interface."""

    tenant: ExplainedTenant | None = None
    """Tenant of the client. Null: unknown, or not visible to this token."""

    subnet: ExplainedSubnet | None = None
    """Selected subnet. Null: none."""

    classes: list[ExplainedClass] = []
    """All classes of the tenant, and whether the client is in each."""

    reservation: ExplainedReservation | None = None
    """Reservation of the client. Null: none."""

    leases: list[ExplainedLease] = []
    """Leases of the client."""

    address: str | None = None
    """Address that the client would get. Null: none."""

    address_from: Literal["reservation", "lease", "requested_ip", "pool"] | None = None
    """Reason for this address. Null: there is none."""

    pool: ExplainedPool | None = None
    """Pool that contains the address. Null: none."""

    next_server: str | None = None
    """Next server in the answer. Null: none."""

    server_name: str | None = None
    """Boot server name in the answer. Null: none."""

    boot_file: str | None = None
    """Boot file in the answer. Null: none."""

    options: list[ExplainedOption] = []
    """Options of the answer, in order."""

    notes: list[str] = []
    """Notes on the result, such as facts that the question leaves open."""


def check_question(question: Question) -> None:
    if (question.relay is None) == (question.interface is None):
        raise ValidationError("relay", "give exactly one of relay and interface")
    for name in ("relay", "source", "link_selection", "requested_ip", "ciaddr"):
        address = getattr(question, name)
        if address is not None and address.version != 4:
            raise ValidationError(name, "must be an IPv4 address")
    check_message(question)
    if question.relay is None and question.link_selection is not None:
        raise ValidationError("link_selection", "requires relay: only a relay agent sends it")
    if question.relay is None and question.source is not None:
        raise ValidationError("source", "requires relay: only packets of a relay agent have it")
    if question.relay is not None and not int(question.relay):
        raise ValidationError("relay", "must be the address of a relay agent")


def check_message(question: Question) -> None:
    """Check that each state names the client's address in its own field (RFC 2131 section 4.3.2)."""
    needed = NAMES_ADDRESS.get(question.message)
    if needed is not None and getattr(question, needed) is None:
        raise ValidationError(needed, f"is required in the message {question.message}")
    if question.ciaddr is not None and needed != "ciaddr":
        raise ValidationError("ciaddr", f"is not allowed in the message {question.message}")
    if question.requested_ip is not None and needed == "ciaddr":
        raise ValidationError("requested_ip", f"is not allowed in the message {question.message}")
