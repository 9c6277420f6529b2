"""The plan as tables, a file a family: all fields as the API calls them, and what an object stands in.

A list of plain values is joined by commas in its cell; other lists and mappings are JSON. What has its default is
empty.
"""

import csv
import io
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from api.exporters.said import LISTS, defaults
from api.importers.plan import label
from ipam_core.model.families import CUTOVER

INSIDE = "inside"
TENANT = "tenant"


def write(document: Mapping[str, Any]) -> dict[str, str]:
    """Texts of files by their names."""
    found: dict[str, list[dict[str, str]]] = {name: [] for name in CUTOVER}
    for tenant, lists in tenants(document):
        for family, row in rows(lists, ""):
            if family in found:
                found[family].append({TENANT: tenant} | row)
    return {f"{family}.csv": table(family, lines) for family, lines in found.items() if lines}


def tenants(document: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The default one's lists stand at the top, and have no name."""
    yield "", {name: each for name, each in document.items() if name != "tenants"}
    for each in document.get("tenants") or ():
        yield each["name"], each


def rows(lists: Mapping[str, Any], inside: str) -> Iterator[tuple[str, dict[str, str]]]:
    for name, family in LISTS.items():
        for each in lists.get(name) or ():
            own = {field: cell(value) for field, value in each.items() if field not in LISTS}
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
    """All columns that the family has, in its order; those of references bear the other object's name."""
    said = {name for line in lines for name in line}
    own = [name for name in defaults(family) if name in said]
    columns = [TENANT, INSIDE, *own, *sorted(said - {TENANT, INSIDE, *own})]
    to = io.StringIO()
    writer = csv.DictWriter(to, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return to.getvalue()
