"""The plan as tables, a file for each family of a site file: the fields of its objects, and where each object is.

A list of plain values is joined by commas in its cell; other lists and mappings are JSON. A field that has its default
is empty.
"""

import csv
import io
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from api.exporters.said import LISTS, defaults
from api.importers.plan import label
from ipam_core.model.families import IN_FILES

INSIDE = "inside"
TENANT = "tenant"


def write(document: Mapping[str, Any]) -> dict[str, str]:
    """Return the texts of files by their names."""
    found: dict[str, list[dict[str, str]]] = {family.items.name: [] for family in IN_FILES}
    for tenant, lists in tenants(document):
        for family, row in rows(lists, ""):
            found[family].append({TENANT: tenant} | row)
    return {f"{family}.csv": table(family, lines) for family, lines in found.items() if lines}


def tenants(document: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the name of each tenant with its lists. The top of the document has no name: it has the tenants
    themselves, and what belongs to the default one."""
    named = document.get("tenants") or ()
    yield "", {**document, "tenants": [own_fields(each) for each in named]}
    for each in named:
        yield each["name"], each


def own_fields(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in entry.items() if name not in LISTS}


def rows(lists: Mapping[str, Any], inside: str) -> Iterator[tuple[str, dict[str, str]]]:
    for name, family in LISTS.items():
        for each in lists.get(name) or ():
            own = {field: cell(value) for field, value in own_fields(each).items()}
            yield family, {INSIDE: inside} | own
            yield from rows(each, label(family, each))


def cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, list) and all(isinstance(each, str | int) for each in value):
        return ",".join(map(str, value))
    return msgspec.json.encode(value).decode()


def table(family: str, lines: list[dict[str, str]]) -> str:
    """Return all columns that the family has, in its order; those of references bear the other object's name."""
    said = {name for line in lines for name in line}
    own = [name for name in defaults(family) if name in said]
    columns = [TENANT, INSIDE, *own, *sorted(said - {TENANT, INSIDE, *own})]
    to = io.StringIO()
    writer = csv.DictWriter(to, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return to.getvalue()
