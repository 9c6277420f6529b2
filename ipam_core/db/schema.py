"""Is the database's schema one that this build can serve?

Each process asks once, before it serves. A schema that is behind is waited for: somebody is about to run `ipam
migrate`. One that is ahead, with steps that this build has never heard of, is refused: what it would write there might
mean something else by then.

An upgrade goes from host to host, so steps are of two phases. Those without a mark are additive: a build that does not
know them lives with them, and they are run before the first host is upgraded. A step marked `-- phase: post` takes away
what the version before needs, and is run when no process of that is left; a new build serves without it until then.
The database lists the additive steps that it had, so that an old process can start again after them.
"""

import re
from collections.abc import Iterable
from functools import cache
from importlib import resources

import asyncpg
import structlog

from ipam_core.db import queries
from ipam_core.errors import NewerSchema, OlderSchema

SQL = queries.load("schema")

POST = re.compile(r"^-- phase: post$", re.MULTILINE)

log = structlog.get_logger()


@cache
def known() -> tuple[str, ...]:
    """Return this build's steps, in order."""
    names = (file.name for file in resources.files("ipam_core.migrations").iterdir())
    return tuple(sorted(name.removesuffix(".sql") for name in names if name.endswith(".sql")))


@cache
def deferrable() -> frozenset[str]:
    """Return those of them that this build serves without."""
    folder = resources.files("ipam_core.migrations")
    return frozenset(step for step in known() if is_post((folder / f"{step}.sql").read_text("utf-8")))


def is_post(text: str) -> bool:
    """Return whether this step is one for the end of an upgrade."""
    return POST.search(text) is not None


async def check(connection: asyncpg.Connection) -> None:
    """Raise OlderSchema, which may pass, or NewerSchema, which will not."""
    try:
        applied, additive = await read(connection)
    except asyncpg.InsufficientPrivilegeError as error:
        log.warning("this account is not allowed to read the version of the schema", error=str(error))
        return
    compare(applied, additive)


async def read(connection: asyncpg.Connection) -> tuple[set[str], set[str]]:
    """Return the steps that the database had, and those that it says are additive."""
    there = await SQL.find_records(connection)
    applied = {row["name"] async for row in SQL.read_steps(connection)} if there["steps"] else set()
    additive = {row["name"] async for row in SQL.read_additive(connection)} if there["additive"] else set()
    return applied, additive


def compare(applied: set[str], additive: set[str]) -> None:
    """Compare the steps of the database with those that this build needs and accepts."""
    ours = set(known())
    if unknown := applied - additive - ours:
        raise NewerSchema("database_url", newest(unknown), number(newest(ours)))
    if missing := ours - deferrable() - applied:
        raise OlderSchema(state(applied & ours, missing), number(newest(ours)))


def state(done: set[str], missing: set[str]) -> str:
    """Return what the schema is: the number of its last step, and the step that it lacks where it has later ones."""
    if not done:
        return "empty"
    lacking = min(missing)
    return f"{number(newest(done))} without {lacking}" if lacking < newest(done) else number(newest(done))


def newest(steps: Iterable[str]) -> str:
    return max(steps)


def number(step: str) -> str:
    return step.partition(".")[0]
