"""Examples of answers in the OpenAPI document: made of the schemas, with the values that this field's people expect."""

from collections.abc import Mapping
from typing import Any

ID = "0197a3c4-52b1-7c31-9d4e-0f5a6b7c8d9e"

# Examples of fields that need more than their schema has.
FIELDS: dict[str, Any] = {
    "id": ID,
    "cidr": "192.0.2.0/24",
    "gateway": "192.0.2.1",
    "start_ip": "192.0.2.100",
    "end_ip": "192.0.2.199",
    "ip": "192.0.2.10",
    "mac": "aa:bb:cc:dd:ee:ff",
    "hostname": "printer-1.example.net",
    "name": "office",
    "description": "Second floor",
    "payload": {"addresses": ["192.0.2.53"]},
    "code": 6,
    "vlan_id": 20,
    "site": "Berlin",
    "created_at": "2026-01-31T12:00:00.000Z",
    "updated_at": "2026-01-31T12:00:00.000Z",
    "next_cursor": None,
    "prefix_length": 26,
    "relay": "192.0.2.1",
    "link_address": "2001:db8::1",
    "next_hop": "fe80::1",
    "ia_type": None,
    "interface_id": None,
    "circuit_id": "ge-0/0/1",
    "remote_id": "modem 7",
    "subscriber_id": "smith",
    "interface": None,
    "vendor_class": None,
    "url": "https://hooks.example.net/ipam",
}
BY_TYPE: dict[str, Any] = {
    "string": "text",
    "integer": 1,
    "number": 0.5,
    "boolean": True,
    "array": [],
    "object": {},
}
JSON_TYPES = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    list: "array",
    dict: "object",
    type(None): "null",
}
MISSING: Any = object()


def example(schema: Mapping[str, Any], components: Mapping[str, Any]) -> Any:
    """Return a value of the schema."""
    if "$ref" in schema:
        return example(components[schema["$ref"].rpartition("/")[2]], components)
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return example(schema[key][0], components)
    for key in ("enum", "examples"):
        if key in schema:
            return schema[key][0]
    if "const" in schema or "default" in schema:
        return schema.get("const", schema.get("default"))
    if "properties" in schema:
        return members(schema, components)
    if schema.get("type") == "array":
        return [example(schema["items"], components)] if "items" in schema else []
    if schema.get("type") == "integer":
        return schema.get("minimum", 1)
    if schema.get("format") == "date-time":
        return FIELDS["created_at"]
    return BY_TYPE.get(str(schema.get("type")))


def members(schema: Mapping[str, Any], components: Mapping[str, Any]) -> dict[str, Any]:
    return {name: member(name, told, components) for name, told in schema["properties"].items()}


def member(name: str, schema: Mapping[str, Any], components: Mapping[str, Any]) -> Any:
    """Return the value that the field's name suggests if the schema admits its type, else one of the schema."""
    suggested = FIELDS.get(name, ID if name.endswith("_id") and name != "client_id" else MISSING)
    if suggested is not MISSING and admits(schema, suggested, components):
        return suggested
    return example(schema, components)


def admits(schema: Mapping[str, Any], value: Any, components: Mapping[str, Any]) -> bool:
    """Return whether a value's JSON type is one of the schema's. A test judges patterns and bounds."""
    if "$ref" in schema:
        return admits(components[schema["$ref"].rpartition("/")[2]], value, components)
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return any(admits(each, value, components) for each in schema[key])
    if "enum" in schema:
        return value in schema["enum"]
    return schema.get("type") in (None, JSON_TYPES[type(value)])
