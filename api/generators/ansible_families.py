"""Families for the modules of the Ansible collection, out of the family table and the OpenAPI document.

An option of a module is a field of what makes an object. One that refers to another object is called by what it refers
to (`subnet` for `subnet_id`) and takes that one's key (its CIDR or name) as well as its id.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from api.client.calls import item_collection
from api.generators.client_attributes import is_written
from ipam_core.model.families import FAMILIES, WITH_SECRETS, Family

Schema = Mapping[str, Any]
BASE = "/api/v1"

# Keys that identify an object, for families that use none of COMMON_KEYS. The first key whose first field is given
# counts.
COMMON_KEYS = ("cidr", "name", "url", "code")
KEYS: dict[str, tuple[tuple[str, ...], ...]] = {
    "pools": (("name",), ("start_ip", "end_ip"), ("prefix",)),
    "excludes": (("start_ip", "end_ip"),),
    "reservations": (
        ("mac",),
        ("duid",),
        ("client_id",),
        ("circuit_id", "remote_id"),
        ("remote_id",),
        ("subscriber_id",),
        ("ip",),
    ),
    "assignments": (("ip",), ("hostname",)),
    "options": (("code", "family", "vendor_class"),),
    "global-options": (("code", "family", "vendor_class"),),
    "option-definitions": (("code", "family", "vendor_space"),),
    "dns-records": (("name", "type", "data"),),
}
TYPES = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "array": "list",
    "object": "dict",
}
NULL: Schema = {"anyOf": [{"type": "null"}]}
SECRETS = ("secret",)


class Described:
    """One family as the document describes it."""

    def __init__(self, document: Schema, family: Family) -> None:
        self.document = document
        self.family = family
        self.fields: dict[str, Schema] = {}
        self.required: set[str] = set()
        for path in self.create_paths():
            made = self.body(path)
            self.fields |= made["properties"]
            for name in family.model.untagged:  # a task would take back what changes by itself
                self.fields.pop(name, None)
            self.required |= set(made.get("required", ()))
        for parent in family.parents:
            self.fields.setdefault(parent.key, {"type": "string", "description": f"The {parent.label}."})
        listed = document["paths"][f"{BASE}/{family.name}"]["get"]
        self.filters = {each["name"] for each in listed["parameters"] if "name" in each}
        self.shown: Schema = self.schema(family.shape)["properties"]

    def create_paths(self) -> Iterator[str]:
        for parent in self.family.parents:
            yield self.family.path_below(parent, f"{{{parent.key}}}")
        if "post" in self.document["paths"][f"{BASE}/{self.family.name}"]:
            yield f"/{self.family.name}"

    def body(self, path: str) -> Schema:
        operation = self.document["paths"][BASE + path]["post"]
        return self.resolved(operation["requestBody"]["content"]["application/json"]["schema"])

    def schema(self, shape: str) -> Schema:
        found: Schema = self.document["components"]["schemas"][shape.rpartition(".")[2]]
        return found

    def resolved(self, schema: Schema) -> Schema:
        return self.schema(schema["$ref"].replace("/", ".")) if "$ref" in schema else schema

    # --- options

    def options(self) -> dict[str, dict[str, Any]]:
        """Return the argument spec of the fields. Defaults are left to the server: fields that are not given stay as
        they are."""
        return {self.option(name): self.spec(name, self.fields[name]) for name in self.fields}

    def option(self, name: str) -> str:
        short = name.removesuffix("_id")
        return short if self.referred(name) and short not in self.fields else name

    def spec(self, name: str, schema: Schema) -> dict[str, Any]:
        bare = self.bare(schema)
        found: dict[str, Any] = {"type": kind(bare)}
        if found["type"] == "list":
            found["elements"] = kind(self.bare(bare.get("items", {})))
        elif "enum" in bare:
            found["choices"] = list(bare["enum"])
        if name in SECRETS:
            found["no_log"] = True
        elif "secret" in name or "key" in name or "token" in name:
            found["no_log"] = False
        if self.option(name) != name:
            found["aliases"] = [name]
        return found

    def bare(self, schema: Schema) -> Schema:
        """Return the schema without null, and without the reference."""
        choices = schema.get("anyOf") or schema.get("oneOf")
        if choices:
            return self.bare(next(each for each in choices if each.get("type") != "null"))
        return self.resolved(schema)

    # --- references

    def referred(self, name: str) -> Family | None:
        """Return the family that a field refers to by id, if it does."""
        if kind(self.bare(self.fields[name])) != "str":
            return None
        written = (family for family in FAMILIES.values() if is_written(family))
        return next((each for each in written if name == each.key or name.endswith(f"_{each.key}")), None)

    def references(self) -> dict[str, dict[str, str]]:
        found = {}
        for name in self.fields:
            if family := self.referred(name):
                key = keys_of(family, Described(self.document, family).fields)[0][0]
                found[self.option(name)] = {
                    "field": name,
                    "collection": family.name,
                    "key": key,
                    "label": family.label,
                }
        return found

    # --- the whole

    def facts(self) -> dict[str, Any]:
        family = self.family
        return {
            "collection": family.name,
            "item": item_collection(family).name,
            "label": family.label,
            "keys": [list(names) for names in self.unique_by()],
            "nullable": sorted(name for name, schema in self.shown.items() if nullable(schema)),
            "filters": sorted(self.filters & self.fields.keys()),
            "references": self.references(),
            "parents": [
                {"field": parent.key, "path": family.path_below(parent, "{id}")} for parent in family.parents
            ],
            "in_tenant": "tenant_id" in self.fields and not nullable(self.shown.get("tenant_id", NULL)),
            "in_bulk": family not in WITH_SECRETS,
            "write_only": sorted(self.fields.keys() - self.shown.keys()),
            "options": self.options(),
        }

    def unique_by(self) -> tuple[tuple[str, ...], ...]:
        return keys_of(self.family, self.fields)


def keys_of(family: Family, fields: Mapping[str, object]) -> tuple[tuple[str, ...], ...]:
    """Raise KeyError for a family that has none of the common keys and no line in KEYS."""
    common = [((name,),) for name in COMMON_KEYS if name in fields]
    return KEYS.get(family.name) or (common[0] if common else KEYS[family.name])


def kind(schema: Schema) -> str:
    """Return Ansible's word for the kind; a choice of several values has their type."""
    told = schema.get("type")
    if told is None and "enum" in schema:
        return type(schema["enum"][0]).__name__
    return TYPES.get(told, "raw") if isinstance(told, str) else "raw"


def nullable(schema: Schema) -> bool:
    return any(each.get("type") == "null" for each in schema.get("anyOf", ()))
