"""Work that is done again and again, also while the database is away."""

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from ipam_core.db.outage import AWAY, reason

RETRY_SECONDS = 0.5

log = structlog.get_logger()


async def repeat(
    name: str,
    seconds: float,
    step: Callable[[], Awaitable[None]],
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> None:
    """Run the step for ever; a database that is away is logged once and tried again."""
    failing = False
    while True:
        try:
            await step()
            failing = False
        except AWAY as error:
            if not failing:
                log.warning("database not available", loop=name, error=reason(error))
            failing = True
        await pause(seconds if not failing else min(seconds, RETRY_SECONDS))
