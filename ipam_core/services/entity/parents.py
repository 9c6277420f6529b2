"""Parents: what a write locks first.

Below a subnet that is the subnet: its fence is raised before anything is looked at, so that the DHCP servers
decide again about all that this transaction may forbid, and writers to one subnet follow one another. What
hangs on a tenant as such is written by one at a time in each tenant; a foreign key keeps the tenant from going away.
In which order locks are taken is told in locks.
"""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from ipam_core.db import queries
from ipam_core.errors import NotFound
from ipam_core.model.actor import Actor
from ipam_core.model.base import Command
from ipam_core.model.families import Level
from ipam_core.model.ids import parse_id
from ipam_core.services.entity.entity import Connection, Entity, M, Parent, Row

SQL = queries.load("parent")


async def lock_parent(
    connection: Connection, entity: Entity[M], actor: Actor, above: Mapping[str, str], command: Command
) -> Parent:
    """Return what a new object shall stand below: as the entity says, else by the level of its family. Raises
    NotFound."""
    chosen = entity.lock_parent or BY_LEVEL[entity.family.level]
    return await chosen(connection, actor, above, command)


async def lock(connection: Connection, entity: Entity[M], actor: Actor, key: UUID) -> Parent | None:
    """Return the same of an existing object; None: there is none for the actor."""
    if entity.lock is not None:
        return await entity.lock(connection, actor, key)
    if entity.family.level is Level.SUBNET:
        return await lock_subnet_of(connection, actor, key)
    return await lock_row(connection, entity, actor, key)


async def lock_row(connection: Connection, entity: Entity[M], actor: Actor, key: UUID) -> Parent | None:
    """Return a row that stands below no subnet."""
    row = await connection.fetchrow(entity.lock_row, key, actor.tenant_no)
    return Parent({"tenant_no": row["tenant_no"]}, row["tenant_no"]) if row else None


def inside_subnet(row: Row) -> Parent:
    return Parent({"subnet_no": row["no"]}, row["tenant_no"], row["no"], row)


async def lock_subnet(
    connection: Connection, actor: Actor, parents: Mapping[str, str], _command: Command
) -> Parent:
    """Return the subnet of the path; raises NotFound."""
    id_ = parents["subnet_id"]
    row = await lock_once(SQL.lock_subnet, connection, actor, parse_id(id_))
    if row is None:
        raise NotFound("subnet", id_)
    return inside_subnet(row)


async def lock_subnet_of(connection: Connection, actor: Actor, id_: UUID) -> Parent | None:
    """Return the subnet of one of its objects; None: there is no such object for the actor."""
    row = await lock_once(SQL.lock_subnet_of_child, connection, actor, id_)
    return inside_subnet(row) if row else None


async def lock_once(query: Any, connection: Connection, actor: Actor, id_: UUID | None) -> Row | None:
    """Return one fence a transaction: the operations of a bulk find what an earlier one locked."""
    locked: dict[UUID | None, Row] = {} if actor.batch is None else actor.batch.locked
    if id_ not in locked:
        row = await query(connection, id=id_, tenant_no=actor.tenant_no)
        if row is None:
            return None
        locked[id_] = row
    return locked[id_]


async def lock_tenant(
    connection: Connection, actor: Actor, _parents: Mapping[str, str], command: Command
) -> Parent:
    """Return the tenant that the command names; else the actor's own; else the default. Raises NotFound."""
    named = getattr(command, "tenant_id", None)
    tenant_no = await find_tenant(connection, actor, named)
    await SQL.hold_level(connection, tenant_no=tenant_no)
    return Parent({"tenant_no": tenant_no}, tenant_no)


async def find_tenant(connection: Connection, actor: Actor, id_: str | None) -> int:
    """Return the number of the tenant of an id, else the actor's own, else the default. Raises NotFound."""
    if id_ is None and actor.tenant_no is not None:
        return actor.tenant_no
    row = await SQL.find_tenant(
        connection, id=parse_id(id_) if id_ is not None else None, by_default=id_ is None
    )
    if row is None or actor.tenant_no not in (None, row["no"]):
        raise NotFound("tenant", id_ or "default")
    tenant_no: int = row["no"]
    return tenant_no


BY_LEVEL = {Level.TENANT: lock_tenant, Level.SUBNET: lock_subnet}
