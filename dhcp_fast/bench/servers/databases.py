"""PostgreSQL servers to be driven and thrown away: each in a folder of its own, with fsync on.

The schema is migrated once a run, into a cluster that is then copied: a scenario that starts a server thirty times
would wait for initdb and the migrations as often. Databases lie under /var/tmp, which is a disk also where /tmp is
memory.
"""

import atexit
import contextlib
import functools
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from ipam_core.db.connect import connect
from ipam_core.db.embedded.log_segments import make_ahead
from ipam_core.db.embedded.programs import Account
from ipam_core.db.embedded.server import EmbeddedPostgres
from ipam_core.db.migrate import migrate
from ipam_core.settings import Settings

FOLDER = Path("/var/tmp")  # noqa: S108 - a fresh folder below it, by mkdtemp
SEGMENT = 16 * 1024 * 1024
SWEPT_SECONDS = 900.0
RECYCLED_SEGMENTS = 64  # as many as a storm of twenty seconds fills
KEPT = ("postgres", "postgres.password")
# No checkpoint falls due by itself while something is measured.
LONG_CYCLE = {"max_wal_size": "32GB", "checkpoint_timeout": "1d"}


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """Provide a folder for a server's data; PostgreSQL, which runs under another account, may pass through it."""
    folder = fresh_folder()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def fresh_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="ipam-bench-", dir=FOLDER))
    folder.chmod(0o711)
    return folder


@contextlib.contextmanager
def postgres(folder: Path, settings: dict[str, str] | None = None) -> Iterator[tuple[EmbeddedPostgres, str]]:
    """Provide a PostgreSQL of its own and its DSN.

    It ends without a checkpoint, because its data is deleted.
    """
    server = EmbeddedPostgres(folder / "data", Settings().postgres_user, settings)
    try:
        yield server, server.start()
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(server.pid, signal.SIGQUIT)
        server.stop()


@contextlib.contextmanager
def migrated_postgres(
    folder: Path, settings: dict[str, str] | None = None, *, ahead: int = 0
) -> Iterator[tuple[EmbeddedPostgres, str]]:
    """Provide the same, with our schema and nothing in it, and so many segments of the log ahead, as `ipam up` makes
    them."""
    data = folder / "data"
    data.mkdir()
    data.chmod(0o711)
    subprocess.run(["cp", "-a", *(template() / name for name in KEPT), data], check=True)
    if ahead:
        make_ahead(data / "postgres/pg_wal", Account.find(Settings().postgres_user), ahead)
    with postgres(folder, settings) as found:
        yield found


async def recycle_log(dsn: str) -> None:
    """Leave segments of the log to be written over, as a server has them that has been through a checkpoint cycle.

    One that was just made writes into holes of the file instead, which costs each flush of the log the file system's
    change of what is allocated.
    """
    connection = await connect(dsn)
    try:
        for _ in range(RECYCLED_SEGMENTS):
            await connection.execute(
                "select pg_logical_emit_message(false, 'bench', repeat('-', $1))", SEGMENT
            )
        await connection.execute("checkpoint")
    finally:
        await connection.close()


async def pack_fully(dsn: str) -> None:
    """Pack as the server does by and by when the lease table has a row of most addresses."""
    connection = await connect(dsn)
    try:
        await connection.execute("alter table lease set (fillfactor = 90)")
    finally:
        await connection.close()


async def sweep(dsn: str) -> None:
    """Clear away what a load left behind, on the disk too, so that autovacuum finds nothing to do for a while."""
    connection = await connect(dsn)
    try:
        await connection.execute("vacuum lease, lease_event", timeout=SWEPT_SECONDS)
    finally:
        await connection.close()
    os.sync()


@functools.cache
def template() -> Path:
    """Return the data folder of a stopped server with our schema; it goes when this process ends."""
    folder = fresh_folder()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    server = EmbeddedPostgres(folder, Settings().postgres_user)
    try:
        migrate(server.start())
    finally:
        server.stop()
    return folder
