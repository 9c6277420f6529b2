"""The verbs that all entities share: create, read, change.

A write is one transaction: lock the parent (for what stands below a subnet that raises the subnet's fence,
and the row lock serialises the checks among its children), check, write the row; at the end take the addresses, count
them and record the change (see write_batch). What a constraint refuses comes back as the Conflict that its name stands
for.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ipam_core.errors import NotFound, ValidationError
from ipam_core.model import decoding
from ipam_core.model.actor import Actor
from ipam_core.model.base import Command, Model
from ipam_core.model.ids import new_id, parse_id
from ipam_core.services.entity import change_log, parents
from ipam_core.services.entity.change_log import Recorded
from ipam_core.services.entity.entity import Connection, Entity, M, Parent, Row, Write
from ipam_core.services.entity.write_batch import Batch, writing

Expectation = Callable[[Model], None]


def expect_nothing(model: Model) -> None:
    """Accept any state: the precondition of requests that have none."""


async def read(connection: Connection, entity: Entity[M], actor: Actor, id_: str) -> M:
    """Return the object as the actor may see it; raises NotFound, also for one of another tenant."""
    return entity.seen(actor, entity.present(await fetch(connection, entity, actor, id_)))


async def fetch(connection: Connection, entity: Entity[M], actor: Actor, id_: str) -> Row:
    """Return the view's row of an object that the actor may see; raises NotFound."""
    key = parse_id(id_)
    row: Row | None = None
    if key is not None:
        text = entity.select_one if actor.role == "admin" else entity.select_shared
        row = await connection.fetchrow(text, key, actor.tenant_no)
    if row is None:
        raise NotFound(entity.label, id_)
    return row


async def create(
    connection: Connection, entity: Entity[M], actor: Actor, above: Mapping[str, str], command: Command
) -> M:
    """Make an object below `above` (path ids by name). Raises NotFound for a parent, ValidationError, Conflict (also
    for what a constraint refuses), Forbidden, ManagedAddressLimit."""
    if entity.shortcut is not None and not connection.is_in_transaction():
        made: M | None = await entity.shortcut(connection, actor, above, command)
        if made is not None:
            return made
    return await create_stepwise(connection, entity, actor, above, command)


async def create_stepwise(
    connection: Connection, entity: Entity[M], actor: Actor, above: Mapping[str, str], command: Command
) -> M:
    """Create as `create` does, without the shortcut: every obstacle can be named."""
    values: dict[str, Any] = {"no": 0}
    async with writing(connection, actor, values, entity.name) as batch:
        parent = await parents.lock_parent(connection, entity, actor, above, command)
        write = Write(connection, actor, parent, command, None, batch, new_id())
        values.update(await column_values(entity, write))
        row = await connection.fetchrow(
            entity.insert, write.id, *[values[name] for name in entity.keys + entity.columns]
        )
        values["no"] = row["no"]
        batch.note_written(entity.name, row["id"], values)
        await entity.after_create(write)
        model = entity.present(row)
        note(write, entity, row, Recorded(entity.name, None, model))
        await entity.after_write(write, row)
    return model


async def create_many(
    connection: Connection,
    entity: Entity[M],
    actor: Actor,
    batch: Batch,
    wanted: Sequence[tuple[Parent, Command]],
) -> list[M]:
    """Make objects below parents that are locked already, in the transaction of the batch: their rows go to the
    database together. Raises as create does, but for what a constraint refuses (see naming_conflicts)."""
    writes = [Write(connection, actor, parent, command, None, batch, new_id()) for parent, command in wanted]
    rows = []
    for write in writes:
        values = await column_values(entity, write)
        rows.append((write.id, *[values[name] for name in entity.keys + entity.columns]))
    made = []
    for write, row in zip(writes, await connection.fetchmany(entity.insert, rows), strict=True):
        await entity.after_create(write)
        made.append(entity.present(row))
        note(write, entity, row, Recorded(entity.name, None, made[-1]))
        await entity.after_write(write, row)
    return made


async def change(
    connection: Connection,
    entity: Entity[M],
    actor: Actor,
    id_: str,
    patch: Mapping[str, Any],
    expect: Expectation = expect_nothing,
) -> M:
    """Return the object after a JSON merge patch (RFC 7396) of the fields that a command may carry. Raises as create
    does, and what `expect` does for the object as it was."""
    refuse_parents(entity, patch)
    values: dict[str, Any] = {}
    async with writing(connection, actor, values, entity.name) as batch:
        parent, current = await lock(connection, entity, actor, id_)
        before = entity.present(current)
        expect(before)
        command = decoding.patched(before, patch, entity.patch)
        write = Write(connection, actor, parent, command, current, batch)
        values.update(await column_values(entity, write), no=write.no)
        row = await connection.fetchrow(entity.update, write.no, *[values[name] for name in entity.columns])
        batch.note_written(entity.name, row["id"], values)
        after = entity.present(row)
        note(write, entity, row, Recorded(entity.name, before, after))
        await entity.after_write(write, row)
    return after


async def lock(connection: Connection, entity: Entity[M], actor: Actor, id_: str) -> tuple[Parent, Row]:
    """Lock an object's parent, then read the object: it cannot change before the COMMIT. Raises NotFound."""
    key = parse_id(id_)
    parent = await parents.lock(connection, entity, actor, key) if key else None
    if parent is None:
        raise NotFound(entity.label, id_)
    return parent, await fetch(connection, entity, actor, id_)


async def column_values(entity: Entity[M], write: Write) -> dict[str, Any]:
    values = dict(write.parent.keys)
    fields = set(entity.columns).intersection(write.command.__struct_fields__)
    values.update((name, getattr(write.command, name)) for name in fields)
    values.update(await entity.validate(write))
    return values


def refuse_parents(entity: Entity[M], patch: Mapping[str, Any]) -> None:
    """Raise ValidationError: an object stays where it is."""
    for name in entity.parents.intersection(patch):
        raise ValidationError(name, "cannot be changed")


def note(write: Write, entity: Entity[M], row: Row, *recorded: Recorded) -> None:
    """Leave the change row to the end of the transaction."""
    write.batch.record(write.parent.tenant_no, subnet_of(write, entity, row), *recorded)


async def record(write: Write, entity: Entity[M], row: Row, *recorded: Recorded) -> None:
    subnet_no = subnet_of(write, entity, row)
    await change_log.record(write.connection, write.actor, recorded, write.parent.tenant_no, subnet_no)


def subnet_of(write: Write, entity: Entity[M], row: Row) -> int | None:
    found: int | None = row["no"] if entity.name == "subnet" else write.parent.subnet_no
    return found
