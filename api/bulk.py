"""Bulk operations: paths as the router knows them, each turned into the verb that its route would call.

All run in one transaction. The first attempt takes the shortcuts that some nouns have; a shortcut that is refused
says not why and spoils the transaction, so then all is done again step by step, and the refusal names its operation.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple

from api.routes import dns
from api.routes.plan import IN_PREFIX, RESOURCES
from ipam_core.errors import IpamError, ValidationError
from ipam_core.model import decoding
from ipam_core.model.actor import Actor
from ipam_core.model.base import Model
from ipam_core.model.bulk import Bulk, Operation, OperationResult
from ipam_core.model.subnet import NextSubnet
from ipam_core.services import plan, removal, spaces
from ipam_core.services.noun import Connection, NotPlain, Noun
from ipam_core.services.options import GLOBAL_OPTIONS

BASE_PATH = "/api/v1"

Create = Callable[..., Awaitable[Model]]


class Collection(NamedTuple):
    """Where something can be made: the parent's name in the path, the body's type, the verb."""

    key: str | None
    takes: Any
    create: Create


def creator(noun: Noun[Any], key: str | None) -> Collection:
    async def create(
        connection: Connection, actor: Actor, above: Mapping[str, str], command: Any, hasty: bool
    ) -> Model:
        made: Model = await plan.create(connection, noun, actor, above, command, hasty=hasty)
        return made

    return Collection(key, noun.create, create)


async def create_next_subnet(
    connection: Connection, actor: Actor, above: Mapping[str, str], command: NextSubnet, **_: bool
) -> Model:
    return await spaces.create_next(connection, actor, above, command)


COLLECTIONS: dict[tuple[str, ...], Collection] = {
    ("global-options",): creator(GLOBAL_OPTIONS, None),
    (IN_PREFIX.collection, "next-subnet"): Collection(IN_PREFIX.key, NextSubnet, create_next_subnet),
}
ITEMS: dict[str, Noun[Any]] = {}
for resource in (*RESOURCES, *dns.RESOURCES):
    ITEMS[resource.collection] = resource.noun
    if resource.top:
        COLLECTIONS[(resource.collection,)] = creator(resource.noun, None)
    for parent in resource.parents:
        COLLECTIONS[(parent.collection, resource.below or resource.collection)] = creator(
            resource.noun, parent.key
        )


async def perform(connection: Connection, actor: Actor, bulk: Bulk) -> list[OperationResult]:
    """Does all or nothing; a dry run does nothing and answers what would have been."""
    try:
        return await attempt(connection, actor, bulk, hasty=True)
    except NotPlain:
        return await attempt(connection, actor, bulk, hasty=False)


async def attempt(connection: Connection, actor: Actor, bulk: Bulk, hasty: bool) -> list[OperationResult]:
    transaction = connection.transaction()
    await transaction.start()
    try:
        results = await Batch(connection, actor, hasty).run(bulk.operations)
    except BaseException:
        await transaction.rollback()
        raise
    await (transaction.rollback() if bulk.dry_run else transaction.commit())
    return results


class Batch:
    """The operations of one request as they go, and the ids that they have named."""

    def __init__(self, connection: Connection, actor: Actor, hasty: bool) -> None:
        self.connection = connection
        self.actor = actor
        self.hasty = hasty
        self.ids: dict[str, str] = {}

    async def run(self, operations: list[Operation]) -> list[OperationResult]:
        results = []
        for index, operation in enumerate(operations):
            try:
                status, body = await getattr(self, operation.op)(operation)
            except IpamError as error:
                vars(error)["index"] = index
                raise
            results.append(OperationResult(index, status, body))
        return results

    async def create(self, operation: Operation) -> tuple[int, Model]:
        words = self.words(operation.path)
        found = COLLECTIONS.get((words[0], *words[2:]))
        if found is None or (found.key is None) != (len(words) == 1):
            raise ValidationError("path", "nothing can be created there")
        above = {} if found.key is None else {found.key: words[1]}
        command = decoding.command(self.filled(operation.body or {}), found.takes)
        made = await found.create(self.connection, self.actor, above, command, hasty=self.hasty)
        self.name(operation.ref, made.id)
        return 201, made

    async def update(self, operation: Operation) -> tuple[int, Model]:
        noun, id_ = self.item(operation.path)
        patch = self.filled(operation.body or {})
        changed: Model = await plan.change(self.connection, noun, self.actor, id_, patch)
        self.name(operation.ref, changed.id)
        return 200, changed

    async def delete(self, operation: Operation) -> tuple[int, None]:
        path, _, query = operation.path.partition("?")
        if query not in ("", "cascade=true", "cascade=false"):
            raise ValidationError("path", "a delete takes no query but cascade")
        if operation.body:
            raise ValidationError("body", "a delete has none")
        noun, id_ = self.item(path)
        await removal.delete(self.connection, noun, self.actor, id_, cascade=query == "cascade=true")
        return 204, None

    def item(self, path: str) -> tuple[Noun[Any], str]:
        words = self.words(path)
        if len(words) != 2 or words[0] not in ITEMS:
            raise ValidationError("path", "is not that of an object of the plan")
        return ITEMS[words[0]], words[1]

    def words(self, path: str) -> list[str]:
        words = path.removeprefix(BASE_PATH).strip("/").split("/")
        return [self.id_of(word[1:]) if word.startswith("$") else word for word in words]

    def id_of(self, ref: str) -> str:
        if ref not in self.ids:
            raise ValidationError("path", f"no earlier operation has the ref {ref}")
        return self.ids[ref]

    def filled(self, value: Any) -> Any:
        """A body with ids for `$name`; a text that only looks like one is a text."""
        if isinstance(value, str) and value.startswith("$"):
            return self.ids.get(value[1:], value)
        if isinstance(value, dict):
            return {name: self.filled(member) for name, member in value.items()}
        if isinstance(value, list):
            return [self.filled(member) for member in value]
        return value

    def name(self, ref: str | None, id_: str) -> None:
        if ref is None:
            return
        if ref in self.ids:
            raise ValidationError("ref", f"an earlier operation has the ref {ref}")
        self.ids[ref] = id_
