"""What takes seconds to make and is the same for many tests: made once a run, by the first process that wants it, into
the run's folder, and copied for each test.

Above all a data folder of the embedded PostgreSQL with our schema, stopped: initdb and all migrations are two seconds
of processor time, a copy is a tenth of one. Tests whose subject is how a cluster is made begin with an empty folder.
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
