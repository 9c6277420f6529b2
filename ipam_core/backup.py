"""A backup: the database, the key of its secrets, and what they are, as three files of a folder.

    database.dump   pg_dump's own format: everything, as one snapshot saw it
    secret.key      the key under which that snapshot's secrets are sealed
    manifest.json   versions, date, the key's fingerprint, the dump's checksum

All are 0600, since a dump holds the hashes of tokens and who had which address. The folder appears whole or not at all.
A restore puts all of it back, also on an empty host. Running servers notice that the database has another history
(docs/explanation/engine.md, rule 26) and hold the leases that they granted since.
"""

import contextlib
import hashlib
import os
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

import msgspec
import psycopg

from ipam_core.db import dump, earlier_schema, schema
from ipam_core.db.migrate import LOCK_KEY, connect, migrate, unreached
from ipam_core.errors import BackupError
from ipam_core.secrets import Keyring

DUMP, KEY, MANIFEST = "database.dump", "secret.key", "manifest.json"
EMPTY = """
select not exists (select from pg_class where relnamespace = to_regnamespace('public') and relkind <> 'i')"""


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """Origin of a backup."""

    version: str
    schema: str
    """The last step of the database's schema."""
    postgresql: str
    made_at: str
    key: str | None
    """Fingerprint; none where the database has no secrets yet."""
    sha256: str
    """Of the dump."""


def back_up(dsn: str, keyring: Keyring, folder: Path) -> Manifest:
    """Raise BackupError, SecretKeyError where the key is not here, Unavailable."""
    with new_folder(folder) as fresh, reached(dsn) as connection:
        connection.execute("select pg_advisory_lock_shared(%s)", [LOCK_KEY])  # nobody migrates meanwhile
        connection.execute("set idle_in_transaction_session_timeout = 0")  # a dump may take hours
        connection.execute("begin isolation level repeatable read read only")
        held = fingerprint(connection)
        if held is not None:
            keyring.key(held)
            Keyring(fresh / KEY).write([keyring.keys[held]])
        (fresh / DUMP).touch(0o600)
        dump.dump(dsn, value(connection, "select pg_export_snapshot()"), fresh / DUMP)
        manifest = Manifest(
            version=metadata.version("ipam"),
            schema=value(connection, "select max(name) from schema_step where name not like '%/%'"),
            postgresql=value(connection, "show server_version"),
            made_at=datetime.now(UTC).isoformat(timespec="seconds"),
            key=held,
            sha256=checksum(fresh / DUMP),
        )
        write(fresh / MANIFEST, msgspec.json.format(msgspec.json.encode(manifest)))
    return manifest


def restore(dsn: str, keyring: Keyring, folder: Path, *, force: bool) -> list[str]:
    """Put all of it back, and returns the steps by which this build brought the schema up to its own. Raises
    BackupError; the previous files stay then."""
    manifest = read_manifest(folder)
    with reached(dsn) as connection:
        empty = value(connection, EMPTY)
    if not (empty or force):
        raise BackupError("the database is not empty: --force replaces its contents")
    if manifest.key is not None:
        keep_key(keyring, Keyring(folder / KEY), manifest.key)
    dump.load(dsn, folder / DUMP, clear=not empty)
    return migrate(dsn)


def keep_key(keyring: Keyring, backed_up: Keyring, held: str) -> None:
    """Keep the key first in the file, and keys that other databases may need behind it."""
    key = backed_up.key(held)
    others = [other for name, other in keyring.read().items() if name != held]
    keyring.keys = keyring.write([key, *others])


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of a backup that is whole and that this build can serve."""
    try:
        manifest = msgspec.json.decode((folder / MANIFEST).read_bytes(), type=Manifest)
        whole = checksum(folder / DUMP) == manifest.sha256
    except OSError as error:
        raise BackupError(
            f"{folder} is not a backup: {Path(error.filename).name}: {error.strerror}"
        ) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BackupError(f"{folder / MANIFEST} cannot be read: {error}") from None
    if not whole:
        raise BackupError(f"{folder / DUMP} is damaged: its checksum differs")
    if manifest.schema < schema.known()[0] and manifest.schema != earlier_schema.LAST:
        raise BackupError(
            f"the backup is from version {manifest.version}, schema {schema.number(manifest.schema)}: restore it with "
            f"commit {earlier_schema.COMMIT} into an empty database, and back up that"
        )
    if manifest.schema not in (earlier_schema.LAST, *schema.known()):
        told = f"version {manifest.version}, schema {schema.number(manifest.schema)}"
        raise BackupError(f"the backup is from {told}, which is newer than this build: upgrade ipam")
    return manifest


def fingerprint(connection: psycopg.Connection) -> str | None:
    """Return the fingerprint of the key that the database's secrets are sealed under."""
    if value(connection, "select to_regclass('secret_key')") is None:
        raise BackupError("the database has no ipam schema: run ipam migrate")
    row = connection.execute("select fingerprint from secret_key").fetchone()
    return row[0] if row else None


def value(connection: psycopg.Connection, statement: str) -> str:
    row = connection.execute(statement).fetchone()
    assert row is not None
    found: str = row[0]
    return found


@contextlib.contextmanager
def reached(dsn: str) -> Iterator[psycopg.Connection]:
    try:
        with connect(dsn) as connection:
            yield connection
    except psycopg.OperationalError as error:
        raise unreached(dsn, error) from error


@contextlib.contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """Provide a folder beside it, which gets its name at the end."""
    fresh = folder.with_name(f".{folder.name}.{os.getpid()}")
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise BackupError(f"{folder} exists and is not empty: choose a new folder")
        folder.parent.mkdir(parents=True, exist_ok=True)
        fresh.mkdir(mode=0o700)
        yield fresh
        fresh.rename(folder)
    except OSError as error:
        raise BackupError(f"{folder} cannot be written: {error.strerror}") from None
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def write(path: Path, content: bytes) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
