"""Sessions that write leases, and the choice of their server."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import NamedTuple

import asyncpg

from dhcp_fast.scheduling import raise_session
from ipam_core.db import queries
from ipam_core.db.connect import LIVENESS
from ipam_core.db.outage import AWAY
from ipam_core.errors import SettingsError

TYPES = """
select 'lease_request'::regtype::oid as write, 'lease_association'::regtype::oid as association,
  'lease_client'::regtype::oid as device"""

# The plans are made once, when the tables may still be empty; they must be those of full ones.
SESSION = {
    "application_name": "ipam lease writer",
    "synchronous_commit": "on",
    "client_min_messages": "warning",  # warnings report that a commit is not durable yet
    "default_transaction_isolation": "read committed",
    "idle_in_transaction_session_timeout": "10s",
    "statement_timeout": "0",
    "lock_timeout": "0",
    "plan_cache_mode": "force_generic_plan",
    "enable_seqscan": "off",
    "enable_hashjoin": "off",
    "enable_mergejoin": "off",
    "jit": "off",
    **LIVENESS,
}


POLL_SECONDS = 0.05
POLLS = 60
REACH_SECONDS = 1.0  # until another session of ours has answered
SQL = queries.load("dhcp_session")

IsKnown = Callable[[asyncpg.Connection], Awaitable[bool]]  # whether memory is of this database's history


class Backend(NamedTuple):
    """A process of PostgreSQL, for as long as it lives."""

    pid: int
    started: datetime


class LeaseTypes(NamedTuple):
    """Numbers (pg_type.oid) of the types lease_request, lease_association and lease_client."""

    write: int
    association: int
    device: int


class UnsafeServer(SettingsError):
    """The database at IPAM_DATABASE_URL must not hold leases: {reason}"""


async def prepare_session(connection: asyncpg.Connection, *, realtime: bool) -> LeaseTypes:
    """Refuse a server that must not hold leases, schedule the session; the numbers of the types of what is written.
    Raises UnsafeServer."""
    await check_server(connection)
    if realtime:
        raise_session(connection)
    return LeaseTypes(*await connection.fetchrow(TYPES))


async def read_backend(connection: asyncpg.Connection) -> Backend:
    return Backend(**await SQL.read_backend(connection))


async def end_former(sessions: asyncpg.Pool, backend: Backend) -> None:
    """End a former session from another one of ours before its successor connects, so that the
    server never has more sessions than documented. If no other session gets an answer, as with a
    hanging primary, its successor ends it. Raises TimeoutError when it does not end.
    """
    for _ in range(POLLS):
        asking = asyncio.get_running_loop().create_task(is_gone(sessions, backend))
        # It is not canceled: asyncpg would wait for its session.
        await asyncio.wait({asking}, timeout=REACH_SECONDS)
        if not asking.done() or asking.result():
            return
        await asyncio.sleep(POLL_SECONDS)
    raise does_not_end(backend)


async def is_gone(sessions: asyncpg.Pool, backend: Backend) -> bool:
    """Terminate a former session, and return whether it is gone as far as can be known."""
    try:
        return await SQL.end_backend(sessions, pid=backend.pid, started=backend.started) is None
    except AWAY:
        return True


async def end_backend(connection: asyncpg.Connection, backend: Backend) -> None:
    """Terminate a former session and wait for its end: then its commit has succeeded or failed for
    good, and its rows are free. Raises TimeoutError if it does not end, for example when the disk
    hangs.
    """
    for _ in range(POLLS):
        if await SQL.end_backend(connection, pid=backend.pid, started=backend.started) is None:
            return
        await asyncio.sleep(POLL_SECONDS)
    raise does_not_end(backend)


def does_not_end(backend: Backend) -> TimeoutError:
    return TimeoutError(
        f"PostgreSQL process {backend.pid} of an earlier session of this server does not exit"
    )


async def await_history(connection: asyncpg.Connection, is_known: IsKnown) -> None:
    """Wait until the leases in memory are of this database's history.

    A promoted database may lack acknowledged leases. They are protected once all leases were read
    again; before that, renewals of them would be refused. Raises TimeoutError when that takes long;
    the next session waits on.
    """
    for _ in range(POLLS):
        if await is_known(connection):
            return
        await asyncio.sleep(POLL_SECONDS)
    raise TimeoutError("the leases of the restored or promoted database are not loaded yet")


async def check_server(connection: asyncpg.Connection) -> None:
    """Raise UnsafeServer where the server may forget what it said was committed."""
    if await connection.fetchval("show fsync") != "on":
        raise UnsafeServer("database_url", "PostgreSQL runs with fsync=off: set fsync=on and restart it")
