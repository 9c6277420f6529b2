"""Is the database's schema the one that this build was written for?

Each process asks once, before it serves. A schema that is behind is waited for: somebody is about to run `ipam
migrate`. One that is ahead, with steps that this build has never heard of, is refused: what it would write there might
mean something else by then. A process that serves already goes on while a newer version migrates under it, so that an
upgrade can go from host to host: steps are made so that the version before can live with them.
"""

from collections.abc import Iterable
from functools import cache
from importlib import resources

import asyncpg
import structlog

from ipam_core.db import queries
from ipam_core.errors import NewerSchema, OlderSchema

SQL = queries.load("schema")

log = structlog.get_logger()


@cache
def known() -> tuple[str, ...]:
    """This build's steps, in order."""
    names = (file.name for file in resources.files("ipam_core.migrations").iterdir())
    return tuple(sorted(name.removesuffix(".sql") for name in names if name.endswith(".sql")))


async def check(connection: asyncpg.Connection) -> None:
    """Raises OlderSchema, which may pass, or NewerSchema, which will not."""
    try:
        recorded = await SQL.is_recorded(connection)
        applied = [row["name"] async for row in SQL.read_steps(connection)] if recorded else []
    except asyncpg.InsufficientPrivilegeError as error:
        log.warning("this account may not see which version the schema is", error=str(error))
        return
    compare(applied, known())


def compare(applied: Iterable[str], needed: Iterable[str]) -> None:
    done, wanted = set(applied), set(needed)
    if unknown := done - wanted:
        raise NewerSchema("database_url", newest(unknown), number(newest(wanted)))
    if missing := wanted - done:
        raise OlderSchema(state(done, missing), number(newest(wanted)))


def state(done: set[str], missing: set[str]) -> str:
    """What the schema is: the number of its last step, and the step that it lacks where it has later ones."""
    if not done:
        return "empty"
    lacking = min(missing)
    return f"{number(newest(done))} without {lacking}" if lacking < newest(done) else number(newest(done))


def newest(steps: Iterable[str]) -> str:
    return max(steps)


def number(step: str) -> str:
    return step.partition(".")[0]
