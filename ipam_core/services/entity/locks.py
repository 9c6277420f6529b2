"""The one order in which writers of the plan take their locks, so that no two can wait for each other in a circle:

1. what hangs on a tenant as such (a lock of its number; 0 for what hangs on none)
2. prefixes  3. subnets, by raising their fences  4. client classes  5. options  6. option definitions
7. DNS zones, and all of them as a tree where one is enabled (dns_tree.py)  8. DNS servers  9. trusted relays
10. tenants, which a foreign key shares whenever something is made  11. the interface that a subnet is bound to,
    and the link-local relay addresses of the tenant's subnets
12. what the tenant delegates, by the database as such a row is written (db/schema/functions/delegation.sql)
13. at the end (see write_batch) lease rows of addresses that machines are given, the count of managed addresses, and
    the limits of tenants in the order of their numbers

Each in the order of its numbers. A single write takes one or two of these, in this order. One that writes many objects
takes here, before the first, all that it names.
"""

from typing import NamedTuple
from uuid import UUID

from ipam_core.db import queries
from ipam_core.model.actor import Actor
from ipam_core.model.values import Address
from ipam_core.services.entity.entity import Connection, Parent, Row

SQL = queries.load("hold")


class Named(NamedTuple):
    """Objects that operations name. `rewritten`: subnets that are changed or deleted themselves; `emptied`: what is
    deleted with all below it; `addresses`: of hosts whose subnet is to be found; `at_tenant_level`: something is
    written that stands below no subnet; `defines`: an option definition is; `withdraws`: something is changed or
    deleted."""

    ids: list[UUID]
    rewritten: list[UUID]
    emptied: list[UUID]
    addresses: list[Address]
    at_tenant_level: bool
    defines: bool
    withdraws: bool


async def hold(connection: Connection, actor: Actor, named: Named) -> dict[UUID, Row]:
    """Lock all rows before the first operation; return the subnet of each id in one."""
    tenants: list[int] = []
    if named.at_tenant_level:
        tenants = await SQL.hold_levels(connection, tenant_no=actor.tenant_no, ids=named.ids)
    entered = await hold_subnets(connection, actor, named)
    await hold_others(connection, actor, named, tenants)
    return entered


async def hold_subnets(connection: Connection, actor: Actor, named: Named) -> dict[UUID, Row]:
    what = {"tenant_no": actor.tenant_no, "ids": named.ids, "emptied": named.emptied}
    await SQL.hold_prefixes(connection, **what, rewritten=named.rewritten)
    rows = SQL.lock_subnets(connection, **what, addresses=named.addresses, withdraws=named.withdraws)
    return {row["named_id"]: row async for row in rows}


async def hold_others(connection: Connection, actor: Actor, named: Named, tenants: list[int]) -> None:
    """Lock the rows after the subnets in the order. Definitions are held for those tenants, if any is written."""
    what = {"tenant_no": actor.tenant_no, "ids": named.ids}
    await SQL.hold_classes(connection, **what, emptied=named.emptied)
    await SQL.hold_options(connection, **what)
    if named.defines:
        await SQL.hold_definitions(connection, tenants=tenants)
    if named.at_tenant_level:
        await SQL.hold_zones(connection, **what, emptied=named.emptied)
    await SQL.hold_servers(connection, **what, emptied=named.emptied)
    if named.at_tenant_level:
        await SQL.hold_relays(connection, **what)
        await SQL.hold_tenants(connection, **what)


async def lock_below_prefix(connection: Connection, actor: Actor, id_: UUID, _parent: Parent) -> None:
    """Lock what a cascade from a prefix, held already, will delete."""
    await hold_subnets(connection, actor, Named([id_], [], [id_], [], False, False, True))


async def lock_below_tenant(connection: Connection, actor: Actor, id_: UUID, parent: Parent) -> None:
    """Lock what a cascade from a tenant will delete, and at last the tenant."""
    assert parent.tenant_no is not None
    named = Named([id_], [], [id_], [], True, True, True)
    await hold_subnets(connection, actor, named)
    await hold_others(connection, actor, named, [parent.tenant_no])
