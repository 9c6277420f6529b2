"""A site file as entries that are checked as far as a file can be by itself; the server judges them by the plan.

All faults are gathered, each with its line.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from api.cli.site import plain_words, secret_values
from api.cli.site.faults import Fault, Faults
from api.cli.site.loading import load
from api.cli.site.references import KnownNames, References
from api.cli.site.shapes import (
    DEFINITIONS,
    OWN,
    PLACES,
    TENANT,
    TOP,
    Field,
    Shape,
    shape,
    shapes_in,
)
from api.cli.site.spelling import Around, Fields, spelt
from api.cli.words import likely
from ipam_core.dhcp import registry
from ipam_core.dhcp.kinds.definition import OptionDef
from ipam_core.errors import ValidationError
from ipam_core.model.notification import OF_KIND
from ipam_core.untrusted_yaml import Entry

Definitions = Mapping[str | None, list[OptionDef]]
Note = Callable[[ValidationError], None]
NO_FIELD = "there is no such field"
LEVELS = {name: family.name for family in OWN for name in shapes_in(family.name)} | dict.fromkeys(
    shapes_in(TOP), TOP
)
"""Lists, and the family below which they are; empty: they can be at the top."""


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
    faults: Sequence[Fault] = ()

    def entries(self) -> Iterator[Wanted]:
        waiting = [each for entries in self.below.values() for each in entries]
        while waiting:
            entry = waiting.pop()
            yield entry
            waiting += [each for entries in entry.below.values() for each in entries]


def read(path: Path, known: Definitions, names: KnownNames) -> SiteFile:
    """Return the entries of a file. `known`: option definitions of the server by the tenant's name, None for the
    default one. `names`: names of a tenant's objects, by family. Raises SiteError for a file that is no YAML, or wrong
    everywhere; other faults are in the result."""
    document = load(path)
    reader = Reader(known, str(path))
    name = document.pop("name", None)
    if name is not None and (not isinstance(name, str) or not name.strip() or "]" in name):
        reader.faults.add(
            document.lines["name"], "", "name", "must be a text without ]: it marks the objects of this file"
        )
    below = reader.lists(document, TOP, "", reader.around(None, document))
    reader.references.check(reader.faults, names)
    return SiteFile(str(path), name if isinstance(name, str) else None, below, reader.faults)


def definitions(lists: Mapping[str, Any]) -> list[OptionDef]:
    """Return the file's own, by which it may spell payloads; what is wrong with one is said when it is read."""
    found = []
    for said in lists.get(shape(DEFINITIONS).name) or ():
        try:
            row = {"family": 4, "array": False, "vendor_space": None} | said
            found.append(registry.definition_from(row | {"is_array": row["array"]}))
        except (ValidationError, KeyError, TypeError, ValueError):
            continue
    return found


def parted(mapping: Entry, below: Mapping[str, Shape]) -> tuple[Fields, Entry]:
    """Return an entry's own fields, and the lists of what stands below it."""
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
        self.references = References()

    def around(self, tenant: str | None, lists: Mapping[str, Any]) -> Around:
        """Return what the objects of a tenant stand in: the file's definitions go before those that it changes."""
        own = definitions(lists)
        changed = {(each.family, each.code, each.space) for each in own}
        others = [
            each for each in self.known.get(tenant, ()) if (each.family, each.code, each.space) not in changed
        ]
        return Around(definitions=[*own, *others], tenant=tenant)

    def lists(self, mapping: Entry, level: str, what: str, around: Around) -> dict[str, list[Wanted]]:
        """Return the lists that a mapping has below a level. Its other members must have been taken out."""
        shapes = shapes_in(level)
        for name in mapping:
            if name not in shapes:
                self.faults.add(mapping.lines.get(name, mapping.line), what, name, no_field(name, shapes))
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
        """Return an entry without its wrong fields, which are reported; None if too little is left. The lists below it
        are read in any case."""
        written, lists = parted(mapping, shapes_in(shape.family.name))
        own, misread = plain_words.understood(shape, written, around)
        label = shape.label(own, around.version)
        note = partial(self.note, shape, mapping, label)
        said = self.known_fields(shape, own, note)
        for each in misread:
            note(each)
        if misread:  # an option, below which nothing is
            return None
        secrets = self.take_secrets(shape, said, note)
        self.find_urls(shape, said, note)
        self.references.add(shape, said, around.tenant, label, mapping)
        fields = without_kept(shape, said, self.spelt(shape, said, around, note))
        inside = around.inside(shape, fields, own)
        if shape.family.name == TENANT:
            inside = self.around(fields["name"] if fields else str(own.get("name")), lists)
        below = self.lists(lists, shape.family.name, label, inside)
        if fields is None:
            return None
        return Wanted(shape, fields, secrets, mapping.line, mapping.lines, below)

    def known_fields(self, shape: Shape, own: Fields, note: Note) -> Fields:
        names = [*shape.fields, *shapes_in(shape.family.name)]
        for name in own:
            if name not in shape.fields:
                note(ValidationError(name, no_field(name, names)))
        return {name: value for name, value in own.items() if name in shape.fields}

    def spelt(self, shape: Shape, said: Fields, around: Around, note: Note) -> Fields | None:
        """Return the fields in one spelling. Each wrong one is reported and left out; None if a required one is. What
        remains is not compared with itself, because a further fault could follow from the first."""
        left = dict(said)
        while True:
            alone = replace(around, is_broken=True) if len(left) < len(said) else around
            try:
                return spelt(shape, in_api_terms(shape, left), alone)
            except ValidationError as error:
                name = shape.field_of(top_field(error))
                if name in left or name not in said:
                    note(error)
                if name not in left:
                    return None
                del left[name]

    def note(self, shape: Shape, mapping: Entry, label: str, error: ValidationError) -> None:
        """Report a fault by the file's name of its field, perhaps with a place in it."""
        api_name = top_field(error)
        name = shape.field_of(api_name)
        where = name + error.field.removeprefix(api_name)
        self.faults.add(mapping.lines.get(name, mapping.line), label, where, error.reason)

    def take_secrets(self, shape: Shape, own: Fields, note: Note) -> Fields:
        """Take the write-only fields out of an entry, and return their values."""
        found: Fields = {}
        for hidden in [each for name, each in shape.fields.items() if each.hidden and name in own]:
            try:
                found[hidden.api_name] = self.secret(hidden, own.pop(hidden.name))
            except ValidationError as error:
                note(error)
        return found

    def find_urls(self, shape: Shape, own: Fields, note: Note) -> None:
        """Read the credentials of which an entry only contains the place."""
        for field_ in shape.fields.values():
            if field_.credential and isinstance(own.get(field_.name), dict):
                try:
                    own[field_.name] = secret_values.find(field_.api_name, own[field_.name])
                except ValidationError as error:
                    note(error)
                    del own[field_.name]

    def secret(self, field_: Field, value: Any) -> Any:
        return None if value is None else secret_values.find(field_.api_name, value)

    def refuse_twins(self, entries: list[Wanted]) -> None:
        """Refuse two entries for one object, which would undo each other."""
        seen: dict[tuple[Any, ...], Wanted] = {}
        for entry in entries:
            key = tuple(entry.fields.get(name) for name in entry.shape.keys[0])
            if any(key) and key in seen:
                reason = f"is a duplicate of line {seen[key].line}"
                self.faults.add(entry.line, entry.what, "", reason)
            seen[key] = entry


def without_kept(shape: Shape, said: Fields, fields: Fields | None) -> Fields | None:
    """Leave out credentials that the kind needs and the entry does not contain, so that the stored ones stay."""
    if fields is None:
        return fields
    kept = {name for name in shape.credentials - said.keys() if fields.get("kind") in OF_KIND.get(name, ())}
    return {name: value for name, value in fields.items() if name not in kept}


def top_field(error: ValidationError) -> str:
    """Return the field of the API that an error names, without the place in it."""
    return re.split(r"[.\[]", error.field)[0]


def no_field(name: str, known: Iterable[str]) -> str:
    """Return the message for a field that an entry cannot have. A list of another level is named with its place."""
    if name in LEVELS:
        level = LEVELS[name]
        return f"cannot be here: {name} are {f'below {level}' if level else 'at the top of the file'}"
    return NO_FIELD + likely(name, known)


def in_api_terms(shape: Shape, own: Mapping[str, Any]) -> Fields:
    """Return the fields under the API's names. The place of the object is filled in, because the model requires it."""
    said = {shape.fields[name].api_name: value for name, value in own.items()}
    needed = {info for info in shape.command.__struct_fields__ if info in PLACES}
    return said | dict.fromkeys(needed, "here")
