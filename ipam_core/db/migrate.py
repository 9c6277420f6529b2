"""Migration of a database to the schema of this version: the steps that it lacks, then the code whose text differs.

Steps have two phases (schema.py): additive ones, which the previous version works with, and those marked `-- phase:
post`, which wait until no process of another version has a session or a living node. Steps keep their order: an
additive step behind a post step waits with it.

One process at a time migrates, under an advisory lock that PostgreSQL releases when its holder dies. A step and its row
in schema_step are one transaction, so a crash leaves a step applied or untouched. The last statements create the first
days of the lease history and the default tenant, because public ids are made by this program and not by SQL.
"""

import asyncio
import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from typing import Any, Literal, NamedTuple

import psycopg
from psycopg import conninfo

from ipam_core.db import earlier_schema, schema, schema_files
from ipam_core.db.connect import LIVENESS, why_unreached
from ipam_core.db.schema import Record, Records
from ipam_core.db.schema_files import Text
from ipam_core.errors import MigrationError, NewerSchema, OtherVersions, Unavailable, UnfitDatabase
from ipam_core.model.ids import new_id

# Any constant does that nobody else in this database uses: the octets of "ipam".
LOCK_KEY = 0x6970616D

OLDEST = 15

APPLICATION = "ipam migrate"
HOST_SECONDS = 2  # the least that libpq takes

Phase = Literal["pre", "post", "all"]

# A row for each step and for each file of code; `release`: the version that applied it.
LEDGER = """
create table if not exists schema_step (
  name text primary key,
  additive boolean not null,
  checksum text not null,
  release text not null,
  applied_at timestamptz not null default now()
)"""

RECORD = """
insert into schema_step (name, additive, checksum, release) values (%s, %s, %s, %s)
on conflict (name) do update
set checksum = excluded.checksum, release = excluded.release, applied_at = excluded.applied_at"""

FIRST_TENANT = """
insert into tenant (id, name, is_default) select %s, 'default', true
where not exists (select from tenant where is_default)"""

# The DHCP servers create later days.
FIRST_DAYS = """
select make_lease_event_partitions(14)
where not exists (select from pg_inherits where inhparent = 'lease_event'::regclass)"""

# Sessions name version and host of their process (pulse.py), as the rows among the nodes do.
OTHERS = """
with builds (version, host) as (
  select split_part(application_name, ' ', 2), substring(application_name from ' on (.*)$')
  from pg_stat_activity where datname = current_database() and application_name like 'ipam %% on %%'
  union all
  select version, split_part(name, '/', 1) from node
  where state <> 'stopped' and heartbeat_at >= now() - interval '30 s'
)
select distinct host || ' (' || version || ')' from builds where version <> %s order by 1"""


class Outcome(NamedTuple):
    """Steps and code that were applied, steps that wait for the end of the upgrade, and the hosts they wait for."""

    applied: list[str]
    left: list[str]
    others: list[str]


def migrate(dsn: str) -> list[str]:
    """Apply what is missing and may be applied by now; return the names of the steps and the code, in order."""
    return advance(dsn).applied


def advance(dsn: str, phase: Phase = "all") -> Outcome:
    """Apply the steps of a phase. `pre` leaves the post steps, and so does `all` where processes of other versions are
    alive; `post` raises OtherVersions then."""
    try:
        with connect(dsn) as connection:
            check(connection)
            connection.execute("select pg_advisory_lock(%s)", [LOCK_KEY])
            outcome = apply(connection, phase)
            connection.execute(FIRST_TENANT, [new_id()])
            connection.execute(FIRST_DAYS)
    except psycopg.OperationalError as error:
        raise unreached(dsn, error) from error
    return outcome


def pending(dsn: str) -> Outcome:
    """Return what is missing, as `advance` would apply or leave it in the phase "pre", and change nothing. Raises
    NewerSchema for a database that a later version has completed."""
    try:
        with connect(dsn) as connection:
            check(connection)
            records = recorded(connection)
            if not is_ours(records):
                return Outcome([], [], [])
            earlier_schema.check(connection, records)
    except psycopg.OperationalError as error:
        raise Unavailable("the database", first_line(error)) from error
    first, last = in_phases(missing(records))
    return Outcome(names_of([*first, *schema.stale(records)]), names_of(last), [])


def connect(dsn: str) -> psycopg.Connection:
    """On the first host that answers: psycopg tries each address for up to connect_timeout."""
    asked = conninfo.conninfo_to_dict(dsn).get("connect_timeout") or os.environ.get("PGCONNECT_TIMEOUT")
    connection = psycopg.connect(
        dsn, autocommit=True, application_name=APPLICATION, connect_timeout=int(asked or HOST_SECONDS)
    )
    for name, value in LIVENESS.items():  # our lock must not outlive our machine's power
        connection.execute("select set_config(%s, %s, false)", [name, value])
    return connection


def check(connection: psycopg.Connection) -> None:
    if connection.info.server_version < OLDEST * 10_000:
        raise UnfitDatabase(f"its server is older than PostgreSQL {OLDEST}: upgrade the server")
    if connection.info.encoding != "utf-8":
        found = connection.info.parameter_status("server_encoding")
        raise UnfitDatabase(f"its encoding is {found}: create it with encoding 'UTF8' template template0")


def apply(connection: psycopg.Connection, phase: Phase) -> Outcome:
    records = recorded(connection)
    if not is_ours(records):
        return Outcome([], [], [])
    took_over = earlier_schema.check(connection, records)
    steps = missing(records)
    first, last = in_phases(steps)
    others = hosts_of_others(connection) if last and phase != "pre" else []
    if others and phase == "post":
        raise OtherVersions(last[0].name, ", ".join(others))
    due, left = (first, last) if others or phase == "pre" else (steps, [])
    connection.execute(LEDGER)
    for step in due:
        sql = earlier_schema.TAKE_OVER if took_over and step.name == schema_files.BASELINE else step.sql
        apply_one(connection, step._replace(sql=sql), record_of(step, additive=step in first))
    put = schema.stale(records)
    put_code(connection, put)
    return Outcome(names_of([*due, *put]), names_of(left), others)


def recorded(connection: psycopg.Connection) -> Records:
    """Return what the database has."""
    (there,) = one(connection, "select to_regclass('schema_step') is not null")
    rows: Iterable[tuple[Any, ...]] = (
        connection.execute("select name, additive, checksum, release from schema_step") if there else []
    )
    return {name: Record(*row) for name, *row in rows}


def is_ours(records: Records) -> bool:
    """Return whether this version may change the database: not after steps of a later version. Raises NewerSchema where
    this version cannot serve it either, UnfitDatabase where a step had another text."""
    if refused := schema.unfit(records):
        ours = schema.newest(schema.known())
        raise NewerSchema("database_url", schema.newest(refused), schema.number(ours))
    for step in schema_files.steps():
        if step.name in records and records[step.name].checksum != step.checksum:
            raise UnfitDatabase(
                f"its step {step.name} was applied with another text than this version has: "
                f"use the version {records[step.name].release}, or restore a backup"
            )
    return not schema.steps_of(records) - set(schema.known())


def missing(records: Records) -> list[Text]:
    return [step for step in schema_files.steps() if step.name not in records]


def in_phases(steps: Sequence[Text]) -> tuple[list[Text], list[Text]]:
    """Return the steps before the first post step, and the steps from there on."""
    posts = [at for at, step in enumerate(steps) if step.is_post]
    cut = posts[0] if posts else len(steps)
    return list(steps[:cut]), list(steps[cut:])


def names_of(texts: Sequence[Text]) -> list[str]:
    return [text.name for text in texts]


def hosts_of_others(connection: psycopg.Connection) -> list[str]:
    """Return the hosts with processes of another version, each with that version."""
    (there,) = one(connection, "select to_regclass('node') is not null")
    rows: Iterable[tuple[Any, ...]] = connection.execute(OTHERS, [metadata.version("ipam")]) if there else []
    return [host for (host,) in rows]


def record_of(text: Text, *, additive: bool) -> tuple[str, bool, str, str]:
    return text.name, additive, text.checksum, metadata.version("ipam")


def apply_one(connection: psycopg.Connection, step: Text, record: tuple[str, bool, str, str]) -> None:
    """Apply a step and record it, in one transaction unless its text excludes that. Raises MigrationError."""
    try:
        if not step.in_transaction:
            connection.execute(step.sql.encode())
        with connection.transaction():
            if step.in_transaction:
                connection.execute(step.sql.encode())
            connection.execute(RECORD, record)
    except psycopg.DatabaseError as error:
        raise failed(step, error) from error


def put_code(connection: psycopg.Connection, texts: Sequence[Text]) -> None:
    """Replace functions, triggers and views, all in one transaction. Raises MigrationError."""
    with connection.transaction():
        # A function may call one of a later file. A body with an error is found by tests, not here.
        connection.execute("set local check_function_bodies = off")
        for text in texts:
            try:
                connection.execute(text.sql.encode())
            except psycopg.DatabaseError as error:
                raise failed(text, error) from error
            connection.execute(RECORD, record_of(text, additive=True))


def failed(text: Text, error: psycopg.DatabaseError) -> Exception:
    """Return the error for people; a lost connection stays what it is."""
    if isinstance(error, psycopg.OperationalError):
        return error
    return MigrationError(text.name, first_line(error))


def one(connection: psycopg.Connection, statement: str) -> tuple[bool]:
    row = connection.execute(statement.encode()).fetchone()
    assert row is not None
    return (bool(row[0]),)


def unreached(dsn: str, error: psycopg.OperationalError) -> Unavailable:
    """Return the error for people. libpq reports no codes of a refused session, so the other driver asks once more."""
    with ThreadPoolExecutor(1) as own_loop:
        told = own_loop.submit(asyncio.run, why_unreached(dsn)).result()
    return Unavailable("the database", told or first_line(error))


def first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
