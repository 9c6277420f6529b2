"""Values that may be written of an object: the fields of its model with their JSON Schema, by which values are read,
and what they refer to."""

from functools import cache
from typing import Any, NamedTuple

import msgspec

from ipam_core.model.base import Command
from ipam_core.model.families import FAMILIES, Family
from ipam_core.model.values import PATTERNS

Schema = dict[str, Any]

# Options of no scope have the same key as all options.
KEYS = {family.key: family for family in FAMILIES.values() if family.items is family}
LISTS = {"secondary_ids": ("secondaries", "dns-servers")}
"""Fields that hold several ids: what people call them, and whose ids they are."""


class Field(NamedTuple):
    """`refers_to`: the family of which it holds an id."""

    name: str
    schema: Schema
    required: bool
    refers_to: Family | None

    @property
    def called(self) -> str:
        """As people write it: `subnet` for `subnet_id`."""
        return called(self.name)


@cache
def fields_of(model: type[Command]) -> dict[str, Field]:
    """Return the fields of a model, by name."""
    whole, parts = msgspec.json.schema_components(
        [model], schema_hook=PATTERNS.__getitem__, ref_template="{name}"
    )
    properties = resolved(parts[whole[0]["$ref"]]["properties"], parts)
    return {
        field.encode_name: Field(
            field.encode_name,
            properties[field.encode_name],
            field.required,
            referred(field.encode_name),
        )
        for field in msgspec.structs.fields(model)
    }


def resolved(schema: Any, parts: Schema) -> Any:
    """Return a schema that refers to no other."""
    if isinstance(schema, list):
        return [resolved(each, parts) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return resolved(parts[schema["$ref"]], parts)
    return {name: resolved(value, parts) for name, value in schema.items()}


def referred(name: str) -> Family | None:
    """Return the family whose id a field of this name holds, or ids: `subnet_id`, and `ddns_dns_server_id` by its
    end."""
    if name in LISTS:
        return FAMILIES[LISTS[name][1]]
    if name in KEYS:
        return KEYS[name]
    return next((family for key, family in KEYS.items() if name.endswith(f"_{key}")), None)


def called(name: str) -> str:
    """Return what people call a field: `subnet` for `subnet_id`."""
    if name in LISTS:
        return LISTS[name][0]
    return name.removesuffix("_id") if referred(name) else name
