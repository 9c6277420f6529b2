"""Check whether this build can serve the schema of the database.

Each process checks once, before it serves. It waits for a schema that is behind, because somebody is about to run `ipam
migrate`. It refuses a schema that has steps unknown to this build, because its writes might mean something else there.

An upgrade proceeds from host to host, so steps have two phases. Steps without a mark are additive: a build that does
not know them works with them, and they are applied before the first host is upgraded. A step marked `-- phase: post`
removes what the previous version needs, and is applied when no process of that version is left; a new build serves
without it until then. The database records which of its steps are additive, so an old process can start again after
them.

Functions, triggers and views are additive as well: the previous version works with the text of this one. A process
needs its own text or that of a later version.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import metadata
from typing import NamedTuple

import asyncpg
import structlog

from ipam_core.db import queries, schema_files
from ipam_core.db.schema_files import Text
from ipam_core.errors import NewerSchema, OlderSchema

SQL = queries.load("schema")

VERSION = re.compile(r"(?P<numbers>\d+(?:\.\d+)*)(?:\.dev\d+)?(?:\+(?P<time>\d+))?")

log = structlog.get_logger()


class Record(NamedTuple):
    """Row of the table schema_step: a step, or a file of code, that the database has."""

    additive: bool
    checksum: str
    release: str


Records = Mapping[str, Record]


def known() -> tuple[str, ...]:
    """Return the names of this build's steps, in order."""
    return tuple(step.name for step in schema_files.steps())


@cache
def deferrable() -> frozenset[str]:
    """Return the names of the steps that this build serves without."""
    return frozenset(step.name for step in schema_files.steps() if step.is_post)


async def check(connection: asyncpg.Connection) -> None:
    """Raise OlderSchema, which may pass, or NewerSchema, which will not."""
    try:
        there = await SQL.find_records(connection)
        rows = [row async for row in SQL.read_steps(connection)] if there["steps"] else []
    except asyncpg.InsufficientPrivilegeError as error:
        log.warning("this account is not allowed to read the version of the schema", error=str(error))
        return
    if there["before"] and not rows:
        raise OlderSchema("of a version before 0.2.0", number(newest(known())))
    compare({row["name"]: Record(row["additive"], row["checksum"], row["release"]) for row in rows})


def compare(records: Records) -> None:
    """Compare what the database has with what this build needs and knows. Raises OlderSchema, NewerSchema."""
    ours = set(known())
    applied = steps_of(records)
    if refused := unfit(records):
        raise NewerSchema("database_url", newest(refused), number(newest(ours)))
    if missing := ours - deferrable() - applied:
        raise OlderSchema(state(applied & ours, missing), number(newest(ours)))
    if other := [text.name for text in stale(records)]:
        raise OlderSchema(
            f"{number(newest(applied & ours))} with older {', '.join(other)}", number(newest(ours))
        )


def steps_of(records: Records) -> set[str]:
    """Return the names of the steps, without those of the files of code."""
    return {name for name in records if "/" not in name}


def unfit(records: Records) -> set[str]:
    """Return the steps of a later version that this build cannot work with."""
    return {name for name in steps_of(records) - set(known()) if not records[name].additive}


def stale(records: Records) -> list[Text]:
    """Return the files of code of which the database has neither this build's text nor a later version's."""
    return [text for text in schema_files.code() if not has(records.get(text.name), text)]


def has(record: Record | None, text: Text) -> bool:
    return record is not None and (
        record.checksum == text.checksum or age(record.release) > age(metadata.version("ipam"))
    )


def age(version: str) -> tuple[tuple[int, ...], bool, int]:
    """Return what orders versions: the numbers, whether it is a release, and the time of a development build, of
    "0.2.0.dev0+202611272030.g1a2b3c4d" for example ((0, 2, 0), False, 202611272030)."""
    found = VERSION.match(version)
    numbers = tuple(int(part) for part in found["numbers"].split(".")) if found else ()
    return numbers, ".dev" not in version, int(found["time"] or 0) if found else 0


def state(done: set[str], missing: set[str]) -> str:
    """Return the number of the last step, and the step that is missing where there are later ones."""
    if not done:
        return "empty"
    lacking = min(missing)
    return f"{number(newest(done))} without {lacking}" if lacking < newest(done) else number(newest(done))


def newest(steps: Iterable[str]) -> str:
    return max(steps)


def number(step: str) -> str:
    return step.partition(".")[0]
