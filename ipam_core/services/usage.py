"""Usage of subnets, pools and prefixes, at a cost that does not grow with them.

A table holds what was counted last. Leases change it by their history: each refresh adds what has been committed
since the snapshot of the one before, exactly once. A change of the plan raises the subnet's fence, and figures that
were counted under another fence are counted anew: by the next refresh, and by a reader who comes before it.

Every API process refreshes; a lock lets one at a time, and who finds it done lately leaves it.
"""

import asyncio
import contextlib
from typing import Any

import asyncpg

from ipam_core.db import queries
from ipam_core.db.outage import FAILED
from ipam_core.errors import NotFound
from ipam_core.model.actor import Actor
from ipam_core.model.ids import parse_id
from ipam_core.model.utilisation import PrefixUtilisation, Utilisation, of_prefix, of_range
from ipam_core.services import managed_limit
from ipam_core.services.entity.entity import Connection, Row

SQL = queries.load("usage")

EVERY = 5.0
BATCH = 200


async def of_subnet(connection: Connection, actor: Actor, id_: str) -> Utilisation:
    """Return how full a subnet is. Raises NotFound."""
    return of_range(await read(connection, actor, id_, "subnet"))


async def of_pool(connection: Connection, actor: Actor, id_: str) -> Utilisation:
    """Return how full a pool is. Raises NotFound."""
    return of_range(await read(connection, actor, id_, "pool"))


async def of_whole_prefix(connection: Connection, actor: Actor, id_: str) -> PrefixUtilisation:
    """Return how full the subnets of a prefix are, and how much of it they take. Raises NotFound."""
    return of_prefix(await read(connection, actor, id_, "prefix"))


async def read(connection: Connection, actor: Actor, id_: str, object_type: str) -> Row:
    query = getattr(SQL, f"{object_type}_usage")
    row: Row | None = await query(connection, id=parse_id(id_), tenant_no=actor.tenant_no)
    if row is None:
        raise NotFound(object_type, id_)
    return row


async def keep_fresh(pool: asyncpg.Pool, managed_address_limit: int) -> None:
    """Refresh every few seconds, and report a managed address limit that is nearly reached. Continue when the database
    is unavailable or another process was first."""
    while True:
        more = False
        with contextlib.suppress(*FAILED):
            async with pool.acquire() as connection:
                more = await refresh(connection, if_older=EVERY / 2)
                await managed_limit.tell_thresholds(connection, managed_address_limit)
        await asyncio.sleep(0.05 if more else EVERY)


async def refresh(connection: Connection, if_older: float = 0) -> bool:
    """Bring the table up to date unless that was done less than so many seconds ago; report whether more waits.

    One snapshot sees all: the events, the counts and the cursor that says what they contain."""
    async with connection.transaction(isolation="repeatable_read"):
        if not await SQL.try_refresh(connection):
            return False
        cursor: Any = await SQL.read_cursor(connection)
        if cursor and cursor["stale"]:
            await SQL.forget_all(connection)
        elif cursor and cursor["age"] < if_older and not await due(connection):
            return False
        elif cursor:
            await SQL.plan_for_values(connection)
            await SQL.add_lease_events(connection, since=cursor["since"], until=cursor["until"])
        numbers = await due(connection)
        if numbers:
            await SQL.forget_subnets(connection, numbers=numbers)
            await SQL.count_subnets(connection, numbers=numbers)
        await SQL.set_cursor(connection)
    return len(numbers) == BATCH


async def due(connection: Connection) -> list[int]:
    return [row["no"] async for row in SQL.subnets_due(connection, at_most=BATCH)]
