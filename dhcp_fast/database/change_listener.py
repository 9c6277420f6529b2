"""A session that is kept open. It receives announcements of changes, takes the lock of the server
that writes expiry (engine rule 17) once that is free, and checks once a second that the host
answers (ipam_core/db/pulse.py).

Lock and announcements end with the session: the next reading of the log finds missed changes, and
another server takes the lock.
"""

import asyncio
import contextlib
import itertools
from collections.abc import Callable
from typing import Any

import asyncpg
import structlog

from ipam_core.db import queries
from ipam_core.db.connect import connect
from ipam_core.db.outage import AWAY
from ipam_core.db.pulse import BEAT_SECONDS, Question, SilentHostError, ask_nothing, feel

RETRY_SECONDS = 0.5
CANDIDATE_BEATS = 5
EXPIRER = {4: "ipam expirer", 6: "ipam expirer 6"}

log = structlog.get_logger()


async def keep_listening(
    dsn: str,
    announced: Callable[..., Any],
    elected: Callable[[bool], None] | None,
    question: Question = ask_nothing,
    family: int = 4,
) -> None:
    """Keep listening for ever: call `announced` at each change that is announced, and `elected` when the lock is got or
    lost; without `elected` the lock is left alone. `question` is what is asked once a second. Only what AWAY does not
    list is raised."""
    while True:
        try:
            connection = await connect(dsn)
            try:
                await listen(connection, announced, elected, question, family)
            finally:
                connection.terminate()
        except SilentHostError as error:
            log.warning("the database does not answer; closing its sessions", error=str(error))
        except AWAY:
            log.debug("cannot listen for changes; polling once a second")
        finally:
            if elected is not None:
                elected(False)
        await asyncio.sleep(RETRY_SECONDS)


async def listen(
    connection: asyncpg.Connection,
    announced: Callable[..., Any],
    elected: Callable[[bool], None] | None,
    question: Question,
    family: int,
) -> None:
    """Listen until the session ends; the lock is tried for now and then."""
    lost = asyncio.Event()
    connection.add_termination_listener(lambda _: lost.set())
    await connection.add_listener("ipam_change", announced)
    holds = False
    for beat in itertools.count():
        await feel(connection, question)
        if not holds and elected is not None and beat % CANDIDATE_BEATS == 0:
            holds = await queries.load("dhcp_feed").try_expirer(connection, name=EXPIRER[family])
            elected(holds)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(BEAT_SECONDS):
                await lost.wait()
        if lost.is_set():
            return
