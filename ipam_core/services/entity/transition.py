"""Changes of state that somebody asks for: a retry, a redelivery, a drain.

The row is locked, its state judged, and what was changed is recorded as any other write.
"""

from collections.abc import Awaitable, Callable, Collection
from typing import Any

from ipam_core.errors import Conflict
from ipam_core.model.actor import Actor
from ipam_core.services.entity import crud
from ipam_core.services.entity.change_log import Recorded
from ipam_core.services.entity.entity import Change, Connection, M, Noun

Write = Callable[..., Awaitable[Any]]


async def transit(
    connection: Connection, noun: Noun[M], actor: Actor, id_: str, allowed: Collection[str], write: Write
) -> M:
    """The object after `write`, a query that takes its number; Conflict in a state that is not allowed."""
    async with connection.transaction():
        place, row = await crud.lock(connection, noun, actor, id_)
        if row["state"] not in allowed:
            raise Conflict(f"the {noun.label} is {row['state']}", {"state": row["state"]})
        await write(connection, no=row["no"])
        before, after = noun.present(row), await crud.read(connection, noun, actor, id_)
        change = Change(connection, actor, place, None, row)
        await crud.record(change, noun, row, Recorded(noun.name, before, after))
    return after
