"""Migration of a database to the schema of this version: the steps of migrations/, run by yoyo with psycopg.

Steps are of two phases (schema.py): the additive ones, which the version before lives with, and those marked `-- phase:
post`, which wait until no process of another version has a session or a living node. Steps keep their order: an
additive one behind a post step waits with it.

One process at a time migrates, by an advisory lock that PostgreSQL lets go when its holder dies. Who holds
it knows that a row in yoyo's own lock table belongs to a dead process, and removes it. A step and the record
that it ran are one transaction, so a crash leaves a step done or untouched. The last act gives an empty
database the default tenant, because the public ids are made by this program and not by SQL.
"""

import asyncio
import contextlib
import io
import os
import socket
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from importlib import metadata, resources
from pathlib import Path
from typing import Any, Literal, NamedTuple

import psycopg
from psycopg import conninfo
from yoyo import read_migrations
from yoyo.backends.core.postgresql import PostgresqlPsycopgBackend
from yoyo.connections import DatabaseURI
from yoyo.migrations import Migration, MigrationList, get_migration_hash

from ipam_core.db import schema
from ipam_core.db.connect import LIVENESS, why_unreached
from ipam_core.errors import MigrationError, NewerSchema, OtherVersions, Unavailable, UnfitDatabase
from ipam_core.model.ids import new_id

# Any constant does that nobody else in this database uses: the octets of "ipam".
LOCK_KEY = 0x6970616D

MIGRATIONS = resources.files("ipam_core.migrations")
OLDEST = 15

# Two steps once bore the number 7. A database that has them under the old names gets the new ones.
RENAMED = {
    "0007.vacancy": "0008.vacancy",
    "0008.events": "0009.events",
    "0009.operation": "0010.operation",
    "0010.regrants": "0011.regrants",
    "0011.partitions": "0012.partitions",
    "0012.claims": "0013.claims",
    "0013.interfaces": "0014.interfaces",
    "0014.writers": "0015.writers",
    "0015.rates": "0016.rates",
    "0016.reserve": "0017.reserve",
    "0046.hardware": "0070.hardware",
    "0047.hardware": "0070.hardware",
    "0053.hardware": "0070.hardware",
    "0054.hardware": "0070.hardware",
    "0055.hardware": "0070.hardware",
    "0056.hardware": "0070.hardware",
    "0057.hardware": "0070.hardware",
    "0058.hardware": "0070.hardware",
    "0059.hardware": "0070.hardware",
    "0064.hardware": "0070.hardware",
}

APPLICATION = "ipam migrate"
HOST_SECONDS = 2  # the least that libpq takes


Phase = Literal["pre", "post", "all"]

# Sessions name version and host of their process (pulse.py), as the rows among the nodes do.
OTHERS = """
with builds (version, host) as (
  select split_part(application_name, ' ', 2), substring(application_name from ' on (.*)$')
  from pg_stat_activity where datname = current_database() and application_name like 'ipam %% on %%'
  union all
  select version, split_part(name, '/', 1) from node
  where state <> 'stopped' and heartbeat_at >= now() - interval '30 s'
)
select distinct host || ' (' || version || ')' from builds where version <> :version order by 1"""


class Outcome(NamedTuple):
    """Steps that were applied, those that wait for the end of the upgrade, and the hosts that they wait for."""

    applied: list[str]
    left: list[str]
    others: list[str]


def migrate(dsn: str) -> list[str]:
    """Apply what is missing and may be applied by now; the names of the steps that were applied, in order."""
    return advance(dsn).applied


def advance(dsn: str, phase: Phase = "all") -> Outcome:
    """Apply steps of a phase. `pre` leaves the post steps, `all` too where processes of other versions are alive;
    `post` raises OtherVersions then."""
    try:
        with connect(dsn) as connection:
            check(connection)
            connection.execute("select pg_advisory_lock(%s)", [LOCK_KEY])
            outcome = apply(dsn, phase)
            ensure_default_tenant(connection)
    except psycopg.OperationalError as error:
        raise unreached(dsn, error) from error
    return outcome


def pending(dsn: str) -> Outcome:
    """Return the missing steps, as `advance` would apply or leave them in the phase "pre", and change nothing. Raises
    NewerSchema for a database that a later version has completed."""
    try:
        with connect(dsn) as connection:
            check(connection)
            applied, additive = recorded(connection)
    except psycopg.OperationalError as error:
        raise Unavailable("the database", first_line(error)) from error
    with steps() as migrations:
        unknown = applied - {migration.id for migration in migrations}
        if refused := unknown - additive:
            raise newer(refused, migrations)
        missing = [] if unknown else [step for step in migrations if step.id not in applied]
        first, last = in_phases(missing)
        return Outcome(names_of(first), names_of(last), [])


def recorded(connection: psycopg.Connection) -> tuple[set[str], set[str]]:
    """Return the steps that the database had, by their present names, and those of them that it lists as additive."""
    tables = {"_yoyo_migration": "migration_id", "additive_step": "name"}
    found = []
    for table, column in tables.items():
        there = connection.execute("select to_regclass(%s)", [table]).fetchone()
        rows = connection.execute(f"select {column} from {table}").fetchall() if there and there[0] else []  # noqa: S608 - constants
        names = [str(name) for (name,) in rows]
        found.append({RENAMED.get(name, name) for name in names})
    return found[0], found[1]


def connect(dsn: str) -> psycopg.Connection:
    """Connect to the first host that answers: psycopg tries each address for as long as connect_timeout says."""
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


def apply(dsn: str, phase: Phase) -> Outcome:
    with Backend(dsn) as backend, steps() as migrations:
        backend.init_database()
        backend.break_lock()
        rename_steps(backend)
        if not is_ours(backend, migrations):
            return Outcome([], [], [])
        missing = list(backend.to_apply(migrations))
        first, last = in_phases(missing)
        others = backend.others() if last and phase != "pre" else []
        if others and phase == "post":
            raise OtherVersions(last[0].id, ", ".join(others))
        due, left = (first, last) if others or phase == "pre" else (missing, [])
        backend.note_additive(first)
        with backend.lock():
            for migration in due:
                backend.apply_one(migration)
        return Outcome(names_of(due), names_of(left), others)


def in_phases(missing: Sequence[Migration]) -> tuple[list[Migration], list[Migration]]:
    """Return the steps before the first post step, and from there on."""
    posts = [at for at, step in enumerate(missing) if schema.is_post(Path(step.path).read_text("utf-8"))]
    cut = posts[0] if posts else len(missing)
    return list(missing[:cut]), list(missing[cut:])


def names_of(migrations: Sequence[Migration]) -> list[str]:
    return [str(migration.id) for migration in migrations]


def rename_steps(backend: "Backend") -> None:
    """Rename recorded steps, because yoyo finds a step again by the hash of its name."""
    backend.ensure_internal_schema_updated()
    with backend.transaction():
        for old, new in RENAMED.items():
            backend.execute(
                "update _yoyo_migration set migration_id = %s, migration_hash = %s where migration_id = %s",
                (new, get_migration_hash(new), old),
            )


def is_ours(backend: "Backend", migrations: MigrationList) -> bool:
    """Return whether this build may change the database; one that has had steps of a later version is not ours. Raises
    NewerSchema where it cannot be served either."""
    ours = {migration.id for migration in migrations}
    unknown = backend.names("select migration_id from _yoyo_migration") - ours
    if refused := unknown - backend.names("select name from additive_step"):
        raise newer(refused, migrations)
    return not unknown


def newer(refused: set[str], migrations: MigrationList) -> NewerSchema:
    """Return the error for a database with steps that this version does not know."""
    ours = schema.newest(migration.id for migration in migrations)
    return NewerSchema("database_url", schema.newest(refused), schema.number(ours))


@contextlib.contextmanager
def steps() -> Iterator[MigrationList]:
    """Provide the SQL files inside the installed package; its __init__.py is no step."""
    with resources.as_file(MIGRATIONS) as folder:
        yield read_migrations(str(folder)).filter(lambda step: Path(step.path).suffix == ".sql")


class Backend(PostgresqlPsycopgBackend):  # type: ignore[misc]  # yoyo has no types
    """yoyo's psycopg backend on a DSN as libpq reads it: several hosts, socket folders, every parameter."""

    create_lock_table_sql = PostgresqlPsycopgBackend.create_lock_table_sql.replace(
        "CREATE TABLE", "CREATE TABLE IF NOT EXISTS"
    )

    def __init__(self, dsn: str) -> None:
        address = DatabaseURI("postgresql+psycopg", None, None, None, None, None, {"dsn": dsn})
        super().__init__(address, "_yoyo_migration")

    def copy(self) -> "Backend":
        return Backend(self.uri.args["dsn"])

    def connect(self, dburi: DatabaseURI) -> Any:
        return connect(dburi.args["dsn"])

    def init_database(self) -> None:
        """Skip yoyo's probing: PostgreSQL's DDL is transactional, and failing statements fill the log."""
        self.execute(self.format_sql(self.create_lock_table_sql))
        self.execute("create table if not exists additive_step (name text primary key)")

    def names(self, statement: str) -> set[str]:
        return {row[0] for row in self.execute(statement).fetchall()}

    def note_additive(self, steps: Sequence[Migration]) -> None:
        """Note additive steps before they run: a build that does not know a step must never find it without this
        note."""
        note = "insert into additive_step select unnest((:names)::text[]) on conflict do nothing"
        with self.transaction():
            self.execute(note, {"names": names_of(steps)})

    def others(self) -> list[str]:
        """Return hosts with processes of another version, and which."""
        if not self.execute("select to_regclass('node')").fetchone()[0]:
            return []
        return [row[0] for row in self.execute(OTHERS, {"version": metadata.version("ipam")}).fetchall()]

    def apply_one(self, migration: Migration, force: bool = False, mark: bool = True) -> None:
        """Apply the step and record it in one transaction, unless the step requires to run outside of one.

        yoyo prints what a step selects, which is for nobody.
        """
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                if migration.use_transactions:
                    self.apply_whole(migration)
                else:
                    super().apply_one(migration, force, mark)
        except psycopg.DatabaseError as error:
            raise MigrationError(migration.id, first_line(error)) from error

    def apply_whole(self, migration: Migration) -> None:
        with self.transaction():
            migration.process_steps(self, "apply")
            self.log_migration(migration, "apply")
            self.mark_one(migration, log=False)

    def get_log_data(self, migration: Migration | None = None, operation: str = "apply") -> dict[str, Any]:
        """Return log data without names of account and host, which a container may not have and yoyo asks for."""
        return {
            "id": str(new_id()),
            "migration_id": migration.id if migration else None,
            "migration_hash": migration.hash if migration else None,
            "username": self.connection.info.user,
            "hostname": socket.gethostname(),
            "created_at_utc": datetime.now(UTC).replace(tzinfo=None),
            "operation": operation,
        }


def ensure_default_tenant(connection: psycopg.Connection) -> None:
    connection.execute(
        "insert into tenant (id, name, is_default) select %s, 'default', true"
        " where not exists (select from tenant where is_default)",
        [new_id()],
    )


def unreached(dsn: str, error: psycopg.OperationalError) -> Unavailable:
    """Return the error for people. libpq tells no codes of a refused session, so the other driver asks once more."""
    with ThreadPoolExecutor(1) as own_loop:
        told = own_loop.submit(asyncio.run, why_unreached(dsn)).result()
    return Unavailable("the database", told or first_line(error))


def first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
