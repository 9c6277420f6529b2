"""PostgreSQL servers in namespaces, whose network a test may cut.

One data folder is made and migrated a run (prepared_folder.py); each server gets a copy. The test itself speaks to a
server by its unix socket, which no cut reaches, so that it sees what is there while nobody else does.
"""

import asyncio
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from outage import clusters
from outage.clusters import PASSWORD, Cluster
from outage.databases import execute, fetch
from outage.processes import await_true, signal_all
from system import peers
from system.namespaces import Namespace

from dhcp_fast.bench.servers.processes import family, stat
from ipam_core.db.connect import connect

NETWORK = "10.9.0.0/24"
PORT = 5432
# When each commit was done is compared with when clients heard of it.
SETTINGS = {"track_commit_timestamp": "on", "max_connections": "100"}
CANCEL = "select count(pg_cancel_backend(pid)) from pg_stat_activity where wait_event = 'SyncRep'"
NEITHER_KEPT_NOR_MONOTONIC = {"FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
HEARD_SECONDS = 1.0  # four readings of the feed
ACCESS = f"host all all {NETWORK} scram-sha-256\nhost replication all {NETWORK} scram-sha-256\n"


def make_template(folder: Path) -> None:
    """A data folder with the schema, stopped, that the database path's network may enter."""
    clusters.make_template(folder)
    with (folder / "pg_hba.conf").open("a") as rules:
        rules.write(ACCESS)


class Database(Cluster):
    """One server in `namespace`, at `address` there."""

    def __init__(self, folder: Path, namespace: Namespace, address: str) -> None:
        self.sockets = folder.with_name(f"{folder.name}.s")
        told = {"listen_addresses": address, "unix_socket_directories": str(self.sockets), "port": str(PORT)}
        super().__init__(folder, **SETTINGS | told)
        self.clock = folder.with_name(f"{folder.name}.clock")
        self.namespace = namespace
        self.address = address

    @property
    def host(self) -> str:
        return f"{self.address}:{PORT}"

    @property
    def dsn(self) -> str:
        """By the unix socket."""
        return f"postgresql://ipam:{PASSWORD}@/postgres?host={self.sockets}&port={PORT}"

    def follow(self, primary: Cluster) -> None:
        """Become the primary's standby, by the network that is cut later."""
        self.account.own(self.folder)
        url = f"postgresql://ipam:{PASSWORD}@{primary.host}/postgres"
        told = ["--no-sync", "--checkpoint=fast", "-R", "-d", url, "-D", self.folder]
        self.namespace.run(*self.as_account(), self.programs / "pg_basebackup", *told)

    def start(self) -> None:
        self.account.own(self.sockets)
        settings = [part for name, value in self.settings.items() for part in ("-c", f"{name}={value}")]
        program = [*self.own_clock(), str(self.programs / "postgres"), "-D", str(self.folder)]
        command = [*self.as_account(), *program, *settings]
        self.process = self.namespace.start(*command, log=self.folder.with_suffix(".log"))
        await_true(self.answers, "up")

    def step_clock(self, seconds: int) -> None:
        """From now on its clock, and no other one's of the machine, is so much ahead. Only if it was called before the
        start too."""
        fresh = self.clock.with_suffix(".new")
        fresh.write_text(f"{seconds:+d}\n")
        fresh.replace(self.clock)

    def own_clock(self) -> list[str]:
        if not self.clock.exists():
            return []
        library = next((peers.PEERS / "root").glob("usr/lib/*/faketime/libfaketime.so.1"))
        told = {"LD_PRELOAD": library, "FAKETIME_TIMESTAMP_FILE": self.clock} | NEITHER_KEPT_NOR_MONOTONIC
        return ["env", *(f"{name}={value}" for name, value in told.items())]

    def as_account(self) -> list[str]:
        """What makes a program of the namespace's root one of the account's: PostgreSQL does not run as root."""
        ours = self.account
        if not ours.name:
            return ["unshare", "--user", "--map-user=1000"]
        rights = [f"--reuid={ours.uid}", f"--regid={ours.gid}", "--clear-groups"]
        return [shutil.which("setpriv", path=peers.SEARCH_PATH) or "setpriv", *rights, "--pdeathsig", "KILL"]

    def signal(self, how: signal.Signals) -> None:
        """To every process of it, the postmaster first."""
        if self.process is not None and self.process.poll() is None:
            signal_all(family(self.process.pid), how)

    def kill(self) -> None:
        """Every process; the postmaster is stopped before, so that it makes none that would keep the shared memory."""
        self.signal(signal.SIGSTOP)
        assert self.process is not None
        members = family(self.process.pid)
        signal_all(members, signal.SIGKILL)
        self.process.wait()
        await_true(lambda: not any(map(runs, members)), "dead")

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """It neither answers nor closes."""
        self.signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.signal(signal.SIGCONT)

    def stop(self) -> None:
        """At once: an orderly end would wait for a standby that is cut off."""
        self.signal(signal.SIGCONT)
        if self.process is not None:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait()

    def sessions(self) -> int:
        """Backends of clients, the asking one left out."""
        counted = "select count(*) from pg_stat_activity where backend_type = 'client backend'"
        return int(fetch(self.dsn, f"{counted} and pid <> pg_backend_pid()"))

    def wait_for_standby(self) -> None:
        """From now on each commit waits for a standby."""
        execute(self.dsn, "alter system set synchronous_standby_names = '*'")
        execute(self.dsn, "select pg_reload_conf()")
        await_true(lambda: fetch(self.dsn, "select sync_state from pg_stat_replication") == "sync", "sync")

    def cancel_waits(self) -> int:
        """As an operator does whose standby is away for too long: what waits for it is committed here alone, with a
        warning. How many waited."""
        return int(fetch(self.dsn, CANCEL))

    def wait_for_nobody(self) -> None:
        """From now on a standby follows as it can."""
        execute(self.dsn, "alter system set synchronous_standby_names = ''")
        execute(self.dsn, "select pg_reload_conf()")

    def leave_primary(self) -> None:
        """What is committed there from now on is not known here. (A standby that is cut off would have the rest by the
        end of the cut, out of its primary's socket.)"""
        execute(self.dsn, "alter system set primary_conninfo = ''")
        execute(self.dsn, "select pg_reload_conf()")
        await_true(lambda: fetch(self.dsn, "select count(*) = 0 from pg_stat_wal_receiver"), "alone")

    @contextmanager
    def still(self) -> Iterator[None]:
        """Nobody writes a lease; all hear of those that were written."""
        with asyncio.Runner() as runner:
            holder = runner.run(connect(self.dsn))
            runner.run(holder.execute("begin; lock table lease in exclusive mode"))
            time.sleep(HEARD_SECONDS)
            try:
                yield
            finally:
                holder.terminate()

    def promote(self) -> None:
        fetch(self.dsn, "select pg_promote()")


def runs(pid: int) -> bool:
    fields = stat(pid)
    return fields is not None and fields[0] != "Z"
