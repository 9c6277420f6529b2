"""What befalls a site: a function a fault, each a context manager.

Its block is entered when the fault is over for clients (somebody can serve them again); what is behind it makes the
site whole, which clients may not notice.
"""

import asyncio
import random
import signal
import socket
import struct
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

import asyncpg
from chaos.hosts import Host
from chaos.site import Site, ask, end
from cluster.addresses import SUPERUSER, URL
from outage.databases import connected, execute, fetch
from outage.processes import signal_all

from dhcp_fast.bench.servers.processes import family
from ipam_core.db.embedded.programs import INSTALLATION, bundled

WHO = b"user\0ipam\0database\0ipam\0\0"
STARTUP = struct.pack("!II", 8 + len(WHO), 3 << 16) + WHO
END_SESSIONS = "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'ipam'"
END_ALL = "select pg_terminate_backend(pid) from pg_stat_activity where datname = any('{ipam,restored}')"
EXCHANGE = ("alter database ipam rename to lost", "alter database restored rename to ipam")
HELD_SECONDS = 20.0  # by then clients have asked again for what was lost, and it is written
Fault = Callable[[Site, random.Random], AbstractContextManager[None]]


# --- servers


@contextmanager
def kill_server(site: Site, chance: random.Random) -> Iterator[None]:
    server = chance.choice(site.servers)
    end(server)
    time.sleep(chance.uniform(0, 3))
    server.start()
    yield


@contextmanager
def freeze_server(site: Site, chance: random.Random) -> Iterator[None]:
    whole = family(chance.choice(site.servers).pid)
    signal_all(whole, signal.SIGSTOP)
    time.sleep(chance.uniform(0.5, 9))
    signal_all(whole, signal.SIGCONT)
    yield


@contextmanager
def cut_server(site: Site, chance: random.Random) -> Iterator[None]:
    """From the database; it hears clients."""
    with site.parted(chance.choice(site.servers), *site.hosts):
        time.sleep(chance.uniform(0.5, 9))
    yield


@contextmanager
def kill_workers(site: Site, chance: random.Random) -> Iterator[None]:
    """What writes names and calls webhooks, and the API."""
    killed = [service for service in site.lab.services if service not in site.servers]
    for service in killed:
        end(service)
    time.sleep(chance.uniform(0, 3))
    for service in killed:
        service.start()
    yield


# --- the primary


@contextmanager
def kill_postgres(site: Site, _chance: random.Random) -> Iterator[None]:
    """Patroni lives on, and gives its place to a standby."""
    site.primary().signal_postgres(signal.SIGKILL)
    site.settle()
    yield


@contextmanager
def stall_postgres(site: Site, chance: random.Random) -> Iterator[None]:
    """Its machine hangs for shorter than the others would mind."""
    primary = site.primary()
    primary.signal(signal.SIGSTOP)
    time.sleep(chance.uniform(0.5, 8))
    primary.signal(signal.SIGCONT)
    site.settle()
    yield


@contextmanager
def freeze_primary(site: Site, _chance: random.Random) -> Iterator[None]:
    """Until another one has taken its place."""
    primary = site.replaceable_primary()
    primary.signal(signal.SIGSTOP)
    try:
        replaced(site, primary)
        yield
    finally:
        primary.signal(signal.SIGCONT)


@contextmanager
def power_off_primary(site: Site, chance: random.Random) -> Iterator[None]:
    primary = site.replaceable_primary()
    with killed(primary), site.unplugged(primary):
        replaced(site, primary)
        yield
        time.sleep(chance.uniform(0, 3))


@contextmanager
def kill_primary(site: Site, chance: random.Random) -> Iterator[None]:
    """PostgreSQL and Patroni; connections are refused."""
    primary = site.replaceable_primary()
    with killed(primary):
        replaced(site, primary)
        yield
        time.sleep(chance.uniform(0, 3))


@contextmanager
def cut_primary(site: Site, _chance: random.Random) -> Iterator[None]:
    """From etcd and from its standbys; servers reach it."""
    primary = site.replaceable_primary()
    with site.parted(primary, *site.others(primary)):
        replaced(site, primary)
        yield


@contextmanager
def switch_over(site: Site, _chance: random.Random) -> Iterator[None]:
    primary, standby = site.primary(), site.sync_standby()
    told = {"leader": primary.name, "candidate": standby.name}
    with suppress(OSError):  # it may not be ready for that, and nothing happens
        ask(f"http://{primary.address}:8008/switchover", told)
    site.settle()
    yield


@contextmanager
def kill_standby(site: Site, chance: random.Random) -> Iterator[None]:
    """The one for which each commit waits."""
    with killed(site.sync_standby()):
        site.settle()
        yield
        time.sleep(chance.uniform(0, 3))


@contextmanager
def killed(host: Host) -> Iterator[None]:
    """PostgreSQL and Patroni there, in the block."""
    host.kill()
    try:
        yield
    finally:
        host.start_patroni()


def replaced(site: Site, primary: Host) -> None:
    site.wait(lambda: site.lab.leader() not in (None, primary), "promoted")
    site.settle()


# --- what it has


@contextmanager
def slow_disks(site: Site, chance: random.Random) -> Iterator[None]:
    for host in site.hosts:
        host.bad.slow_down(chance.choice((50, 200, 1000)))
    time.sleep(chance.uniform(4, 12))
    for host in site.hosts:
        host.bad.slow_down(0)
    yield


@contextmanager
def fill_disk(site: Site, chance: random.Random) -> Iterator[None]:
    """Of the primary, data and log."""
    primary = site.primary()
    primary.fill()
    time.sleep(chance.uniform(2, 8))
    primary.clear()
    site.settle()
    yield


@contextmanager
def fill_slots(site: Site, chance: random.Random) -> Iterator[None]:
    """All of the primary's slots for connections are somebody else's, and our sessions are ended."""
    primary = site.primary()
    with asyncio.Runner() as runner:
        superuser = runner.run(asyncpg.connect(SUPERUSER))
        taken = take_slots(primary)
        runner.run(superuser.fetch(END_SESSIONS))
        taken += take_slots(primary)
        time.sleep(chance.uniform(2, 6))
        for connection in taken:
            connection.close()
        runner.run(superuser.close())
    yield


def take_slots(host: Host) -> list[socket.socket]:
    """Connections that are asked for a password and say nothing: each has a slot for a minute."""
    taken = []
    while True:
        taken.append(socket.create_connection((host.address, 5432), timeout=3))
        taken[-1].sendall(STARTUP)
        if taken[-1].recv(1) != b"R":
            return taken


@contextmanager
def read_long(site: Site, chance: random.Random) -> Iterator[None]:
    """As pg_dump does: one snapshot, all that there is."""

    async def read() -> None:
        connection = await asyncpg.connect(URL)
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            await connection.fetchval("select pg_current_xact_id_if_assigned(), count(*) from lease")
            await asyncio.sleep(chance.uniform(5, 15))
            await connection.fetchval("select count(md5(e::text)) from lease_event e")
        await connection.close()

    asyncio.run(read())
    yield


# --- time


@contextmanager
def step_server_clock(site: Site, chance: random.Random) -> Iterator[None]:
    """For a while, and back again."""
    clock = chance.choice(site.clocks)
    clock.step_clock(chance.choice((-3600, -20, 20, 3600)))
    time.sleep(chance.uniform(2, 8))
    clock.step_clock(0)
    yield


@contextmanager
def step_database_clock(site: Site, chance: random.Random) -> Iterator[None]:
    """Of all its hosts, further than leases and their margin are long, and back again."""
    seconds = chance.choice((-90, -8, 8, 90))
    with all_clocks(site, seconds):
        time.sleep(chance.uniform(4, 10))
    yield


@contextmanager
def all_clocks(site: Site, seconds: int) -> Iterator[None]:
    """What one server has acknowledged just before a step, the others do not know: nobody asks then."""
    with site.at_rest():
        for host in site.hosts:
            host.bad.step_clock(seconds)
        time.sleep(1)
    yield
    with site.at_rest():
        for host in site.hosts:
            host.bad.step_clock(0)
        time.sleep(1)


# --- what is lost


@contextmanager
def lose_commits(site: Site, chance: random.Random) -> Iterator[None]:
    """Commits wait for nobody, standbys do not hear of the last ones, and one of them takes their primary's place."""
    primary = site.primary()
    with asynchronous(site):
        with lagging(site.others(primary)) as standbys:
            time.sleep(chance.uniform(1, 3))
            with site.at_rest(), site.unplugged(primary):
                primary.kill()
                for standby in standbys:  # they end before they read what is in their sockets
                    standby.signal_postgres(signal.SIGTERM, "walreceiver")
        site.wait(lambda: site.lab.leader() not in (None, primary), "promoted")
    site.settle()
    yield
    primary.start_patroni()
    time.sleep(HELD_SECONDS)


@contextmanager
def asynchronous(site: Site) -> Iterator[None]:
    synchronous(site, False)
    try:
        site.wait(lambda: fetch(SUPERUSER, "show synchronous_standby_names") == "", "asynchronous")
        yield
    finally:
        synchronous(site, True)


@contextmanager
def lagging(standbys: list[Host]) -> Iterator[list[Host]]:
    """They receive nothing."""
    for standby in standbys:
        standby.signal_postgres(signal.SIGSTOP, "walreceiver")
    try:
        yield standbys
    finally:
        for standby in standbys:
            standby.signal_postgres(signal.SIGCONT, "walreceiver")


def synchronous(site: Site, wanted: bool) -> None:
    told = {"synchronous_mode": wanted, "synchronous_mode_strict": wanted, "maximum_lag_on_failover": 1 << 30}
    ask(f"http://{site.primary().address}:8008/config", told, method="PATCH")


@contextmanager
def restore_dump(site: Site, chance: random.Random) -> Iterator[None]:
    """What the database was some seconds ago takes its place."""
    dump = site.folder / "dump"
    tool("pg_dump", "--format=custom", "--file", dump, "--dbname", URL)
    execute(SUPERUSER, "drop database if exists restored")
    execute(SUPERUSER, "create database restored owner ipam template template0")
    time.sleep(chance.uniform(0, 3))
    tool("pg_restore", "--no-owner", "--dbname", URL.replace("/ipam?", "/restored?"), dump)
    with site.at_rest():
        connected(SUPERUSER, exchange)
    yield
    execute(SUPERUSER, "drop database lost with (force)")
    time.sleep(HELD_SECONDS)


async def exchange(connection: asyncpg.Connection) -> None:
    """Of two databases, between two sessions of anybody in the first."""
    while True:
        await connection.fetch(END_ALL)
        try:
            async with connection.transaction():
                for statement in EXCHANGE:
                    await connection.execute(statement)
        except asyncpg.ObjectInUseError:
            await asyncio.sleep(0.01)
        else:
            return


def tool(name: str, *arguments: str | Path) -> None:
    place = bundled().root / INSTALLATION / "bin"
    subprocess.run([place / name, *arguments], check=True, env={"LC_ALL": "C"}, timeout=120)


ALL: list[Fault] = [
    kill_server,
    freeze_server,
    cut_server,
    kill_postgres,
    stall_postgres,
    freeze_primary,
    power_off_primary,
    kill_primary,
    cut_primary,
    switch_over,
    kill_standby,
    slow_disks,
    fill_disk,
    fill_slots,
    read_long,
    kill_workers,
    step_server_clock,
    step_database_clock,
    lose_commits,
    restore_dump,
]


def deck(chance: random.Random, faults: list[Fault]) -> Iterator[Fault]:
    """All of them in any order, again and again."""
    while True:
        yield from chance.sample(faults, len(faults))
