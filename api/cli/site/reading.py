"""A site file as entries that are checked as far as a file can be by itself; the server judges them by the plan.

All faults are gathered, each with its line.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from api.cli.site import secret_values
from api.cli.site.faults import Faults
from api.cli.site.loading import load
from api.cli.site.shapes import DEFINITIONS, PLACES, TENANT, TOP, Field, Shape, shape, shapes_in
from api.cli.site.spelling import Around, Fields, spelt
from ipam_core.dhcp import registry
from ipam_core.dhcp.kinds.definition import OptionDef
from ipam_core.errors import ValidationError
from ipam_core.untrusted_yaml import Entry

Definitions = Mapping[str | None, list[OptionDef]]


@dataclass
class Wanted:
    """An object of the file: its fields in file terms, and what stands below it, by the name of the list."""

    shape: Shape
    fields: Fields
    secrets: Fields
    line: int
    lines: Mapping[str, int]
    below: "dict[str, list[Wanted]]" = field(default_factory=dict)

    @property
    def what(self) -> str:
        return self.shape.label(self.fields)

    def line_of(self, name: str) -> int:
        return self.lines.get(name, self.line)


@dataclass
class SiteFile:
    """`name` marks what the file makes, if it has one. `below`: the lists at its top, those only that it has."""

    path: str
    name: str | None
    below: dict[str, list[Wanted]]

    def entries(self) -> Iterator[Wanted]:
        waiting = [each for entries in self.below.values() for each in entries]
        while waiting:
            entry = waiting.pop()
            yield entry
            waiting += [each for entries in entry.below.values() for each in entries]


def read(path: Path, known: Definitions) -> SiteFile:
    """`known`: option definitions that the server has, by the tenant's name, None for the default one. Raises SiteError
    with all that is wrong."""
    document = load(path)
    reader = Reader(known, str(path))
    name = document.pop("name", None)
    if name is not None and (not isinstance(name, str) or not name.strip() or "]" in name):
        reader.faults.add(
            document.lines["name"], "", "name", "must be a text without ]: it marks the objects of this file"
        )
    below = reader.lists(document, TOP, "", reader.around(None, document))
    reader.faults.refuse()
    return SiteFile(str(path), name, below)


def definitions(lists: Mapping[str, Any]) -> list[OptionDef]:
    """The file's own, by which it may spell payloads; what is wrong with one is said when it is read."""
    found = []
    for said in lists.get(shape(DEFINITIONS).name) or ():
        try:
            row = {"family": 4, "array": False, "vendor_space": None} | said
            found.append(registry.definition_from(row | {"is_array": row["array"]}))
        except (ValidationError, KeyError, TypeError, ValueError):
            continue
    return found


def parted(mapping: Entry, below: Mapping[str, Shape]) -> tuple[Fields, Entry]:
    """An entry's own fields, and the lists of what stands below it."""
    own = {name: value for name, value in mapping.items() if name not in below}
    lists = Entry()
    lists.line, lists.lines = mapping.line, mapping.lines
    lists.update((name, value) for name, value in mapping.items() if name in below)
    return own, lists


class Reader:
    """Turns mappings into entries, and gathers what is wrong with them."""

    def __init__(self, known: Definitions, file: str) -> None:
        self.faults = Faults(file)
        self.known = known

    def around(self, tenant: str | None, lists: Mapping[str, Any]) -> Around:
        """What the objects of a tenant stand in: the file's definitions go before those that it changes."""
        own = definitions(lists)
        changed = {(each.family, each.code, each.space) for each in own}
        others = [
            each for each in self.known.get(tenant, ()) if (each.family, each.code, each.space) not in changed
        ]
        return Around(definitions=[*own, *others])

    def lists(self, mapping: Entry, level: str, what: str, around: Around) -> dict[str, list[Wanted]]:
        """The lists that a mapping has below a level. Its other members must have been taken out."""
        shapes = shapes_in(level)
        for name in mapping:
            if name not in shapes:
                self.faults.add(mapping.lines.get(name, mapping.line), what, name, "there is no such field")
        return {
            name: self.entries(shape, mapping, what, around)
            for name, shape in shapes.items()
            if name in mapping
        }

    def entries(self, shape: Shape, mapping: Entry, what: str, around: Around) -> list[Wanted]:
        said = mapping[shape.name]
        line = mapping.lines.get(shape.name, mapping.line)
        if said is None:
            return []
        if not isinstance(said, list):
            self.faults.add(line, what, shape.name, "must be a list")
            return []
        found = []
        for at, each in enumerate(said):
            if isinstance(each, Entry):
                found.append(self.entry(shape, each, around))
            else:
                self.faults.add(line, what, f"{shape.name}[{at}]", "must be a mapping")
        made = [each for each in found if each is not None]
        self.refuse_twins(made)
        return made

    def entry(self, shape: Shape, mapping: Entry, around: Around) -> Wanted | None:
        """None where it is wrong; what stands below it is not looked at then."""
        own, lists = parted(mapping, shapes_in(shape.family.name))
        label = shape.label(own)
        try:
            secrets = self.take_secrets(shape, own)
            fields = spelt(shape, in_api_terms(shape, own), around)
        except ValidationError as error:
            self.note(shape, mapping, label, error)
            return None
        if shape.family.name == TENANT:
            around = self.around(fields["name"], lists)
        found = Wanted(shape, fields, secrets, mapping.line, mapping.lines)
        found.below = self.lists(lists, shape.family.name, label, around.inside(shape, fields))
        return found

    def note(self, shape: Shape, mapping: Entry, label: str, error: ValidationError) -> None:
        """The model names the API's field, perhaps a place in it."""
        api_name = re.split(r"[.\[]", error.field)[0]
        name = shape.field_of(api_name)
        where = name + error.field.removeprefix(api_name)
        self.faults.add(mapping.lines.get(name, mapping.line), label, where, error.reason)

    def take_secrets(self, shape: Shape, own: Fields) -> Fields:
        """Takes the write-only fields out of the entry, and finds their values."""
        hidden = [field for name, field in shape.fields.items() if field.hidden and name in own]
        return {field.api_name: self.secret(field, own.pop(field.name)) for field in hidden}

    def secret(self, field_: Field, value: Any) -> Any:
        return None if value is None else secret_values.find(field_.api_name, value)

    def refuse_twins(self, entries: list[Wanted]) -> None:
        """Two entries for one object would undo each other."""
        seen: dict[tuple[Any, ...], Wanted] = {}
        for entry in entries:
            key = tuple(entry.fields.get(name) for name in entry.shape.keys[0])
            if any(key) and key in seen:
                reason = f"is a duplicate of line {seen[key].line}"
                self.faults.add(entry.line, entry.what, "", reason)
            seen[key] = entry


def in_api_terms(shape: Shape, own: Mapping[str, Any]) -> Fields:
    """The fields under the API's names; where an object stands is filled in, for the model demands it. Raises
    ValidationError for a field that the file does not have."""
    said: Fields = {}
    for name, value in own.items():
        if name not in shape.fields:
            raise ValidationError(name, "there is no such field")
        said[shape.fields[name].api_name] = value
    needed = {info for info in shape.command.__struct_fields__ if info in PLACES}
    return said | dict.fromkeys(needed, "here")
