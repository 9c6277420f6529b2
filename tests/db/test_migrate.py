"""Migrations: whole or not at all, once, whoever else migrates or died migrating; PostgreSQL 15 to 18."""

import asyncio
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
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
from ipam_core.db import earlier_schema, lease_retention, pulse, schema, schema_files
from ipam_core.db.connect import connect
from ipam_core.db.embedded.programs import Account
from ipam_core.db.migrate import LOCK_KEY, advance, hosts_of_others, migrate, pending
from ipam_core.db.schema_files import BASELINE
from ipam_core.errors import (
    MigrationError,
    NewerSchema,
    OlderSchema,
    OtherVersions,
    Unavailable,
    UnfitDatabase,
)
from ipam_core.secrets import Keyring

FUTURE = "insert into schema_step values ('0999.future', false, '', '99.0')"
STEPS = [step.name for step in schema_files.steps()]
CODE = [text.name for text in schema_files.code()]


def forget_files() -> None:
    for cached in (schema_files.steps, schema_files.code, schema.deferrable):
        cached.cache_clear()


@pytest.fixture
def steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[dict[str, str]], None]]:
    """Gives this version other steps after the baseline."""

    def give(texts: dict[str, str]) -> None:
        for name, text in texts.items():
            (tmp_path / f"{name}.sql").write_text(text)
        monkeypatch.setattr(schema_files, "STEPS", tmp_path)
        forget_files()

    yield give
    monkeypatch.undo()
    forget_files()


@pytest.fixture
def numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The file functions/numbers of this version, as a copy that a test may change before it calls forget_files()."""
    folder = tmp_path / "schema"
    shutil.copytree(Path(str(schema_files.SCHEMA)), folder)
    monkeypatch.setattr(schema_files, "SCHEMA", folder)
    yield folder / "functions/numbers.sql"
    monkeypatch.undo()
    forget_files()


async def fetch(dsn: str, statement: str) -> list[tuple[object, ...]]:
    connection = await asyncpg.connect(dsn)
    try:
        return [tuple(row) for row in await connection.fetch(statement)]
    finally:
        await connection.close()


def asked(dsn: str, statement: str) -> object:
    with psycopg.connect(dsn) as connection:
        return connection.execute(statement).fetchone()[0]


async def checked(dsn: str) -> None:
    """What a process does before it serves."""
    connection = await asyncpg.connect(dsn)
    try:
        await schema.check(connection)
    finally:
        await connection.close()


async def run(dsn: str, statements: str) -> None:
    connection = await asyncpg.connect(dsn)
    try:
        await connection.execute(statements)
    finally:
        await connection.close()


async def test_an_empty_database_gets_every_step_once(empty_database: str) -> None:
    assert await asyncio.to_thread(migrate, empty_database) == STEPS + CODE
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
    assert [step for output in outputs for step in output] == STEPS + CODE


async def test_who_migrates_waits_for_the_lock(database: str) -> None:
    holder = await asyncpg.connect(database)
    await holder.execute("select pg_advisory_lock($1)", LOCK_KEY)
    waiting = asyncio.create_task(asyncio.to_thread(migrate, database))
    _, still = await asyncio.wait([waiting], timeout=0.3)
    assert still == {waiting}
    await holder.close()
    assert await waiting == []


async def test_a_step_that_fails_leaves_nothing_behind(
    empty_database: str, steps: Callable[[dict[str, str]], None]
) -> None:
    steps({"0801.bad": "create table half (no integer);\nselect 1 / 0;\n"})
    with pytest.raises(MigrationError, match=r"0801\.bad failed.*division by zero"):
        await asyncio.to_thread(migrate, empty_database)
    assert await fetch(empty_database, "select to_regclass('half')") == [(None,)]
    assert await fetch(empty_database, "select name from schema_step") == [(name,) for name in STEPS]


def test_code_that_fails_leaves_the_code_before(database: str, numbers: Path) -> None:
    numbers.write_text("drop function count_parts;\nselect 1 / 0;\n")
    forget_files()
    with pytest.raises(MigrationError, match=r"functions/numbers failed.*division by zero"):
        migrate(database)
    assert asked(database, "select count(*) from pg_proc where proname = 'count_parts'") == 1


async def test_a_step_may_stand_outside_of_a_transaction(
    database: str, steps: Callable[[dict[str, str]], None]
) -> None:
    """PostgreSQL builds no index concurrently inside one."""
    index = "create index concurrently node_by_version on node (version);\n"
    steps({"0801.index": f"-- transactional: false\n{index}"})
    assert await asyncio.to_thread(migrate, database) == ["0801.index"]
    assert await asyncio.to_thread(migrate, database) == []
    assert await fetch(database, "select to_regclass('node_by_version') is not null") == [(True,)]


async def test_a_step_with_another_text_is_refused(
    database: str, steps: Callable[[dict[str, str]], None]
) -> None:
    """Nobody knows what the database lacks. Comments and indentation do not count."""
    steps({"0801.wide": "create table half (no integer);\n"})
    await asyncio.to_thread(migrate, database)
    steps({"0801.wide": "-- Half of it.\n  create table half (no integer);\n"})
    assert await asyncio.to_thread(migrate, database) == []
    steps({"0801.wide": "create table half (no bigint);\n"})
    for command in (migrate, pending):
        with pytest.raises(UnfitDatabase, match=r"0801\.wide was applied with another text"):
            await asyncio.to_thread(command, database)


def test_code_is_applied_again_when_its_statements_change(database: str, numbers: Path) -> None:
    text = numbers.read_text()
    size = "select range_size('192.0.2.1', '192.0.2.4')::integer"
    numbers.write_text(f"-- A comment more.\n\n{text}")
    forget_files()
    assert migrate(database) == []
    numbers.write_text(text.replace("address_number(first) + 1", "address_number(first) + 2"))
    forget_files()
    with pytest.raises(
        OlderSchema, match=r"with older functions/numbers, this build needs .*: run ipam migrate"
    ):
        asyncio.run(checked(database))
    assert pending(database).applied == ["functions/numbers"]
    assert migrate(database) == ["functions/numbers"]
    asyncio.run(checked(database))
    assert asked(database, size) == 5
    numbers.write_text(text)
    forget_files()
    assert migrate(database) == ["functions/numbers"]
    assert asked(database, size) == 4


@pytest.mark.parametrize(
    ("version", "put"), [("99.0", []), ("0.0.9", ["functions/numbers"])], ids=["later", "earlier"]
)
async def test_the_code_of_a_later_version_stays(database: str, version: str, put: list[str]) -> None:
    """A process of this version that starts again during an upgrade works with it."""
    await fetch(
        database,
        f"update schema_step set checksum = '', release = '{version}' where name = 'functions/numbers'",
    )
    assert await asyncio.to_thread(migrate, database) == put
    await checked(database)


def test_versions_are_in_the_order_of_their_age() -> None:
    rising = [
        "0.1.0",
        "0.2.0.dev0+202611272030.g1a2b3c4d",
        "0.2.0.dev0+202611280900.g0a2b3c4d",
        "0.2.0",
        "0.2.1.dev0",
        "0.10.0",
    ]
    assert sorted(sorted(rising), key=schema.age) == rising


async def test_bodies_of_functions_are_valid(database: str) -> None:
    """They are applied unchecked, because one may call another of a later file."""
    connection = await connect(database)
    for text in schema_files.code():
        await connection.execute(text.sql)
    await connection.close()


EARLIER = """
drop table schema_step;
create table _yoyo_migration (migration_hash text primary key, migration_id text, applied_at_utc timestamp);
insert into _yoyo_migration select n, lpad(n::text, 4, '0') || '.step' from generate_series(1, 67) as n;
insert into _yoyo_migration values ('70', '0070.hardware');
create type lease_device as (relay_id bytea);
create type lease_change as (tenant_no integer, device lease_device);
create function delegable(operations lease_change[], subnets integer[], fences bigint[]) returns boolean[]
language sql as 'select null::boolean[]';
create table ddns_name (fqdn text);
alter table dns_record drop constraint dns_record_source_check,
  add constraint dns_record_source_check
    check (source in ('static', 'lease', 'assignment', 'reservation', 'delegation')) not valid;
insert into prefix (id, tenant_no, cidr) select gen_random_uuid(), no, '10.0.0.0/8' from tenant;
"""
"""What the last version with steps before the baseline left, as far as it differs from the baseline."""


async def test_a_database_of_the_last_steps_before_the_baseline_is_taken_over(
    database: str, fresh_database: str
) -> None:
    """It gets the same schema as a new one, without a loss. Servers of earlier versions refuse it."""
    await run(database, EARLIER)
    connection = await connect(database)
    with pytest.raises(OlderSchema, match=r"The schema is of a version before 0\.2\.0"):
        await schema.check(connection)
    assert (await asyncio.to_thread(pending, database)).applied == STEPS + CODE
    assert await asyncio.to_thread(migrate, database) == STEPS + CODE
    assert await asyncio.to_thread(migrate, database) == []
    await schema.check(connection)
    await connection.close()
    names = "select relname::text from pg_class where relnamespace = 'public'::regnamespace and relname not like '\\_%'"
    checks = "select conname::text, convalidated from pg_constraint where contype = 'c'"
    for statement in (names, checks, "select typname::text from pg_type where typtype = 'c'"):
        ours, others = set(await fetch(database, statement)), set(await fetch(fresh_database, statement))
        assert {row for row in ours ^ others if "_yoyo" not in str(row)} == set()
    assert await fetch(database, "select cidr::text from prefix") == [("10.0.0.0/8",)]
    assert await fetch(database, "select max(migration_id) from _yoyo_migration") == [(BASELINE,)]


@pytest.mark.parametrize("lacking", ["0070.hardware", "0009.step"])
async def test_an_earlier_database_that_lacks_steps_is_refused(database: str, lacking: str) -> None:
    """In a sentence with the commit that completes it, before anything changes."""
    await run(database, f"{EARLIER} delete from _yoyo_migration where migration_id = '{lacking}'")
    for command in (migrate, pending):
        with pytest.raises(
            UnfitDatabase, match=f"before 0.2.0: first run `ipam migrate` of commit {earlier_schema.COMMIT}"
        ):
            await asyncio.to_thread(command, database)
    assert await fetch(database, "select to_regclass('schema_step'), to_regclass('ddns_name')::text") == [
        (None, "ddns_name")
    ]


ELSEWHERE = {"server_settings": {"application_name": "ipam 0.0.9 on old.example"}}
NODE = """
insert into node (id, name, role, version, state, heartbeat_at)
values (gen_random_uuid(), 'older.example/' || gen_random_uuid(), 'dhcp', '0.0.8', $1, now() - $2::interval)"""


@pytest.fixture
def two_phases(steps: Callable[[dict[str, str]], None]) -> None:
    steps(
        {
            "0801.wide": "create table half (no integer);\n",
            "0802.narrow": "-- Nobody reads it any more.\n-- phase: post\ndrop table half;\n",
            "0803.wider": "create table other (no integer);\n",
        }
    )


FIRST = [*STEPS, "0801.wide"]


@pytest.mark.usefixtures("two_phases")
async def test_a_post_step_waits_for_the_end_of_the_upgrade(empty_database: str) -> None:
    """And what stands behind it waits too. The additive steps are noted for builds that do not know them."""
    left = ["0802.narrow", "0803.wider"]
    assert await asyncio.to_thread(advance, empty_database, "pre") == ([*FIRST, *CODE], left, [])
    assert await asyncio.to_thread(advance, empty_database, "pre") == ([], left, [])
    additive = "select name from schema_step where additive and name not like '%/%'"
    assert await fetch(empty_database, additive) == [(name,) for name in FIRST]
    assert await asyncio.to_thread(advance, empty_database, "post") == (left, [], [])
    assert await fetch(empty_database, additive) == [(name,) for name in FIRST]
    assert await asyncio.to_thread(advance, empty_database) == ([], [], [])


@pytest.mark.usefixtures("two_phases")
async def test_it_waits_while_another_version_lives(empty_database: str) -> None:
    """In a session, or among the nodes; whatever is stopped or long silent is not waited for."""
    await asyncio.to_thread(advance, empty_database, "pre")
    old = await asyncpg.connect(empty_database, **ELSEWHERE)
    for state, silent in (("ready", "1 s"), ("stopped", "1 s"), ("ready", "31 s")):
        await old.execute(NODE, state, timedelta(seconds=int(silent.split()[0])))
    hosts = ["old.example (0.0.9)", "older.example (0.0.8)"]
    assert await asyncio.to_thread(advance, empty_database) == ([], ["0802.narrow", "0803.wider"], hosts)
    with pytest.raises(OtherVersions, match=r"0802\.narrow .*: old\.example \(0\.0\.9\), older"):
        await asyncio.to_thread(advance, empty_database, "post")
    await old.execute("update node set state = 'stopped'")
    await old.close()
    assert (await asyncio.to_thread(advance, empty_database)).applied == ["0802.narrow", "0803.wider"]


@pytest.mark.usefixtures("two_phases")
def test_the_command_says_what_waits_and_for_whom(
    empty_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IPAM_DATABASE_URL", empty_database)
    run = CliRunner().invoke
    waits = "left until the end of the upgrade (ipam migrate --post): 0802.narrow, 0803.wider"
    assert run(main, ["migrate", "--pre"]).output == f"applied {', '.join(FIRST + CODE)}\n{waits}\n"
    with psycopg.connect(empty_database, application_name="ipam 0.0.9 on old.example"):
        told = f"nothing to apply\n{waits}; other versions run on old.example (0.0.9)\n"
        assert run(main, ["migrate"]).output == told
        refused = run(main, ["migrate", "--post"])
        assert (refused.exit_code, "old.example (0.0.9)" in refused.stderr) == (1, True)
    assert run(main, ["migrate", "--post"]).output == "applied 0802.narrow, 0803.wider\n"


@pytest.mark.usefixtures("two_phases")
async def test_the_check_lists_what_is_missing_and_changes_nothing(
    empty_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Status 1 means that processes of this version wait; the steps that they serve without do not count."""
    monkeypatch.setenv("IPAM_DATABASE_URL", empty_database)
    waits = "left until the end of the upgrade (ipam migrate --post): 0802.narrow, 0803.wider"

    async def check() -> tuple[int, str]:
        found = await asyncio.to_thread(CliRunner().invoke, main, ["migrate", "--check"])
        return found.exit_code, found.output

    assert await check() == (1, f"missing, run ipam migrate --pre: {', '.join(FIRST + CODE)}\n{waits}\n")
    absent = "select to_regclass('half'), to_regclass('schema_step')"
    assert await fetch(empty_database, absent) == [(None, None)]
    await asyncio.to_thread(advance, empty_database, "pre")
    assert await check() == (0, f"{waits}\n")
    await asyncio.to_thread(advance, empty_database)
    assert await check() == (0, "nothing to apply\n")
    await fetch(empty_database, FUTURE)
    status, told = await check()
    assert (status, "0999.future" in told) == (2, True)


async def test_a_process_of_this_version_is_not_waited_for(database: str) -> None:
    session = await connect(database, server_settings={"application_name": pulse.session_name()})
    with psycopg.connect(database, autocommit=True) as connection:
        assert hosts_of_others(connection) == []
        await session.execute("set application_name = 'ipam 99.1 on new.example'")
        assert hosts_of_others(connection) == ["new.example (99.1)"]
    await session.close()


async def test_what_the_next_version_added_is_lived_with(database: str) -> None:
    """A process that starts again during an upgrade, and its `ipam up`, which migrates first."""
    connection = await connect(database)
    await connection.execute(FUTURE)
    with pytest.raises(NewerSchema, match=r"0999\.future"):
        await schema.check(connection)
    await connection.execute("update schema_step set additive = true where name = '0999.future'")
    await schema.check(connection)
    assert await asyncio.to_thread(migrate, database) == []
    await connection.execute(f"delete from schema_step where name = '{BASELINE}'")
    with pytest.raises(OlderSchema):
        await schema.check(connection)
    await connection.close()


@pytest.mark.usefixtures("two_phases")
async def test_a_build_serves_without_its_own_post_steps(database: str) -> None:
    connection = await connect(database)
    with pytest.raises(OlderSchema, match=r"0071, this build needs 0803"):
        await schema.check(connection)
    await asyncio.to_thread(advance, database, "pre")
    with pytest.raises(
        OlderSchema, match=r"0801, this build needs 0803"
    ):  # behind a post step stands an additive one
        await schema.check(connection)
    await connection.execute("insert into schema_step values ('0803.wider', true, '', '0.2.1')")
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
    assert await migrated(postgres15) == STEPS + CODE
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
