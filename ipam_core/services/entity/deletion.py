"""Deletion: refused with the counts of what stands below, unless a cascade is asked for.

A cascade deletes from the leaves up and records each object, so that the audit trail can tell what was lost. It goes in
slices, each with all that stands below it, so its memory does not grow with what is lost, and other requests are
served in between. Leases are not children: the servers withdraw them at their next renewal.
"""

# ruff: noqa: S608 - table and column names are constants of the entities' tables

from collections.abc import Sequence
from typing import Any

from ipam_core.errors import Conflict
from ipam_core.model.actor import Actor
from ipam_core.model.families import in_words
from ipam_core.services.entity.change_log import Recorded
from ipam_core.services.entity.crud import Expectation, expect_nothing, lock, subnet_of
from ipam_core.services.entity.entity import Child, Connection, Entity, M, Row, Write
from ipam_core.services.entity.write_batch import writing

SLICE = 500
PARENT = "parent_no"


async def delete(
    connection: Connection,
    entity: Entity[M],
    actor: Actor,
    id_: str,
    cascade: bool = False,
    expect: Expectation = expect_nothing,
) -> None:
    """Delete an object, with `cascade` all below it. Raises NotFound, Conflict with the counts of what stands
    below it, what the entity's before_delete raises, and what `expect` does."""
    async with writing(connection, actor, {}) as batch:
        parent, row = await lock(connection, entity, actor, id_)
        expect(entity.present(row))
        write = Write(connection, actor, parent, None, row, batch)
        await entity.before_delete(write)
        if not cascade:
            await refuse_children(connection, entity, row)
        elif entity.lock_below:
            await entity.lock_below(connection, actor, row["id"], parent)
        await remove(write, entity, [row], {row["no"]: subnet_of(write, entity, row)})
        await entity.after_write(write, None)


async def refuse_children(connection: Connection, entity: Entity[M], row: Row) -> None:
    counts = {child.entity.plural: await count(connection, child, row) for child in entity.children}
    present = {plural: number for plural, number in counts.items() if number}
    if present:
        what = ", ".join(f"{number} {in_words(plural)}" for plural, number in present.items())
        raise Conflict(f"the {entity.label} still has {what}", {"children": present})


async def count(connection: Connection, child: Child, row: Row) -> int:
    """Return the number of children: select count(*) from CHILD where PARENT_NO = $1."""
    query = f"select count(*) from {child.entity.table} where {child.column} = $1"
    found: int = await connection.fetchval(query, row["no"])
    return found


async def remove(
    write: Write, entity: Entity[M], rows: Sequence[Row], subnets: dict[int, int | None]
) -> None:
    """Delete rows of one entity and what stands below them. `subnets`: the number of the subnet that each row (by
    number) concerns."""
    for child in entity.children:
        await remove_children(write, child, subnets)
    await write.connection.execute(entity.delete, [row["no"] for row in rows])
    for row in rows:
        write.batch.record(
            write.parent.tenant_no, subnets[row["no"]], Recorded(entity.name, entity.present(row), None)
        )
    if len(rows) > 1:
        await write.batch.tell(write.connection)


async def remove_children(write: Write, child: Child, subnets: dict[int, int | None]) -> None:
    """Remove children by one query for all that is below, read a slice at a time: select CHILD.PARENT_NO as parent_no,
    THE VIEW'S COLUMNS from CHILD join ... where CHILD.PARENT_NO = any($1)."""
    column = f"{child.entity.table}.{child.column}"
    query = f"{child.entity.view_with({PARENT: column})} where {column} = any($1::integer[])"
    cursor = await write.connection.cursor(query, list(subnets))
    while rows := await cursor.fetch(SLICE):
        below = {row["no"]: subnet_below(child.entity, row, subnets) for row in rows}
        await remove(write, child.entity, rows, below)


def subnet_below(entity: Entity[Any], row: Row, subnets: dict[int, int | None]) -> int | None:
    found: int | None = row["no"] if entity.name == "subnet" else subnets[row[PARENT]]
    return found
