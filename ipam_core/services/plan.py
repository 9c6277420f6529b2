"""The verbs that all nouns of the plan share: create, read, change, delete.

A write is one transaction: enter the place (for what stands below a subnet that raises the subnet's fence,
and the row lock serialises the checks among its children), check, write the row, record the change. What a
constraint refuses comes back as the Conflict that its name stands for.
"""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

import asyncpg

from ipam_core.errors import NotFound, ValidationError
from ipam_core.model import decoding
from ipam_core.model.actor import Actor
from ipam_core.model.base import Command, Model
from ipam_core.model.ids import new_id, parse_id
from ipam_core.services import changes, conflicts
from ipam_core.services.changes import Recorded
from ipam_core.services.noun import Change, Connection, M, NotPlain, Noun, Place, Row

Expectation = Callable[[Model], None]


def expect_nothing(model: Model) -> None:
    """The precondition of requests that state none."""


async def read(connection: Connection, noun: Noun[M], actor: Actor, id_: str) -> M:
    return noun.present(await fetch(connection, noun, actor, id_))


async def fetch(connection: Connection, noun: Noun[M], actor: Actor, id_: str) -> Row:
    """The view's row of an object that the actor may see."""
    key = parse_id(id_)
    row: Row | None = None
    if key is not None:
        row = await connection.fetchrow(noun.select_one, key, actor.tenant_no)
    if row is None:
        raise NotFound(noun.label, id_)
    return row


async def create(
    connection: Connection,
    noun: Noun[M],
    actor: Actor,
    parents: Mapping[str, str],
    command: Command,
    hasty: bool = False,
) -> M:
    """Makes an object below `parents` (path ids by name). `hasty`: take a shortcut even inside a transaction, which
    is lost if it raises NotPlain."""
    alone = not connection.is_in_transaction()
    if noun.shortcut and (alone or hasty):
        try:
            made: M | None = await noun.shortcut(connection, actor, parents, command)
        except NotPlain:
            if not alone:
                raise
            made = None
        if made is not None:
            return made
    return await create_carefully(connection, noun, actor, parents, command)


async def create_carefully(
    connection: Connection, noun: Noun[M], actor: Actor, parents: Mapping[str, str], command: Command
) -> M:
    """Step by step, so that whatever is in the way can be named."""
    values: dict[str, Any] = {"no": 0}
    async with naming_conflicts(connection, values), connection.transaction():
        place = await noun.enter(connection, actor, parents, command)
        change = Change(connection, actor, place, command, None)
        values.update(await column_values(noun, change))
        row = await connection.fetchrow(
            noun.insert, new_id(), *[values[name] for name in noun.keys + noun.columns]
        )
        await noun.settle(change)
        model = noun.present(row)
        await record(change, noun, row, Recorded(noun.name, None, model))
    return model


async def change(
    connection: Connection,
    noun: Noun[M],
    actor: Actor,
    id_: str,
    patch: Mapping[str, Any],
    expect: Expectation = expect_nothing,
) -> M:
    """Applies a JSON merge patch (RFC 7396) to the fields that a command may carry."""
    refuse_parents(noun, patch)
    values: dict[str, Any] = {}
    async with naming_conflicts(connection, values), connection.transaction():
        place, current = await lock(connection, noun, actor, id_)
        before = noun.present(current)
        expect(before)
        command = decoding.patched(before, patch, noun.patch)
        change = Change(connection, actor, place, command, current)
        values.update(await column_values(noun, change), no=change.no)
        row = await connection.fetchrow(noun.update, change.no, *[values[name] for name in noun.columns])
        after = noun.present(row)
        await record(change, noun, row, Recorded(noun.name, before, after))
    return after


async def lock(connection: Connection, noun: Noun[M], actor: Actor, id_: str) -> tuple[Place, Row]:
    """Locks an object's place, then reads the object: what is read cannot change before the COMMIT."""
    key = parse_id(id_)
    place = key and await noun.reenter(connection, actor, key)
    if not place:
        raise NotFound(noun.label, id_)
    return place, await fetch(connection, noun, actor, id_)


async def column_values(noun: Noun[M], change: Change) -> dict[str, Any]:
    values = dict(change.place.keys)
    fields = set(noun.columns).intersection(change.command.__struct_fields__)
    values.update((name, getattr(change.command, name)) for name in fields)
    values.update(await noun.admit(change))
    return values


def refuse_parents(noun: Noun[M], patch: Mapping[str, Any]) -> None:
    for name in noun.parents.intersection(patch):
        raise ValidationError(name, "cannot be changed")


async def record(change: Change, noun: Noun[M], row: Row, *recorded: Recorded) -> None:
    subnet_no = row["no"] if noun.name == "subnet" else change.place.subnet_no
    await changes.record(change.connection, change.actor, recorded, change.place.tenant_no, subnet_no)


@asynccontextmanager
async def naming_conflicts(connection: Connection, values: Mapping[str, Any]) -> AsyncIterator[None]:
    """Stands outside the transaction: the object in the way can be looked up only after the rollback."""
    try:
        yield
    except asyncpg.IntegrityConstraintViolationError as error:
        conflict = await conflicts.explain(connection, error, values)
        if conflict is None:
            raise
        raise conflict from None
