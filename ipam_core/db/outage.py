"""Errors that mean that the database is away, for now. A later attempt may succeed (`AWAY`).

Everything else that PostgreSQL answers is a defect of the program or of the schema and is not retried. Only background
work continues after any answer (`FAILED`).
"""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

import asyncpg

from ipam_core.errors import IpamError, OlderSchema, Unavailable

T = TypeVar("T")

AWAY = (
    OSError,
    TimeoutError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # the session was ended between two statements, and has not seen its end yet
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,
    asyncpg.InsufficientResourcesError,
    asyncpg.TransactionRollbackError,  # a deadlock, or a standby's conflict with what it replays
    asyncpg.ReadOnlySQLTransactionError,
    asyncpg.TargetServerAttributeNotMatched,  # only standbys answer, for now
    asyncpg.InvalidCatalogNameError,
    asyncpg.ObjectNotInPrerequisiteStateError,  # a standby that is being promoted
    asyncpg.InvalidAuthorizationSpecificationError,  # the account is still to come, or its password is being changed
    asyncpg.InsufficientPrivilegeError,
    OlderSchema,  # somebody is about to migrate
    asyncpg.UndefinedTableError,  # the schema is still to come, or an older one is still there
    asyncpg.UndefinedColumnError,
    asyncpg.UndefinedFunctionError,
    asyncpg.UndefinedObjectError,
)

FAILED = (
    OSError,
    TimeoutError,
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
)


# Errors of a prepared statement after a restore has replaced its tables and types. PostgreSQL does not translate the
# messages of internal errors.
REPLACED = ("cache lookup failed for", "could not open relation with OID")
CACHED_PLAN, NO_STATEMENT, NO_TYPE, INTERNAL = "0A000", "26000", "42704", "XX000"


class ReplacedSchemaError(ConnectionError):
    """The tables were replaced, as by a restore, within this transaction; the next one uses the new tables."""

    def __str__(self) -> str:
        return "the tables were replaced, as by a restore; the next try uses the new ones"


def is_outdated(sqlstate: str, message: str) -> bool:
    """Return whether a statement that was prepared before fails because what it names is another object now."""
    return sqlstate in {CACHED_PLAN, NO_STATEMENT, NO_TYPE} or (
        sqlstate == INTERNAL and message.startswith(REPLACED)
    )


NO_TABLES = "its schema is not of this version: run ipam migrate"

# Remedies for errors in a session; unreached.py has those for errors without a session.
MENDS: tuple[tuple[tuple[type[BaseException], ...], str], ...] = (
    (
        (
            asyncpg.UndefinedTableError,
            asyncpg.UndefinedColumnError,
            asyncpg.UndefinedFunctionError,
            asyncpg.UndefinedObjectError,
        ),
        NO_TABLES,
    ),
    (
        (asyncpg.InsufficientPrivilegeError,),
        "the role in database_url may not do this: make it the owner of the database and its tables",
    ),
    (
        (asyncpg.ReadOnlySQLTransactionError,),
        "the database accepts no writes: database_url must lead to a primary with default_transaction_read_only off",
    ),
)


def reason(error: BaseException) -> str:
    """Return what is wrong and what to change, for people: the note of an attempt to connect, else a sentence that
    belongs to the class of the error, else its own words."""
    for note in getattr(error, "__notes__", ()):
        return str(note)
    for classes, sentence in MENDS:
        if isinstance(error, classes):
            return f"{sentence} ({error})"
    return str(error) or ("no answer in time" if isinstance(error, TimeoutError) else type(error).__name__)


def run_in_database(work: Coroutine[Any, Any, T]) -> T:
    """Return what a command does in the database; Unavailable, for people, where that is away or without schema."""
    try:
        return asyncio.run(work)
    except IpamError:
        raise
    except AWAY as error:
        raise Unavailable("the database", reason(error)) from error
