"""Entries of a file that have no fault themselves. The server judges them although others are wrong, so that one run
reports what the file alone shows and what only the server knows."""

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from api.cli.site.faults import Fault
from api.cli.site.reading import SiteFile, Wanted
from api.cli.site.references import texts
from api.cli.site.shapes import DEFINITIONS

Lists = dict[str, list[Wanted]]


class Sound(NamedTuple):
    """`left_out`: values that identify objects of entries with faults."""

    site: SiteFile
    left_out: frozenset[str]


def sound(site: SiteFile, faults: Iterable[Fault]) -> Sound | None:
    """Return the file without entries that have a fault, those below, and those that refer to one. None if that would
    change the meaning of others, as a definition of an option does."""
    lines = {fault.line for fault in faults}
    wrong = [each for each in site.entries() if lines & {each.line, *each.lines.values()}]
    while True:
        names = {(each.shape.family.name, str(each.fields.get("name"))) for each in wrong}
        more = [each for each in site.entries() if not is_among(each, wrong) and referred(each) & names]
        if not more:
            break
        wrong += more
    if any(each.shape.family.name == DEFINITIONS for each in wrong):
        return None
    values = {str(each.fields.get(key)) for each in wrong for keys in each.shape.keys for key in keys}
    return Sound(replace(site, below=kept(site.below, wrong)), frozenset(values))


def is_among(entry: Wanted, wrong: list[Wanted]) -> bool:
    return any(entry is each for each in wrong)


def referred(entry: Wanted) -> set[tuple[str, str]]:
    """Return the families and names of objects that an entry refers to."""
    fields = entry.shape.fields
    return {
        (family.name, each)
        for name, value in entry.fields.items()
        if name in fields and (family := fields[name].refers) is not None
        for each in texts(value)
    }


def kept(lists: Lists, wrong: list[Wanted]) -> Lists:
    return {
        name: [replace(each, below=kept(each.below, wrong)) for each in entries if not is_among(each, wrong)]
        for name, entries in lists.items()
    }
