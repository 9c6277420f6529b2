"""External PostgreSQL servers: Debian's, as an operator would run them, reached over TCP with a password.

A `Cluster` may have a `standby`, which follows it by streaming replication and can take its place. Commits wait for
that standby, so a failover loses nothing that was acknowledged.
"""

import asyncio
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from outage.databases import execute, fetch
from outage.processes import await_true, signal_all
from ports import free_port
from system import peers

from dhcp_fast.bench.servers import bench_plan
from dhcp_fast.bench.servers.processes import family
from ipam_core.db.embedded.programs import Account
from ipam_core.db.migrate import migrate
from ipam_core.db.outage import AWAY

PASSWORD = "outage"
SETTINGS = {"unix_socket_directories": "", "hot_standby": "on"}
EVERYBODY = "host all,replication all samenet scram-sha-256\n"


class Cluster:
    """One data folder of the oldest PostgreSQL that is supported."""

    def __init__(self, folder: Path, address: str = "127.0.0.1", **settings: str) -> None:
        self.address = address
        self.programs = programs()
        self.folder = folder
        self.port = free_port()
        self.settings = SETTINGS | {"listen_addresses": address, "port": str(self.port)} | settings
        self.account = Account.find("nobody")
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def host(self) -> str:
        return f"{self.address}:{self.port}"

    @property
    def dsn(self) -> str:
        return f"postgresql://ipam:{PASSWORD}@{self.host}/postgres"

    def make(self) -> None:
        # Beside it, under a name of its own: two processes may make a template each in one folder at the same time.
        secret = self.account.write(self.folder.with_name(f"{self.folder.name}.password"), PASSWORD)
        self.run(
            "initdb", "--no-sync", "--auth=scram-sha-256", "-Uipam", "-EUTF8", f"--pwfile={secret}", "-D"
        )
        with (self.folder / "pg_hba.conf").open("a") as rules:
            rules.write(EVERYBODY)

    def copy(self, template: Path) -> None:
        """Instead of being made."""
        subprocess.run(["cp", "-a", str(template), str(self.folder)], check=True)

    def follow(self, primary: "Cluster") -> None:
        """Become the primary's standby."""
        self.run("pg_basebackup", "--no-sync", "--checkpoint=fast", "-R", "-d", primary.dsn, "-D")

    def run(self, program: str, *arguments: str) -> None:
        self.account.own(self.folder)
        command = [str(self.programs / program), *arguments, str(self.folder)]
        subprocess.run(command, check=True, capture_output=True, **self.rights)

    def start(self) -> None:
        told = [argument for name, value in self.settings.items() for argument in ("-c", f"{name}={value}")]
        command = [str(self.programs / "postgres"), "-D", str(self.folder), *told]
        self.process = subprocess.Popen(command, stderr=subprocess.DEVNULL, **self.rights)
        await_true(self.answers, "up")

    def answers(self) -> bool:
        try:
            return bool(fetch(self.dsn, "select true"))
        except AWAY:
            return False

    def kill(self) -> None:
        self.signal(signal.SIGKILL)
        assert self.process is not None
        self.process.wait()

    def freeze(self) -> None:
        """Stop every process in the midst of what it does: connections stay open, and nobody answers."""
        self.signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self.signal(signal.SIGCONT)

    def signal(self, how: signal.Signals) -> None:
        assert self.process is not None
        signal_all(family(self.process.pid), how)

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.thaw()
            self.process.send_signal(signal.SIGINT)
            self.process.wait()

    @property
    def rights(self) -> dict[str, object]:
        return self.account.process() | {"env": peers.environment()}


def programs() -> Path:
    try:
        return peers.program("postgres").parent
    except peers.PeerMissingError as error:
        refuse = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
        refuse(f"missing peer: {error}")


def make_template(folder: Path) -> None:
    """A data folder with the schema, stopped."""
    made = Cluster(folder)
    made.make()
    made.start()
    try:
        migrate(made.dsn)
    finally:
        made.stop()


@contextmanager
def cluster(template: Path, folder: Path, address: str = "127.0.0.1") -> Iterator[Cluster]:
    """One with the schema and the benchmark's plan; every renewal is written."""
    made = Cluster(folder / "primary", address)
    made.copy(template)
    made.start()
    try:
        asyncio.run(bench_plan.insert(made.dsn, cache_threshold=0))
        yield made
    finally:
        made.stop()


@contextmanager
def standby_of(primary: Cluster, address: str = "127.0.0.1") -> Iterator[Cluster]:
    """A standby that has everything, and that each commit waits for from now on."""
    made = Cluster(primary.folder.with_name("standby"), address)
    made.follow(primary)
    made.start()
    try:
        execute(primary.dsn, "alter system set synchronous_standby_names = '*'")
        execute(primary.dsn, "select pg_reload_conf()")
        await_true(lambda: fetch(primary.dsn, "select sync_state from pg_stat_replication") == "sync", "sync")
        yield made
    finally:
        made.stop()
