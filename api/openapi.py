"""The OpenAPI 3.1 document: Litestar's paths and operations, msgspec's schemas.

Routes decode their bodies themselves, so that every refusal is ours to word; what they take and answer
stands in their `opt`, and is laid here over what Litestar generates.
"""

from typing import Any

import msgspec
from litestar import Litestar
from litestar.handlers import HTTPRouteHandler
from litestar.routes import HTTPRoute

from api.schemas.error import ErrorEnvelope
from ipam_core.model.values import PATTERNS

REFERENCE = "#/components/schemas/{name}"


def document(app: Litestar) -> bytes:
    """The document as JSON."""
    return msgspec.json.encode(build(app))


def build(app: Litestar) -> dict[str, Any]:
    described = dict(app.openapi_schema.to_schema())
    handlers = operations(app)
    named = [handler.opt.get(name) for handler in handlers.values() for name in ("takes", "answers")]
    kinds = [ErrorEnvelope, *filter(None, named)]
    schemas, components = msgspec.json.schema_components(
        kinds, schema_hook=PATTERNS.__getitem__, ref_template=REFERENCE
    )
    by_kind = dict(zip(map(repr, kinds), schemas, strict=True))
    for path in described["paths"].values():
        for method, operation in path.items():
            handler = handlers[operation["operationId"]]
            path[method] = describe(operation, handler, by_kind)
    described["components"] = {
        "schemas": components,
        "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
    }
    described["security"] = [{"token": []}]
    return described


def operations(app: Litestar) -> dict[str, HTTPRouteHandler]:
    return {
        str(handler.operation_id): handler
        for route in app.routes
        if isinstance(route, HTTPRoute)
        for handler in route.route_handlers
        if handler.operation_id
    }


def describe(operation: dict[str, Any], handler: HTTPRouteHandler, by_kind: dict[str, Any]) -> dict[str, Any]:
    described = {**operation, "responses": {}}
    parameters = list(operation.get("parameters", []))
    for name in handler.opt.get("query", ()):
        parameters.append({"name": name, "in": "query", "required": False, "schema": {"type": "string"}})
    if parameters:
        described["parameters"] = parameters
    if "takes" in handler.opt:
        described["requestBody"] = request_body(by_kind[repr(handler.opt["takes"])], handler)
    success = str(handler.status_code)
    described["responses"][success] = {"description": "Success"}
    if "answers" in handler.opt:
        described["responses"][success]["content"] = json_content(by_kind[repr(handler.opt["answers"])])
    refused = json_content({"$ref": REFERENCE.format(name="ErrorEnvelope")})
    described["responses"]["default"] = {"description": "Refused or failed", "content": refused}
    return described


def request_body(schema: Any, handler: HTTPRouteHandler) -> dict[str, Any]:
    if handler.opt.get("patches"):
        # A merge patch may leave out everything and set anything to null.
        patch = {"type": "object", "description": "JSON Merge Patch of the fields of the create"}
        return {
            "required": True,
            "content": json_content(patch) | {"application/merge-patch+json": {"schema": patch}},
        }
    return {"required": True, "content": json_content(schema)}


def json_content(schema: Any) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}
