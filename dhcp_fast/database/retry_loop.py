"""Work that is done again and again, also while the database is away."""

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from ipam_core.db.outage import AWAY, reason
from ipam_core.errors import FATAL
from ipam_core.faults import Rests, faults

RETRY_SECONDS = 0.5

log = structlog.get_logger()


async def repeat(
    name: str,
    seconds: float,
    step: Callable[[], Awaitable[None]],
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> None:
    """Run the step for ever; a database that is away is logged once and tried again. A step that fails in another way
    rests, longer each time, and the other loops go on; only what no later try finds right is raised (FATAL)."""
    failing, rests = False, Rests()
    while True:
        try:
            await step()
        except AWAY as error:
            if not failing:
                log.warning("database not available", loop=name, error=reason(error))
            failing = True
            await pause(min(seconds, RETRY_SECONDS))
        except FATAL:
            raise
        except Exception as error:  # noqa: BLE001 - as above
            faults.fails(name, error)
            await pause(max(seconds, rests.next()))
        else:
            failing = False
            rests.end()
            faults.works(name)
            await pause(seconds)
