"""Steps from what a server has to what a file says, and the order in which nothing is in the way of another."""

from collections.abc import Iterable, Iterator
from ipaddress import ip_address
from typing import Any, NamedTuple

from api.cli.site.shapes import FIRST, Shape
from api.cli.site.spelling import Fields

MAKES_ROOM = "(makes room for another)"
ADDRESSES = ("ip", "prefix")


class Change(NamedTuple):
    """Change of one field, in file terms; a secret shows neither value."""

    old: Any
    new: Any


class Step(NamedTuple):
    """One difference. `change`: create, update, delete or none. `operation`: as POST /bulk takes it; None: it is only
    told. `inside`: what the object stands in, if its name does not tell."""

    change: str
    what: str
    line: int
    fields: dict[str, Change]
    operation: Fields | None
    shape: Shape
    lines: Any = None
    reason: str = ""
    inside: str = ""


def changes_of(steps: Iterable[Step]) -> list[Step]:
    return [step for step in steps if step.operation is not None]


def in_turn(steps: list[Step]) -> list[Step]:
    """Return the steps in order: obstacles of others first, innermost first; objects that others refer to last."""
    return sorted([*making_room(steps), *steps], key=turn)


def turn(step: Step) -> int:
    """Return the turn of a step: deletions make room first, then reservations that give their address to another, and
    ranges that get shorter; referenced objects last."""
    name = step.shape.family.name
    if step.change == "delete":
        return 3 + len(FIRST) - FIRST.index(name) if name in FIRST else 0
    return 1 if step.reason == MAKES_ROOM or is_shorter(step) else 2


def is_shorter(step: Step) -> bool:
    """Return whether it is but the ends of a range that change, and both inwards."""
    if step.change != "update" or not step.fields.keys() <= {"start_ip", "end_ip"}:
        return False
    ways = {"start_ip": 1, "end_ip": -1}
    return all(
        (int(ip_address(each.new)) - int(ip_address(each.old))) * ways[name] > 0
        for name, each in step.fields.items()
    )


def making_room(steps: list[Step]) -> Iterator[Step]:
    """Yield steps that make room: a reservation whose address another gets has none in between, since two could not
    swap otherwise."""
    taken = {
        (step.inside, change.new)
        for step in steps
        if step.shape.family.name == "reservations"
        for change in addresses(step).values()
    }
    for step in steps:
        if step.change == "update" and step.shape.family.name == "reservations":
            left = {name: Change(each.old, None) for name, each in addresses(step).items() if each.old}
            given = {name: each for name, each in left.items() if (step.inside, each.old) in taken}
            if given:
                operation = (step.operation or {}) | {"body": dict.fromkeys(given)}
                yield step._replace(fields=given, operation=operation, reason=MAKES_ROOM)


def addresses(step: Step) -> dict[str, Change]:
    return {name: change for name, change in step.fields.items() if name in ADDRESSES}
