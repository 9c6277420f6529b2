"""Migrations: whole or not at all, once, whoever else migrates or died migrating; PostgreSQL 15 to 18."""

import asyncio
import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import asyncpg
import pytest
from system import peers

from ipam_core.db import lease_retention
from ipam_core.db import migrate as migrations
from ipam_core.db.embedded.programs import Account
from ipam_core.db.migrate import LOCK_KEY, RENAMED, migrate
from ipam_core.errors import MigrationError, Unavailable, UnfitDatabase

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


def test_no_number_is_used_twice() -> None:
    numbers = [step.partition(".")[0] for step in STEPS]
    assert numbers == [f"{n:04d}" for n in range(1, len(STEPS) + 1)]


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
