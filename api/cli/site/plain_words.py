"""Durations and names of options in a site file, as the command line takes them: `1h`, `domain-name-servers`."""

from typing import Any

from api.cli import durations
from api.cli.payloads import codes_of
from api.cli.site.shapes import Shape
from api.cli.site.spelling import Around, Fields
from ipam_core.errors import ValidationError


def understood(shape: Shape, own: Fields, around: Around) -> tuple[Fields, list[ValidationError]]:
    """Return the fields of an entry with numbers for such words, and the faults of those that mean nothing; their
    fields are left out."""
    found: Fields = {}
    faults: list[ValidationError] = []
    for name, value in own.items():
        try:
            found[name] = number_of(shape, own, name, value, around)
        except ValidationError as error:
            faults.append(error)
    return found, faults


def number_of(shape: Shape, own: Fields, name: str, value: Any, around: Around) -> Any:
    if not isinstance(value, str) or value.isdigit():
        return value
    if durations.is_duration(name) and name in shape.fields:
        total = durations.seconds(value)
        return value if total is None else total
    if name == "code" and "payload" in shape.fields:
        family = own.get("family") or around.version
        return code_of(value, family, around) if family in (4, 6) else value
    return value


def code_of(text: str, family: int, around: Around) -> int:
    """Return the code of an option by its name. Raises ValidationError."""
    for each in around.definitions:
        if (each.name, each.family, each.space) == (text, family, None):
            return each.code
    code = codes_of(text).get(family)
    if code is None:
        raise ValidationError("code", f"there is no DHCPv{family} option {text}: use its name or its number")
    return code
