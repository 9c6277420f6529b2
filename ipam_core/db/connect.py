"""The asyncpg pool and what every session of ours has in common: how it is made, its settings, its codecs.

Values cross as Python's own: inet of one host is an address, other inet and cidr a network (asyncpg's
codecs), uuid a UUID, jsonb what msgspec reads, macaddr a colon-separated text, "char" one character. A
session that forgets an open transaction is ended by the server, because it would hold back every reader of
the event log.
"""

import asyncio
import socket
from typing import Any
from weakref import WeakSet

import asyncpg
import msgspec

from ipam_core.db import asyncpg_internals
from ipam_core.db.hosts import CONNECT_SECONDS, SETTING, find
from ipam_core.db.outage import AWAY, reason

CHAR_OID = 18

# Arrays of PostgreSQL's own types: the array's number, its element's number and name, the same on every server. asyncpg
# looks up an unknown type by a query of several milliseconds in each session.
ARRAYS = (
    (199, 114, "json"),
    (651, 650, "cidr"),
    (1000, 16, "bool"),
    (1001, 17, "bytea"),
    (1002, 18, "char"),
    (1005, 21, "int2"),
    (1007, 23, "int4"),
    (1016, 20, "int8"),
    (1021, 700, "float4"),
    (1022, 701, "float8"),
    (1040, 829, "macaddr"),
    (1041, 869, "inet"),
    (1182, 1082, "date"),
    (1185, 1184, "timestamptz"),
    (1187, 1186, "interval"),
    (1231, 1700, "numeric"),
    (2951, 2950, "uuid"),
    (3807, 3802, "jsonb"),
    (271, 5069, "xid8"),
)

# A host that lost its power closes no connection, and PostgreSQL by default looks for it after two hours: until then
# its locks are held. PostgreSQL ignores these on Unix sockets.
LIVENESS = {
    "tcp_keepalives_idle": "2",
    "tcp_keepalives_interval": "1",
    "tcp_keepalives_count": "3",
    "tcp_user_timeout": "5000",
}

SESSION = {
    "application_name": "ipam",
    "idle_in_transaction_session_timeout": "10s",
    **LIVENESS,
}

sessions: "WeakSet[asyncpg.Connection]" = WeakSet()  # of this process


async def create_pool(dsn: str, **options: Any) -> asyncpg.Pool:
    """Return a pool of sessions on `dsn`; `options` are asyncpg's, its server_settings laid over ours."""
    options.setdefault("min_size", 1)
    return await asyncpg.create_pool(dsn, connect=connect, **options)


def short_statements(seconds: int) -> dict[str, str]:
    """Return a setting of sessions whose statements are short. The time counts from a statement's first message to its
    last. So it also ends the transaction of a process that was stopped between the two (a signal, a debugger, a paused
    container). That transaction is open and not idle, and every reader of the event log would wait for it."""
    return {"statement_timeout": f"{seconds}s"}


async def connect(dsn: str | None = None, **options: Any) -> asyncpg.Connection:
    """Return one session with the settings and codecs of the pool."""
    options["server_settings"] = SESSION | options.get("server_settings", {})
    connection = await connect_any(dsn, **options)
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            await add_codecs(connection)
    except BaseException:
        connection.terminate()
        raise
    return connection


async def connect_any(dsn: str | None = None, **options: Any) -> asyncpg.Connection:
    """Return a session as asyncpg makes it, on whichever of the URL's hosts answers (hosts.py); `options` are
    asyncpg's, and `setting`, the name of the setting that contains the URL."""
    setting = options.pop("setting", SETTING)
    connection = await find(dsn, options, setting)
    watch_peer(connection)
    sessions.add(connection)
    return connection


async def why_unreached(dsn: str) -> str:
    """Return why there is no session, for callers whose own driver does not report it; empty if there is one."""
    try:
        (await connect(dsn)).terminate()
    except AWAY as error:
        return reason(error)
    return ""


def leave_host(silent: asyncpg.Connection) -> None:
    """End every session of this process with the host of one that has fallen silent. A host that hangs still
    acknowledges segments, so no timeout of TCP ends them."""
    host = asyncpg_internals.host_of(silent)
    for session in list(sessions):
        if asyncpg_internals.host_of(session) == host and asyncpg_internals.shares_loop(session, silent):
            session.terminate()


async def add_codecs(connection: asyncpg.Connection) -> None:
    await connection.set_type_codec(
        "jsonb", schema="pg_catalog", format="binary", encoder=encode_jsonb, decoder=decode_jsonb
    )
    asyncpg_internals.add_codec(connection, CHAR_OID, "char", str.encode, decode_char)
    asyncpg_internals.add_array_types(connection, ARRAYS)


def encode_jsonb(value: Any) -> bytes:
    """Return the binary form of jsonb: its text behind a version octet."""
    return b"\x01" + msgspec.json.encode(value)


def decode_jsonb(data: bytes) -> Any:
    return msgspec.json.decode(memoryview(data)[1:])


def decode_char(data: bytes) -> str:
    return data.decode()


def watch_peer(connection: asyncpg.Connection) -> None:
    """Notice within three seconds that the server's machine is gone, which closes no connection.

    Raises ConnectionResetError where the session has ended already: uvloop would call that a bad value.
    """
    sock = asyncpg_internals.socket_of(connection)
    if sock.fileno() < 0:
        raise ConnectionResetError("the database closed the connection")
    if sock.family not in (socket.AF_INET, socket.AF_INET6):
        return
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 1)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 1)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 2)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 3000)
