"""Managed address limit: reservations and assignments of all tenants together.

They are counted when their transaction ends, under a lock that lasts until the COMMIT, so that of two writers the later
one counts the earlier one's rows. Without a limit there is neither lock nor count. Passing 80 and 95 percent of it is
told once, until there is room again.
"""

from ipam_core.db import queries
from ipam_core.services import events
from ipam_core.services.entity.entity import Connection, Write

SQL = queries.load("managed_limit")

THRESHOLDS = (80, 95)


async def count_new(write: Write) -> None:
    """Count a new object at the end of its transaction."""
    write.batch.managed.append(write.batch.index)


async def count(connection: Connection) -> int:
    """Return reservations and assignments of all tenants."""
    found: int = await SQL.managed(connection)
    return found


async def fold(connection: Connection) -> None:
    """Keep the count a short sum where no writer under a limit does."""
    await SQL.fold_managed(connection)


async def tell_thresholds(connection: Connection, limit: int) -> None:
    """Raise an event for each share of the limit that has been passed since the last look."""
    async with connection.transaction():
        await SQL.lock_alerts(connection)
        managed = await count(connection)
        passed = [percent for percent in THRESHOLDS if limit and managed * 100 >= limit * percent]
        await SQL.clear_alerts(connection, passed=passed)
        async for row in SQL.raise_alerts(connection, passed=passed):
            told = {"percent": row["percent"], "managed_ips": managed, "managed_ips_limit": limit}
            await events.record(connection, "license.threshold", told, None)
