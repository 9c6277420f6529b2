"""Watchdog: whether the database's host still answers, asked once a second by a session that does nothing else of
length.

A host that hangs (frozen, paused) keeps its connections open and acknowledges segments. A client waits forever for its
answer, and a pool fills with such waits. A long statement is no sign of it, but a trivial query without an answer is.
Then every session of this process with that host is ended. Their owners see an error and connect again, to another host
if the URL names one.
"""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from importlib import metadata
from typing import Any

import asyncpg

from ipam_core.db.asyncpg_internals import host_of
from ipam_core.db.connect import connect, leave_host
from ipam_core.db.hosts import name
from ipam_core.db.outage import FAILED

BEAT_SECONDS = 1.0
SILENT_SECONDS = 3.0
RETRY_SECONDS = 0.5
LONGEST_NAME = 63  # octets that PostgreSQL keeps of a session's name

Question = Callable[[asyncpg.Connection], Awaitable[Any]]


class SilentHostError(ConnectionError):
    """The host did not answer; its sessions are ended."""


@contextlib.asynccontextmanager
async def pulse(dsn: str) -> AsyncIterator[None]:
    """Watch the host as long as the block lasts."""
    keeping = asyncio.create_task(keep(dsn))
    try:
        yield
    finally:
        keeping.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await keeping


async def keep(dsn: str) -> None:
    """Keep watching for ever."""
    while True:
        with contextlib.suppress(*FAILED):
            session = await connect(dsn, server_settings={"application_name": session_name()})
            try:
                while not session.is_closed():
                    await feel(session)
                    await asyncio.sleep(BEAT_SECONDS)
            finally:
                session.terminate()
        await asyncio.sleep(RETRY_SECONDS)


def session_name() -> str:
    """Return which version runs here, for who migrates."""
    return f"ipam {metadata.version('ipam')} on {socket.gethostname()}"[:LONGEST_NAME]


async def ask_nothing(session: asyncpg.Connection) -> None:
    await session.execute("select 1")


async def feel(session: asyncpg.Connection, question: Question = ask_nothing) -> None:
    """Put the question; raises SilentHostError, and leaves the host, when no answer comes."""
    asking = asyncio.ensure_future(question(session))
    try:
        if not await ends(asking):
            leave_host(session)
            raise SilentHostError(f"{name(host_of(session))} has not answered for {SILENT_SECONDS:g} s")
        await asking
    finally:
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)


async def ends(asking: "asyncio.Future[Any]") -> bool:
    """Return whether the answer comes in time. Where all stood still, ourselves too, the answer may lie in the socket
    when the time is over: the last tenth is waited for in any case."""
    for part in (0.9, 0.1):
        done, _ = await asyncio.wait({asking}, timeout=SILENT_SECONDS * part)
        if done:
            return True
    return False
