"""Deletion: refused with the counts of what stands below, unless a cascade is asked for.

A cascade deletes from the leaves up and records each object, so that the audit trail can tell what was lost.
Leases are not children: the servers withdraw them at their next renewal.
"""

# ruff: noqa: S608 - table and column names are constants of the nouns' tables

from collections.abc import Sequence

from ipam_core.errors import Conflict
from ipam_core.model.actor import Actor
from ipam_core.services import changes
from ipam_core.services.changes import Recorded
from ipam_core.services.noun import Change, Child, Connection, M, Noun, Row
from ipam_core.services.plan import Expectation, expect_nothing, lock, naming_conflicts


async def delete(
    connection: Connection,
    noun: Noun[M],
    actor: Actor,
    id_: str,
    cascade: bool = False,
    expect: Expectation = expect_nothing,
) -> None:
    async with naming_conflicts(connection, {}), connection.transaction():
        place, row = await lock(connection, noun, actor, id_)
        expect(noun.present(row))
        change = Change(connection, actor, place, None, row)
        await noun.release(change)
        if not cascade:
            await refuse_children(connection, noun, row)
        await remove(change, noun, [row], place.subnet_no)


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


async def remove(change: Change, noun: Noun[M], rows: Sequence[Row], subnet_no: int | None) -> None:
    """Deletes rows of one noun (all of one subnet, where they have one) and what stands below each."""
    connection = change.connection
    for row in rows if noun.children else ():
        for child in noun.children:
            query = child.noun.select_children.format(child.column)
            below = await connection.fetch(query, [row["no"]])
            if below:
                inside = row["no"] if noun.name == "subnet" else subnet_no
                await remove_each(change, child.noun, below, inside)
    await connection.execute(noun.delete, [row["no"] for row in rows])
    recorded = [Recorded(noun.name, noun.present(row), None) for row in rows]
    await changes.record(connection, change.actor, recorded, change.place.tenant_no, subnet_no)


async def remove_each(change: Change, noun: Noun[M], rows: Sequence[Row], subnet_no: int | None) -> None:
    """A change row names one subnet, so subnets go one by one."""
    if noun.name != "subnet":
        await remove(change, noun, rows, subnet_no)
        return
    for row in rows:
        await remove(change, noun, [row], row["no"])
