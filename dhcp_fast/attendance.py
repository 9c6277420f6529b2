"""One session kept for as long as it lasts: it hears of changes when they are announced, and holds the lock of the
server that writes expiry (engine rule 17) once that is free.

Both belong to a session, so both end with it: announcements that were missed are found by the next reading of the log,
and another server takes the lock.
"""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

import asyncpg
import structlog

from ipam_core.db import queries
from ipam_core.db.away import AWAY
from ipam_core.db.connect import connect

RETRY_SECONDS = 0.5
STAND_SECONDS = 5.0

log = structlog.get_logger()


async def attend(dsn: str, heard: Callable[..., Any], chosen: Callable[[bool], None] | None) -> None:
    """For ever: call `heard` at each announced change, and `chosen` when the lock is got or lost; without `chosen` the
    lock is left alone."""
    while True:
        try:
            connection = await connect(dsn, timeout=5)
            try:
                await sit(connection, heard, chosen)
            finally:
                connection.terminate()
        except AWAY:
            log.debug("not listening for changes; they are read once a second")
        finally:
            if chosen is not None:
                chosen(False)
        await asyncio.sleep(RETRY_SECONDS)


async def sit(
    connection: asyncpg.Connection, heard: Callable[..., Any], chosen: Callable[[bool], None] | None
) -> None:
    """Until the session ends; the lock is tried for now and then."""
    lost = asyncio.Event()
    connection.add_termination_listener(lambda _: lost.set())
    await connection.add_listener("ipam_change", heard)
    holds = False
    while not lost.is_set():
        if not holds and chosen is not None:
            holds = await queries.load("dhcp_feed").try_expirer(connection)
            chosen(holds)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(STAND_SECONDS):
                await lost.wait()
