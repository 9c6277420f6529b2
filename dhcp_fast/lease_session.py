"""What a session is that writes leases, and which server may have one."""

import asyncpg

from dhcp_fast.scheduling import raise_session
from ipam_core.db.connect import LIVENESS
from ipam_core.errors import SettingsError

OPERATION_OID = "select 'lease_operation'::regtype::oid"

# The plans are made once, when the tables may still be empty; they must be those of full ones.
SESSION = {
    "application_name": "ipam lease writer",
    "synchronous_commit": "on",
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


class UnsafeServer(SettingsError):
    """The database at IPAM_DATABASE_URL must not hold leases: {reason}"""


async def settle(connection: asyncpg.Connection, *, realtime: bool) -> int:
    """Refuse a server that must not hold leases, schedule the session; the number of the type lease_operation."""
    await check_server(connection)
    if realtime:
        raise_session(connection)
    number: int = await connection.fetchval(OPERATION_OID)
    return number


async def check_server(connection: asyncpg.Connection) -> None:
    """Refuse a server that may forget what it said was committed."""
    if await connection.fetchval("show fsync") != "on":
        raise UnsafeServer("database_url", "the server runs with fsync=off; set fsync=on and restart it")
