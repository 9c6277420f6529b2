"""A DHCP option stored at a scope: a subnet, a pool, a class, a reservation, or global (of a tenant)."""

from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta

from ipam_core.model.base import Command, Id, Model

VendorClass = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=255,
        description="Only for clients whose option 60 begins with it; of options 124 and 125 a number is an enterprise "
        "number that the client names.",
    ),
]


class OptionFields(Command, kw_only=True, frozen=True):
    """Fields that may be changed later."""

    code: Annotated[int, Meta(ge=0, le=65535)]
    """Code of the option. Codes that the server sets by itself are refused."""

    payload: dict[str, Any]
    """Value of the option, in the form of its kind: {"addresses": [...]}, {"string": "..."}, {"value": n}, {"values":
    [...]}, {"flag": true}, {"names": [...]}, {"routes": [...]}, {"suboptions": [...]}, or {"hex": "..."} for any
    code. If the value does not fit, the error shows the expected form."""

    family: Literal[4, 6] | None = None
    """4 for DHCPv4, 6 for DHCPv6. Left out or null: the family of the subnet, else 4."""

    vendor_class: VendorClass | None = None
    """Only for clients whose option 60 begins with this text. For options 124, 125 and DHCPv6 17, a number is an
    enterprise number that the client sends. Null: for all clients."""

    always_send: bool = False
    """True: the option is also sent to clients that did not request it. Options that only answer a client (RFC) are
    excepted: 108 and 159, and 82 and 83 of DHCPv6, are sent on request; 116 and 145 to clients that sent the same
    option."""

    never_send: bool = False
    """True: the option is withheld here, although a wider scope has it. The payload is then ignored."""


class NewOption(OptionFields, kw_only=True, frozen=True):
    pass


class NewGlobalOption(OptionFields, kw_only=True, frozen=True):
    tenant_id: Id | None = None


class Option(Model, kw_only=True, frozen=True):
    beside: ClassVar[tuple[str, ...]] = ("warnings",)

    tenant_id: str
    subnet_id: str | None
    """Subnet of the option. Null: the option has another scope."""

    pool_id: str | None
    """Pool of the option, which takes precedence over the subnet. Null: the option has another scope."""

    class_id: str | None
    """Client class of the option, which takes precedence over pool and subnet. Null: the option has another scope."""

    reservation_id: str | None
    """Reservation of the option, which takes precedence over all other scopes. Null: the option has another scope."""

    family: int
    """4 for DHCPv4, 6 for DHCPv6."""

    code: int
    vendor_class: str | None
    payload: dict[str, Any]
    always_send: bool
    never_send: bool
    warnings: list[str]
    """Effects on clients, as sentences: classless routes (121, 249) without a route for 0.0.0.0/0 remove the gateway
    (RFC 3442)."""
