"""A custom option: how the data of a code that no RFC defines, or of a vendor's sub-option, is laid out."""

from typing import Annotated, Literal

from msgspec import Meta

from ipam_core.model.base import Command, Id, Model

VendorSpace = Annotated[str, Meta(min_length=1, max_length=255)]
"""Of sub-options: the vendor class of option 43, or an enterprise number (125; 17 of DHCPv6)."""


class OptionDefinitionFields(Command, kw_only=True, frozen=True):
    """Fields that may be changed later."""

    code: Annotated[int, Meta(ge=1, le=65535)]
    """Code of the option, or of the sub-option in its vendor space."""

    name: Annotated[str, Meta(min_length=1, max_length=255)]
    """Name of the option, unique in its family and space."""

    kind: Annotated[str, Meta(min_length=1, max_length=32)]
    """Type of the data, such as `ipv4`, `uint16`, `string` or `binary`."""

    array: bool = False
    """True: the data is a list of values of the kind."""

    family: Literal[4, 6] = 4
    """4 for DHCPv4, 6 for DHCPv6."""

    vendor_space: VendorSpace | None = None
    """Vendor space of a sub-option: the vendor class of option 43, or an enterprise number (option 125; DHCPv6 17).
    Null: an option by itself."""


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
