"""Three PostgreSQL nodes under Patroni and whatever of ours is to live with them, each part a host of one wire.

    with Lab(folder) as lab, entered(lab.wire):
        lab.start(dhcp=3, api=2, dns=1)

All have addresses of 192.0.2.0/24, those of deploy/patroni; the wire's own namespace is the clients' and their relay's
place. Nothing of it is seen from the machine's network, whatever addresses that has. What asks the hosts here (`start`,
`leader`) must be in the wire's.
"""

import asyncio
import json
import sys
import time
import urllib.request
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import asyncpg
from cluster import plan
from cluster.addresses import CLIENTS, CLIENTS6, FIRST, NODES, SUPERUSER, URL, four, six
from cluster.nodes import Node
from system import peers
from system.namespaces import Namespace, Network

from ipam_core.db.embedded.programs import Account
from ipam_core.db.migrate import migrate

MAKE = (
    "create role ipam login password 'of-ipam'",
    "create database ipam owner ipam encoding 'UTF8' template template0",
)
START_SECONDS = 60.0


class Service:
    """A host with one process of ours; started again after its end, it is the same one with the same log."""

    def __init__(self, name: str, place: Namespace, address: str, log: Path, **told: Any) -> None:
        self.name = name
        self.place = place
        self.address = address
        self.log = log
        self.told = told
        self.start()

    def start(self) -> None:
        role = self.name.rstrip("0123456789")
        command = (sys.executable, "-P", "-m", "api.cli", role)
        self.process = self.place.start(*command, log=self.log, **self.told)

    @property
    def pid(self) -> int:
        return self.process.pid

    def is_ready(self) -> bool:
        with suppress(OSError):
            return urllib.request.urlopen(f"http://{self.address}:8081/readyz", timeout=2).status == 200
        return False


class Lab:
    """Raises PeerMissingError where etcd, Patroni or root's rights are missing."""

    def __init__(self, folder: Path, node: Callable[..., Node] = Node) -> None:
        self.folder = folder
        self.make_node = node
        self.network = Network()
        self.nodes: list[Node] = []
        self.services: list[Service] = []
        self.token = ""

    def __enter__(self) -> Self:
        self.network.__enter__()
        try:
            self.wire = self.network.namespace("wire")
            self.wire.bridge("wire")
            self.wire.address("wire", f"{CLIENTS}/24")
            self.wire.ip("address", "add", f"{CLIENTS6}/64", "dev", "wire", "nodad")
            account = Account.find("nobody")
            if not account.name:
                raise peers.PeerMissingError("cluster", "only root can give PostgreSQL an account of its own")
            for number in range(1, len(NODES) + 1):
                place = self.host(f"db{number}", 10 + number)
                self.nodes.append(self.make_node(place, number, self.folder, account))
        except BaseException as error:
            self.__exit__(type(error), error, error.__traceback__)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for node in self.nodes:
            node.stop()
        self.network.__exit__(kind, error, trace)

    def host(self, name: str, number: int) -> Namespace:
        """A namespace on the wire with the address 192.0.2.`number`."""
        made = self.network.namespace(name)
        self.network.join(self.wire, name, made, "eth0")
        self.wire.ip("link", "set", name, "master", "wire")
        made.address("eth0", f"{four(number)}/24")
        made.ip("address", "add", f"{six(number)}/64", "dev", "eth0", "nodad")
        return made

    # --- starting

    def start(self, *, dhcp: int, api: int, dns: int = 0, dhcp6: bool = False) -> None:
        """PostgreSQL, the schema, a plan, and so many servers of each kind; `dhcp6`: of both families."""
        self.start_database()
        self.token = asyncio.run(plan.insert(URL))
        for role, count in (("api", api), ("dhcp", dhcp), ("dns", dns)):
            for number in range(count):
                self.serve(role, number, dhcp6)
        for service in self.services:
            self.wait(service.is_ready, f"ready: {service.name}")

    def start_database(self) -> None:
        """PostgreSQL and the schema."""
        for node in self.nodes:
            node.start()
        self.wait(self.is_complete, "a primary with a synchronous standby and a third node")
        asyncio.run(make_database())
        migrate(URL)

    def serve(self, role: str, number: int, dhcp6: bool, around: Mapping[str, str] | None = None) -> None:
        """`around`: variables of its environment besides its settings."""
        name, octet = f"{role}{number + 1}", FIRST[role] + number
        place, address, log = self.host(name, octet), four(octet), self.folder / f"{name}.log"
        told = {
            "database_url": URL,
            "data_dir": str(self.folder),
            "health_listen": f"{address}:8081",
            "dhcp4_listen": f"{address}:67",
            "dhcp6_listen": f"[{six(octet)}]:547" if dhcp6 else "",
            "api_listen": f"{address}:8080",
            "dns_listen": f"{address}:53",
            "rate_limit": "0",
        }
        named = {f"IPAM_{setting.upper()}": value for setting, value in told.items() if value}
        env = {"PATH": peers.SEARCH_PATH, "HOME": str(self.folder), **named, **(around or {})}
        self.services.append(Service(name, place, address, log, env=env, cwd=self.folder))

    def wait(self, true: Callable[[], Any], what: str, seconds: float = START_SECONDS) -> float:
        """How long it took."""
        began = time.monotonic()
        while not true():
            assert time.monotonic() - began < seconds, (
                f"never {what}; logs in {self.folder}\n{self.members()}"
            )
            time.sleep(0.05)
        return time.monotonic() - began

    # --- what Patroni says

    def members(self) -> list[dict[str, Any]]:
        """Of the cluster, as the first node says that answers."""
        for node in self.nodes:
            with suppress(OSError, ValueError):
                answer = urllib.request.urlopen(f"http://{node.address}:8008/cluster", timeout=2)
                return list(json.load(answer)["members"])
        return []

    def is_complete(self) -> bool:
        """Each has its role and follows the primary. (A node that was killed is up before it is rewound.)"""
        members = self.members()
        following = {"leader": "running", "sync_standby": "streaming", "replica": "streaming"}
        states = {each["role"]: each["state"] for each in members}
        timelines = {each.get("timeline") for each in members}
        return len(members) == len(NODES) and states == following and len(timelines) == 1

    def leader(self) -> Node | None:
        """The node that says of itself that it is the primary, with the lock."""
        return next(filter(is_primary, self.nodes), None)

    def successor(self, former: Node) -> Node | None:
        """The same, without asking the one that was it."""
        return next((node for node in self.nodes if node is not former and is_primary(node)), None)


def is_primary(node: Node) -> bool:
    with suppress(OSError):
        return urllib.request.urlopen(f"http://{node.address}:8008/primary", timeout=1).status == 200
    return False


async def make_database() -> None:
    connection = await asyncpg.connect(SUPERUSER)
    try:
        for statement in MAKE:
            await connection.execute(statement)
    finally:
        await connection.close()
