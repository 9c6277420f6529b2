"""The demonstration plan of `ipam up --demo`: enough for `ipam probe` to get a lease with options."""

import asyncpg

from ipam_core.db import queries
from ipam_core.model.ids import new_id

SQL = queries.load("demo")
OBJECTS = 9


async def fill(connection: asyncpg.Connection) -> bool:
    """Put the plan into a database that has no prefix; says whether it did."""
    async with connection.transaction():
        if await SQL.is_planned(connection):
            return False
        await SQL.fill(connection, ids=[new_id() for _ in range(OBJECTS)])
        return True
