"""The verbs that all nouns of the plan share: create, read, change, delete.

A write is one transaction: enter the place (for what stands below a subnet that raises the subnet's fence,
and the row lock serialises the checks among its children), check, write the row; at the end take the addresses, count
them and record the change (see batches). What a constraint refuses comes back as the Conflict that its name stands for.
"""

from collections.abc import Callable, Mapping
from typing import Any

from ipam_core.errors import NotFound, ValidationError
from ipam_core.model import decoding
from ipam_core.model.actor import Actor
from ipam_core.model.base import Command, Model
from ipam_core.model.ids import new_id, parse_id
from ipam_core.services.entity import change_log
from ipam_core.services.entity.change_log import Recorded
from ipam_core.services.entity.entity import Change, Connection, M, Noun, Place, Row
from ipam_core.services.entity.write_batch import writing

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
    connection: Connection, noun: Noun[M], actor: Actor, parents: Mapping[str, str], command: Command
) -> M:
    """Makes an object below `parents` (path ids by name)."""
    if noun.shortcut is not None and not connection.is_in_transaction():
        made: M | None = await noun.shortcut(connection, actor, parents, command)
        if made is not None:
            return made
    return await create_stepwise(connection, noun, actor, parents, command)


async def create_stepwise(
    connection: Connection, noun: Noun[M], actor: Actor, parents: Mapping[str, str], command: Command
) -> M:
    """So that whatever is in the way can be named."""
    values: dict[str, Any] = {"no": 0}
    async with writing(connection, actor, values) as batch:
        place = await noun.enter(connection, actor, parents, command)
        change = Change(connection, actor, place, command, None, batch)
        values.update(await column_values(noun, change))
        row = await connection.fetchrow(
            noun.insert, new_id(), *[values[name] for name in noun.keys + noun.columns]
        )
        await noun.settle(change)
        model = noun.present(row)
        note(change, noun, row, Recorded(noun.name, None, model))
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
    async with writing(connection, actor, values) as batch:
        place, current = await lock(connection, noun, actor, id_)
        before = noun.present(current)
        expect(before)
        command = decoding.patched(before, patch, noun.patch)
        change = Change(connection, actor, place, command, current, batch)
        values.update(await column_values(noun, change), no=change.no)
        row = await connection.fetchrow(noun.update, change.no, *[values[name] for name in noun.columns])
        after = noun.present(row)
        note(change, noun, row, Recorded(noun.name, before, after))
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


def note(change: Change, noun: Noun[M], row: Row, *recorded: Recorded) -> None:
    """Leaves the change row to the end of the transaction."""
    change.batch.record(change.place.tenant_no, subnet_of(change, noun, row), *recorded)


async def record(change: Change, noun: Noun[M], row: Row, *recorded: Recorded) -> None:
    subnet_no = subnet_of(change, noun, row)
    await change_log.record(change.connection, change.actor, recorded, change.place.tenant_no, subnet_no)


def subnet_of(change: Change, noun: Noun[M], row: Row) -> int | None:
    found: int | None = row["no"] if noun.name == "subnet" else change.place.subnet_no
    return found
