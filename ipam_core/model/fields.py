"""The fields that make an object of a family, as people read them: name, kind, default, meaning.

Kinds are words made of the JSON schema that msgspec writes: "cidr", "integer 1..4094", "never | always", "list of
ip-address".
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from ipam_core.model.families import Family
from ipam_core.model.field_docs import meaning
from ipam_core.model.values import PATTERNS

Schema = Mapping[str, Any]
WORDS = {"string": "text", "boolean": "true | false", "object": "JSON object"}
MOST_CHOICES = 12


class Field(NamedTuple):
    """`default` is what a field that is left out counts as, None also where the meaning says what that is."""

    name: str
    kind: str
    required: bool
    default: Any
    description: str


def create_fields(family: Family) -> Iterator[Field]:
    """Yield what a create of the family takes: first the ids that the path takes, of what it is made below; then what
    must be said, then the others, in the order of the model. Raises AttributeError where clients make none."""
    yield from path_fields(family)
    yield from sorted(fields_of(family.new), key=lambda field: not field.required)


def path_fields(family: Family) -> Iterator[Field]:
    needed = len(family.parents) == 1 and not family.alone
    for parent in family.parents:
        yield Field(parent.key, "id", needed, None, f"The {parent.label} that it is made in.")


def fields_of(model: type) -> Iterator[Field]:
    schema = schema_of(model)
    for name, each in schema["properties"].items():
        kind = "id" if name.endswith("_id") and kind_of(each) == "text" else kind_of(each)
        required = name in schema.get("required", ())
        yield Field(name, kind, required, each.get("default"), meaning(model, name))


def schema_of(model: type) -> Schema:
    _, components = msgspec.json.schema_components([model], schema_hook=PATTERNS.__getitem__)
    found: Schema = components[model.__name__]
    return found


def kind_of(schema: Schema) -> str:
    """Return a schema in a word or few; null is left out, because the meaning says what it does."""
    if "anyOf" in schema:
        return " | ".join(kind_of(each) for each in schema["anyOf"] if each.get("type") != "null")
    if "$ref" in schema:
        return WORDS["object"]
    if "enum" in schema:
        choices = [str(each) for each in schema["enum"] if each is not None]
        return " | ".join(choices) if len(choices) <= MOST_CHOICES else "text"
    if schema.get("type") == "array":
        return f"list of {kind_of(schema['items'])}"
    if schema.get("type") in ("integer", "number"):
        return f"{schema['type']} {bounds(schema)}".rstrip()
    kind = str(schema.get("type"))
    return str(schema.get("format") or WORDS.get(kind, kind))


def bounds(schema: Schema) -> str:
    if "minimum" not in schema and "maximum" not in schema:
        return ""
    return f"{schema.get('minimum', '')}..{schema.get('maximum', '')}"
