"""Deletion: refused with the counts of what stands below, unless a cascade is asked for.

A cascade deletes from the leaves up and records each object, so that the audit trail can tell what was lost. It goes in
slices, each with all that stands below it, so its memory does not grow with what is lost, and other requests are
served in between. Leases are not children: the servers withdraw them at their next renewal.
"""

# ruff: noqa: S608 - table and column names are constants of the nouns' tables

from collections.abc import Sequence
from typing import Any

from ipam_core.errors import Conflict
from ipam_core.model.actor import Actor
from ipam_core.services.entity.change_log import Recorded
from ipam_core.services.entity.crud import Expectation, expect_nothing, lock, subnet_of
from ipam_core.services.entity.entity import Change, Child, Connection, M, Noun, Row
from ipam_core.services.entity.write_batch import writing

SLICE = 500
PARENT = "parent_no"


async def delete(
    connection: Connection,
    noun: Noun[M],
    actor: Actor,
    id_: str,
    cascade: bool = False,
    expect: Expectation = expect_nothing,
) -> None:
    async with writing(connection, actor, {}) as batch:
        place, row = await lock(connection, noun, actor, id_)
        expect(noun.present(row))
        change = Change(connection, actor, place, None, row, batch)
        await noun.release(change)
        if not cascade:
            await refuse_children(connection, noun, row)
        elif noun.hold:
            await noun.hold(connection, actor, row["id"], place)
        await remove(change, noun, [row], {row["no"]: subnet_of(change, noun, row)})


async def refuse_children(connection: Connection, noun: Noun[M], row: Row) -> None:
    counts = {child.noun.plural: await count(connection, child, row) for child in noun.children}
    present = {plural: number for plural, number in counts.items() if number}
    if present:
        what = ", ".join(f"{number} {plural.replace('_', ' ')}" for plural, number in present.items())
        raise Conflict(f"the {noun.label} still has {what}", {"children": present})


async def count(connection: Connection, child: Child, row: Row) -> int:
    query = f"select count(*) from {child.noun.table} where {child.column} = $1"
    found: int = await connection.fetchval(query, row["no"])
    return found


async def remove(change: Change, noun: Noun[M], rows: Sequence[Row], subnets: dict[int, int | None]) -> None:
    """Deletes rows of one noun and what stands below them. `subnets`: the number of the subnet that each row (by
    number) concerns."""
    for child in noun.children:
        await remove_children(change, child, subnets)
    await change.connection.execute(noun.delete, [row["no"] for row in rows])
    for row in rows:
        change.batch.record(
            change.place.tenant_no, subnets[row["no"]], Recorded(noun.name, noun.present(row), None)
        )
    if len(rows) > 1:
        await change.batch.tell(change.connection)


async def remove_children(change: Change, child: Child, subnets: dict[int, int | None]) -> None:
    """One query for all that is below, read a slice at a time."""
    column = f"{child.noun.table}.{child.column}"
    query = f"{child.noun.view_with({PARENT: column})} where {column} = any($1::integer[])"
    cursor = await change.connection.cursor(query, list(subnets))
    while rows := await cursor.fetch(SLICE):
        below = {row["no"]: subnet_below(child.noun, row, subnets) for row in rows}
        await remove(change, child.noun, rows, below)


def subnet_below(noun: Noun[Any], row: Row, subnets: dict[int, int | None]) -> int | None:
    found: int | None = row["no"] if noun.name == "subnet" else subnets[row[PARENT]]
    return found
