"""Which errors say that the database is away, for now: those that a later try may not meet.

Everything else that PostgreSQL answers is a defect of ours or of the schema, and is not waited out.
"""

import asyncpg

AWAY = (
    OSError,
    TimeoutError,
    asyncpg.InterfaceError,
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,
    asyncpg.InsufficientResourcesError,
    asyncpg.ReadOnlySQLTransactionError,
    asyncpg.InvalidCatalogNameError,
    asyncpg.ObjectNotInPrerequisiteStateError,  # a standby that is being promoted
    asyncpg.UndefinedTableError,  # the schema is still to come
)
