"""Objects that the operations of a bulk name, read before the first is done: their locks are taken together.

Unknown names are not searched here; the operation itself reports them.
"""

from collections.abc import Iterator
from ipaddress import ip_address
from typing import Any
from uuid import UUID

from ipam_core.model.bulk import Operation
from ipam_core.model.families import PLAIN, Level
from ipam_core.model.ids import parse_id
from ipam_core.model.values import Address
from ipam_core.services.entity.locks import Named
from ipam_core.settings import BASE_PATH

# They are locked by fences of subnets; a new subnet is below its prefix.
ALONE = {family.name for family in PLAIN if family.alone}  # some of them hang on a tenant as such
FENCED = {family.name for family in PLAIN if family.level in (Level.SUBNET, Level.FENCE)}


def of(operations: list[Operation]) -> Named:
    return Named(
        ids=sorted({id_ for operation in operations for id_ in ids_of(operation)}),
        rewritten=[id_ for each in operations if each.op != "create" for id_ in item(each, "subnets")],
        emptied=[id_ for each in operations if each.path.endswith("cascade=true") for id_ in item(each)],
        addresses=[ip for operation in operations for ip in address(operation)],
        at_tenant_level=any(map(is_at_tenant_level, operations)),
        defines=any(words(operation.path)[0] == "option-definitions" for operation in operations),
        withdraws=any(operation.op != "create" for operation in operations),
    )


def changes(operations: list[Operation]) -> Iterator[tuple[str, int]]:
    """Yield the id or `$ref` of each object that an operation updates or deletes, with the operation's index."""
    for index, operation in enumerate(operations):
        path = words(operation.path.partition("?")[0])
        if operation.op != "create" and len(path) == 2:
            id_ = parse_id(path[1])
            yield path[1] if id_ is None else str(id_), index


def fields(operations: list[Operation]) -> set[str]:
    """Return all fields that the bodies name."""
    return {name for operation in operations for name in operation.body or {}}


def words(path: str) -> list[str]:
    return path.removeprefix(BASE_PATH).strip("/").split("/")


def item(operation: Operation, collection: str | None = None) -> Iterator[UUID]:
    """Yield the id in an operation's path, if it is of the collection."""
    path = words(operation.path.partition("?")[0])
    id_ = parse_id(path[1]) if len(path) > 1 else None
    if id_ is not None and collection in (None, path[0]):
        yield id_


def ids_of(operation: Operation) -> Iterator[UUID]:
    """Yield those of the path and of what the body refers to."""
    yield from item(operation)
    for name, value in (operation.body or {}).items():
        id_ = parse_id(value) if name.endswith("_id") and isinstance(value, str) else None
        if id_ is not None:
            yield id_


def address(operation: Operation) -> Iterator[Address]:
    """Yield the address of an assignment whose subnet is that around it."""
    body: dict[str, Any] = operation.body or {}
    if operation.op == "create" and words(operation.path) == ["assignments"] and "subnet_id" not in body:
        try:
            yield ip_address(body["ip"])
        except (KeyError, TypeError, ValueError):
            return


def is_at_tenant_level(operation: Operation) -> bool:
    """Return whether it is below no subnet."""
    path = words(operation.path.partition("?")[0])
    return (path[0] not in FENCED or path[0] in ALONE) and path[1:2] != ["next-subnet"]
