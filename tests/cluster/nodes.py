"""A node of the PostgreSQL cluster of deploy/patroni: etcd and Patroni, each told by its file there.

The files name /usr and /var of a machine that is theirs alone; what changes for one of three nodes on this machine is
written over them, and a test fails when they no longer say what is to be written over. Patroni and its PostgreSQL run
under an account without rights in a process namespace of their own: one signal to its first process is the power cut.
"""

import contextlib
import os
import signal
from collections.abc import Mapping
from pathlib import Path

from cluster.addresses import NODES, PASSWORDS
from system import peers
from system.namespaces import Namespace, Process

from ipam_core.db.embedded.programs import INSTALLATION, Account, bundled

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
PYTHON = "/usr/bin/python3"  # which fetched Patroni's packages, and which every account may run
PARAMETERS = "      parameters:"  # those that Patroni sets on all nodes
VARIABLES = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
# Virtual environment and checkout may lie in somebody's closed home.
BIND = """set -e
mount -t tmpfs -o mode=755 programs /mnt
for each in postgres patroni etcd; do mkdir "/mnt/$each"; mount --bind "$1" "/mnt/$each"; shift; done
"""


class Node:
    """`db1` to `db3` of the files; `namespace` has its address already."""

    def __init__(
        self,
        namespace: Namespace,
        number: int,
        folder: Path,
        account: Account,
        *,
        parameters: Mapping[str, str] | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        """`parameters`: of PostgreSQL, beside those of the file; `variables`: of Patroni's and its environment."""
        self.namespace = namespace
        self.name = f"db{number}"
        self.address = NODES[number - 1]
        self.folder = folder / self.name
        self.account = account
        self.parameters = parameters or {}
        self.variables = variables or {}
        self.process: Process | None = None
        account.own(self.folder)
        etcd, patroni = peers.program("etcd").parent, peers.program("patroni").parents[1]
        namespace.run("sh", "-c", BIND, "sh", bundled().root, patroni, etcd)

    @property
    def url(self) -> str:
        """Of this node alone, for the superuser."""
        return f"postgresql://postgres:{PASSWORDS['@SUPERUSER_PASSWORD@']}@{self.address}/postgres"

    def start(self) -> None:
        self.start_etcd()
        self.start_patroni()

    def start_etcd(self) -> None:
        told = self.rendered("etcd.env", {"/var/lib/etcd/ipam": f"{self.folder}/etcd"})
        lines = [line for line in told.splitlines() if line and line[0] != "#"]
        self.begin("etcd", [], "/mnt/etcd/etcd", **dict(line.split("=", 1) for line in lines))

    def start_patroni(self) -> None:
        leases = self.account.write(
            self.folder / "leases.conf", (DEPLOY / "postgresql-leases.conf").read_text()
        )
        here = {
            "/var/lib/postgresql/18/ipam": str(self.data),
            "/var/lib/postgresql/pgpass-patroni": f"{self.folder}/pgpass",
            "/var/run/postgresql": str(self.folder),
            "/usr/lib/postgresql/18/bin": f"/mnt/postgres/{INSTALLATION}/bin",
            "/etc/patroni/postgresql-leases.conf": str(leases),
            PARAMETERS: PARAMETERS
            + "".join(f'\n        {name}: "{to}"' for name, to in self.parameters.items()),
        }
        config = self.account.write(
            self.folder / "patroni.yml", self.rendered("patroni.yml", here | PASSWORDS)
        )
        alone = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
        self.process = self.begin(
            "patroni",
            alone,
            PYTHON,
            "-m",
            "patroni",
            str(config),
            PYTHONPATH="/mnt/patroni",
            **self.variables,
        )

    def rendered(self, name: str, more: Mapping[str, str]) -> str:
        """A file of deploy/patroni for this node."""
        told = (DEPLOY / "patroni" / name).read_text()
        for there, here in {"@NAME@": self.name, "@ADDRESS@": self.address, **more}.items():
            assert there in told, f"{name} does not name {there}"
            told = told.replace(there, here)
        return told

    def begin(self, name: str, before: list[str], *command: str, **variables: str) -> Process:
        account = [f"--reuid={self.account.uid}", f"--regid={self.account.gid}", "--clear-groups"]
        whole = [*before, "setpriv", *account, "--pdeathsig", "KILL", *command]
        log = self.folder / f"{name}.log"
        return self.namespace.start(*whole, log=log, env=VARIABLES | variables, cwd=self.folder)

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def init(self) -> int:
        """The first process of Patroni's namespace, as seen from outside: all others there end with it."""
        assert self.process is not None
        pid = self.process.pid
        return int(Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0])

    def kill(self) -> None:
        """Patroni and PostgreSQL at once, as by a power cut; etcd goes on."""
        assert self.process is not None
        os.kill(self.init, signal.SIGKILL)
        self.process.wait()

    def freeze(self) -> None:
        """Patroni and PostgreSQL stop in the midst of what they do, as when a hypervisor pauses the machine."""
        self.signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self.signal(signal.SIGCONT)

    def signal(self, how: signal.Signals) -> None:
        """To every process of Patroni's namespace."""
        inside = Path(f"/proc/{self.init}/ns/pid").readlink()
        for process in Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                if process.name.isdecimal() and (process / "ns/pid").readlink() == inside:
                    os.kill(int(process.name), how)

    def stop(self) -> None:
        """A frozen one too."""
        if self.process is not None and self.process.poll() is None:
            with contextlib.suppress(OSError, IndexError):
                self.kill()
