"""A database as a file, and a file as a database: PostgreSQL's own programs, run on a DSN.

The embedded server's package brings them; else they are looked for on PATH. A restore is one transaction: it replaces
the database's content by that of the file, or changes nothing. `pg_restore` by itself would set parameters that
PostgreSQL 15 and 16 do not know, so that its script goes to `psql` without that line.
"""

import contextlib
import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from psycopg import conninfo

from ipam_core.db.embedded import programs
from ipam_core.errors import BackupError, PostgresStartError

BLOCK = 1 << 20
UNKNOWN_BEFORE_17 = b"SET transaction_timeout"
LAST_OF_PREAMBLE = b"SET row_security"

# The file holds no grants and no owners: they name accounts that the next server may not have.
DUMP = ("pg_dump", "--format=custom", "--no-owner", "--no-privileges")
SCRIPT = ("pg_restore", "--no-owner", "--no-privileges", "--file=-")
LOAD = (
    "psql",
    "--no-psqlrc",
    "--quiet",
    "--single-transaction",
    "--set=ON_ERROR_STOP=1",
    "--output=/dev/null",
)
CLEAR = "set client_min_messages = warning; drop schema public cascade; create schema public;"


def dump(dsn: str, snapshot: str, path: Path) -> None:
    """Dump the state of the exported snapshot. Raises BackupError."""
    command = [program(DUMP[0]), *DUMP[1:], f"--snapshot={snapshot}", f"--file={path}", *target(dsn)]
    done = subprocess.run(command, env=environment(dsn), capture_output=True, check=False)
    judge(DUMP[0], done.returncode, done.stderr)


def load(dsn: str, path: Path, *, clear: bool) -> None:
    """Load the file into an empty database; with `clear` in place of all that is there. Raises BackupError."""
    command = [
        program(LOAD[0]),
        *LOAD[1:],
        *target(dsn),
        *(["--command", CLEAR] if clear else []),
        "--file=-",
    ]
    with TemporaryFile() as said_by_script, TemporaryFile() as said_by_psql:
        script = subprocess.Popen(
            [program(SCRIPT[0]), *SCRIPT[1:], path], stdout=subprocess.PIPE, stderr=said_by_script
        )
        psql = subprocess.Popen(command, env=environment(dsn), stdin=subprocess.PIPE, stderr=said_by_psql)
        whole = pass_on(script, psql)
        judge(LOAD[0], max(psql.returncode, 0), read(said_by_psql))  # a killed one has said nothing
        judge(SCRIPT[0], script.returncode if whole else 1, read(said_by_script))


def pass_on(script: "subprocess.Popen[bytes]", psql: "subprocess.Popen[bytes]") -> bool:
    """Pass the script on to psql. Return whether it ended well: if not, psql is killed before its COMMIT."""
    assert script.stdout is not None
    assert psql.stdin is not None
    with contextlib.suppress(BrokenPipeError):
        copy_preamble(script.stdout, psql.stdin)
        shutil.copyfileobj(script.stdout, psql.stdin, BLOCK)
    script.stdout.close()
    whole = script.wait() == 0
    if not whole:
        psql.kill()
    with contextlib.suppress(BrokenPipeError):
        psql.stdin.close()
    psql.wait()
    return whole


def copy_preamble(script: IO[bytes], psql: IO[bytes]) -> None:
    for line in script:
        if not line.startswith(UNKNOWN_BEFORE_17):
            psql.write(line)
        if line.startswith(LAST_OF_PREAMBLE):
            return


def judge(name: str, status: int, said: bytes) -> None:
    """Raise BackupError with the first complaint."""
    if status != 0:
        lines = [line for line in said.decode(errors="replace").splitlines() if line.strip()]
        raise BackupError(f"{name} failed: {lines[0] if lines else f'exit status {status}'}")


def read(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()


def program(name: str) -> str:
    """Raise BackupError where there is none."""
    with contextlib.suppress(PostgresStartError):
        bundled = programs.bundled().client(name)
        if os.access(bundled, os.X_OK):
            return bundled
    found = shutil.which(name)
    if found is None:
        raise BackupError(f"{name} is missing: install PostgreSQL's client programs (postgresql-client)")
    return found


def target(dsn: str) -> list[str]:
    """Return the DSN without its password, which a list of processes would show to everybody."""
    told = conninfo.conninfo_to_dict(dsn)
    parts = {name: str(value) for name, value in told.items() if name != "password"}
    return ["--no-password", f"--dbname={conninfo.make_conninfo(**parts)}"]


def environment(dsn: str) -> dict[str, str]:
    password = conninfo.conninfo_to_dict(dsn).get("password")
    return dict(os.environ) | ({"PGPASSWORD": str(password)} if password else {})
