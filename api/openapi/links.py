"""Links in the OpenAPI document: how what a create answers leads on to the object itself and to what is made below it.

They follow from the paths: the new object's item, its other operations and the collections below it take its id; the
item's operations take its entity tag too.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from litestar.handlers import HTTPRouteHandler

ID, TAG = "$response.body#/id", "$response.header.ETag"
CONDITIONS = {"GET": "header.If-None-Match", "PATCH": "header.If-Match", "DELETE": "header.If-Match"}


def links(handler: HTTPRouteHandler, handlers: Mapping[str, HTTPRouteHandler]) -> dict[str, Any]:
    """Return the links by the operation that each leads to."""
    collection = collection_of(handler.opt.get("answers"), handlers)
    if handler.status_code != 201 or collection is None:
        return {}
    found = {}
    for name, other in sorted(handlers.items()):
        parameter = parameter_below(path_of(other), collection)
        if parameter is not None:
            told = {f"path.{parameter}": ID} | dict(conditions(other))
            found[name] = {"operationId": name, "parameters": told}
    return found


def collection_of(answers: Any, handlers: Mapping[str, HTTPRouteHandler]) -> str | None:
    """Return where objects of this kind are found: the secret in the answer to a create does not make it another
    kind."""
    for other in handlers.values():
        kind, path = other.opt.get("answers"), path_of(other)
        is_item = "GET" in other.http_methods and path.endswith("/{id:str}") and path.count("/") == 2
        if is_item and is_kind_of(answers, kind):
            return path.removesuffix("/{id:str}")
    return None


def is_kind_of(answers: Any, kind: Any) -> bool:
    return isinstance(answers, type) and isinstance(kind, type) and issubclass(answers, kind)


def path_of(handler: HTTPRouteHandler) -> str:
    return min(handler.paths)


def parameter_below(path: str, collection: str) -> str | None:
    """Return the name that a path gives to the id of the collection's object."""
    head, brace, rest = path.partition("/{")
    return rest.partition(":")[0] if brace and head == collection and "{" not in rest else None


def conditions(handler: HTTPRouteHandler) -> Iterator[tuple[str, Any]]:
    method = min(handler.http_methods - {"HEAD", "OPTIONS"})
    if path_of(handler).endswith("/{id:str}"):
        yield CONDITIONS[method], TAG
        if method == "DELETE":
            yield "query.cascade", "true"
