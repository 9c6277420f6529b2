"""Hosts of PostgreSQL that a campaign breaks: their disks are slow or full, and their clocks wrong, when it says so.

The disk is a small file system in memory. It is slow, and the clock is wrong, by a library of ours (bad_host.c), which
is compiled where there is a gcc.
"""

import mmap
import shutil
import struct
import subprocess
from contextlib import suppress
from pathlib import Path
from signal import Signals
from typing import Any

from cluster.nodes import Node
from outage.processes import signal_all

from dhcp_fast.bench.servers.processes import family

SOURCE = Path(__file__).with_name("bad_host.c")
DISK = "1536m"
PARAMETERS = {
    # When each commit was done is compared with when clients heard of it.
    "track_commit_timestamp": "on",
    # The disk is small.
    "max_wal_size": "256MB",
    "wal_keep_size": "128MB",
}
WRONG = struct.Struct("=qq")


def compiled(folder: Path) -> Path | None:
    """The library that makes hosts bad."""
    compiler, made = shutil.which("gcc"), folder / "bad_host.so"
    if compiler is None:
        return None
    subprocess.run([compiler, "-shared", "-fPIC", "-O2", "-o", made, SOURCE, "-ldl"], check=True)
    made.chmod(0o755)
    return made


class Badness:
    """What is wrong with a host, for processes with these `variables`."""

    def __init__(self, file: Path, library: Path | None) -> None:
        file.write_bytes(WRONG.pack(0, 0))
        file.chmod(0o644)
        with file.open("r+b") as opened:
            self.mapped = mmap.mmap(opened.fileno(), WRONG.size)
        self.variables = {"LD_PRELOAD": str(library), "BAD_HOST_FILE": str(file)} if library else {}

    def slow_down(self, milliseconds: int) -> None:
        """What each fsync waits from now on."""
        self.mapped[:8] = struct.pack("=q", milliseconds)

    def step_clock(self, seconds: int) -> None:
        """From now on its clock, and no other one's of the machine, is so much ahead."""
        self.mapped[8:] = struct.pack("=q", seconds)


class Host(Node):
    """A node of the cluster."""

    def __init__(self, *where: Any, library: Path | None) -> None:
        _, number, folder, account = where
        self.bad = Badness(folder / f"bad{number}", library)
        super().__init__(*where, parameters=PARAMETERS, variables=self.bad.variables)
        rights = f"size={DISK},mode=700,uid={account.uid},gid={account.gid}"
        account.own(self.disk)
        self.namespace.run("mount", "-t", "tmpfs", "-o", rights, "disk", self.disk)

    @property
    def disk(self) -> Path:
        return self.folder / "disk"

    @property
    def data(self) -> Path:
        return self.disk / "data"

    # --- what is wrong with it

    def fill(self) -> None:
        """Its disk, to the last octet."""
        self.namespace.run("sh", "-c", f"cat /dev/zero > {self.disk}/ballast 2>/dev/null || true")

    def clear(self) -> None:
        self.namespace.run("rm", "-f", self.disk / "ballast")

    def processes(self) -> set[int]:
        """Patroni's and PostgreSQL's."""
        return family(self.process.pid) if self.process is not None else set()

    def postgres(self) -> set[int]:
        return {pid for pid in self.processes() if named(pid) == "postgres"}

    def signal(self, how: Signals) -> None:
        signal_all(self.processes(), how)

    def signal_postgres(self, how: Signals, title: str = "") -> None:
        """To those of its processes whose title holds this."""
        signal_all([pid for pid in self.postgres() if title in titled(pid)], how)


def named(pid: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text().strip()
    return ""


def titled(pid: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    return ""
