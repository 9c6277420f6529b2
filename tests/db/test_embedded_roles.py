"""The embedded PostgreSQL's roles and account: ours owns the data and no more, and nobody else shares the account."""

import asyncio
import contextlib
import os
import pwd
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from ipam_core.db.embedded import ownership, programs
from ipam_core.db.embedded.datadir import DataDir
from ipam_core.db.embedded.handing_over import hand_over
from ipam_core.db.embedded.programs import OWN_ACCOUNT, SHARED, Account, bundled
from ipam_core.db.embedded.server import EmbeddedPostgres, as_arguments, superuser_dsn
from ipam_core.db.migrate import migrate
from ipam_core.errors import DataDirError, PostgresStartError, SettingsError

AS_ROOT = os.geteuid() == 0
needs_root = pytest.mark.skipif(not AS_ROOT, reason="missing peer: another account can be had by root only")
OURS_BY_SUPERUSER = """
select string_agg(found, ', ') from (
  select oid::regclass::text as found from pg_class
  where relowner = 10 and oid >= 16384 and relkind not in ('t', 'i', 'I')
  union all select oid::regprocedure::text from pg_proc p where proowner = 10 and oid >= 16384
    and not exists (select from pg_depend where classid = 'pg_proc'::regclass and objid = p.oid and deptype = 'i')
  union all select typname from pg_type where typowner = 10 and oid >= 16384 and typrelid = 0
  union all select nspname from pg_namespace where nspowner = 10 and oid >= 16384 and nspname not like 'pg\\_%'
  union all select stxname from pg_statistic_ext where stxowner = 10
  union all select datname from pg_database where datname = 'ipam' and datdba = 10) as every"""


async def fetch(dsn: str, statement: str) -> Any:
    connection = await asyncpg.connect(dsn)
    try:
        return await connection.fetchval(statement)
    finally:
        await connection.close()


@contextlib.contextmanager
def started(data_dir: Path, account: str = OWN_ACCOUNT) -> Iterator[tuple[EmbeddedPostgres, str]]:
    server = EmbeddedPostgres(data_dir, account)
    try:
        yield server, server.start()
    finally:
        server.stop()


REFUSED = [
    "copy (select 1) to program 'id'",
    "select pg_read_file('/etc/passwd')",
    "select lo_import('/etc/passwd')",
    "alter system set archive_command = 'id'",
    "create role x superuser",
    "alter role ipam superuser",
    "set role postgres",
    "set session authorization postgres",
    "create database y",
    "load 'x'",
    "create function f() returns int language c as 'x'",
    "set session_replication_role = replica",
    "grant postgres to ipam",
    "grant pg_execute_server_program to ipam",
]


async def test_our_role_owns_the_database_and_no_more(prepared_dir: Path) -> None:
    with started(prepared_dir) as (_, dsn):
        for statement in REFUSED:
            with pytest.raises((asyncpg.InsufficientPrivilegeError, asyncpg.UndefinedFileError)):
                await fetch(dsn, statement)
        assert await fetch(dsn, OURS_BY_SUPERUSER) is None
        assert (
            await fetch(dsn, "select count(*) from pg_stat_activity where backend_type = 'checkpointer'") == 1
        )
        assert await fetch(superuser_dsn(prepared_dir), "select current_setting('is_superuser')") == "on"


@needs_root
def test_the_superuser_is_for_the_operator(prepared_dir: Path) -> None:
    """Another account gets no further than the folder; one that were let in would not be the operator."""
    with started(prepared_dir) as (_, _):
        names = (prepared_dir / "postgres/pg_ident.conf").read_text()
        assert names == f'operator  "{OWN_ACCOUNT}"  postgres\noperator  "root"  postgres\n'
        (prepared_dir / "run").chmod(0o711)
        next((prepared_dir / "run").glob(".s.PGSQL.*[0-9]")).chmod(0o777)
        code = f"""
import asyncio, asyncpg
asyncio.run(asyncpg.connect({superuser_dsn(prepared_dir)!r}))"""
        site = [path for path in sys.path if path.endswith("site-packages")]
        done = subprocess.run(
            [sys.executable, "-c", code],
            user=65534, group=65534, extra_groups=[], cwd="/", capture_output=True, text=True, check=False,
            env={"PYTHONPATH": ":".join(site)},
        )  # fmt: skip
        assert 'Peer authentication failed for user "postgres"' in done.stderr


def before(data_dir: Path, account: str = OWN_ACCOUNT) -> str:
    """Make a cluster as the last release made it, with the schema and a table of an operator's; the DSN of then."""
    data = DataDir(data_dir)
    who = Account.find(account)
    data.open(who)
    who.own(data.cluster)
    secret = who.write(data.socket_folder() / "initdb.password", data.password())
    words = ["--username=ipam", "--encoding=UTF8", "--locale=C", "--auth=scram-sha-256", "--no-sync"]
    words += ["--set=scram_iterations=1", f"--pwfile={secret}"]
    rights = who.process() | {"capture_output": True}
    subprocess.run([bundled().initdb, "-D", str(data.cluster), *words], check=True, **rights)
    del rights["stdin"]
    single = [bundled().postgres, "--single", "-D", str(data.cluster), "postgres"]
    subprocess.run(single, input=b"create database ipam\n", check=True, **rights)
    data.close()
    return f"postgresql://ipam:{data.password()}@/ipam?host={data_dir / 'run'}"


@contextlib.contextmanager
def running_before(data_dir: Path, account: str = OWN_ACCOUNT) -> Iterator[subprocess.Popen[bytes]]:
    settings = {"listen_addresses": "", "unix_socket_directories": str(data_dir / "run"), "fsync": "off"}
    command = [bundled().postgres, "-D", str(data_dir / "postgres"), *as_arguments(settings)]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, **Account.find(account).process())
    try:
        while DataDir(data_dir).postmaster()[7:] != ["ready"]:
            assert process.poll() is None
        yield process
    finally:
        process.terminate()
        process.wait()


OPERATORS_OWN = """
create schema theirs; create table theirs."Table of Theirs" (a serial primary key, b text);
create view theirs.v as select 1 as a; create materialized view theirs.m as select 1 as a;
create type theirs.t as (a int); create type theirs.e as enum ('a'); create domain theirs.d as int;
create sequence theirs.s; create function theirs.f(a int default 1) returns int language sql as 'select 1';
create procedure theirs.p() language sql as 'select 1'; create aggregate theirs.g(int) (sfunc = int4pl, stype = int);
create statistics theirs.st on a, b from theirs."Table of Theirs";
insert into theirs."Table of Theirs" (b) values ('kept')
"""


async def test_a_cluster_of_the_last_release_is_converted(data_dir: Path) -> None:
    old = before(data_dir)
    with running_before(data_dir):
        migrate(old)
        connection = await asyncpg.connect(old)
        await connection.execute(OPERATORS_OWN)
        await connection.close()
    with started(data_dir) as (_, dsn):
        assert await fetch(dsn, OURS_BY_SUPERUSER) is None
        assert await fetch(dsn, "select current_setting('is_superuser')") == "off"
        assert await fetch(dsn, 'select b from theirs."Table of Theirs"') == "kept"
        assert await fetch(
            superuser_dsn(data_dir), "select rolpassword is null from pg_authid where oid = 10"
        )
        assert migrate(dsn) == []
        for statement in ("alter table lease add column later int", "drop schema theirs cascade"):
            await fetch(dsn, statement)
        assert await fetch(old, "select 1") == 1, "the release before may be started again"
    with started(data_dir) as (_, dsn):
        assert await fetch(dsn, "select current_user") == "ipam"


async def test_a_running_server_of_the_last_release_is_converted(data_dir: Path) -> None:
    """Its `ipam up` was killed, and it serves on."""
    old = before(data_dir)
    with running_before(data_dir) as process:
        migrate(old)
        with started(data_dir) as (server, dsn):
            assert server.pid != process.pid
            assert await fetch(dsn, OURS_BY_SUPERUSER) is None
            assert await fetch(dsn, "select count(*) from tenant") == 1


async def test_a_conversion_that_was_interrupted_is_done_again(data_dir: Path) -> None:
    before(data_dir)
    with started(data_dir):
        pass
    for name in ("pg_hba.conf", "pg_ident.conf"):
        (data_dir / "postgres" / name).write_text("local all all reject\n")
        with started(data_dir) as (_, dsn):
            assert await fetch(dsn, "select current_setting('is_superuser')") == "off"


def test_a_statement_that_fails_is_not_passed_over(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ownership, "RIGHTS", (*ownership.RIGHTS, "grant nothing_known to ipam"))
    with pytest.raises(PostgresStartError, match="nothing_known") as caught:
        EmbeddedPostgres(data_dir, OWN_ACCOUNT).start()
    assert (data_dir / "postgres.password").read_text() not in str(caught.value)
    assert not (data_dir / "postgres").exists()


@needs_root
def test_a_cluster_of_nobody_gets_an_account_of_its_own(data_dir: Path) -> None:
    old = before(data_dir, SHARED)
    with running_before(data_dir, SHARED):
        migrate(old)
        with started(data_dir) as (server, dsn):
            own = pwd.getpwnam(OWN_ACCOUNT).pw_uid
            assert own != pwd.getpwnam(SHARED).pw_uid
            assert asyncio.run(fetch(dsn, "select count(*) from tenant")) == 1
            owners = {path.lstat().st_uid for path in (data_dir / "postgres").rglob("*")}
            assert owners == {own}
            assert {Path(f"/proc/{pid}").stat().st_uid for pid in server.processes()} == {own}
    sees = ["su", "-s", "/bin/sh", SHARED, "-c", f"ls {data_dir}/postgres || ls {data_dir}/run"]
    assert subprocess.run(sees, capture_output=True, check=False).returncode != 0


@needs_root
def test_a_cluster_of_another_account_is_left_alone(prepared_dir: Path) -> None:
    subprocess.run(["chown", "-R", "4711", prepared_dir / "postgres"], check=True)
    with pytest.raises(DataDirError, match="belongs to account 4711"):
        EmbeddedPostgres(prepared_dir, OWN_ACCOUNT).start()
    assert {path.lstat().st_uid for path in (prepared_dir / "postgres").rglob("*")} == {4711}


PLANTED = ["link", "link to a folder", "hard link", "pipe", "socket"]


@needs_root
@pytest.mark.parametrize("kind", PLANTED)
def test_what_others_put_there_is_not_given_away(tmp_path: Path, kind: str) -> None:
    """A process of `nobody` may have made any name in the cluster, also one of root's file."""
    shared, own = pwd.getpwnam(SHARED).pw_uid, Account.find(OWN_ACCOUNT)
    cluster, secret = tmp_path / "postgres", tmp_path / "secret"
    (cluster / "base").mkdir(parents=True)
    (cluster / "base/1").write_text("kept")
    secret.write_text("root's")
    place = cluster / "base" / "planted"
    if kind == "link":
        place.symlink_to(secret)
    elif kind == "link to a folder":
        place.symlink_to(tmp_path)
    elif kind == "hard link":
        os.link(secret, place)
    elif kind == "pipe":
        os.mkfifo(place)
    else:
        socket.socket(socket.AF_UNIX).bind(str(place))
    for path in (cluster, cluster / "base", cluster / "base/1"):
        os.chown(path, shared, shared)
    with pytest.raises(DataDirError):
        hand_over(cluster, shared, own)
    assert secret.stat().st_uid == os.geteuid()
    assert tmp_path.stat().st_uid == os.geteuid()
    assert cluster.stat().st_uid == shared, "the folder itself is the last"
    place.unlink()
    hand_over(cluster, shared, own)
    assert {path.stat().st_uid for path in (cluster, cluster / "base", cluster / "base/1")} == {own.uid}


@needs_root
def test_the_usual_account_is_made_once_and_no_other(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    first = Account.find(OWN_ACCOUNT)
    assert Account.find(OWN_ACCOUNT) == first
    entry = pwd.getpwnam(OWN_ACCOUNT)
    assert entry.pw_shell.endswith("nologin")
    assert not Path(entry.pw_dir).exists()
    assert [each.pw_name for each in pwd.getpwall() if each.pw_uid == entry.pw_uid] == [OWN_ACCOUNT]
    monkeypatch.setattr("ipam_core.db.embedded.programs.entry_of", lambda _: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SettingsError, match="useradd is missing; create it"):
        Account.find(OWN_ACCOUNT)
    with pytest.raises(SettingsError, match="there is no account 'other'"):
        Account.find("other")


@needs_root
def test_a_new_account_takes_the_number_of_an_old_volume(monkeypatch: pytest.MonkeyPatch) -> None:
    """A container's accounts are new with each image. A number that is somebody's is not taken."""
    asked: list[list[str]] = []
    monkeypatch.setattr(programs, "entry_of", lambda _: pwd.getpwnam(SHARED) if asked else None)

    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        asked.append(command)
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(subprocess, "run", run)
    for number, told in ((4711, ["--uid", "4711"]), (0, []), (pwd.getpwnam(SHARED).pw_uid, []), (None, [])):
        asked.clear()
        programs.created(OWN_ACCOUNT, number)
        assert asked[0][asked[0].index("embedded PostgreSQL of ipam") + 1 :] == [*told, OWN_ACCOUNT]


def test_the_password_stands_in_no_dsn(prepared_dir: Path) -> None:
    with started(prepared_dir) as (_, dsn):
        password = (prepared_dir / "postgres.password").read_text()
        assert password not in dsn
        assert stat.S_IMODE((prepared_dir / "postgres.passfile").stat().st_mode) == 0o600
        (prepared_dir / "postgres.passfile").unlink()
    with started(prepared_dir) as (_, dsn):
        assert asyncio.run(fetch(dsn, "select 1")) == 1
