"""The conditions of a class's row -> what plan/conditions.pyx fills: names of classes and interfaces become numbers."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import asdict

from dhcp_fast.database.plan.placing import Numbers
from dhcp_fast.net.links import read_links
from ipam_core.dhcp.conditions import Comparison, Leaf, Subject, compared_values, flatten, template_leaf
from ipam_core.errors import ValidationError

NOBODY = (
    -1
)  # the class that a test names is not there, not tried before its own, or not what the test takes it for
NEVER = Leaf(Subject.CLASS, Comparison.EXISTS)


def conditions(
    row: Mapping[str, Any],
    classes: Sequence[Mapping[str, Any]],
    problems: list[str],
    interfaces: Numbers | None = None,
) -> list[dict[str, Any]]:
    """Return the conditions. `classes`: all of the tenant, in the order in which they are tried; `interfaces`: their
    numbers by name, else those of this host as it is now. Where the tree cannot be read (a later version wrote it) one
    test that never holds, since a class that asks nothing would take everybody."""
    if row["match"] is None:
        return []
    try:
        leaves = [template_leaf(row["match"])] if row["template"] else flatten(row["match"])
    except ValidationError as error:
        problems.append(f"client class {row['name']}: {error}")
        leaves = [NEVER]
    return [
        asdict(leaf)
        | (
            of_class(leaf, row, classes, problems)
            if leaf.subject is Subject.CLASS
            else {"index": NOBODY, "values": values(leaf, interfaces)}
        )
        for leaf in leaves
    ]


def of_class(
    leaf: Leaf, row: Mapping[str, Any], classes: Sequence[Mapping[str, Any]], problems: list[str]
) -> dict[str, Any]:
    """Return the place of the class that the leaf names, and the values that it compares with that template's."""
    index = index_of(leaf, row, classes)
    if index == NOBODY or leaf.comparison is Comparison.EXISTS:
        return {"index": index, "values": []}
    try:
        template = template_leaf(classes[index]["match"] if classes[index]["template"] else None)
        return {"index": index, "values": list(compared_values(row["match"], leaf, template))}
    except ValidationError as error:
        problems.append(f"client class {row['name']}, which compares values of {leaf.name}: {error}")
        return {"index": NOBODY, "values": []}


def index_of(leaf: Leaf, row: Mapping[str, Any], classes: Sequence[Mapping[str, Any]]) -> int:
    """Return the index of the class that the leaf names."""
    for index, found in enumerate(classes):
        if found["no"] == row["no"]:
            break
        if found["name"] == leaf.name:
            return index
    return NOBODY


def values(leaf: Leaf, interfaces: Numbers | None) -> list[int | bytes]:
    """Return what is compared; interfaces by their numbers, one that is not there by 0."""
    if leaf.subject is not Subject.INTERFACE:
        return list(leaf.values)
    present = read_links().indexes() if interfaces is None else interfaces
    return [present.get(name.decode(), 0) for name in leaf.values if isinstance(name, bytes)]
