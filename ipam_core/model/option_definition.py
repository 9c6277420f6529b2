"""A custom option: how the data of a code that no RFC defines, or of a vendor's sub-option, is laid out."""

from typing import Annotated, Literal

from msgspec import Meta

from ipam_core.model.base import Command, Id, Model

VendorSpace = Annotated[str, Meta(min_length=1, max_length=255)]
"""Of sub-options: the vendor class of option 43, or an enterprise number (125; 17 of DHCPv6)."""


class OptionDefinitionFields(Command, kw_only=True, frozen=True):
    """What may be changed later."""

    code: Annotated[int, Meta(ge=1, le=65535)]
    name: Annotated[str, Meta(min_length=1, max_length=255)]
    kind: Annotated[str, Meta(min_length=1, max_length=32)]
    array: bool = False
    family: Literal[4, 6] = 4
    vendor_space: VendorSpace | None = None


class NewOptionDefinition(OptionDefinitionFields, kw_only=True, frozen=True):
    tenant_id: Id | None = None


class OptionDefinition(Model, kw_only=True, frozen=True):
    tenant_id: str
    family: int
    code: int
    name: str
    kind: str
    array: bool
    vendor_space: str | None
