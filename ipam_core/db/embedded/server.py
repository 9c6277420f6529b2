"""The embedded PostgreSQL: a server of our own under the data folder, for those who name no database.

It listens on no network address and lets nobody in but our role by its password and the operator as the superuser
(ownership.py). A start finds the server as the last
process left it: absent, stopped, running (then it is taken over) or killed (then what is left of it is ended,
and PostgreSQL recovers). Where root's data folder cannot be reached by the account that runs the server, the
cluster is handed over as an open descriptor, so that no permission has to change.
"""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO
from urllib.parse import quote

from ipam_core.db.embedded import log_segments, memory, ownership
from ipam_core.db.embedded.datadir import SOCKET, DataDir
from ipam_core.db.embedded.handing_over import hand_over
from ipam_core.db.embedded.ownership import SUPERUSER, USER
from ipam_core.db.embedded.programs import MAJOR, SHARED, Account, Programs, bundled, entry_of, version
from ipam_core.errors import DataDirError, PostgresStartError

INITDB = [
    f"--username={SUPERUSER}",
    "--encoding=UTF8",
    "--locale=C",
    "--auth-local=peer",
    "--auth-host=reject",
    "--sync-method=syncfs",
    # The password is random, so that nobody can guess at it; 4096 rounds would cost each session that begins 3 ms.
    "--set=scram_iterations=1",
]

# Recovery replays up to max_wal_size, which takes a slow disk minutes.
READY_SECONDS = 300.0
STOP_SECONDS = 60.0
ORPHAN_SECONDS = 10.0
POLL_SECONDS = 0.005
ANSWER_SECONDS = 2.0

# "Will you speak TLS?" is answered by one octet before anybody authenticates.
SSL_REQUEST = bytes.fromhex("00000008 04d2162f")

SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "100",
    "max_wal_size": "4GB",
    "min_wal_size": "1GB",
    "wal_init_zero": "off",
    "checkpoint_timeout": "15min",
    "recovery_init_sync_method": "syncfs",
    "jit": "off",  # our statements are short: compiling them costs more than running them
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_line_prefix": "%m [%p] ",
    "cluster_name": "ipam",
}

# Prints the processes whose current folder is ours. The server's account runs it, because even root may be
# refused the look into another account's process (a container without CAP_SYS_PTRACE).
FIND_PROCESSES = """
for p in /proc/[0-9]*; do
  [ "$p/cwd" -ef . ] && [ "$p" != "/proc/$$" ] && echo "${p#/proc/}"
done
true
"""


class EmbeddedPostgres:
    """The server of one data folder. `start` and `stop` block; one process at a time holds the folder. `settings` are
    PostgreSQL's, over those that every one has. A cluster that is made has so many segments of its log `ahead`."""

    def __init__(
        self, data_dir: Path, account: str, settings: dict[str, str] | None = None, *, ahead: int = 0
    ) -> None:
        self.account_name = account
        self.ahead = ahead
        self.settings = SETTINGS | (settings or {})
        self.path = data_dir.absolute()
        self.data = DataDir(self.path)
        self.pid = 0
        self.child: subprocess.Popen[bytes] | None = None
        self.turn = threading.RLock()  # a stop waits for a start or recovery that another thread runs

    def start(self) -> str:
        """Return the DSN of the running server; made, started, taken over or recovered as need be."""
        with self.turn:
            self.account = Account.find(self.account_name, self.number())
            self.data.open(self.account)
            try:
                self.recover()
            except BaseException:
                self.stop()
                raise
            return dsn(self.data)

    def recover(self) -> None:
        """Have a running server, whatever happened to the last one; the DSN stays what it was."""
        with self.turn:
            if self.data.lock is None:
                return
            while self.take_over():
                if self.comes_ready():
                    return
            self.launch()
            if not self.comes_ready():
                raise PostgresStartError(f"{self.last_words()} (see {self.data.log})")

    def stop(self) -> None:
        """End every session and the server, and wait for it; nothing committed is lost."""
        with self.turn:
            if self.pid and not self.ended(signal.SIGINT, STOP_SECONDS):
                self.ended(signal.SIGQUIT, STOP_SECONDS)
            if self.data.lock is not None:
                self.data.clear_annex()
            self.data.close()
            self.pid, self.child = 0, None

    def take_over(self) -> bool:
        """Return whether a server that an earlier process left is running; else its remains are ended, and it is itself
        where its cluster must be converted first."""
        processes = self.processes()
        lines = self.data.postmaster()
        if lines and int(lines[0]) in processes:
            if self.child is None or self.child.pid != int(lines[0]):
                self.pid, self.child = int(lines[0]), None
            if self.is_current():
                return True
            self.ended(signal.SIGINT, STOP_SECONDS)
            processes = self.processes()
        self.end_orphans(processes)
        (self.data.cluster / "postmaster.pid").unlink(missing_ok=True)
        return False

    def processes(self) -> set[int]:
        """Return every process of the cluster: PostgreSQL's all have it as their current folder."""
        if not self.data.cluster.is_dir():
            return set()
        rights = self.owner().process() | {"cwd": self.data.cluster}
        done = subprocess.run(["/bin/sh", "-c", FIND_PROCESSES], capture_output=True, check=True, **rights)
        return {int(pid) for pid in done.stdout.split()}

    def end_orphans(self, processes: set[int]) -> None:
        """End sessions that outlive a killed postmaster: they hold its shared memory, which would stop the next one."""
        deadline = time.monotonic() + ORPHAN_SECONDS
        while processes:
            late = time.monotonic() > deadline
            for pid in processes:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL if late else signal.SIGQUIT)
            time.sleep(POLL_SECONDS)
            processes = self.processes()

    def number(self) -> int | None:
        """Return the number of the cluster's account; None: there is none."""
        with contextlib.suppress(OSError):
            return self.data.cluster.lstat().st_uid
        return None

    def owner(self) -> Account:
        """Return the owner of the cluster: the account that runs the server, or the one that ran it before."""
        found = self.data.cluster.lstat()
        return self.account if found.st_uid == self.account.uid else Account("", found.st_uid, found.st_gid)

    def is_current(self) -> bool:
        """Return whether the cluster is this account's, with the roles of this release."""
        is_own = self.data.cluster.lstat().st_uid == self.account.uid
        return is_own and ownership.is_written(self.data.cluster, self.account)

    def launch(self) -> None:
        programs = self.programs()
        sockets = self.data.socket_folder()
        if not self.data.cluster.exists():
            self.make_cluster(programs)
        self.check_version()
        self.take_from_nobody()
        if not ownership.is_written(self.data.cluster, self.account):
            self.make_roles(programs, self.data.cluster)
        # The lock file of a dead server names a process id that anybody may have by now.
        (sockets / f"{SOCKET}.lock").unlink(missing_ok=True)
        settings = {
            "shared_buffers": shared_buffers(),
            "unix_socket_directories": str(sockets),
        } | self.settings
        with self.handed_over(self.data.cluster) as (folder, descriptors), self.open_log() as log:
            self.child = subprocess.Popen(
                [programs.postgres, "-D", folder, *as_arguments(settings)],
                stdout=log,
                stderr=log,
                pass_fds=descriptors,
                start_new_session=True,  # Ctrl-C on our terminal is not for the server
                **self.account.process(),
            )
        self.pid = self.child.pid

    def programs(self) -> Programs:
        """Return the wheel's own files, or a copy where the account cannot use those."""
        installed = bundled()
        if installed.usable_by(self.account):
            return installed
        copy = installed.copy_to(self.data.programs_folder(version()))
        if not copy.usable_by(self.account):
            reason = f"account {self.account.name!r} cannot run {copy.postgres} (is it mounted noexec?)"
            raise PostgresStartError(reason)
        return copy

    def take_from_nobody(self) -> None:
        """Take over a cluster of the time when it ran under `nobody`; a cluster of another account is the operator's to
        decide."""
        owner = self.data.cluster.lstat().st_uid
        if owner == self.account.uid:
            return
        shared = entry_of(SHARED)
        if shared is None or owner != shared.pw_uid:
            reason = f"its cluster belongs to account {owner}: set postgres_user to that account, or start ipam as it"
            raise DataDirError(str(self.path), reason)
        hand_over(self.data.cluster, owner, self.account)

    def make_cluster(self, programs: Programs) -> None:
        """Run initdb and our database, flushed to disk, in a folder that gets its name when all is done."""
        fresh = self.data.cluster.with_name("postgres.new")
        shutil.rmtree(fresh, ignore_errors=True)
        self.account.own(fresh)
        with self.handed_over(fresh) as (folder, descriptors):
            self.execute([programs.initdb, "-D", folder, *INITDB], descriptors)
            single = [programs.postgres, "--single", "-D", folder, "postgres"]
            self.execute(single, descriptors, f"create database {USER}\n")
        self.make_roles(programs, fresh)
        if self.ahead:
            log_segments.make_ahead(fresh / "pg_wal", self.account, self.ahead)
        fresh.rename(self.data.cluster)

    def make_roles(self, programs: Programs, cluster: Path) -> None:
        """Create the superuser and our role, which owns the database and its objects."""
        with self.handed_over(cluster) as (folder, descriptors):
            single = [programs.postgres, "--single", "-j", "-D", folder]
            for database, text in (
                ("postgres", ownership.statements(self.data.password())),
                (USER, ownership.objects()),
            ):
                ownership.check(self.execute([*single, database], descriptors, text))
        ownership.write(cluster, self.account)

    def execute(self, command: list[str], descriptors: tuple[int, ...], text: str = "") -> str:
        """Run one of the server's programs to its end under its account, and return its output."""
        rights = self.account.process() | {"stdin": subprocess.PIPE, "stderr": subprocess.STDOUT}
        child = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            pass_fds=descriptors,
            text=True,
            **rights,
        )
        output: str = child.communicate(text)[0]
        if child.returncode != 0:
            raise PostgresStartError(last_line(output))
        return output

    @contextlib.contextmanager
    def handed_over(self, folder: Path) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Provide the folder's name for the account, and the descriptors that make the name good.

        The name of an inherited descriptor leads into a folder whatever the permissions above it.
        """
        if self.data.reachable:
            yield str(folder), ()
            return
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            yield f"/proc/self/fd/{descriptor}", (descriptor,)
        finally:
            os.close(descriptor)

    def open_log(self) -> IO[bytes]:
        return os.fdopen(os.open(self.data.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab")

    def check_version(self) -> None:
        found = (self.data.cluster / "PG_VERSION").read_text().strip()
        if found != MAJOR:
            reason = (
                f"it was written by PostgreSQL {found}, but this is {MAJOR}: "
                f"dump it with the old version's pg_dump and load it into a new folder"
            )
            raise DataDirError(str(self.path), reason)

    def comes_ready(self) -> bool:
        """Wait for the server; False when it ends instead. A dying one may still be written down as ready."""
        deadline = time.monotonic() + READY_SECONDS
        while not self.gone():
            lines = self.data.postmaster()
            if len(lines) == 8 and lines[0] == str(self.pid) and lines[7] == "ready" and answers(lines[4]):
                return True
            if time.monotonic() > deadline:
                raise PostgresStartError(f"not ready after {READY_SECONDS:g} s (see {self.data.log})")
            time.sleep(POLL_SECONDS)
        return False

    def last_words(self) -> str:
        with contextlib.suppress(OSError):
            return last_line(self.data.log.read_text("utf-8", "replace"))
        return "it exited"

    def ended(self, how: signal.Signals, seconds: float) -> bool:
        """Send the signal and wait for the end of the server."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, how)
        deadline = time.monotonic() + seconds
        while not self.gone():
            if time.monotonic() > deadline:
                return False
            time.sleep(POLL_SECONDS)
        return True

    def gone(self) -> bool:
        """Return whether the server has ended; a child of ours is asked, which also lets its process entry go."""
        if self.child is not None:
            return self.child.poll() is not None
        return not Path(f"/proc/{self.pid}").exists()


def running_dsn(path: Path) -> str | None:
    """Return the DSN of the server that some process runs in this data folder, or None."""
    data = DataDir(path.absolute())
    lines = data.postmaster()
    return dsn(data) if len(lines) > 4 and answers(lines[4]) else None


def answers(folder: str) -> bool:
    """Return whether a server at the socket in `folder` answers; the kernel connects to a dying one too."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(ANSWER_SECONDS)
        try:
            probe.connect(f"{folder}/{SOCKET}")
            probe.sendall(SSL_REQUEST)
            return probe.recv(1) in (b"N", b"S")
        except OSError:
            return False


def dsn(data: DataDir) -> str:
    """Return what libpq and asyncpg both read, without the password; the socket's folder is the one that the server
    wrote down."""
    return (
        f"postgresql://{USER}@/{USER}?host={folder_of(data)}&passfile={quote(str(data.passfile()), safe='/')}"
    )


def superuser_dsn(path: Path) -> str:
    """Return the same of the superuser, for root and the account of the server that runs in this data folder."""
    return f"postgresql://{SUPERUSER}@/{USER}?host={folder_of(DataDir(path.absolute()))}"


def folder_of(data: DataDir) -> str:
    return quote(data.postmaster()[4], safe="/")


def shared_buffers() -> str:
    """Return a quarter of the memory: so many leases are renewed without a page being fetched and another written for
    it."""
    return f"{min(max(memory.available() >> 22, 32), 8192)}MB"


def as_arguments(settings: dict[str, str]) -> list[str]:
    return [argument for name, value in settings.items() for argument in ("-c", f"{name}={value}")]


def last_line(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1] if lines else "it logged nothing"
