"""A build of the search's tables that an operator asks for; workers do it (workers/search_follower.py)."""

import asyncio
from collections.abc import Callable

from ipam_core.db import queries
from ipam_core.db.connect import connect
from ipam_core.errors import Unavailable

SQL = queries.load("search_follower")

LOOK_SECONDS = 0.5
STILL_SECONDS = 30.0  # without progress before the command reports it and ends


async def rebuild(dsn: str, say: Callable[[str], None]) -> None:
    """Ask for it, and tell of its progress until it is done. Raises Unavailable where no worker reads; one that
    starts later does."""
    connection = await connect(dsn)
    try:
        await SQL.build(connection)
        told, still = ("", ""), 0.0
        while True:
            state = await SQL.state(connection)
            if state["building"] is None:
                say("done")
                return
            at = (state["building"], state["built_to"])
            still = 0.0 if at != told else still + LOOK_SECONDS
            if at != told and at[0]:
                say(f"reading: {at[0]} {at[1]}".rstrip())
            told = at
            if still > STILL_SECONDS:
                raise Unavailable("a worker", "none reads; the build begins as soon as one runs")
            await asyncio.sleep(LOOK_SECONDS)
    finally:
        await connection.close()
