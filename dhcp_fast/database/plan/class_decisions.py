"""Conditions of the classes' rows for an explanation, from the numbers that the engine returns."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ipam_core.dhcp.conditions import Leaf, Subject, flatten, node_at, template_leaf, value_text
from ipam_core.errors import ValidationError
from ipam_core.model.client_class import CRITERIA, name_with_value
from ipam_core.model.explain import ExplainedClass, ExplainedCondition
from ipam_core.model.values import encode_value, text_or_octets

Decision = tuple[bool, int, int, bytes | None, bool, bytes | None]
"""Membership of the client in the class; the other fields are those of `decisions` in engine/explain.pyx."""

GIVEN = -1
HARDWARE = ("mac_prefix", "locally_administered")


def explained_classes(
    rows: Sequence[Mapping[str, Any]], told: Iterable[Decision], interface: str | None = None
) -> list[ExplainedClass]:
    """Return the decisions. `rows` of the classes in the order of `told`; `interface`: the name of that by which the
    packet came."""
    return [
        ExplainedClass(
            id=str(row["id"]),
            name=row["name"],
            matched=decision[0],
            deny=row["deny"],
            made=made(row, decision[-1]),
            decided_by=decided_by(row, decision, interface),
        )
        for row, decision in zip(rows, told, strict=False)
    ]


def decided_by(row: Mapping[str, Any], decision: Decision, interface: str | None) -> ExplainedCondition:
    _, criterion, leaf, octets, holds, _ = decision
    if criterion == GIVEN:
        return ExplainedCondition(condition="reservation", asks=None, seen=None, holds=True)
    name = CRITERIA[criterion]
    if name == "match":
        return deciding_leaf(row["match"], leaf, octets, interface, holds=holds)
    return ExplainedCondition(
        condition=name,
        asks=encode_value(row[name]),
        seen=written(octets, in_hex=name in HARDWARE),
        holds=holds,
    )


def made(row: Mapping[str, Any], value: bytes | None) -> str | None:
    """Return the class that the client's value makes of a template."""
    if value is None:
        return None
    return name_with_value(row["name"], value_text(template_leaf(row["match"]).subject, value))


def deciding_leaf(
    tree: Any, place: int, octets: bytes | None, interface: str | None, *, holds: bool
) -> ExplainedCondition:
    """Return a tree that cannot be read, of a later version, holds of nobody."""
    try:
        leaf = flatten(tree)[place]
    except ValidationError:
        return ExplainedCondition(condition="match", asks=tree, seen=None, holds=False)
    asks = node_at(tree, leaf.path)
    return ExplainedCondition(
        condition=leaf.path,
        asks=asks,
        seen=interface if leaf.subject is Subject.INTERFACE else shown(leaf, octets),
        holds=holds is not (asks.get("exists") is False),
    )


def shown(leaf: Leaf, octets: bytes | None) -> str | None:
    return None if octets is None else value_text(leaf.subject, octets)


def written(octets: bytes | None, *, in_hex: bool) -> str | None:
    if octets is None:
        return None
    return octets.hex(":") if in_hex else text_or_octets(octets)
