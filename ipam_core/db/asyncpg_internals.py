"""The parts of asyncpg that it does not promise to keep: every use of them is in this module.

`pyproject.toml` keeps asyncpg below the next minor version. Before that bound is raised,
tests/db/test_asyncpg_internals.py shows whether each part is still there and does what is expected of it.
"""

import asyncio
import inspect
import socket
from typing import Any, NamedTuple

import asyncpg
from asyncpg import connect_utils

from ipam_core.db.outage import ReplacedSchemaError, is_outdated

Host = str | tuple[str, int]  # the path of a Unix socket, or name and port


# --- where a session leads


def host_of(connection: asyncpg.Connection) -> Host:
    """Return the host that the session was made to."""
    host: Host = connection._addr
    return host


def socket_of(connection: asyncpg.Connection) -> socket.socket:
    """Return the session's socket; its descriptor is -1 once the session has ended."""
    found: socket.socket = connection._transport.get_extra_info("socket")
    return found


def shares_loop(one: asyncpg.Connection, other: asyncpg.Connection) -> bool:
    """Return whether both sessions belong to one event loop."""
    return one._loop is other._loop


class Target(NamedTuple):
    """Target of a URL: the hosts in their order, `target_session_attrs`, and the account of the session."""

    hosts: tuple[Host, ...]
    wish: str
    role: str
    database: str
    has_password: bool


def read_target(dsn: str | None, options: dict[str, Any]) -> Target:
    """Return the target exactly as asyncpg reads it from URL, options, environment and service file."""
    read = connect_utils._parse_connect_dsn_and_args
    named = inspect.signature(read).parameters
    known = {key: value for key, value in options.items() if key in named}
    addresses, found = read(**dict.fromkeys(named) | {"dsn": dsn} | known)
    wish = found.target_session_attrs.value
    return Target(tuple(addresses), wish, found.user, found.database, bool(found.password))


# --- statements that were prepared before a restore


class Session(asyncpg.Connection):  # type: ignore[misc]  # asyncpg comes without types
    """A session whose prepared statements outlive a restore, which gives the tables and types other OIDs. By itself
    asyncpg prepares a statement again only if the type of its result has changed. This class also does so after the
    other errors of that kind. All sessions of the pool forget their statements then. Within a transaction, which the
    error has ended, `_do_execute` raises ReplacedSchemaError."""

    async def _do_execute(
        self, query: str, executor: Any, limit: float | None, retry: bool = True, **options: Any
    ) -> Any:
        try:
            return await super()._do_execute(query, executor, limit, retry, **options)
        except asyncpg.PostgresError as error:
            if not retry or not names_what_is_gone(error):
                raise
            await self.reload_schema_state()
            if self._protocol.is_in_transaction():
                raise ReplacedSchemaError from error
        except asyncpg.OutdatedSchemaCacheError as error:  # the statement was executed: no second time
            raise ReplacedSchemaError from error
        return await self._do_execute(query, executor, limit, retry=False, **options)


def names_what_is_gone(error: asyncpg.PostgresError) -> bool:
    """Return whether a cached statement is of tables or types that were replaced. Other errors have the SQLSTATE of a
    cached plan too; asyncpg distinguishes them by PostgreSQL's function."""
    if isinstance(error, asyncpg.FeatureNotSupportedError):
        return isinstance(error, asyncpg.InvalidCachedStatementError)
    return is_outdated(error.sqlstate or "", str(error))


# --- a session that another protocol takes over


def hand_over(connection: asyncpg.Connection, protocol: asyncio.BaseProtocol) -> Any:
    """Give the octets of an idle session to `protocol` from now on; asyncpg sees no more of them. Return the
    transport."""
    transport = connection._transport
    transport.set_protocol(protocol)
    return transport


def note_lost(connection: asyncpg.Connection, error: Exception | None) -> None:
    """Notify asyncpg of the end of a session that was taken over. Otherwise its own end of the session would write to
    the closed transport, which uvloop takes for an error."""
    if connection._protocol is not None:
        connection._protocol.connection_lost(error)


# --- types that asyncpg would look up by queries


def add_array_types(connection: asyncpg.Connection, arrays: tuple[tuple[int, int, str], ...]) -> None:
    """Make arrays of built-in types known to the session: each with its OID, and its element's OID and name."""
    connection._protocol.get_settings().register_data_types([array_type(*array) for array in arrays])


def array_type(oid: int, element: int, name: str) -> dict[str, Any]:
    """Return what asyncpg's own query of pg_type returns for an array."""
    known = {"oid": oid, "ns": "pg_catalog", "name": f"_{name}", "kind": b"b", "basetype": None}
    known |= {"elemtype": element, "elemtype_name": name, "elemdelim": ",", "range_subtype": None}
    return known | {"attrtypoids": None, "attrnames": None}


def add_codec(connection: asyncpg.Connection, oid: int, name: str, encode: Any, decode: Any) -> None:
    """Set the binary codec of a built-in scalar type by its OID: the public `set_type_codec` takes the name "char" for
    character(n)."""
    settings = connection._protocol.get_settings()
    settings.add_python_codec(oid, name, "pg_catalog", [], "scalar", encode, decode, "binary")
