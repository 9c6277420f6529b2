"""The description: every route, every body and answer, references that resolve."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from jsonschema_rs import Draft202012Validator

from api.http.gate import Gate
from api.openapi import operations as texts
from api.openapi.described import consisting_of
from api.openapi.document import describe, kinds_of
from api.openapi.requests import ANY_PATCH, PATCHES, REQUESTS
from api.routes import HANDLERS
from api.write_documents import written
from ipam_core.model import base, decoding, field_docs
from ipam_core.model.dns_zone import DnsZone
from ipam_core.model.subnet import NewSubnet, Subnet

DOCS = Path(__file__).parents[2] / "docs"


def references(value: Any) -> set[str]:
    if isinstance(value, dict):
        found = {value["$ref"]} if isinstance(value.get("$ref"), str) else set()
        return found.union(*(references(member) for member in value.values()))
    if isinstance(value, list):
        return set().union(*(references(member) for member in value))
    return set()


async def test_it_describes_every_route(app: Gate, stranger: httpx.AsyncClient) -> None:
    document = (await stranger.get("/openapi.json")).json()
    assert document["openapi"].startswith("3.1")
    described = {(method.upper(), path) for path, entry in document["paths"].items() for method in entry}
    routes = {
        (method, route.path.replace(":str}", "}"))
        for route in app.app.routes  # type: ignore[attr-defined]
        for method in route.methods
        if method != "OPTIONS"
    }
    assert described == routes
    operations = [operation for entry in document["paths"].values() for operation in entry.values()]
    ids = [operation["operationId"] for operation in operations]
    assert len(set(ids)) == len(ids)
    for operation in operations:
        assert operation["responses"]["default"]["content"]["application/json"]["schema"] == {
            "$ref": "#/components/schemas/ErrorEnvelope"
        }
    schemas = document["components"]["schemas"]
    known = {
        f"#/components/{kind}/{name}" for kind, parts in document["components"].items() for name in parts
    }
    assert references(document) <= known
    assert set(schemas) == {name.rpartition("/")[2] for name in references(document) if "/schemas/" in name}
    for operation in operations:
        assert operation["summary"]
        assert {"400", "401", "403", "422", "429", "500", "503"} <= set(operation["responses"])
        for parameter in operation.get("parameters", ()):
            assert "$ref" in parameter or parameter["schema"]


async def test_it_knows_bodies_and_answers(stranger: httpx.AsyncClient) -> None:
    document = (await stranger.get("/openapi.json")).json()
    schemas = document["components"]["schemas"]
    create = document["paths"]["/api/v1/subnets/{subnet_id}/excludes"]["post"]
    assert create["requestBody"]["content"]["application/json"]["schema"] == {
        "$ref": "#/components/schemas/NewExclude"
    }
    assert create["responses"]["201"]["content"]["application/json"]["schema"] == {
        "$ref": "#/components/schemas/Exclude"
    }
    assert set(schemas["NewExclude"]["required"]) == {"start_ip", "end_ip"}
    listed = document["paths"]["/api/v1/leases"]["get"]
    names = {parameter["name"] for parameter in listed["parameters"]}
    assert {"limit", "cursor", "mac", "state", "expires_before"} <= names
    patch = document["paths"]["/api/v1/pools/{id}"]["patch"]
    limit = next(parameter for parameter in listed["parameters"] if parameter["name"] == "limit")
    assert limit["schema"]["type"] == "integer"
    assert create["requestBody"]["content"]["application/json"]["example"] == {
        "start_ip": "192.0.2.100",
        "end_ip": "192.0.2.199",
    }
    assert {"Location", "ETag", "RateLimit"} <= set(create["responses"]["201"]["headers"])
    assert {"$ref": "#/components/parameters/IdempotencyKey"} in create["parameters"]
    reserve = document["paths"]["/api/v1/subnets/{subnet_id}/reservations"]["post"]
    assert {"402", "409"} <= set(reserve["responses"])
    assert set(patch["requestBody"]["content"]) == {"application/json", "application/merge-patch+json"}


def test_it_says_what_every_field_and_parameter_means() -> None:
    """A new field has a docstring below it."""
    document = msgspec.json.decode(describe(HANDLERS))
    silent = [
        f"{name}.{field}"
        for name, schema in document["components"]["schemas"].items()
        for field, told in schema.get("properties", {}).items()
        if not told.get("description")
    ]
    silent += [
        f"{operation['operationId']}: {parameter['name']}"
        for entry in document["paths"].values()
        for operation in entry.values()
        for parameter in operation.get("parameters", ())
        if "$ref" not in parameter and parameter.get("description", "")[-10:].strip() in ("", "is so.")
    ]
    assert silent == []


def test_it_describes_every_operation_and_tag() -> None:
    """A new operation has its sentences in api/openapi/operations.py."""
    document = msgspec.json.decode(describe(HANDLERS))
    operations = [each for entry in document["paths"].values() for each in entry.values()]
    assert [each["operationId"] for each in operations if not each.get("description")] == []
    declared = {tag["name"] for tag in document["tags"] if tag["description"]}
    assert declared == {tag for each in operations for tag in each["tags"]}
    assert {"license", "contact", "description"} <= set(document["info"])
    ids = {each["operationId"] for each in operations}
    assert set(texts.OWN) <= ids


def examples(value: Any) -> Iterator[tuple[dict[str, Any], Any]]:
    """Schemas of the document with the examples beside them."""
    if isinstance(value, dict):
        if "schema" in value and "example" in value:
            yield value["schema"], value["example"]
        for member in value.values():
            yield from examples(member)
    elif isinstance(value, list):
        for member in value:
            yield from examples(member)


def test_every_example_fits_its_schema() -> None:
    document = msgspec.json.decode(describe(HANDLERS))
    shown = list(examples(document))
    assert len(shown) > 200
    faults = [
        f"{fault.instance_path}: {fault.message[:200]}"
        for schema, value in shown
        for fault in Draft202012Validator(
            {**schema, "components": document["components"], "unevaluatedProperties": False}
        ).iter_errors(value)
    ]
    assert faults == []


def test_every_docstring_describes_a_field() -> None:
    """A docstring below a class variable, or of a class that no struct has, would never be shown."""
    kinds = {kind.__name__: kind for kind in consisting_of(kinds_of(HANDLERS))}
    for module in {kind.__module__ for kind in kinds.values()}:
        structs = {
            name: owner.__struct_fields__
            for name, owner in vars(sys.modules[module]).items()
            if isinstance(owner, type) and issubclass(owner, msgspec.Struct)
        }
        for owner, fields in field_docs.docs_of(module).items():
            assert owner == "Common" or fields.keys() <= {*structs.get(owner, ())}, owner


def test_shared_descriptions_are_used() -> None:
    names = {name for kind in consisting_of(kinds_of(HANDLERS)) for name in kind.__struct_fields__}
    assert field_docs.docs_of(base.__name__)["Common"].keys() <= names


@pytest.mark.parametrize(
    ("kind", "field", "begins"),
    [
        (NewSubnet, "cidr", "Network without host bits"),  # below its base class
        (Subnet, "site", "Where the network is"),  # of the command, in the same module
        (Subnet, "tags", "Words for searches"),  # of all families
        (DnsZone, "serial", "Serial of the SOA. Each"),  # its own, before that of the command
        (Subnet, "none", ""),
        (int, "real", ""),
    ],
)
def test_a_field_has_the_closest_description(kind: type, field: str, begins: str) -> None:
    found = field_docs.meaning(kind, field)
    assert found.startswith(begins)
    assert bool(found) == bool(begins)


TAKING = [handler for handler in HANDLERS if "takes" in handler.opt and not handler.opt.get("patches")]
PATCHING = [handler for handler in HANDLERS if handler.opt.get("patches")]


def test_what_requests_show_is_what_they_take() -> None:
    for handler in TAKING:
        kind = handler.opt["takes"]
        assert decoding.command(REQUESTS[kind.__name__], kind)
    assert set(REQUESTS) == {handler.opt["takes"].__name__ for handler in TAKING}
    for handler in PATCHING:
        kind = handler.opt["takes"]
        assert set(PATCHES.get(kind.__name__, ANY_PATCH)) <= set(kind.__struct_fields__), kind


@pytest.mark.parametrize("name", ["openapi.json", "site.schema.json"])
def test_the_written_documents_are_fresh(name: str) -> None:
    """After a change of routes or models: python -m api.write_documents docs/"""
    assert (DOCS / name).read_bytes() == written(describe(HANDLERS))[name]


async def test_the_fragment_is_the_address_plan(stranger: httpx.AsyncClient) -> None:
    document = (await stranger.get("/openapi-ipam.json")).json()
    assert "/api/v1/subnets" in document["paths"]
    assert "/api/v1/webhooks" not in document["paths"]
    assert "Webhook" not in document["components"]["schemas"]
    known = {
        f"#/components/{kind}/{name}" for kind, parts in document["components"].items() for name in parts
    }
    assert references(document) <= known
