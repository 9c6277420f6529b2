"""What a campaign breaks: the cluster of `make cluster`, with three DHCP servers of both families, an API and a worker.

    with Site(folder) as site:
        with site.crowds(...) as crowds: ...

Everybody knows everybody's hardware address from the start, so that who is cut off or without power is silent, and no
neighbour is told. The relay of all clients is the wire's own namespace.
"""

import asyncio
import json
import signal
import socket
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import asyncpg
from chaos import plots, speech6
from chaos.crowd import PATIENT, REST_SECONDS, Crowd
from chaos.hosts import Badness, Host, compiled
from cluster.addresses import CLIENTS, CLIENTS6, FIRST, SUPERUSER, URL, six
from cluster.lab import Lab, Service
from outage.processes import signal_all
from system.namespaces import Namespace, entered

from dhcp_fast.bench.servers.processes import family
from ipam_core.db.connect import connect

NOBODY = "02:00:00:00:ff:ff"
SERVERS = 3
# A cluster that is not whole by then is helped as an operator would.
PATIENCE_SECONDS = 60.0
SETTLE_SECONDS = 240.0
STEADY_SECONDS = 4.0
BEING_MADE = ("running", "streaming", "creating replica")
REINITIALIZED_SECONDS = 15.0
COMMIT_SECONDS = 2.0
TENTH = 0.1


class Site:
    """A context manager; whoever is in it is in the wire's namespace."""

    def __init__(self, folder: Path) -> None:
        self.library = compiled(folder)
        self.lab = Lab(folder, node=partial(Host, library=self.library))
        self.folder = folder
        self.clocks: list[Badness] = []  # of the DHCP servers
        self.made: list[Crowd] = []
        self.stack = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            stack.enter_context(self.lab)
            stack.enter_context(entered(self.lab.wire))
            self.lab.start_database()
            plots.insert_campaign(URL, CLIENTS6)
            self.serve()
            self.lead_to_clients()
            self.introduce()
            for service in self.lab.services:
                self.lab.wait(service.is_ready, f"ready: {service.name}")
            self.stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for host in self.hosts:
            host.signal(signal.SIGCONT)
        self.stack.__exit__(kind, error, trace)

    def serve(self) -> None:
        for number in range(SERVERS):
            bad = Badness(self.folder / f"bad-dhcp{number + 1}", self.library)
            self.clocks.append(bad)
            self.lab.serve("dhcp", number, dhcp6=True, around=bad.variables)
        for role in ("api", "worker", "dns"):
            self.lab.serve(role, 0, dhcp6=False)

    # --- who there is

    @property
    def hosts(self) -> list[Host]:
        return [node for node in self.lab.nodes if isinstance(node, Host)]

    @property
    def servers(self) -> list[Service]:
        return [service for service in self.lab.services if service.name.startswith("dhcp")]

    def primary(self) -> Host:
        """It says so itself; when a lock was just renewed late, not at every moment."""
        began = time.monotonic()
        while not isinstance(found := self.lab.leader(), Host):
            assert time.monotonic() - began < SETTLE_SECONDS, f"no primary: {self.lab.members()}"
            time.sleep(TENTH)
        return found

    def replaceable_primary(self) -> Host:
        """The same, when Patroni names a standby that has each of its commits. Without one (for a moment, when a busy
        machine looked late) no other may take its place before it is back: then two faults would fall together."""
        self.wait(self.lab.is_complete, "complete")
        return self.primary()

    def named(self, name: str) -> Host:
        return next(host for host in self.hosts if host.name == name)

    def sync_standby(self) -> Host:
        """As Patroni says; for a moment after a standby was lost and came back it names none."""
        found: list[str] = []

        def is_named() -> bool:
            found[:] = [each["name"] for each in self.lab.members() if each["role"] == "sync_standby"]
            return bool(found)

        self.wait(is_named, "followed by a synchronous standby")
        return self.named(found[0])

    def others(self, host: Host) -> list[Host]:
        return [other for other in self.hosts if other is not host]

    # --- wires

    def lead_to_clients(self) -> None:
        """What goes to clients' own addresses and to relays comes to the wire's namespace."""
        wire = self.lab.wire
        for plot in plots.CAMPAIGN:
            wire.address("wire", f"{plot.relay}/32")
            wire.ip("route", "add", "local", str(plot.cidr), "dev", "lo")
        for server in self.servers:
            server.place.route("10.0.0.0/8", CLIENTS)

    def introduce(self) -> None:
        """All of them to each other, by their hardware addresses."""
        places = {place.address: place for place in (*self.hosts, *self.lab.services)}
        self.hardware = {address: hardware(place_of(place)) for address, place in places.items()}
        for address, place in places.items():
            for other in self.hardware:
                if other != address:
                    neighbour(place_of(place), other, self.hardware[other])

    @contextmanager
    def parted(self, one: Host | Service, *others: Host | Service) -> Iterator[None]:
        """What they send to each other vanishes."""
        pairs = [pair for other in others for pair in ((one, other), (other, one))]
        for here, there in pairs:
            neighbour(place_of(here), there.address, NOBODY)
        try:
            yield
        finally:
            for here, there in pairs:
                neighbour(place_of(here), there.address, self.hardware[there.address])

    @contextmanager
    def unplugged(self, host: Host) -> Iterator[None]:
        self.lab.wire.ip("link", "set", host.name, "nomaster")
        try:
            yield
        finally:
            self.lab.wire.ip("link", "set", host.name, "master", "wire")

    # --- its state

    def is_writable(self) -> bool:
        """A transaction is committed, with its standby's word for it, by a server that Patroni calls the primary."""
        return self.lab.leader() is not None and asyncio.run(commits())

    def settle(self) -> None:
        """Wait until it is writable, as little as Patroni takes."""
        self.wait(self.is_writable, "writable")

    def whole(self) -> None:
        """Wait until nothing is missing, and a moment longer, since Patroni's word may be some seconds old. A standby
        that cannot follow any more is made anew."""
        began = healed = time.monotonic()
        while time.monotonic() - healed < STEADY_SECONDS:
            if not self.lab.is_complete():
                healed = time.monotonic()
                assert healed - began < SETTLE_SECONDS, f"never whole: {self.lab.members()}"
                if healed - began > PATIENCE_SECONDS:
                    self.reinitialize()
                    healed = time.monotonic()
            time.sleep(5 * TENTH)
        for service in self.lab.services:
            self.wait(service.is_ready, f"ready: {service.name}")

    def reinitialize(self) -> None:
        for member in self.lab.members():
            if member["state"] not in BEING_MADE and member["role"] != "leader":
                ask(f"http://{self.named(member['name']).address}:8008/reinitialize", {"force": True})
        time.sleep(REINITIALIZED_SECONDS)

    def wait(self, true: Any, what: str, seconds: float = SETTLE_SECONDS) -> None:
        began = time.monotonic()
        while not true():
            assert time.monotonic() - began < seconds, f"never {what}: {self.lab.members()}"
            time.sleep(TENTH)

    # --- clients

    def crowds(self, *, count: int, rate: float, seed: int) -> list[Crowd]:
        """Those that move, and those for whom there is hardly room, of both families; a third of them speaks IPv6."""
        servers = [(server.address, 67) for server in self.servers]
        servers6 = [(six(FIRST["dhcp"] + number), 547) for number in range(SERVERS)]
        kept = PATIENT._replace(decline=0.0, leave=0.0, move=0.0)
        sixth = {"speech": speech6.SPEECH}
        told: list[tuple[Any, Any, int, float, dict[str, Any]]] = [
            (
                [plots.HOME, plots.AWAY],
                servers,
                count,
                rate,
                {"habits": PATIENT, "unicast": clients_socket()},
            ),
            ([plots.TIGHT], servers, 124, rate / 12, {"habits": kept}),
            ([plots.HOME6, plots.AWAY6], servers6, count // 2, rate / 2, {"habits": PATIENT} | sixth),
            ([plots.TIGHT6], servers6, 60, rate / 24, {"habits": kept} | sixth),
        ]
        self.made = [
            Crowd(relay_socket("speech" in more), where, whom, count=many, rate=often, seed=seed + at, **more)
            for at, (where, whom, many, often, more) in enumerate(told)
        ]
        return self.made

    @contextmanager
    def at_rest(self) -> Iterator[None]:
        """What one server has acknowledged, the others know."""
        with ExitStack() as stack:
            for crowd in self.made:
                crowd.resting.set()
                stack.callback(crowd.resting.clear)
            time.sleep(REST_SECONDS)
            yield


def relay_socket(ipv6: bool) -> socket.socket:
    """It hears what comes for any of the relay's addresses."""
    opened = socket.socket(socket.AF_INET6 if ipv6 else socket.AF_INET, socket.SOCK_DGRAM)
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
    opened.bind((CLIENTS6 if ipv6 else "", 0))
    return opened


def clients_socket() -> socket.socket:
    """The clients' own port, at all their addresses."""
    opened = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
    opened.bind(("", 68))
    return opened


async def commits() -> bool:
    with suppress(OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError):
        async with asyncio.timeout(COMMIT_SECONDS):
            connection = await connect(SUPERUSER)
            try:
                # A commit of nothing in the log waits for no standby.
                await connection.execute("select pg_logical_emit_message(true, 'chaos', '')")
            finally:
                connection.terminate()
            return True
    return False


def place_of(where: Host | Service) -> Namespace:
    return where.namespace if isinstance(where, Host) else where.place


def hardware(place: Namespace) -> str:
    return str(json.loads(place.ip("-json", "link", "show", "eth0"))[0]["address"])


def neighbour(place: Namespace, address: str, at: str) -> None:
    place.ip("neigh", "replace", address, "lladdr", at, "nud", "permanent", "dev", "eth0")


def end(service: Service) -> None:
    """At once, with all that it has started."""
    signal_all(family(service.pid), signal.SIGKILL)
    service.process.wait()


def ask(url: str, fields: dict[str, Any], method: str = "POST") -> str:
    """What Patroni answers."""
    request = urllib.request.Request(url, json.dumps(fields).encode(), method=method)
    request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request, timeout=30) as answer:
        return str(answer.read().decode())
