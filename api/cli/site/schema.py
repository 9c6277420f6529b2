"""The JSON Schema of a site file, by which editors complete and check it. It is made of the commands' own schemas, as
the OpenAPI document is; `python -m api.write_documents docs/` writes it."""

from typing import Any

import msgspec

from api.cli.durations import EXAMPLES, is_duration
from api.cli.site.shapes import OWN, TOP, Field, Shape, shape, shapes_in
from ipam_core.dhcp.kinds.table import KINDS
from ipam_core.model.field_docs import meaning
from ipam_core.model.values import PATTERNS

DRAFT = "https://json-schema.org/draft/2020-12/schema"
SECRET = {
    "description": "Environment variable or file that contains the secret; the site file must not contain it.",
    "type": "object",
    "properties": {"env": {"type": "string"}, "file": {"type": "string"}},
    "additionalProperties": False,
    "minProperties": 1,
    "maxProperties": 1,
}
DURATION = {"description": f"Duration: {EXAMPLES}.", "type": "string"}
NAME = {
    "description": "Name that marks the objects of this file, so that several files can share a server. Without it the "
    "file owns all objects in its lists.",
    "type": "string",
    "minLength": 1,
    "pattern": r"^[^\]]*$",
}


def schema() -> dict[str, Any]:
    """Return an editor needs no more than this one document."""
    found = {
        "$schema": DRAFT,
        "title": "IPAM site file",
        "type": "object",
        "properties": {"name": NAME} | lists(TOP),
        "additionalProperties": False,
    }
    commands = [shape(family.name).command for family in OWN]
    _, components = msgspec.json.schema_components(
        commands, schema_hook=PATTERNS.__getitem__, ref_template="#/$defs/{name}"
    )
    components["NewOptionDefinition"]["properties"]["kind"]["enum"] = sorted(KINDS)
    entries = {family.name: entry(shape(family.name), components) for family in OWN}
    inside = components.keys() - {command.__name__ for command in commands}
    return found | {"$defs": entries | {name: components[name] for name in sorted(inside)}}


def lists(level: str) -> dict[str, Any]:
    """Return the members that hold what stands below a level."""
    return {
        name: {"type": ["array", "null"], "items": {"$ref": f"#/$defs/{each.family.name}"}}
        for name, each in shapes_in(level).items()
    }


def entry(wanted: Shape, components: dict[str, Any]) -> dict[str, Any]:
    told = components[wanted.command.__name__]["properties"]
    fields = {
        name: {"description": meaning(wanted.command, field.api_name)}
        | of_field(field, told[field.api_name], "payload" in wanted.fields)
        for name, field in wanted.fields.items()
    }
    return {
        "title": wanted.family.label,
        "type": "object",
        "properties": fields | lists(wanted.family.name),
        "required": [name for name, field in wanted.fields.items() if field.required],
        "additionalProperties": False,
    }


def of_field(field: Field, told: dict[str, Any], is_option: bool) -> dict[str, Any]:
    if field.hidden:
        return SECRET
    if field.credential:
        return {"anyOf": [told, SECRET]}
    if is_duration(field.name):
        return {"anyOf": [told, DURATION]}
    if field.name == "code" and is_option:
        return {"anyOf": [told, {"type": "string"}]}
    if field.refers is None:
        return told
    return told | {"description": f"Name of a {field.refers.label}, in a list of several."}
