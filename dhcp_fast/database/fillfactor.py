"""Choice of how much room PostgreSQL leaves in the pages of the lease table.

`fillfactor` sets two limits: how full new rows may make a page, and the level above which each
visit of a page removes old versions. While addresses get their first row, pages need room for the
versions that renewals write beside them (HOT); 70 percent leaves it. Once most addresses have their
row, few pages get new ones, and free room is better used than cleared at each visit. With 90
percent a lease in a full pool costs PostgreSQL a tenth less (benchmarks/README.md, "Near full").
Any other value is an operator's choice and is kept.
"""

import asyncpg
import structlog

from ipam_core.db import queries

log = structlog.get_logger()
SQL = queries.load("lease_table")

GROWING, FULL = 70, 90
FULL_AT, GROWS_BELOW = 0.9, 0.8
# A vacuum that is under way would be ended for somebody who waits longer (deadlock_timeout).
LOCK_MILLISECONDS = 200


async def tend(connection: asyncpg.Connection) -> None:
    """Pack the table as its rows and the pools ask for; when somebody is at work on it, the next time. Where the table
    is another account's, its owner may set the value."""
    room = await SQL.read_room(connection)
    wanted = wanted_room(room["packed"], room["share"])
    if wanted == room["packed"]:
        return
    try:
        await pack(connection, wanted)
    except asyncpg.LockNotAvailableError:
        pass
    except asyncpg.InsufficientPrivilegeError:
        log.info(
            "the fillfactor of the lease table is not changed: another account owns it",
            fillfactor=room["packed"],
            better=wanted,
        )


def wanted_room(packed: int | None, share: float | None) -> int | None:
    """Return the room. `share` is that of addresses which have a row, None while nobody counted: then what was found
    out stays. A plan that grows makes it fall."""
    if packed == GROWING and share is not None and share >= FULL_AT:
        return FULL
    if packed == FULL and share is not None and share < GROWS_BELOW:
        return GROWING
    return packed


async def pack(connection: asyncpg.Connection, percent: int | None) -> None:
    async with connection.transaction():
        await connection.execute(f"set local lock_timeout = {LOCK_MILLISECONDS}")
        await connection.execute(f"alter table lease set (fillfactor = {percent})")
