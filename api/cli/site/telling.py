"""Steps and impact in words for people, or a line of JSON each for programs."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

from api.cli.site.spelling import Fields
from api.cli.site.steps import MAKES_ROOM, Change, Step
from ipam_core.printing import say

SIGNS = {"create": "+", "update": "~", "delete": "-", "none": "="}
NOTHING = "(none)"


def tell(step: Step, as_json: bool) -> None:
    say(msgspec.json.encode(in_json(step)) if as_json else in_words(step))


def warn(step: Step, warnings: list[str]) -> None:
    """Say on stderr what the server says of the object."""
    for warning in warnings:
        say(f"ipam: line {step.line}: {step.what}: {warning}", err=True)


def counted(changes: Sequence[Step], dry_run: bool) -> str:
    """Return how many objects are created, changed and deleted, or would be. An object that gives its address to
    another meanwhile counts once."""
    objects = Counter(step.change for step in changes if step.reason != MAKES_ROOM)
    told = [f"{objects[each]} {words[dry_run]}" for each, words in COUNTED.items() if objects[each]]
    return ", ".join(told) or ("nothing to change" if dry_run else "nothing changed")


COUNTED = {
    "create": ("created", "to create"),
    "update": ("changed", "to change"),
    "delete": ("deleted", "to delete"),
}


def in_json(step: Step) -> Fields:
    told: Fields = {"change": step.change, "what": step.what, "family": step.shape.family.name}
    if step.inside:
        told["inside"] = step.inside
    if step.line:
        told["line"] = step.line
    if step.fields:
        told["fields"] = {name: {"old": each.old, "new": each.new} for name, each in step.fields.items()}
    if step.reason:
        told["reason"] = step.reason
    return told


def in_words(step: Step) -> str:
    """Return a created object's fields stand in the file; of a changed one all that changes is said."""
    said = f"{SIGNS[step.change]} {step.what}" + (f" in {step.inside}" if step.inside else "")
    if step.change == "update":
        changes = "; ".join(f"{name} {difference(each)}" for name, each in step.fields.items())
        said = f"{said}: {changes}"
    return f"{said} {step.reason}".rstrip()


def difference(change: Change) -> str:
    return f"{value(change.old)} -> {value(change.new)}"


def value(shown: Any) -> str:
    if shown is None or shown == "" or shown == []:
        return NOTHING
    return shown if isinstance(shown, str) else msgspec.json.encode(shown, order="sorted").decode()
