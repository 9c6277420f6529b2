"""Migrations: whole or not at all, once, whoever else migrates or died migrating; PostgreSQL 15 to 18."""

import asyncio
import hashlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import asyncpg
import psycopg
import pytest
from click.testing import CliRunner
from system import peers

from api.cli import main
from ipam_core.backup import back_up, restore
from ipam_core.db import lease_retention, pulse, schema
from ipam_core.db import migrate as migrations
from ipam_core.db.connect import connect
from ipam_core.db.embedded.programs import Account
from ipam_core.db.migrate import LOCK_KEY, RENAMED, advance, migrate
from ipam_core.errors import (
    MigrationError,
    NewerSchema,
    OlderSchema,
    OtherVersions,
    Unavailable,
    UnfitDatabase,
)
from ipam_core.secrets import Keyring

FUTURE = "insert into _yoyo_migration values ('f', '0099.future', now())"
STEPS = sorted(path.stem for path in (Path(__file__).parents[2] / "migrations").glob("*.sql"))


async def fetch(dsn: str, statement: str) -> list[tuple[object, ...]]:
    connection = await asyncpg.connect(dsn)
    try:
        return [tuple(row) for row in await connection.fetch(statement)]
    finally:
        await connection.close()


async def test_an_empty_database_gets_every_step_once(empty_database: str) -> None:
    assert await asyncio.to_thread(migrate, empty_database) == STEPS
    assert await asyncio.to_thread(migrate, empty_database) == []


async def test_there_is_one_default_tenant(empty_database: str) -> None:
    for _ in range(2):
        await asyncio.to_thread(migrate, empty_database)
    assert await fetch(empty_database, "select name, is_default from tenant") == [("default", True)]


async def test_many_at_once_apply_each_step_once(empty_database: str) -> None:
    command = "import sys; from ipam_core.db.migrate import migrate; print(*migrate(sys.argv[1]))"
    running = [
        await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", command, empty_database), stdout=asyncio.subprocess.PIPE
        )
        for _ in range(3)
    ]
    outputs = [(await one.communicate())[0].decode().split() for one in running]
    assert [one.returncode for one in running] == [0, 0, 0]
    assert sorted(step for output in outputs for step in output) == STEPS


async def test_the_lock_row_of_a_dead_process_is_cleared(database: str) -> None:
    """yoyo alone would wait ten seconds for it and give up."""
    await fetch(database, "insert into yoyo_lock (locked, ctime, pid) values (1, now(), 1)")
    await fetch(database, "delete from _yoyo_migration where migration_id = '0003.operations'")
    await fetch(database, "drop table change, token, idempotency, node")
    assert "0003.operations" in await asyncio.to_thread(migrate, database)
    assert await fetch(database, "select * from yoyo_lock") == []


async def test_who_migrates_waits_for_the_lock(database: str) -> None:
    holder = await asyncpg.connect(database)
    await holder.execute("select pg_advisory_lock($1)", LOCK_KEY)
    waiting = asyncio.create_task(asyncio.to_thread(migrate, database))
    _, still = await asyncio.wait([waiting], timeout=0.3)
    assert still == {waiting}
    await holder.close()
    assert await waiting == []


async def test_a_step_that_fails_leaves_nothing_behind(
    empty_database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "0001.bad.sql").write_text("create table half (no integer);\nselect 1 / 0;\n")
    monkeypatch.setattr(migrations, "MIGRATIONS", tmp_path)
    with pytest.raises(MigrationError, match=r"0001\.bad failed.*division by zero"):
        await asyncio.to_thread(migrate, empty_database)
    assert await fetch(empty_database, "select to_regclass('half')") == [(None,)]
    assert await fetch(empty_database, "select * from _yoyo_migration") == []


STEPS_OF_TWO_PHASES = {
    "0001.wide": "create table half (no integer);\ncreate table tenant (id uuid, name text, is_default boolean);\n"
    "create table node (name text, version text, state text, heartbeat_at timestamptz);\n",
    "0002.narrow": "-- Nobody reads it any more.\n-- depends: 0001.wide\n-- phase: post\ndrop table half;\n",
    "0003.wider": "-- depends: 0002.narrow\ncreate table other (no integer);\n",
}
ELSEWHERE = {"server_settings": {"application_name": "ipam 0.0.9 on old.example"}}
NODE = "insert into node select 'older.example/dhcp', '0.0.8', $1, now() - $2::interval"


@pytest.fixture
def two_phases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in STEPS_OF_TWO_PHASES.items():
        (tmp_path / f"{name}.sql").write_text(text)
    monkeypatch.setattr(migrations, "MIGRATIONS", tmp_path)


@pytest.mark.usefixtures("two_phases")
async def test_a_post_step_waits_for_the_end_of_the_upgrade(empty_database: str) -> None:
    """And what stands behind it waits too. The additive steps are noted for builds that do not know them."""
    left = ["0002.narrow", "0003.wider"]
    assert await asyncio.to_thread(advance, empty_database, "pre") == (["0001.wide"], left, [])
    assert await asyncio.to_thread(advance, empty_database, "pre") == ([], left, [])
    assert await fetch(empty_database, "select name from additive_step") == [("0001.wide",)]
    assert await asyncio.to_thread(advance, empty_database, "post") == (left, [], [])
    assert await asyncio.to_thread(advance, empty_database) == ([], [], [])


@pytest.mark.usefixtures("two_phases")
async def test_it_waits_while_another_version_lives(empty_database: str) -> None:
    """In a session, or among the nodes; whatever is stopped or long silent is not waited for."""
    await asyncio.to_thread(advance, empty_database, "pre")
    old = await asyncpg.connect(empty_database, **ELSEWHERE)
    for state, silent in (("ready", "1 s"), ("stopped", "1 s"), ("ready", "31 s")):
        await old.execute(NODE, state, timedelta(seconds=int(silent.split()[0])))
    hosts = ["old.example (0.0.9)", "older.example (0.0.8)"]
    assert await asyncio.to_thread(advance, empty_database) == ([], ["0002.narrow", "0003.wider"], hosts)
    with pytest.raises(OtherVersions, match=r"0002\.narrow .*: old\.example \(0\.0\.9\), older"):
        await asyncio.to_thread(advance, empty_database, "post")
    await old.execute("update node set state = 'stopped'")
    await old.close()
    assert (await asyncio.to_thread(advance, empty_database)).applied == ["0002.narrow", "0003.wider"]


@pytest.mark.usefixtures("two_phases")
def test_the_command_says_what_waits_and_for_whom(
    empty_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IPAM_DATABASE_URL", empty_database)
    run = CliRunner().invoke
    waits = "left until the end of the upgrade (ipam migrate --post): 0002.narrow, 0003.wider"
    assert run(main, ["migrate", "--pre"]).output == f"applied 0001.wide\n{waits}\n"
    with psycopg.connect(empty_database, application_name="ipam 0.0.9 on old.example"):
        told = f"nothing to apply\n{waits}; other versions run on old.example (0.0.9)\n"
        assert run(main, ["migrate"]).output == told
        refused = run(main, ["migrate", "--post"])
        assert (refused.exit_code, "old.example (0.0.9)" in refused.stderr) == (1, True)
    assert run(main, ["migrate", "--post"]).output == "applied 0002.narrow, 0003.wider\n"


@pytest.mark.usefixtures("two_phases")
async def test_the_check_lists_what_is_missing_and_changes_nothing(
    empty_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Status 1 means that processes of this version wait; the steps that they serve without do not count."""
    monkeypatch.setenv("IPAM_DATABASE_URL", empty_database)
    waits = "left until the end of the upgrade (ipam migrate --post): 0002.narrow, 0003.wider"

    async def check() -> tuple[int, str]:
        found = await asyncio.to_thread(CliRunner().invoke, main, ["migrate", "--check"])
        return found.exit_code, found.output

    assert await check() == (1, f"missing, run ipam migrate --pre: 0001.wide\n{waits}\n")
    assert await fetch(empty_database, "select to_regclass('half'), to_regclass('yoyo_lock')") == [
        (None, None)
    ]
    await asyncio.to_thread(advance, empty_database, "pre")
    assert await check() == (0, f"{waits}\n")
    await asyncio.to_thread(advance, empty_database)
    assert await check() == (0, "nothing to apply\n")
    await fetch(empty_database, FUTURE)
    status, told = await check()
    assert (status, "0099.future" in told) == (2, True)


async def test_a_process_of_this_version_is_not_waited_for(database: str) -> None:
    session = await connect(database, server_settings={"application_name": pulse.session_name()})
    with migrations.Backend(database) as backend:
        assert backend.others() == []
        await session.execute("set application_name = 'ipam 99.1 on new.example'")
        assert backend.others() == ["new.example (99.1)"]
    await session.close()


async def test_what_the_next_version_added_is_lived_with(database: str) -> None:
    """A process that starts again during an upgrade, and its `ipam up`, which migrates first."""
    connection = await connect(database)
    await connection.execute(FUTURE)
    with pytest.raises(NewerSchema, match=r"0099\.future"):
        await schema.check(connection)
    await connection.execute("insert into additive_step values ('0099.future')")
    await schema.check(connection)
    assert await asyncio.to_thread(migrate, database) == []
    needed = [step for step in STEPS if step not in schema.deferrable()]
    await connection.execute(f"delete from _yoyo_migration where migration_id = '{needed[-1]}'")
    with pytest.raises(OlderSchema):
        await schema.check(connection)
    await connection.close()


async def test_a_build_serves_without_its_own_post_steps(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = await connect(database)
    await connection.execute(f"delete from _yoyo_migration where migration_id = '{STEPS[-1]}'")
    monkeypatch.setattr(schema, "deferrable", lambda: frozenset({STEPS[-1]}))
    await schema.check(connection)
    await connection.close()


def test_the_marks_of_phases_are_read_as_meant() -> None:
    """A mark that is spelt otherwise would make a step additive."""
    spelt = re.compile(r"^\s*--\s*phase\b", re.MULTILINE | re.IGNORECASE)
    folder = Path(__file__).parents[2] / "migrations"
    marked = {path.stem for path in folder.glob("*.sql") if spelt.search(path.read_text())}
    assert marked == schema.deferrable()


def test_no_number_is_used_twice() -> None:
    numbers = [step.partition(".")[0] for step in STEPS]
    assert numbers == sorted(set(numbers))


@pytest.mark.parametrize("had", [3, len(RENAMED)])
async def test_a_database_with_the_old_names_migrates_on(empty_database: str, had: int) -> None:
    """Two steps were numbered 7: such a database gets the new names, and only the steps that it lacks."""
    kept = sorted(STEPS)[: 7 + had]
    await asyncio.to_thread(migrate_to, empty_database, kept)
    renamed = list(RENAMED.items())[:had]
    for old, new in renamed:
        digest = hashlib.sha256(old.encode()).hexdigest()
        await fetch(
            empty_database,
            f"update _yoyo_migration set migration_id = '{old}', migration_hash = '{digest}'"
            f" where migration_id = '{new}'",
        )
    assert await asyncio.to_thread(migrate, empty_database) == STEPS[7 + had :]
    assert await asyncio.to_thread(migrate, empty_database) == []
    applied = await fetch(empty_database, "select migration_id from _yoyo_migration order by 1")
    assert [name for (name,) in applied] == STEPS


def migrate_to(dsn: str, names: list[str]) -> None:
    """The schema of an earlier version: its steps alone."""
    with migrations.steps() as steps, migrations.Backend(dsn) as backend:
        backend.init_database()
        for step in backend.to_apply(steps.filter(lambda each: each.id in names)):
            backend.apply_one(step)


async def test_nothing_is_printed(empty_database: str, capsys: pytest.CaptureFixture[str]) -> None:
    await asyncio.to_thread(migrate, empty_database)
    assert capsys.readouterr().out == ""


async def test_of_several_hosts_the_one_that_serves_is_found(database: str) -> None:
    """The first host answers nobody, as after a failover."""
    parts = urlsplit(database)
    folder = parse_qs(parts.query)["host"][0]
    dsn = f"postgresql://{parts.username}:{parts.password}@/{parts.path[1:]}"
    several = f"{dsn}?host=127.0.0.1,{folder}&port=1,5432&target_session_attrs=read-write"
    assert await asyncio.to_thread(migrate, several) == []
    connection = await asyncpg.connect(several)
    assert await connection.fetchval("select 1") == 1
    await connection.close()


def test_an_absent_database_is_one_line() -> None:
    with pytest.raises(Unavailable) as caught:
        migrate("postgresql://ipam@127.0.0.1:1/ipam")
    assert "the database is not available" in str(caught.value)
    assert "\n" not in str(caught.value)


async def test_a_database_that_cannot_hold_every_text_is_refused(postgres_dsn: str) -> None:
    statement = "create database plain_octets encoding 'SQL_ASCII' template template0"
    await fetch(postgres_dsn, statement)
    parts = urlsplit(postgres_dsn)
    with pytest.raises(UnfitDatabase, match="its encoding is SQL_ASCII"):
        await asyncio.to_thread(migrate, parts._replace(path="/plain_octets").geturl())
    await fetch(postgres_dsn, "drop database plain_octets")


@pytest.fixture
def postgres15(data_dir: Path) -> Iterator[str]:
    """Debian's own PostgreSQL 15, as an operator might bring it."""
    try:
        programs = peers.program("postgres").parent
    except peers.PeerMissingError as error:
        refuse = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
        refuse(f"missing peer: {error}")
    account = Account.find("nobody")
    data_dir.mkdir()
    account.own(data_dir)
    cluster = data_dir / "cluster"
    initdb = [str(programs / "initdb"), "--no-sync", "--auth=trust", "-Uipam", "-EUTF8", "-D", str(cluster)]
    rights = account.process() | {"env": peers.environment()}
    subprocess.run(initdb, check=True, capture_output=True, **rights)
    command = [
        str(programs / "postgres"),
        "-D",
        str(cluster),
        "-k",
        str(data_dir),
        "-c",
        "listen_addresses=",
    ]
    server = subprocess.Popen(command, stderr=subprocess.DEVNULL, **rights)
    yield f"postgresql://ipam@/postgres?host={data_dir}"
    server.terminate()
    server.wait()


async def migrated(dsn: str) -> list[str]:
    """The steps that were applied, once the server is there."""
    for _ in range(100):
        try:
            return await asyncio.to_thread(migrate, dsn)
        except Unavailable:
            await asyncio.sleep(0.05)
    raise AssertionError("PostgreSQL did not start")


async def test_postgresql_15_takes_the_same_schema(postgres15: str) -> None:
    assert await migrated(postgres15) == STEPS
    partitions = "select count(*) from pg_class where relname like 'lease_event_2%' and relkind = 'r'"
    assert await fetch(postgres15, partitions) == [(16,)]


async def test_postgresql_15_is_backed_up_and_restored(postgres15: str, tmp_path: Path) -> None:
    """By the programs of a later version, whose scripts set what this one does not know."""
    await migrated(postgres15)
    keyring = Keyring(tmp_path / "secret.key")
    await asyncio.to_thread(back_up, postgres15, keyring, tmp_path / "kept")
    await fetch(postgres15, "truncate tenant cascade")
    await asyncio.to_thread(partial(restore, postgres15, keyring, tmp_path / "kept", force=True))
    assert await fetch(postgres15, "select name from tenant") == [("default",)]


async def test_postgresql_15_makes_and_forgets_days_beside_a_reader(
    postgres15: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease_retention, "LOCK_SECONDS", 0.2)
    await migrated(postgres15)
    reader, other = await asyncpg.connect(postgres15), await asyncpg.connect(postgres15)
    await reader.execute("begin; select * from lease_event")
    async with asyncio.timeout(20):
        await other.execute("select make_lease_event_partition(current_date - 10)")
        assert await lease_retention.forget_days(other, 5) == []
        await other.execute("select make_lease_event_partition(current_date + 20)")
        await reader.execute("rollback")
        assert len(await lease_retention.forget_days(other, 5)) == 1
    await reader.close()
    await other.close()
