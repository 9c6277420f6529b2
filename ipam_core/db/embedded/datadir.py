"""The data folder: its files and their owners, and the lock that gives it to one process at a time.

    <data folder>/lock               held by the process that runs the server
                  postgres/          the cluster, the server account's alone
                  postgres.password  of the database user `ipam`, 0600; postgres.passfile: the same, as libpq reads it
                  postgres.log       the server's log
                  run/               its socket, 0700
                  pgserver-<n>/      the server's programs, when its account cannot reach the installed ones
                  annex              link to a short folder elsewhere, for what cannot lie here

No permission outside the data folder is changed. The annex contains files for the server's account, if it cannot reach
the data folder, and a socket whose path would be too long. It is removed when the server stops.
"""

import contextlib
import fcntl
import os
import secrets
import shutil
import stat
import tempfile
from pathlib import Path

from ipam_core.db.embedded.programs import Account
from ipam_core.errors import DataDirError

SOCKET = ".s.PGSQL.5432"

# sun_path holds 108 octets with the closing NUL.
LONGEST_SOCKET = 107


class DataDir:
    """The data folder at `path`; `open` makes it this process's own."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.cluster = path / "postgres"
        self.log = path / "postgres.log"
        self.lock: int | None = None

    def open(self, account: Account) -> None:
        """Make the folder if it is missing and take its lock, for a server that runs under `account`."""
        try:
            self.make()
            lock = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            reason = f"{error.strerror}: set IPAM_DATA_DIR to a folder that you can write to"
            raise DataDirError(str(self.path), reason) from None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            raise DataDirError(str(self.path), "another process is using it") from None
        self.lock = lock
        self.account = account
        self.reachable = account.can_enter(self.path)

    def make(self) -> None:
        """Create a folder of ours. Other accounts may pass through it to their own files, and list nothing."""
        if not self.path.is_dir():
            self.path.mkdir(parents=True)
            self.path.chmod(0o711)

    def close(self) -> None:
        if self.lock is not None:
            os.close(self.lock)
            self.lock = None

    def password(self) -> str:
        """Return the password of the database user, made once; written whole or not at all."""
        path = self.path / "postgres.password"
        if not path.exists():
            write_whole(path, secrets.token_urlsafe(24))
        return path.read_text()

    def passfile(self) -> Path:
        """Return the password as a file of libpq's, so that no DSN and no environment contains it."""
        path = self.path / "postgres.passfile"
        text = f"*:*:*:*:{self.password()}\n"
        if not path.exists() or path.read_text() != text:
            write_whole(path, text)
        return path

    def socket_folder(self) -> Path:
        folder = self.path / "run"
        if not self.reachable or len(os.fsencode(folder / SOCKET)) > LONGEST_SOCKET:
            folder = self.annex() / "run"
        self.account.own(folder)
        return folder

    def programs_folder(self, version: str) -> Path:
        """Return where the account can run a copy of the server's programs."""
        return (self.path if self.reachable else self.annex()) / f"pgserver-{version}"

    def annex(self) -> Path:
        """Return the short folder elsewhere, the one that the link remembers if it is still ours."""
        link = self.path / "annex"
        if link.is_symlink() and is_ours(link.readlink()):
            return link.readlink()
        link.unlink(missing_ok=True)
        folder = Path(tempfile.mkdtemp(prefix="ipam-", dir="/tmp"))
        folder.chmod(0o711)
        link.symlink_to(folder)
        return folder

    def clear_annex(self) -> None:
        link = self.path / "annex"
        if link.is_symlink():
            if is_ours(link.readlink()):
                shutil.rmtree(link.readlink(), ignore_errors=True)
            link.unlink()

    def postmaster(self) -> list[str]:
        """Return the lines of postmaster.pid: pid, cluster, start, port, socket folder, address, memory, state."""
        with contextlib.suppress(OSError):
            return [line.strip() for line in (self.cluster / "postmaster.pid").read_text().splitlines()]
        return []


def write_whole(path: Path, text: str) -> None:
    """Write a file that only this account reads; two processes may do so at one moment."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    fresh.rename(path)


def is_ours(folder: Path) -> bool:
    """Return whether the file is ours. In a folder that everybody may write, somebody else can make a name appear
    again."""
    try:
        found = folder.lstat()
    except FileNotFoundError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o022
