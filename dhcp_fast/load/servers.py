"""The servers that a benchmark drives, each a context manager with fresh state of its own.

Ours: an embedded PostgreSQL in a folder of its own with fsync on and the schema as it is migrated everywhere,
and the command `ipam dhcp` as a child process. Debian's Kea, in memory with its lease file or on a PostgreSQL
of the same kind. The stub, which shows what the generator itself can do. Databases lie under /var/tmp, which
is a disk also where /tmp is memory.
"""

import asyncio
import contextlib
import importlib.util
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Network
from pathlib import Path
from types import ModuleType
from typing import Protocol

import dhcp_fast
from dhcp_fast.load import plan
from dhcp_fast.load.audit import Audit, audit
from dhcp_fast.load.stub import Stub
from ipam_core.db.embedded import EmbeddedPostgres
from ipam_core.db.migrate import migrate
from ipam_core.errors import IpamError
from ipam_core.settings import Endpoint, Settings, environment

FOLDER = Path("/var/tmp")  # noqa: S108 - a fresh folder below it, by mkdtemp
LOOPBACK = "127.0.0.1"
READY_SECONDS = 30.0
STOP_SECONDS = 20.0
LOG_TAIL = 2000


@dataclass(eq=False)
class ServerStartError(IpamError):
    """{server} did not start: {reason}"""

    server: str
    reason: str


class Server(Protocol):
    """A server under load."""

    name: str
    address: tuple[str, int]

    def processes(self) -> dict[str, list[int]]:
        """The roots of the process families whose CPU is counted, by the name of their column."""
        ...

    def verdict(self, log: bytes, seed: int) -> Audit | None:
        """The audit of everything acknowledged; None where there is nothing to look into."""
        ...


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """A folder for a server's data; PostgreSQL, which runs under another account, may pass through it."""
    folder = Path(tempfile.mkdtemp(prefix="ipam-bench-", dir=FOLDER))
    folder.chmod(0o711)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def postgres(folder: Path) -> Iterator[tuple[EmbeddedPostgres, str]]:
    """A PostgreSQL of its own and its DSN."""
    server = EmbeddedPostgres(folder / "data", Settings().postgres_user)
    try:
        yield server, server.start()
    finally:
        server.stop()


@dataclass
class OurServer:
    """`ipam dhcp` on an embedded PostgreSQL."""

    name: str
    address: tuple[str, int]
    dsn: str
    postgres: EmbeddedPostgres
    child: subprocess.Popen[bytes]

    def processes(self) -> dict[str, list[int]]:
        return {"server": [self.child.pid], "postgresql": [self.postgres.pid]}

    def verdict(self, log: bytes, seed: int) -> Audit | None:
        return asyncio.run(audit(self.dsn, log, seed=seed))


@contextlib.contextmanager
def ours(*, cache_threshold: float = 0.25) -> Iterator[OurServer]:
    """A fresh database with the benchmark's plan, and the server on it, ready."""
    with scratch() as folder, postgres(folder) as (database, dsn):
        migrate(dsn)
        asyncio.run(plan.insert(dsn, cache_threshold=cache_threshold))
        settings = Settings(
            database_url=dsn,
            data_dir=folder,
            dhcp4_listen=(Endpoint(LOOPBACK, free_port(socket.SOCK_DGRAM)),),
            health_listen=Endpoint(LOOPBACK, free_port(socket.SOCK_STREAM)),
            trusted_relays=(IPv4Network("127.0.0.0/8"),),
            log_level="warning",
        )
        with started(settings, folder / "dhcp.log") as child:
            listen = settings.dhcp4_listen[0]
            yield OurServer("ipam", (listen.host, listen.port), dsn, database, child)


@contextlib.contextmanager
def started(settings: Settings, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """`ipam dhcp` as `ipam up` starts it, from its readiness to its end."""
    command = [sys.executable, "-P", "-m", "api.cli", "dhcp"]
    with log.open("wb") as output:
        child = subprocess.Popen(command, stdout=output, stderr=output, env=environment(settings))
    try:
        await_ready(child, settings.health_listen, log)
        yield child
    finally:
        end(child)


def await_ready(child: subprocess.Popen[bytes], health: Endpoint, log: Path) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while not is_ready(health):
        if child.poll() is not None or time.monotonic() > deadline:
            raise ServerStartError("ipam dhcp", log.read_text(errors="replace")[-LOG_TAIL:].strip())
        time.sleep(0.05)


def is_ready(health: Endpoint) -> bool:
    try:
        with urllib.request.urlopen(f"http://{health}/readyz", timeout=1.0) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def end(child: subprocess.Popen[bytes]) -> None:
    child.send_signal(signal.SIGTERM)
    try:
        child.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


@dataclass
class KeaServer:
    """Debian's Kea; `database` is None with the memory file."""

    name: str
    address: tuple[str, int]
    pid: int
    database: EmbeddedPostgres | None

    def processes(self) -> dict[str, list[int]]:
        return {"server": [self.pid]} | ({"postgresql": [self.database.pid]} if self.database else {})

    def verdict(self, log: bytes, seed: int) -> Audit | None:  # noqa: ARG002 - Kea's leases are not ours to judge
        return None


@contextlib.contextmanager
def kea_in_memory() -> Iterator[KeaServer]:
    kea = peer()
    with scratch() as folder, kea.Kea(folder, "memfile") as running:
        yield KeaServer("Kea, memory file", (running.address, running.port), running.pid, None)


@contextlib.contextmanager
def kea_on_postgresql() -> Iterator[KeaServer]:
    kea = peer()
    with scratch() as folder, postgres(folder) as (database, dsn):
        (folder / "kea").mkdir()
        with kea.Kea(folder / "kea", "postgresql", dsn=dsn) as running:
            yield KeaServer("Kea, PostgreSQL", (running.address, running.port), running.pid, database)


def peer() -> ModuleType:
    """benchmarks/kea.py of the checkout; it is not part of an installation."""
    path = Path(dhcp_fast.__file__).resolve().parents[1] / "benchmarks" / "kea.py"
    if not path.exists():
        raise ServerStartError("Kea", f"{path} is not there: the comparison runs from a checkout only")
    spec = importlib.util.spec_from_file_location("benchmarks_kea", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@dataclass
class StubServer:
    """The stub in this very process."""

    name: str
    address: tuple[str, int]

    def processes(self) -> dict[str, list[int]]:
        return {}

    def verdict(self, log: bytes, seed: int) -> Audit | None:  # noqa: ARG002 - it keeps nothing
        return None


@contextlib.contextmanager
def stub() -> Iterator[StubServer]:
    with Stub() as running:
        yield StubServer("stub", running.address)


def free_port(kind: socket.SocketKind) -> int:
    with socket.socket(socket.AF_INET, kind) as probe:
        probe.bind((LOOPBACK, 0))
        port: int = probe.getsockname()[1]
        return port
