"""Backups: whole or not at all, for nobody else's eyes, and good for a database of which nothing is left."""

import asyncio
import json
import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import asyncpg
import pytest
from click.testing import CliRunner, Result

from api.cli import main
from api.local_token import create_token
from ipam_core.db.connect import connect
from ipam_core.db.embedded.programs import OWN_ACCOUNT
from ipam_core.db.embedded.server import EmbeddedPostgres
from ipam_core.db.migrate import migrate
from ipam_core.db.schema import known
from ipam_core.model.ids import new_id
from ipam_core.secrets import Keyring
from ipam_core.services import tokens

Run = Callable[..., Result]
LEASE = """
insert into lease (tenant_no, address, prefix_length, ia_type, subnet_no, state, granted_at, renewed_at, expires_at,
                   reuse_at, version, client_key)
select no, '192.0.2.7', 32, 0, 1, 'a', now(), now(), now() + interval '1 h', now() + interval '1 h',
       nextval('lease_version'), '\\x06' from tenant"""
SERVER = """
insert into dns_server (id, tenant_no, name, adapter, secret)
select $2, no, 'bind', 'bind_tsig', $1 from tenant"""
ROW = new_id()


@pytest.fixture
def run(database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The commands on this test's database, with a key of its own."""
    monkeypatch.setenv("IPAM_DATABASE_URL", database)
    monkeypatch.setenv("IPAM_SECRET_KEY_FILE", str(tmp_path / "here" / "secret.key"))
    return lambda *words: CliRunner().invoke(main, [str(word) for word in words])


async def filled(dsn: str, key: Path) -> str:
    """A lease, a sealed secret, and a token, whose secret this is."""
    connection = await connect(dsn)
    try:
        await connection.execute(LEASE)
        sealed = await Keyring(key).seal(connection, "dns_server", ROW, "a TSIG key")
        await connection.execute(SERVER, sealed, ROW)
    finally:
        await connection.close()
    asked = {"name": "me", "role": "admin", "tenant_id": None, "allowed_cidrs": []}
    return await create_token(dsn, asked)


async def holds(dsn: str, key: Path, token: str) -> bool:
    """All of that."""
    connection = await connect(dsn)
    try:
        sealed = await connection.fetchval("select secret from dns_server")
        lease = await connection.fetchval("select address from lease where state = 'a'")
        known_token = await tokens.authenticate(connection, token)
        return (Keyring(key).open("dns_server", ROW, sealed), str(lease), known_token is not None) == (
            "a TSIG key",
            "192.0.2.7",
            True,
        )
    finally:
        await connection.close()


def test_loss_of_everything(prepared_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The data folder is gone, its embedded database and its key with it. None of it runs before or afterwards."""
    key = prepared_dir / "secret.key"
    server = EmbeddedPostgres(prepared_dir, OWN_ACCOUNT)
    token = asyncio.run(filled(server.start(), key))
    server.stop()
    monkeypatch.setenv("IPAM_DATA_DIR", str(prepared_dir))
    backed_up = CliRunner().invoke(main, ["backup", str(tmp_path / "kept")])
    assert backed_up.exit_code == 0, backed_up.output
    shutil.rmtree(prepared_dir)
    restored = CliRunner().invoke(main, ["restore", str(tmp_path / "kept")])
    assert (restored.exit_code, restored.output) == (0, f"restored {tmp_path / 'kept'}\n")
    try:
        assert asyncio.run(holds(server.start(), key, token))
    finally:
        server.stop()
    assert stat.S_IMODE(key.stat().st_mode) == 0o600


def test_a_restore_replaces_only_when_told_to(run: Run, database: str, tmp_path: Path) -> None:
    """What came after the backup goes; a key that the file held stays in it, behind the one that is needed."""
    key = tmp_path / "here" / "secret.key"
    token = asyncio.run(filled(database, key))
    assert run("backup", tmp_path / "kept").exit_code == 0
    asyncio.run(execute(database, "delete from lease; create table later ()"))
    other = Keyring(key).write([bytes(32)])
    refused = run("restore", tmp_path / "kept")
    assert (refused.exit_code, "is not empty: --force" in refused.stderr) == (1, True)
    assert list(Keyring(key).read()) == list(other)
    assert run("restore", "--force", tmp_path / "kept").exit_code == 0
    assert asyncio.run(holds(database, key, token))
    assert len(Keyring(key).read()) == 2
    with pytest.raises(asyncpg.UndefinedTableError):
        asyncio.run(execute(database, "select from later"))
    assert migrate(database) == []


def test_its_files_are_nobody_elses_and_say_what_they_are(run: Run, database: str, tmp_path: Path) -> None:
    asyncio.run(filled(database, tmp_path / "here" / "secret.key"))
    folder = tmp_path / "new" / "kept"
    told = run("backup", folder).output
    assert {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {
        "database.dump": 0o600,
        "manifest.json": 0o600,
        "secret.key": 0o600,
    }
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    manifest = json.loads((folder / "manifest.json").read_text())
    (held,) = Keyring(folder / "secret.key").read()
    assert (manifest["schema"], manifest["key"]) == (known()[-1], held)
    assert f"schema {known()[-1]}, key {held[:8]}" in told
    assert b"a TSIG key" not in b"".join(path.read_bytes() for path in folder.iterdir())


def test_a_folder_that_holds_something_is_left_alone(run: Run, tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "mine").touch()
    refused = run("backup", tmp_path / "kept")
    assert (refused.exit_code, "choose a new folder" in refused.stderr) == (1, True)
    assert [path.name for path in (tmp_path / "kept").iterdir()] == ["mine"]


def test_without_its_key_nothing_is_written(run: Run, database: str, tmp_path: Path) -> None:
    asyncio.run(filled(database, tmp_path / "here" / "secret.key"))
    Keyring(tmp_path / "here" / "secret.key").write([bytes(32)])
    refused = run("backup", tmp_path / "kept")
    assert (refused.exit_code, "it contains another key" in refused.stderr) == (1, True)
    assert [path.name for path in tmp_path.iterdir()] == ["here"]


def spoil_dump(folder: Path) -> None:
    (folder / "database.dump").write_bytes((folder / "database.dump").read_bytes()[:-100])


def spoil_version(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    later = manifest | {"version": "9.9", "schema": "0999.later"}
    (folder / "manifest.json").write_text(json.dumps(later))


def spoil_key(folder: Path) -> None:
    Keyring(folder / "secret.key").write([bytes(32)])


def lose_dump(folder: Path) -> None:
    (folder / "database.dump").unlink()


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (spoil_dump, "database.dump is damaged: its checksum differs"),
        (
            spoil_version,
            "the backup is from version 9.9, schema 0999, which is newer than this build: upgrade",
        ),
        (spoil_key, "it contains another key"),
        (lose_dump, "is not a backup: database.dump: No such file"),
        (shutil.rmtree, "is not a backup: manifest.json: No such file"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_is_not_whole_changes_nothing(
    run: Run, database: str, tmp_path: Path, spoil: Callable[[Path], None], told: str
) -> None:
    key = tmp_path / "here" / "secret.key"
    token = asyncio.run(filled(database, key))
    run("backup", tmp_path / "kept")
    spoil(tmp_path / "kept")
    refused = run("restore", "--force", tmp_path / "kept")
    assert refused.exit_code in (1, 2)
    assert told in " ".join(refused.stderr.split())
    assert asyncio.run(holds(database, key, token))


def test_a_load_that_fails_takes_nothing_away(run: Run, database: str, tmp_path: Path) -> None:
    """A name that the dump brings is taken outside of what is cleared."""
    key = tmp_path / "here" / "secret.key"
    asyncio.run(execute(database, "create schema other; create table other.it ()"))
    token = asyncio.run(filled(database, key))
    assert run("backup", tmp_path / "kept").exit_code == 0
    refused = run("restore", "--force", tmp_path / "kept")
    assert (refused.exit_code, 'schema "other" already exists' in refused.stderr) == (1, True), refused.stderr
    assert asyncio.run(holds(database, key, token))


def test_the_password_is_in_no_list_of_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    from ipam_core.db import dump

    dsn = "postgresql://ipam:s3cret@db1,db2/ipam?target_session_attrs=read-write"
    assert "s3cret" not in "".join(dump.target(dsn))
    assert "target_session_attrs=read-write" in dump.target(dsn)[1]
    assert dump.environment(dsn)["PGPASSWORD"] == "s3cret"


def test_a_missing_program_is_named(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ipam_core.db.embedded.programs.INSTALLATION", "nowhere")
    monkeypatch.setenv("PATH", str(tmp_path))
    refused = run("backup", tmp_path / "kept")
    assert (refused.exit_code, "pg_dump is missing: install" in refused.stderr) == (1, True)
    assert not (tmp_path / "kept").exists()


def test_a_database_that_was_never_ours(
    empty_database: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IPAM_DATABASE_URL", empty_database)
    refused = run("backup", tmp_path / "kept")
    assert (refused.exit_code, "the database has no ipam schema" in refused.stderr) == (1, True)


def test_a_key_that_root_restores_is_its_folders_owners(tmp_path: Path) -> None:
    """`ipam restore` may run as root beside services that do not."""
    folder = tmp_path / "data"
    folder.mkdir()
    owner = os.geteuid() or 12345
    shutil.chown(folder, owner)
    Keyring(folder / "secret.key").write([bytes(32)])
    assert (folder / "secret.key").stat().st_uid == owner


async def execute(dsn: str, statement: str) -> None:
    connection = await asyncpg.connect(dsn)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()
