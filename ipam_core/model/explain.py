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
    payload: dict[str, Any]


class Question(Command, kw_only=True, frozen=True):
    """DHCPv4 packet of a client. It arrives through a relay agent, `relay` (giaddr), or at the server's `interface`
    (name or address): give one of the two. `source`: source address of the relay agent's packet, which its entry
    may restrict; default: a permitted one.

    `renew` (unicast, past any relay agent) and `rebind` need the client's address as `ciaddr`; `request` (after an
    offer) and `init_reboot` (after a restart) as `requested_ip`.
    """

    message: Message = "discover"
    ciaddr: Address | None = None
    relay: Address | None = None
    source: Address | None = None
    interface: Name | None = None
    mac: Mac | None = None
    client_id: Octets | None = None
    hostname: Hostname | None = None
    vendor_class: ClassText | None = None
    user_class: ClassText | None = None
    circuit_id: TextOrOctets | None = None
    remote_id: TextOrOctets | None = None
    link_selection: Address | None = None
    requested_ip: Address | None = None
    requested_options: Annotated[tuple[Code, ...], Meta(max_length=254)] = ()
    options: Annotated[tuple[SentOption, ...], Meta(max_length=32)] = ()


class ExplainedRelay(msgspec.Struct, kw_only=True, frozen=True):
    """Relay agent. `trusted_relay_id`: entry that contains it; null: a network of the server's setting, or none."""

    address: str
    trusted: bool
    trusted_relay_id: str | None = None


ChosenBy = Literal["relay", "relay_network", "client_network", "link", "lease", "reachable", "default"]


class ExplainedTenant(msgspec.Struct, kw_only=True, frozen=True):
    """Tenant of the client. `chosen_by`: the rule that selected it. `reason`: the rule as a sentence."""

    id: str
    name: str
    chosen_by: ChosenBy
    reason: str


class ExplainedSubnet(msgspec.Struct, kw_only=True, frozen=True):
    """Subnet of the client. `chosen_by`: the field that selected it."""

    id: str
    cidr: str
    name: str
    tenant_id: str
    dhcp_enabled: bool
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


class ExplainedCondition(msgspec.Struct, kw_only=True, frozen=True):
    """Condition that decided whether the client is in a class: the first that fails, else the last that matches.

    `condition`: its place in the class, such as `vendor_class` or `match.all[1]`; `reservation`: the client's
    reservation assigns the class. `asks`: the condition. `seen`: the compared value, as text or 0x octets; null if
    neither client nor relay agent sent one. `holds`: whether the condition matches, by itself.
    """

    condition: str
    asks: dict[str, Any] | str | bool | None
    seen: str | None
    holds: bool


class ExplainedClass(msgspec.Struct, kw_only=True, frozen=True):
    """Client class. `made`: for a template, the class that the client's value creates, NAME:VALUE."""

    id: str
    name: str
    matched: bool
    deny: bool
    made: str | None = None
    decided_by: ExplainedCondition


class ExplainedReservation(msgspec.Struct, kw_only=True, frozen=True):
    id: str
    ip: str | None
    hostname: str | None


class ExplainedLease(msgspec.Struct, kw_only=True, frozen=True):
    id: str
    ip: str
    state: str
    expires_at: str | None


class ExplainedPool(msgspec.Struct, kw_only=True, frozen=True):
    id: str
    name: str
    start_ip: str
    end_ip: str


class Scope(msgspec.Struct, kw_only=True, frozen=True):
    """Scope of an option. `protocol`: the server sets it by itself."""

    type: Literal["reservation", "class", "pool", "subnet", "global", "protocol"]
    id: str | None = None
    name: str | None = None


class ExplainedOption(msgspec.Struct, kw_only=True, frozen=True):
    code: int
    text: str
    hex: str
    scope: Scope


class Explanation(msgspec.Struct, kw_only=True, frozen=True):
    """Answer of the server to a DHCPv4 client. `address_from`: reason for the address. `drop_reason`: reason for no
    answer. `notes`: facts that the question leaves open, and other remarks."""

    outcome: Literal["offer", "ack", "nak", "dropped"]
    drop_reason: str | None
    reason: str
    relay: ExplainedRelay | None = None
    tenant: ExplainedTenant | None = None
    subnet: ExplainedSubnet | None = None
    classes: list[ExplainedClass] = []
    reservation: ExplainedReservation | None = None
    leases: list[ExplainedLease] = []
    address: str | None = None
    address_from: Literal["reservation", "lease", "requested_ip", "pool"] | None = None
    pool: ExplainedPool | None = None
    next_server: str | None = None
    server_name: str | None = None
    boot_file: str | None = None
    options: list[ExplainedOption] = []
    notes: list[str] = []


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
    """RFC 2131 section 4.3.2: each state names the client's address in its own field."""
    needed = NAMES_ADDRESS.get(question.message)
    if needed is not None and getattr(question, needed) is None:
        raise ValidationError(needed, f"is required in the message {question.message}")
    if question.ciaddr is not None and needed != "ciaddr":
        raise ValidationError("ciaddr", f"is not allowed in the message {question.message}")
    if question.requested_ip is not None and needed == "ciaddr":
        raise ValidationError("requested_ip", f"is not allowed in the message {question.message}")
