"""Steps and impact in words for people, or a line of JSON each for programs."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import click
import msgspec

from api.cli.cells import text
from api.cli.site.spelling import Fields
from api.cli.site.steps import MAKES_ROOM, Change, Step

SIGNS = {"create": "+", "update": "~", "delete": "-", "none": "="}
NOTHING = "(none)"


def tell(step: Step, as_json: bool) -> None:
    click.echo(msgspec.json.encode(in_json(step)) if as_json else in_words(step))


def warn(step: Step, warnings: list[str]) -> None:
    """Say on stderr what the server says of the object."""
    for warning in warnings:
        click.echo(f"ipam: line {step.line}: {step.what}: {warning}", err=True)


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
    """A created object's fields stand in the file; of a changed one all that changes is said."""
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


def tell_impact(impact: Fields, as_json: bool) -> None:
    """What else a change would do: nothing is said where it does nothing."""
    if as_json:
        click.echo(msgspec.json.encode({"impact": impact}))
        return
    for name, heading in HEADINGS.items():
        found = impact[name]
        if found["count"]:
            click.echo(f"! {found['count']} {heading[found['count'] > 1]}:")
            for item in found["items"]:
                click.echo(f"    {fallen(item)}")
            if found["count"] > len(found["items"]):
                click.echo(f"    and {found['count'] - len(found['items'])} more")


def fallen(item: Fields) -> str:
    """An object as people call it, without its id."""
    said = {name: text(value, name) for name, value in item.items() if name not in UNTOLD and value}
    if item.get("prefix_length") not in WHOLE:
        said["ip"] += f"/{item['prefix_length']}"
    if "expires_at" in said:
        said["expires_at"] = f"until {said['expires_at']}"
    return " ".join(said.values())


UNTOLD = ("id", "prefix_length")
WHOLE = (None, 32, 128)
HEADINGS = {
    "leases": (
        "active lease would be refused at its next renewal",
        "active leases would be refused at their next renewal",
    ),
    "reservations": ("reservation would be deleted with it", "reservations would be deleted with it"),
    "records": ("DNS record would be deleted with it", "DNS records would be deleted with it"),
}
