"""The description: every route, every body and answer, references that resolve."""

from typing import Any

import httpx

from api.gate import Gate


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
    assert references(document) <= {f"#/components/schemas/{name}" for name in schemas}


async def test_it_knows_bodies_and_answers(stranger: httpx.AsyncClient) -> None:
    document = (await stranger.get("/openapi.json")).json()
    schemas = document["components"]["schemas"]
    create = document["paths"]["/api/v1/subnets/{subnet_id}/pools"]["post"]
    assert create["requestBody"]["content"]["application/json"]["schema"] == {
        "$ref": "#/components/schemas/NewPool"
    }
    assert create["responses"]["201"]["content"]["application/json"]["schema"] == {
        "$ref": "#/components/schemas/Pool"
    }
    assert set(schemas["NewPool"]["required"]) == {"start_ip", "end_ip"}
    listed = document["paths"]["/api/v1/leases"]["get"]
    names = {parameter["name"] for parameter in listed["parameters"]}
    assert {"limit", "cursor", "mac", "state", "expires_before"} <= names
    patch = document["paths"]["/api/v1/pools/{id}"]["patch"]
    assert set(patch["requestBody"]["content"]) == {"application/json", "application/merge-patch+json"}
