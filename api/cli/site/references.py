"""Names that fields of a site file refer to, checked against the file and the server before anything is compared."""

from collections.abc import Callable, Mapping, Set
from typing import Any, NamedTuple

from api.cli.site.faults import Faults
from api.cli.site.shapes import REFERRED, Shape
from api.cli.words import likely
from ipam_core.model.families import Family
from ipam_core.untrusted_yaml import Entry

KnownNames = Callable[[str | None, Family], Set[str]]
"""Names of the server's objects of a family, by the tenant's name; None is the default one."""


class Reference(NamedTuple):
    """Field of an entry that names an object of a family. `what`: the entry, for messages."""

    tenant: str | None
    family: Family
    name: str
    line: int
    what: str
    field: str


class References:
    """References of one file, and the names that it defines. An entry with faults defines its name too, so that
    one mistake is reported once."""

    def __init__(self) -> None:
        self.found: list[Reference] = []
        self.defined: set[tuple[str | None, str, str]] = set()

    def add(
        self, shape: Shape, said: Mapping[str, Any], tenant: str | None, what: str, mapping: Entry
    ) -> None:
        """Note the name of an entry, and those that its fields refer to."""
        if shape.family.name in REFERRED and isinstance(said.get("name"), str):
            self.defined.add((tenant, shape.family.name, said["name"]))
        for name, value in said.items():
            family = shape.fields[name].refers
            if family is not None:
                line = mapping.lines.get(name, mapping.line)
                self.found += [Reference(tenant, family, each, line, what, name) for each in texts(value)]

    def check(self, faults: Faults, known: KnownNames) -> None:
        """Report each name that neither the file nor the server has."""
        for each in self.found:
            if (each.tenant, each.family.name, each.name) in self.defined:
                continue
            there = known(each.tenant, each.family)
            if each.name not in there:
                own = {name for *of, name in self.defined if of == [each.tenant, each.family.name]}
                reason = f"there is no {each.family.label} {each.name}{likely(each.name, there | own)}"
                faults.add(each.line, each.what, each.field, reason)


def texts(value: Any) -> list[str]:
    """Return the names of a field; a value of another kind is reported as such."""
    values = value if isinstance(value, list) else [value]
    return [each for each in values if isinstance(each, str)]
