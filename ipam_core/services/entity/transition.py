"""Changes of state that somebody asks for: a retry, a redelivery, a drain.

The row is locked, its state judged, and what was changed is recorded as any other write.
"""

from collections.abc import Awaitable, Callable, Collection
from typing import Any

from ipam_core.errors import Conflict
from ipam_core.model.actor import Actor
from ipam_core.services.entity import crud
from ipam_core.services.entity.change_log import Recorded
from ipam_core.services.entity.entity import Connection, Entity, M, Write

Statement = Callable[..., Awaitable[Any]]


async def transit(
    connection: Connection,
    entity: Entity[M],
    actor: Actor,
    id_: str,
    allowed: Collection[str],
    statement: Statement,
) -> M:
    """Return the object, as the actor may see it, after `statement`, a query that takes its number.

    Raises NotFound, and Conflict in a state that is not allowed.
    """
    async with connection.transaction():
        parent, row = await crud.lock(connection, entity, actor, id_)
        if row["state"] not in allowed:
            raise Conflict(f"the {entity.label} is {row['state']}", {"state": row["state"]})
        await statement(connection, no=row["no"])
        before = entity.present(row)
        after = entity.present(await crud.fetch(connection, entity, actor, id_))
        write = Write(connection, actor, parent, None, row)
        await crud.record(write, entity, row, Recorded(entity.name, before, after))
    return entity.seen(actor, after)
