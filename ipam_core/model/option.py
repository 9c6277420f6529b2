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
    """What may be changed later."""

    code: Annotated[int, Meta(ge=0, le=65535)]
    payload: dict[str, Any]
    family: Literal[4, 6] | None = None
    vendor_class: VendorClass | None = None
    always_send: bool = False
    """Also to a client that did not ask for it."""
    never_send: bool = False
    """Withhold the option here, although a wider scope has it; its payload then counts for nothing."""


class NewOption(OptionFields, kw_only=True, frozen=True):
    pass


class NewGlobalOption(OptionFields, kw_only=True, frozen=True):
    tenant_id: Id | None = None


class Option(Model, kw_only=True, frozen=True):
    beside: ClassVar[tuple[str, ...]] = ("warnings",)

    tenant_id: str
    subnet_id: str | None
    pool_id: str | None
    class_id: str | None
    reservation_id: str | None
    family: int
    code: int
    vendor_class: str | None
    payload: dict[str, Any]
    always_send: bool
    never_send: bool
    warnings: list[str]
