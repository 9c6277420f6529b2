"""The OpenAPI 3.1 document: Litestar's paths and operations, msgspec's schemas.

Routes decode their bodies themselves, so that the API words every refusal. Their `opt` contains their bodies and
answers, which are merged here into Litestar's document. `python -m api.write_documents docs/` writes the whole
document, from which the build derives its IPAM part; a test fails when the written one is stale.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

import msgspec
from litestar import Litestar
from litestar.handlers import HTTPRouteHandler
from litestar.openapi.config import OpenAPIConfig
from litestar.routes import HTTPRoute

from api.http.envelope import ErrorEnvelope
from api.openapi import described as described_by
from api.openapi import links, parameters, queries
from api.openapi import operations as operation_texts
from api.openapi.examples import example
from api.openapi.parameters import ERRORS, HEADERS, PARAMETERS, REFERENCE, header_references
from api.openapi.queries import NO_NUL
from api.openapi.requests import ANY_PATCH, PATCHES, REQUESTS
from ipam_core.dhcp import registry
from ipam_core.dhcp.kinds.table import KINDS
from ipam_core.model.families import FAMILIES
from ipam_core.model.impact import Rehearsal
from ipam_core.model.values import PATTERNS
from ipam_core.settings import BASE_PATH

LAST_EVENT_ID: dict[str, Any] = {
    "name": "Last-Event-ID",
    "in": "header",
    "schema": {"type": "string", "maxLength": 4096},
    "description": "For a stream: continue after this event.",
}

INFO: dict[str, Any] = {
    "description": (
        "Management of IP addresses, DHCP and DNS. Every request needs a bearer token. All errors "
        "have the same form and contain the field and the request id."
    ),
    "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
    "contact": {"name": "The maintainers; CONTRIBUTING.md and SECURITY.md describe how to reach them"},
}

# Families of the IPAM fragment: the plan, its options and leases, without the service around it.
IPAM = {family.name for family in FAMILIES.values() if family.in_plan} | {"search", "bulk", "dhcp"}


@cache
def describe(handlers: tuple[HTTPRouteHandler, ...]) -> bytes:
    """Return the document of an API of these routes, as JSON. It comes of an application that serves nothing, because
    one with the framework's description switched on would also have the framework's pages."""
    config = OpenAPIConfig(title="IPAM", version="1")
    app = Litestar(handlers, path=BASE_PATH, openapi_config=config, logging_config=None)
    return msgspec.json.encode(build(app))


@cache
def fragment(whole: bytes) -> bytes:
    """Return the IPAM part of the document, with the schemas that it needs."""
    described = msgspec.json.decode(whole)
    described["info"]["title"] = "IPAM: address plan, DHCP options and leases"
    described["paths"] = {path: entry for path, entry in described["paths"].items() if family(path) in IPAM}
    used = tags_of(described["paths"])
    described["tags"] = [tag for tag in described["tags"] if tag["name"] in used]
    schemas = described["components"]["schemas"]
    needed = reachable(schemas, [described["paths"], described["components"]["responses"]])
    described["components"]["schemas"] = {name: schemas[name] for name in sorted(needed)}
    return msgspec.json.encode(described)


def reachable(schemas: Mapping[str, Any], roots: Iterable[Any]) -> set[str]:
    found: set[str] = set()
    waiting = [name for root in roots for name in schema_names(root)]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += schema_names(schemas[name])
    return found


def schema_names(value: Any) -> Iterator[str]:
    """Yield names of the schemas that a part of the document refers to."""
    prefix = REFERENCE.format(name="")
    if isinstance(value, list):
        for member in value:
            yield from schema_names(member)
    if isinstance(value, dict):
        if str(value.get("$ref", "")).startswith(prefix):
            yield value["$ref"].removeprefix(prefix)
        for member in value.values():
            yield from schema_names(member)


def family(path: str) -> str:
    return path.removeprefix(BASE_PATH + "/").partition("/")[0]


def build(app: Litestar) -> dict[str, Any]:
    described = dict(app.openapi_schema.to_schema())
    handlers = operations(app)
    kinds = kinds_of(handlers.values())
    schemas, components = msgspec.json.schema_components(
        kinds, schema_hook=PATTERNS.__getitem__, ref_template=REFERENCE
    )
    described_by.describe_fields(components, kinds)
    components["NewOptionDefinition"]["properties"]["kind"]["enum"] = sorted(KINDS)
    components["OptionDefinitionFields"]["properties"]["kind"]["enum"] = sorted(KINDS)
    by_kind = dict(zip(map(repr, kinds), schemas, strict=True))
    writer = Writer(by_kind, components, handlers)
    for path, entry in described["paths"].items():
        for method, operation in entry.items():
            entry[method] = writer.describe(path, method, operation, handlers[operation["operationId"]])
    needed = reachable(components, [described["paths"], parameters.error_responses()])
    described["components"] = {
        "schemas": {name: without_nul(components[name]) for name in sorted(needed)},
        "parameters": PARAMETERS,
        "headers": HEADERS,
        "responses": parameters.error_responses(),
        "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
    }
    described["security"] = [{"token": []}]
    described["tags"] = operation_texts.tags(tags_of(described["paths"]))
    described["info"] |= INFO
    described["x-dhcp-options"] = {str(family): option_texts(family) for family in (4, 6)}
    return described


def option_texts(family: int) -> dict[str, str]:
    """Return name and kind of each registered option that can be stored, by its code; a list has an asterisk behind its
    kind. The console's table of options is made of this."""
    return {
        str(option.code): f"{option.name} {option.kind}{'*' if option.array else ''}"
        for option in registry.every(family)
        if registry.storable(family, option.code)
    }


def tags_of(paths: Mapping[str, Any]) -> set[str]:
    return {tag for entry in paths.values() for operation in entry.values() for tag in operation["tags"]}


def kinds_of(handlers: Iterable[HTTPRouteHandler]) -> list[Any]:
    """Return what routes take and answer."""
    named = [handler.opt.get(name) for handler in handlers for name in ("takes", "answers")]
    return [ErrorEnvelope, Rehearsal, *filter(None, named)]


def without_nul(schema: Any) -> Any:
    """Return the schema without NUL: PostgreSQL's text holds none, and strings with further rules cannot have one
    anyway."""
    if isinstance(schema, list):
        return [without_nul(member) for member in schema]
    if not isinstance(schema, dict):
        return schema
    told = {name: without_nul(member) for name, member in schema.items()}
    free = schema.get("type") == "string" and not {"format", "pattern", "enum"} & set(schema)
    return told | ({"pattern": NO_NUL} if free else {})


def operations(app: Litestar) -> dict[str, HTTPRouteHandler]:
    return {
        str(handler.operation_id): handler
        for route in app.routes
        if isinstance(route, HTTPRoute)
        for handler in route.route_handlers
        if handler.operation_id
    }


def replayed(method: str, handler: HTTPRouteHandler) -> bool:
    """Return whether it takes an Idempotency-Key: all that create do, and a bulk."""
    return method == "post" and (handler.status_code == 201 or bool(handler.opt.get("replayed")))


class Writer:
    """Writer of operations; the schemas of merge patches are added to the components on the way."""

    def __init__(
        self,
        by_kind: Mapping[str, Any],
        components: dict[str, Any],
        handlers: Mapping[str, HTTPRouteHandler],
    ) -> None:
        self.by_kind = by_kind
        self.components = components
        self.handlers = handlers

    def describe(
        self, path: str, method: str, operation: dict[str, Any], handler: HTTPRouteHandler
    ) -> dict[str, Any]:
        said = operation_texts.described(str(handler.operation_id))
        described = {**operation, "tags": [family(path)]} | ({"description": said} if said else {})
        told = [self.path_parameter(each) for each in operation.get("parameters", [])]
        told += queries.parameters(str(handler.operation_id), handler.opt)
        told += parameters.header_parameters(method, replayed(method, handler), path.endswith("/{id}"))
        if "streams" in handler.opt:
            told.append(LAST_EVENT_ID)
        if told:
            described["parameters"] = told
        if "takes" in handler.opt:
            described["requestBody"] = self.request_body(handler)
        described["responses"] = self.responses(path, method, handler)
        return described

    def path_parameter(self, parameter: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in parameter.items() if name != "deprecated"} | {
            "description": "Id of the object, as in its field `id`.",
            "schema": {"type": "string", "minLength": 1},
            "example": "0197a3c4-52b1-7c31-9d4e-0f5a6b7c8d9e",
        }

    def responses(self, path: str, method: str, handler: HTTPRouteHandler) -> dict[str, Any]:
        status = 204 if "bare" in handler.opt else handler.status_code
        found = {str(status): self.success(path, method, handler)}
        if "rehearsed" in handler.opt:
            self.add_rehearsal(found)
        if method == "get" and path.endswith("/{id}"):
            found["304"] = {"description": "The object still has the entity tag in If-None-Match."}
        for status in parameters.statuses(method, path, "takes" in handler.opt):
            found[str(status)] = {"$ref": f"#/components/responses/{ERRORS[status][0]}"}
        refused = {"schema": {"$ref": REFERENCE.format(name="ErrorEnvelope")}}
        found["default"] = {
            "description": "The request was refused or failed.",
            "content": {"application/json": refused},
        }
        return found

    def add_rehearsal(self, found: dict[str, Any]) -> None:
        """Add the answer of a dry run, 200, beside the object where that is answered so too."""
        told = self.by_kind[repr(Rehearsal)]
        content = {"application/json": {"schema": told}}
        entry = found.setdefault("200", {"description": "Result of a dry run.", "content": content})
        own = entry["content"]["application/json"]
        if own["schema"] != told:
            own["schema"] = {"oneOf": [own["schema"], told]}

    def success(self, path: str, method: str, handler: HTTPRouteHandler) -> dict[str, Any]:
        headers = ["RequestId", "RateLimit", "RateLimitPolicy"]
        if handler.status_code == 201:
            headers += ["Location", "ETag"]
        elif method in ("get", "patch") and path.endswith("/{id}"):
            headers.append("ETag")
        if replayed(method, handler):
            headers.append("Replayed")
        answered: dict[str, Any] = {"description": "Success", "headers": header_references(*headers)}
        if "answers" in handler.opt:
            answered["content"] = self.content(self.by_kind[repr(handler.opt["answers"])])
        if "streams" in handler.opt:  # beside JSON, by Accept
            answered["content"] |= {handler.opt["streams"]: {"schema": {"type": "string"}}}
        if "media" in handler.opt:  # text, and no JSON
            answered["content"] = {handler.opt["media"]: {"schema": {"type": "string"}}}
        if found := links.links(handler, self.handlers):
            answered["links"] = found
        return answered

    def request_body(self, handler: HTTPRouteHandler) -> dict[str, Any]:
        taken = handler.opt["takes"]
        if not handler.opt.get("patches"):
            required = handler.opt.get("body_required", True)
            content = self.content(self.by_kind[repr(taken)], REQUESTS.get(taken.__name__))
            return {"required": required, "content": content}
        schema = self.merge_patch(self.by_kind[repr(taken)])
        entry = {"schema": schema, "example": PATCHES.get(taken.__name__, ANY_PATCH)}
        return {"required": True, "content": dict.fromkeys(MERGE_PATCHES, entry)}

    def merge_patch(self, reference: Mapping[str, str]) -> dict[str, str]:
        """Return the schema of a merge patch: all may be left out, and null clears fields with a default."""
        name = reference["$ref"].rpartition("/")[2]
        whole = self.components[name]
        needed = whole.get("required", ())
        fields = {
            key: nullable(schema) if key not in needed and "default" in schema else schema
            for key, schema in whole["properties"].items()
        }
        self.components[f"{name}Patch"] = {
            "title": f"{name}Patch",
            "description": "JSON Merge Patch (RFC 7396)",
            "type": "object",
            "properties": fields,
            "additionalProperties": False,
        }
        return {"$ref": REFERENCE.format(name=f"{name}Patch")}

    def content(self, schema: Any, shown: Any = None) -> dict[str, Any]:
        """Return the content of the schema, with its example; without one it is made of the schema."""
        wanted = shown or example(schema, self.components)
        return {"application/json": {"schema": schema, "example": wanted}}


MERGE_PATCHES = ("application/json", "application/merge-patch+json")


def nullable(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema or null, with the description on both."""
    said = {name: schema[name] for name in ("description",) if name in schema}
    bare = {name: value for name, value in schema.items() if name not in ("default", *said)}
    return {"anyOf": [bare, {"type": "null"}]} | said
