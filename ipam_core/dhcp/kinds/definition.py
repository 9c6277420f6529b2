"""Definition of one DHCP option: a row of the option table.

A definition sets the format of an option's data (its kind, and whether the kind repeats) and its legal values. The rows
of `options4.py` and `options6.py`, the custom definitions that administrators store and the members of encapsulated
options are all of this one type, so every reader of options needs only it.
"""

from __future__ import annotations

from typing import Literal

import msgspec

# Octets of one item, for the kinds whose items always have the same size.
ITEM_OCTETS = {
    "flag": 1, "uint8": 1, "int8": 1, "uint16": 2, "int16": 2, "uint32": 4, "int32": 4,
}  # fmt: skip


class OptionDef(msgspec.Struct, frozen=True):
    """One option. `space` is set on members of an encapsulated option: a vendor class or enterprise number.

    `group` is how many addresses make one item (pairs in options 21 and 33), `octets` the only legal length of binary
    data, `choices`, `minimum` and `maximum` the legal integers where the RFC narrows them. `only_if`: the RFC lets a
    server send the option only to a client that requested it, or that sent the same option. `repeated`: the RFC
    requires an option of its own for each item of the payload's list.
    """

    family: int
    code: int
    name: str
    kind: str
    rfc: str = ""
    array: bool = False
    group: int = 1
    minimum: int | None = None
    maximum: int | None = None
    choices: tuple[int, ...] = ()
    octets: int | None = None
    compressed: bool = False
    may_be_empty: bool = False
    space: str | None = None
    suboptions: tuple[OptionDef, ...] = ()
    only_if: Literal["", "requested", "sent"] = ""
    repeated: bool = False

    @property
    def item_octets(self) -> int | None:
        """Octets of one item of the data; None where items vary in size."""
        if self.kind == "address":
            return self.group * (4 if self.family == 4 else 16)
        return ITEM_OCTETS.get(self.kind, self.octets)

    @property
    def fixed_octets(self) -> int | None:
        """The only legal length of the data; None where it varies."""
        if self.kind == "empty":
            return 0
        return None if self.array else self.item_octets

    @property
    def label(self) -> str:
        """How messages speak of the option: `option 6 (domain-name-servers)`."""
        return f"option {self.code} ({self.name})"


def unknown(family: int, code: int) -> OptionDef:
    """Return the definition of a code that nobody defined: any octets are its legal value."""
    return OptionDef(family, code, f"option-{code}", "binary", may_be_empty=True)
