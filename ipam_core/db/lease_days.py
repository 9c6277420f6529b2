"""Days of the lease history that are over carry more indexes than today's (engine rule 14).

An index of today's partition would be paid by every lease before its COMMIT. A day that has been over for an hour has
no writers; it gets the indexes by which people ask for clients, and what was the latest end of its leases is noted.
`create index concurrently` waits for readers, and nobody waits for it. It also holds no transaction number while it
builds, since that would keep the servers from reading the log. One process does this at a time, a day after the other,
the newest first.
"""

import contextlib
from collections.abc import AsyncIterator, Mapping

import asyncpg
import structlog

from ipam_core.db import queries

SQL = queries.load("lease_log")

# By the end of their names. Without nulls a kind of client that a site does not have costs nothing.
INDEXES = {
    "hw_address": "(hw_address) where hw_address is not null",
    "duid": "(duid) where duid is not null",
    "client_id": "(client_id) where client_id is not null",
    "hostname": "(lower(hostname) text_pattern_ops) where hostname is not null",
}

log = structlog.get_logger()


async def close_days(connection: asyncpg.Connection) -> list[str]:
    """Build and note what days that are over lack; the names of those that are complete now. None while another process
    is at it. The connection is in no transaction."""
    async with alone(connection) as elected:
        if not elected:
            return []
        await SQL.forget_notes(connection)
        found = [row async for row in SQL.days_to_close(connection, endings=list(INDEXES))]
        return [row["name"] for row in found if await close(connection, row)]


@contextlib.asynccontextmanager
async def alone(connection: asyncpg.Connection) -> AsyncIterator[bool]:
    elected = await SQL.try_closing(connection)
    try:
        yield elected
    finally:
        if elected and not connection.is_closed():
            await SQL.end_closing(connection)


async def close(connection: asyncpg.Connection, row: Mapping[str, object]) -> bool:
    """Return False when the day has gone meanwhile."""
    name = str(row["name"])
    try:
        for unfinished in row["broken"]:  # type: ignore[attr-defined]  # texts
            await connection.execute(f"drop index concurrently {unfinished}")
        for ending in row["missing"]:  # type: ignore[attr-defined]  # texts
            await connection.execute(f"create index concurrently {name}_{ending} on {name} {INDEXES[ending]}")
        await connection.execute(f"analyze {name}")
        await SQL.note_day(connection, day=row["day"])
    except asyncpg.UndefinedTableError:
        return False
    log.info("a past day of the lease history got its indexes", day=name)
    return True
