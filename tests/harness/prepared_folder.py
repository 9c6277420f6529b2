"""Folders that take seconds to make and are the same for many tests. The first process that needs one makes it in the
run's folder; each test gets a copy.

Above all this is the data folder of a stopped embedded PostgreSQL with our schema: initdb and all migrations take two
seconds of processor time, a copy a tenth of a second. Tests of how a cluster is made begin with an empty folder.
"""

import fcntl
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from ipam_core.db.embedded.programs import OWN_ACCOUNT
from ipam_core.db.embedded.server import EmbeddedPostgres
from ipam_core.db.migrate import migrate

KEPT = ("postgres", "postgres.password")


def once(run_folder: Path, name: str, make: Callable[[Path], None]) -> Path:
    """The folder of that name, which `make` makes; processes that want it meanwhile wait."""
    folder = run_folder / name
    with (run_folder / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            fresh = run_folder / f"{name}.new"
            shutil.rmtree(fresh, ignore_errors=True)
            make(fresh)
            fresh.rename(folder)
    return folder


def migrated_server(folder: Path) -> None:
    """What a server leaves that was started, migrated and stopped."""
    server = EmbeddedPostgres(folder, OWN_ACCOUNT)
    try:
        migrate(server.start())
    finally:
        server.stop()


def copy_of_server(run_folder: Path, data_dir: Path) -> None:
    """Make `data_dir` such a folder."""
    made = once(run_folder, "server", migrated_server)
    data_dir.mkdir()
    data_dir.chmod(0o711)
    subprocess.run(["cp", "-a", *(made / name for name in KEPT), data_dir], check=True)
