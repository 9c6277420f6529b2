"""The servers that a benchmark drives, each a context manager with fresh state of its own.

Ours: an embedded PostgreSQL in a folder of its own with fsync on and the schema as it is migrated
everywhere, and the command `ipam dhcp` as a child process. The stub, which shows what the generator
itself can do. peers.py has the others. A Setup is the state at the beginning, plan and leases, the
same for all servers.
"""

import asyncio
import contextlib
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path
from typing import Protocol

import msgspec
from rich.console import Console

from dhcp_fast.bench.generator import filling
from dhcp_fast.bench.generator.following import counting
from dhcp_fast.bench.generator.result import RECORD
from dhcp_fast.bench.generator.stub import Stub
from dhcp_fast.bench.generator.stub6 import Stub6
from dhcp_fast.bench.generator.template import Links
from dhcp_fast.bench.servers import bench_plan, bench_plan6
from dhcp_fast.bench.servers.audit import Audit, audit
from dhcp_fast.bench.servers.databases import (
    LONG_CYCLE,
    migrated_postgres,
    pack_fully,
    recycle_log,
    scratch,
    sweep,
)
from dhcp_fast.bench.servers.processes import cpu_seconds
from dhcp_fast.scheduling import FAIR, REALTIME
from ipam_core.db.connect import connect
from ipam_core.db.embedded.log_segments import AHEAD
from ipam_core.db.embedded.server import EmbeddedPostgres
from ipam_core.errors import IpamError
from ipam_core.setting_values import Endpoint
from ipam_core.settings import Settings, environment

LOOPBACK = "127.0.0.1"
READY_SECONDS = 120.0
STOP_SECONDS = 20.0
LOG_TAIL = 2000
LEASE_SECONDS = 86400
SEED = 0xBE
SEED_ELSEWHERE = 0xBF
SEED_BEFORE = 0xC0
LEASES_A_SUBNET = 2000
MOST_LOGGED = 2_000_000
# Of a processor, in a second; and how long to wait for it.
CALM = 0.03
CALM_SECONDS = 1800.0
QUIET = Console(quiet=True)


@dataclass(eq=False)
class ServerStartError(IpamError):
    """{server} did not start: {reason}"""

    server: str
    reason: str


class Setup(msgspec.Struct, frozen=True):
    """State in which a server begins.

    `leases` are held by the clients 0 and on of a storm with SEED and were granted `age_seconds`
    ago. The plan is plan.py's: the large one, or with a `network` a subnet that is one pool but for
    what is `excluded`. With `subnets` it has so many more, with so many `reservations` in all, and
    the leases are theirs. `elsewhere` are leases that nobody asks about, in subnets of their own,
    which make the tables of ours as large as another's. With `recycled_log` PostgreSQL has segments
    of its log to write over, as one has that has run for a while, and a checkpoint behind it; with
    `long_cycle` it makes no other by itself. With `packed` the lease table gets a fill factor of
    90. `given_back` are addresses beside the leases that others had before and nobody has now. With
    `plain` the log is a fresh database's, and the generator sends and takes each packet by itself.
    `cache_threshold` is the part of a lease within which a renewal is answered without a write. Of
    `family` 6 the plan is bench_plan6.py's, and its clients ask for a prefix too with `delegation`.
    """

    leases: int = 0
    age_seconds: float = 0.0
    cache_threshold: float = 0.25
    subnets: int = 0
    reservations: int = 0
    network: IPv4Network | None = None
    sequential: bool = False
    excluded: int = 0
    elsewhere: int = 0
    given_back: int = 0
    workers: int = 1
    recycled_log: bool = False
    plain: bool = False
    long_cycle: bool = False
    packed: bool = False
    family: int = 4
    delegation: bool = False

    @property
    def cycle(self) -> dict[str, str]:
        """PostgreSQL's settings for it."""
        return LONG_CYCLE if self.long_cycle else {}

    @property
    def scattered(self) -> bool:
        """True if the leases are scattered over the pool, as a hashed one allocates them."""
        return not self.sequential

    @property
    def links(self) -> Links | None:
        """Links of the clients; None: all behind the one relay of plan.py's subnet."""
        return Links(filling.LARGE.network_address, filling.LENGTH, self.subnets) if self.subnets else None


class Server(Protocol):
    """A server under load.

    `held` is the log of its first leases, two million at most; `workers` is the number of sockets
    among which the kernel chooses by a datagram's octets. With `realtime` it and the generator are
    scheduled in real time.
    """

    name: str
    address: tuple[str, int]
    held: bytes
    workers: int
    realtime: bool
    setup: Setup

    def processes(self) -> dict[str, list[int]]:
        """Return the roots of the process families whose CPU is counted, by the name of their column."""
        ...

    def verdict(self, log: bytes, seed: int) -> Audit | None:
        """Return the audit of everything acknowledged; None where there is nothing to look into."""
        ...


@dataclass
class OurServer:
    """`ipam dhcp` on an embedded PostgreSQL; from its start to its readiness it took `ready_seconds`."""

    name: str
    address: tuple[str, int]
    held: bytes
    dsn: str
    postgres: EmbeddedPostgres
    child: subprocess.Popen[bytes]
    ready_seconds: float
    health: Endpoint
    workers: int = 1
    realtime: bool = False
    setup: Setup = Setup()  # noqa: RUF009 - a frozen value

    def processes(self) -> dict[str, list[int]]:
        return {"server": [self.child.pid], "postgresql": [self.postgres.pid]}

    def verdict(self, log: bytes, seed: int) -> Audit | None:
        return asyncio.run(audit(self.dsn, log, seed=seed, family=self.setup.family))

    def sweep(self) -> None:
        asyncio.run(sweep(self.dsn))


@contextlib.contextmanager
def ours(
    setup: Setup = Setup(),  # noqa: B008 - a frozen value
    *,
    realtime: bool = False,
    console: Console = QUIET,
) -> Iterator[OurServer]:
    """Provide a fresh database with the plan and the leases, and the server on it, ready; scheduled
    in real time or fairly. The console reports the number of leases written.
    """
    ahead = AHEAD if setup.plain else 0
    with scratch() as folder, migrated_postgres(folder, setup.cycle, ahead=ahead) as (database, dsn):
        held = asyncio.run(fill(dsn, setup, console))
        if setup.packed:
            asyncio.run(pack_fully(dsn))
        if setup.recycled_log and not setup.plain:
            asyncio.run(recycle_log(dsn))
        settings = Settings(
            database_url=dsn,
            data_dir=folder,
            dhcp4_listen=(Endpoint(LOOPBACK, free_port(socket.SOCK_DGRAM)),),
            dhcp6_listen=(Endpoint("::1", free_port(socket.SOCK_DGRAM, "::1")),),
            health_listen=Endpoint(LOOPBACK, free_port(socket.SOCK_STREAM)),
            trusted_relays=(IPv4Network("127.0.0.0/8"), bench_plan6.SUBNET),
            log_level="warning",
            dhcp_workers=setup.workers,
            dhcp_scheduling=REALTIME if realtime else FAIR,
        )
        began = time.monotonic()
        with contextlib.ExitStack() as running:
            with counting(console, "ipam reads its plan and leases", None):
                child = running.enter_context(started(settings, folder / "dhcp.log", setup.family))
            ready = time.monotonic() - began
            listen = (settings.dhcp4_listen if setup.family == 4 else settings.dhcp6_listen)[0]
            yield OurServer(
                "ipam",
                (listen.host, listen.port),
                held,
                dsn,
                database,
                child,
                ready,
                settings.health_listen,
                setup.workers,
                realtime,
                setup,
            )


async def fill(dsn: str, setup: Setup, console: Console = QUIET) -> bytes:
    """Return the plan and the leases; their log."""
    if setup.family == 6:
        await bench_plan6.insert(dsn, cache_threshold=setup.cache_threshold)
        return b""
    if setup.network:
        await bench_plan.insert_single(
            dsn, setup.network, sequential=setup.sequential, excluded=setup.excluded
        )
    else:
        await bench_plan.insert(dsn, cache_threshold=setup.cache_threshold)
    where = None
    if setup.subnets:
        await fill_subnets(dsn, setup, console)
        where = await numbers(dsn, filling.LARGE)
    if setup.elsewhere:
        where = await numbers(dsn, setup.network or bench_plan.SUBNET)
        await fill_elsewhere(dsn, setup.elsewhere)
    with counting(console, "leases are written", setup.leases + setup.given_back) as tell:
        held = await fill_held(dsn, setup, where, tell) if setup.leases else b""
        if setup.given_back:
            await fill_given_back(dsn, setup, where, tell)
    return held


async def fill_subnets(dsn: str, setup: Setup, console: Console) -> None:
    with counting(console, "subnets are written", setup.subnets) as tell:
        await filling.fill_plan(
            dsn,
            subnets=setup.subnets,
            reservations_per_subnet=setup.reservations // setup.subnets,
            cache_threshold=setup.cache_threshold,
            progress=tell,
        )


async def fill_held(dsn: str, setup: Setup, where: list[int] | None, tell: filling.Progress) -> bytes:
    return await filling.fill_leases(
        dsn,
        seed=SEED,
        count=setup.leases,
        subnets=where,
        scattered=setup.scattered,
        age_seconds=setup.age_seconds,
        log_every=max(1, -(-setup.leases // MOST_LOGGED)),
        progress=tell,
    )


async def fill_given_back(dsn: str, setup: Setup, where: list[int] | None, tell: filling.Progress) -> None:
    """Insert rows that a grant writes over: addresses that clients of another storm had and have released."""
    await filling.fill_leases(
        dsn,
        seed=SEED_BEFORE,
        count=setup.given_back,
        subnets=where,
        state="released",
        log_every=setup.given_back,
        progress=lambda done: tell(setup.leases + done),
    )


async def fill_elsewhere(dsn: str, leases: int) -> None:
    await filling.fill_plan(dsn, subnets=-(-leases // LEASES_A_SUBNET), reservations_per_subnet=0)
    where = await numbers(dsn, filling.LARGE)
    await filling.fill_leases(dsn, seed=SEED_ELSEWHERE, count=leases, subnets=where)


async def numbers(dsn: str, network: IPv4Network) -> list[int]:
    """Return the numbers of the subnets in a network."""
    connection = await connect(dsn)
    try:
        rows = await connection.fetch("select no from subnet where cidr <<= $1 order by no", network)
    finally:
        await connection.close()
    return [row["no"] for row in rows]


@contextlib.contextmanager
def started(settings: Settings, log: Path, family: int = 4) -> Iterator[subprocess.Popen[bytes]]:
    """Run `ipam dhcp` as `ipam up` starts it, from its readiness to its end."""
    command = [sys.executable, "-P", "-m", "api.cli", "dhcp", "--family", str(family)]
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


def wait_for_calm(server: Server, console: Console = QUIET) -> float:
    """Wait until the server has no work of its own left, and return the seconds."""
    began = time.monotonic()
    roots = server.processes().get("server", [])
    busy = True
    with counting(console, f"{server.name}: reads what it does not need to serve", None):
        while busy and time.monotonic() - began < CALM_SECONDS:
            before = cpu_seconds(roots)
            time.sleep(1.0)
            busy = cpu_seconds(roots) - before > CALM
    return time.monotonic() - began


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
class StubServer:
    """The stub in this very process."""

    name: str
    address: tuple[str, int]
    held: bytes
    workers: int = 1
    realtime: bool = False
    setup: Setup = Setup()  # noqa: RUF009 - a frozen value

    def processes(self) -> dict[str, list[int]]:
        return {}

    def verdict(self, log: bytes, seed: int) -> Audit | None:  # noqa: ARG002 - it keeps nothing
        return None


@contextlib.contextmanager
def stub(setup: Setup = Setup()) -> Iterator[StubServer]:  # noqa: B008 - a frozen value
    """Run a stub that gives each client an address of its own, so that it needs no leases."""
    if setup.family == 6:
        with Stub6() as running6:
            yield StubServer("stub", running6.address, b"", setup=setup)
        return
    with Stub() as running:
        yield StubServer("stub", running.address, stub_leases(setup.leases))


def stub_leases(count: int) -> bytes:
    first, server = int(bench_plan.SUBNET.network_address), IPv4Address(LOOPBACK).packed
    return b"".join(
        RECORD.pack(client, (first + client).to_bytes(4, "big"), server, LEASE_SECONDS)
        for client in range(count)
    )


def free_port(kind: socket.SocketKind, host: str = LOOPBACK) -> int:
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, kind) as probe:
        probe.bind((host, 0))
        port: int = probe.getsockname()[1]
        return port
