"""DHCP servers and their databases, each in a namespace of its own, and two wires: `path` to the databases, and `lan`
to the relay of all clients.

    address        path          lan
    databases      10.9.0.1-2    -
    DHCP servers   10.9.0.11-13  10.8.0.11-13
    API            10.9.0.20     10.8.0.20
    relay          -             10.8.0.2 and 10.8.1.0/24, an address a plot

A cut takes an end of `path` off its bridge: what is sent vanishes, and nobody is told, neither by a reset nor by ICMP
nor by a neighbour that does not answer (hardware addresses are written down). Who is cut off still hears clients.
"""

import http.client
import json
import signal
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from chaos import plots
from chaos.crowd import Crowd
from chaos.databases import PORT, Database
from chaos.namespace_sockets import NamespaceSockets
from chaos.station import Station
from outage.clusters import PASSWORD
from outage.processes import Role
from system.namespaces import Namespace, Network

from ipam_core.setting_values import Endpoint

RELAY, API = 2, 20


class Placed(Role):
    """A role in a namespace, asked by `sockets`."""

    def __init__(
        self, namespace: Namespace, sockets: NamespaceSockets, folder: Path, command: str, **settings: str
    ) -> None:
        super().__init__(folder, command, before=namespace.command(), **settings)
        self.sockets = sockets

    def page(self, path: str) -> tuple[int, str]:
        return self.call(self.health, "GET", path)

    def call(
        self, endpoint: Endpoint, method: str, path: str, fields: dict[str, Any] | None = None
    ) -> tuple[int, str]:
        """Status and body of the answer; 0 when nobody answers."""
        connection = http.client.HTTPConnection(endpoint.host, endpoint.port)
        try:
            connection.sock = self.sockets.connect(endpoint.host, endpoint.port, within=2.0)
            body = None if fields is None else json.dumps(fields)
            connection.request(method, path, body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        except (OSError, http.client.HTTPException):
            return 0, ""
        finally:
            connection.close()


class Server(Placed):
    """`ipam dhcp`, seen from the clients' side."""

    def __init__(
        self,
        namespace: Namespace,
        sockets: NamespaceSockets,
        folder: Path,
        number: int,
        url: str,
        workers: int,
    ) -> None:
        address = f"10.8.0.{number}"
        told = {"dhcp4_listen": f"{address}:67", "health_listen": f"{address}:8081", "database_url": url}
        super().__init__(namespace, sockets, folder, "dhcp", dhcp_workers=str(workers), **told)
        self.number = number
        self.dhcp, self.health = Endpoint(address, 67), Endpoint(address, 8081)

    @contextmanager
    def frozen(self) -> Iterator[None]:
        assert self.process is not None
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)


class Rig:
    """A context manager: all of it running when it begins, nothing left when it ends."""

    def __init__(
        self,
        network: Network,
        folder: Path,
        template: Path,
        *,
        databases: int = 1,
        servers: int = 3,
        workers: int = 1,
        own_clock: bool = False,
    ) -> None:
        self.network = network
        self.folder = folder
        self.template = template
        self.stack = ExitStack()
        self.switch = network.namespace("switch")
        self.switch.bridge("path")
        self.switch.bridge("lan")
        self.numbers = [*range(1, databases + 1), *range(11, 11 + servers), API]
        self.spaces = {number: self.attach(number) for number in self.numbers}
        self.relay = self.make_relay()
        self.databases = [
            Database(folder / f"db{number}", self.spaces[number], f"10.9.0.{number}")
            for number in self.numbers[:databases]
        ]
        if own_clock:
            self.database.step_clock(0)
        hosts = ",".join(f"10.9.0.{number}:{PORT}" for number in self.numbers[:databases])
        wish = "?target_session_attrs=read-write" if databases > 1 else ""
        self.url = f"postgresql://ipam:{PASSWORD}@{hosts}/postgres{wish}"
        self.servers: list[Server] = []
        self.server_count = servers
        self.workers = workers
        self.shown: dict[Path, int] = {}

    @property
    def database(self) -> Database:
        """The first one: the primary at the start."""
        return self.databases[0]

    # --- start and end

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self.sockets = stack.enter_context(NamespaceSockets(self.relay))
            self.start_databases(stack)
            for number in range(11, 11 + self.server_count):
                server = Server(
                    self.spaces[number], self.sockets, self.folder, number, self.url, self.workers
                )
                self.servers.append(stack.enter_context(server))
            for server in self.servers:
                server.ready()
            self.stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for server in self.servers:  # all at once; each is waited for afterwards
            if server.process is not None and server.process.poll() is None:
                server.process.terminate()
        self.stack.__exit__(kind, error, trace)

    def start_databases(self, stack: ExitStack) -> None:
        """The first is the primary; a second one follows it, and each commit waits for it."""
        primary, *standbys = self.databases
        primary.copy(self.template)
        stack.callback(primary.stop)
        primary.start()
        plots.insert(primary.dsn, plots.ALL)
        for standby in standbys:
            standby.follow(primary)
            stack.callback(standby.stop)
            standby.start()
            primary.wait_for_standby()

    def start_api(self) -> Placed:
        """The API, asked from its own host, which needs no token there."""
        sockets = self.stack.enter_context(NamespaceSockets(self.spaces[API]))
        api = Placed(self.spaces[API], sockets, self.folder, "api", database_url=self.url)
        return self.stack.enter_context(api)

    # --- wires

    def attach(self, number: int) -> Namespace:
        """A namespace on the path, and on the lan where clients' packets go there."""
        space = self.network.namespace(f"n{number}")
        self.plug(space, "path", number, [f"10.9.0.{number}/24"])
        known = self.folder / f"known-{number}"
        told = "neigh replace 10.9.0.{0} lladdr {1} nud permanent dev path\n"
        known.write_text("".join(told.format(other, hardware(other)) for other in self.numbers))
        space.ip("-batch", str(known))
        if number > 10:
            self.plug(space, "lan", number, [f"10.8.0.{number}/16"])
        return space

    def make_relay(self) -> Namespace:
        space = self.network.namespace("relay")
        relays = [f"{plot.relay}/16" for plot in plots.ALL]
        self.plug(space, "lan", RELAY, [f"10.8.0.{RELAY}/16", *relays])
        return space

    def plug(self, space: Namespace, wire: str, number: int, addresses: Sequence[str]) -> None:
        port = f"{wire}{number}"
        self.network.join(space, wire, self.switch, port)
        if wire == "path":
            space.ip("link", "set", wire, "address", hardware(number))
        for address in addresses:
            space.address(wire, address)
        self.switch.ip("link", "set", port, "master", wire)

    def cut(self, number: int) -> None:
        """Take it off the path to the databases."""
        self.switch.ip("link", "set", f"path{number}", "nomaster")

    def heal(self, number: int) -> None:
        self.switch.ip("link", "set", f"path{number}", "master", "path")

    @contextmanager
    def cut_off(self, number: int) -> Iterator[None]:
        self.cut(number)
        try:
            yield
        finally:
            self.heal(number)

    def whole(self) -> None:
        """Every server runs and is ready."""
        for server in self.servers:
            server.ready()

    def say(self) -> None:
        """What everybody has logged since the last time, for whoever looks at a failure."""
        for log in sorted(self.folder.glob("*.log")):
            with log.open(errors="replace") as lines:
                lines.seek(self.shown.get(log, 0))
                print(f"--- {log.name}\n{lines.read()}")
                self.shown[log] = lines.tell()

    # --- clients

    def crowd(self, plot: plots.Plot, **told: Any) -> Crowd:
        return Crowd(
            self.sockets.datagrams(str(plot.relay)),
            [plot],
            [server.address for server in self.servers],
            **told,
        )

    def station(self, plot: plots.Plot, server: Server, number: int) -> Station:
        return Station(self.sockets.datagrams(str(plot.relay)), plot, server.address, number)


def hardware(number: int) -> str:
    """The hardware address of an end of the path."""
    return f"02:00:00:00:09:{number:02x}"
