"""The end of the lease history: whole days are detached from `lease_event` and dropped (engine rules 14 and 24).

Detached concurrently, which lets readers and writers go on: PostgreSQL marks the day, waits for those who have the
history open, and takes it out. Nobody waits for us longer than we wait for them: where a dump reads the history the
wait is given up after some seconds, the mark stays, and the next round finishes what was begun. A day that is out is
dropped; a comment on the table, set before, marks it to be dropped if the process ends in between.
"""

import contextlib
from collections.abc import AsyncIterator

import asyncpg
import structlog

from ipam_core.db import queries

SQL = queries.load("lease_log")

LOCK_SECONDS = 3
COMMENT = "detached to be dropped"

log = structlog.get_logger()


async def forget_days(connection: asyncpg.Connection, days: int) -> list[str]:
    """Forget the partitions that hold nothing younger than so many days; the names of those that went. None while
    another process is at it. The connection is in no transaction."""
    async with alone(connection) as elected:
        if not elected:
            return []
        found = [row async for row in SQL.days_to_forget(connection, days=days)]
        gone = []
        for row in sorted(found, key=lambda row: not row["is_pending"]):  # only one can be pending
            if await forget(connection, row):
                gone.append(row["name"])
        return gone


@contextlib.asynccontextmanager
async def alone(connection: asyncpg.Connection) -> AsyncIterator[bool]:
    """Hold the lock of who forgets, and wait for no other lock for long."""
    elected = await SQL.try_forgetting(connection)
    try:
        if elected:
            await connection.execute(f"set lock_timeout = '{LOCK_SECONDS}s'")
        yield elected
    finally:
        if elected and not connection.is_closed():
            await connection.execute("reset lock_timeout")
            await SQL.end_forgetting(connection)


async def forget(connection: asyncpg.Connection, row: asyncpg.Record) -> bool:
    """Return False when somebody reads it, or has not read it yet: the next round tries again."""
    name = row["name"]
    if not await SQL.usage_has_read(connection, name=name):
        return False
    try:
        if row["is_pending"]:
            await connection.execute(f"alter table lease_event detach partition {name} finalize")
        elif row["is_attached"]:
            await connection.execute(f"comment on table {name} is '{COMMENT}'")
            await connection.execute(f"alter table lease_event detach partition {name} concurrently")
        await connection.execute(f"drop table {name}")
    except (asyncpg.LockNotAvailableError, asyncpg.ObjectNotInPrerequisiteStateError) as error:
        log.info("a partition of the lease history is still in use", day=name, reason=str(error))
        return False
    log.info("a partition of the lease history was dropped", day=name)
    return True
