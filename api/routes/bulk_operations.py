"""Bulk operations: paths as the router knows them, each turned into the verb that its route would call.

All run in one transaction. Before the first one, all objects that they name are locked, in the order of all writers.
Work that needs the end (allocated addresses, the managed address limit, the change rows) is done for all together.
"""

import dataclasses
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

import asyncpg
import msgspec
from msgspec import UNSET

from api.routes import bulk_locks
from api.routes.families import RESOURCES
from api.routes.resource import flagged, flags_set
from ipam_core.errors import IpamError, ValidationError
from ipam_core.model import decoding
from ipam_core.model.actor import Actor
from ipam_core.model.base import Model
from ipam_core.model.bulk import Bulk, BulkResults, Operation, OperationResult
from ipam_core.model.families import FAMILIES
from ipam_core.model.subnet import NextSubnet
from ipam_core.model.webhook import NewWebhook
from ipam_core.services import impact, spaces
from ipam_core.services.entity import crud, deletion, locks
from ipam_core.services.entity.entity import Connection, Entity
from ipam_core.services.entity.exchange import Exchange
from ipam_core.services.entity.write_batch import Batch, naming_conflicts
from ipam_core.services.options import GLOBAL_OPTIONS
from ipam_core.services.prefixes import PREFIXES
from ipam_core.services.webhooks import WEBHOOKS

Create = Callable[..., Awaitable[Model]]


class Collection(NamedTuple):
    """Collection in which something can be made: the parent's name in the path, the body's type, the verb."""

    key: str | None
    takes: Any
    create: Create


def creator(entity: Entity[Any], key: str | None) -> Collection:
    async def create(connection: Connection, actor: Actor, above: Mapping[str, str], command: Any) -> Model:
        made: Model = await crud.create(connection, entity, actor, above, command)
        return made

    return Collection(key, entity.create, create)


async def create_next_subnet(
    connection: Connection, actor: Actor, above: Mapping[str, str], command: NextSubnet
) -> Model:
    return await spaces.create_next(connection, actor, above, command)


async def create_webhook(
    connection: Connection, actor: Actor, above: Mapping[str, str], command: NewWebhook
) -> Model:
    """Refuse a webhook without a secret: an answer of a bulk is kept and shows none, so a generated one would be
    lost."""
    if command.secret is UNSET:
        raise ValidationError(
            "secret", "is required in a bulk, because the response cannot contain a generated secret"
        )
    return await crud.create(connection, WEBHOOKS, actor, above, command)


COLLECTIONS: dict[tuple[str, ...], Collection] = {
    ("global-options",): creator(GLOBAL_OPTIONS, None),
    (PREFIXES.family.name, "next-subnet"): Collection(PREFIXES.family.key, NextSubnet, create_next_subnet),
    (WEBHOOKS.family.name,): Collection(None, NewWebhook, create_webhook),
}
ITEMS: dict[str, Entity[Any]] = {WEBHOOKS.family.name: WEBHOOKS}
for resource in RESOURCES:
    ITEMS[resource.collection] = resource.entity
    if not resource.parents:
        COLLECTIONS[(resource.collection,)] = creator(resource.entity, None)
    elif resource.entity.family.alone:
        whole = dataclasses.replace(resource.entity, create=resource.entity.create_alone)
        COLLECTIONS[(resource.collection,)] = creator(whole, None)
    for parent in resource.parents:
        words = resource.path_below(parent).strip("/").split("/")
        COLLECTIONS[(words[0], *words[2:])] = creator(resource.entity, parent.family.key)


async def perform(connection: Connection, actor: Actor, bulk: Bulk) -> BulkResults:
    """Perform all or nothing; a dry run does nothing, and returns the expected answers and further effects. An exchange
    of values between objects takes another run (see exchange.py)."""
    operations = bulk.operations
    exchange = Exchange(connection, bulk_locks.changes(operations), bulk_locks.fields(operations))
    while True:
        batch = Batch(actor)
        run = Run(connection, msgspec.structs.replace(actor, batch=batch), batch, exchange)
        with naming_operation(batch):
            async with naming_conflicts(connection, {}):
                try:
                    return await once(run, bulk)
                except asyncpg.IntegrityConstraintViolationError as error:
                    if not exchange.defer(error):
                        raise


async def once(run: "Run", bulk: Bulk) -> BulkResults:
    """Run the operations in a transaction of their own."""
    if bulk.dry_run:
        return BulkResults(
            *await impact.rehearse(run.connection, run.batch, lambda: run.all(bulk.operations))
        )
    async with run.connection.transaction():
        return BulkResults(await run.all(bulk.operations))


@contextmanager
def naming_operation(batch: Batch) -> Iterator[None]:
    """Name the operation that was under way in a refusal, unless it names another itself."""
    try:
        yield
    except IpamError as error:
        if batch.index is not None:
            vars(error).setdefault("index", batch.index)
        raise


def not_creatable(name: str) -> str:
    family = FAMILIES.get(name)
    paths = " or ".join(family.nested_paths) if family else ""
    return f"is not a path at which objects can be created{paths and f'; use {paths}'}"


class Run:
    """The operations of one request as they go, and the ids that they have named."""

    def __init__(self, connection: Connection, actor: Actor, batch: Batch, exchange: Exchange) -> None:
        self.connection = connection
        self.actor = actor
        self.batch = batch
        self.exchange = exchange
        self.ids: dict[str, str] = {}

    async def all(self, operations: list[Operation]) -> list[OperationResult]:
        self.batch.locked = await locks.hold(self.connection, self.actor, bulk_locks.of(operations))
        await self.exchange.begin(self.batch)
        results = []
        for index, operation in enumerate(operations):
            self.batch.enter(index)
            status, body = await getattr(self, operation.op)(operation)
            if self.exchange.deferred:
                await self.exchange.look_outside()
            results.append(OperationResult(index, status, body))
        await self.exchange.settle()
        await self.batch.finish(self.connection)
        return results

    async def create(self, operation: Operation) -> tuple[int, Model]:
        path, _, query = operation.path.partition("?")
        words = self.words(path)
        found = COLLECTIONS.get((words[0], *words[2:]))
        if found is None or (found.key is None) != (len(words) == 1):
            raise ValidationError("path", not_creatable(words[0]))
        above = {} if found.key is None else {found.key: words[1]}
        actor = self.flagged(query, words[0])
        command = decoding.command(self.filled(operation.body or {}), found.takes)
        made = await found.create(self.connection, actor, above, command)
        self.name(operation.ref, made.id)
        return 201, made

    async def update(self, operation: Operation) -> tuple[int, Model]:
        path, _, query = operation.path.partition("?")
        entity, id_ = self.item(path)
        actor = self.flagged(query, entity.family.name)
        patch = self.filled(operation.body or {})
        changed: Model = await crud.change(self.connection, entity, actor, id_, patch)
        self.name(operation.ref, changed.id)
        return 200, changed

    async def delete(self, operation: Operation) -> tuple[int, None]:
        path, _, query = operation.path.partition("?")
        if query not in ("", "cascade=true", "cascade=false"):
            raise ValidationError("path", "has a query, and a delete takes only cascade")
        if operation.body:
            raise ValidationError("body", "must be left out of a delete")
        entity, id_ = self.item(path)
        await deletion.delete(self.connection, entity, self.actor, id_, cascade=query == "cascade=true")
        self.batch.gone(id_)
        return 204, None

    def flagged(self, query: str, family: str) -> Actor:
        """Return the actor with the flags of an operation's path. Raises ValidationError for those that its family does
        not have."""
        names = FAMILIES[family].write_flags if family in FAMILIES else ()
        return flagged(self.actor, flags_set(dict(parse_qsl(query, keep_blank_values=True)), names))

    def item(self, path: str) -> tuple[Entity[Any], str]:
        words = self.words(path)
        if len(words) != 2 or words[0] not in ITEMS:
            raise ValidationError("path", "is not the path of an object of the plan")
        return ITEMS[words[0]], words[1]

    def words(self, path: str) -> list[str]:
        words = bulk_locks.words(path)
        return [self.id_of(word[1:]) if word.startswith("$") else word for word in words]

    def id_of(self, ref: str) -> str:
        if ref not in self.ids:
            raise ValidationError("path", f"refers to {ref}, which no earlier operation has as its ref")
        return self.ids[ref]

    def filled(self, value: Any) -> Any:
        """Return a body with ids for `$name`; a text that only looks like one is a text."""
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
            raise ValidationError("ref", f"{ref} is the ref of an earlier operation; choose another")
        self.ids[ref] = id_
        if f"${ref}" in self.batch.changes:
            self.batch.changes[id_] = max(self.batch.changes[f"${ref}"], self.batch.changes.get(id_, 0))
