"""A server with a served link, a router with clients behind it, and frames to and from all of them.

    client c0 --- s0 server r0 --- r1 router f1 --- f0 far client

The clients' kernels answer ARP for every address that a client here has or asks for.
"""

from __future__ import annotations

import json
import select
import socket
import time
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path
from typing import Any, NamedTuple

from oracle import packets as say
from system import frames, plan
from system.frames import Frame
from system.namespaces import Namespace, Network, socket_in
from system.server import DhcpServer

SERVER, CLIENT = 67, 68
ETH_P_IP = 0x0800
ANSWER_SECONDS = 10.0

LINK = IPv4Address("10.64.0.1")  # the server's on the served link
TRANSIT = (IPv4Address("192.168.77.1"), IPv4Address("192.168.77.9"), IPv4Address("10.99.0.1"))
"""Those at which routed clients and relays ask it; the last one is of its loopback interface."""
RELAY = IPv4Address("10.65.0.1")
RELAYS_OTHER = IPv4Address("192.168.77.2")
NETWORKS = {"served": IPv4Network("10.64.0.0/16"), "routed": IPv4Network("10.65.0.0/16")}
NETWORKS["relayed"] = NETWORKS["routed"]

SUBNET = """
with
  tenant_row as (
    insert into tenant (id, name, is_default) values (gen_random_uuid(), 'default', true)
    on conflict (name) do update set is_default = true returning no),
  prefix_row as (
    insert into prefix (id, tenant_no, cidr) select gen_random_uuid(), no, $1 from tenant_row returning no, tenant_no)
insert into subnet (id, tenant_no, prefix_no, cidr, lease_time_seconds, match_client_id, rapid_commit)
select gen_random_uuid(), tenant_no, no, $1, 600, true, true from prefix_row
returning no
"""


def pool_of(network: IPv4Network) -> IPv4Network:
    """The upper half."""
    return list(network.subnets(1))[1]


def write_plan(dsn: str) -> None:
    async def insert(connection: Any) -> None:
        for network in set(NETWORKS.values()):
            pool = pool_of(network)
            no = await connection.fetchval(SUBNET, network)
            await connection.execute(plan.POOL_ROW, no, pool[0], pool[-2])
        await connection.execute(plan.TRUST, f"{RELAY}/32")

    plan.connected(dsn, insert)


class Answer(NamedTuple):
    frame: Frame
    at: str  # the link on which it was seen


class Station:
    """A packet socket on one end of a wire."""

    def __init__(self, namespace: Namespace, interface: str) -> None:
        self.socket = socket_in(namespace, socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_IP))
        self.socket.bind((interface, ETH_P_IP))
        self.socket.setblocking(False)
        self.mac = mac_of(namespace, interface)

    def frames(self) -> Iterable[Frame]:
        while True:
            try:
                data, (_, _, kind, *_) = self.socket.recvfrom(4096)
            except BlockingIOError:
                return
            found = frames.read(data)
            if kind != socket.PACKET_OUTGOING and found is not None:
                yield found


class Lab:
    def __init__(
        self, network: Network, database: str, folder: Path, addresses: Iterable[str], **settings: str
    ) -> None:
        """`addresses`: the server's on the served link."""
        server, client, router, far = map(network.namespace, ("server", "client", "router", "far"))
        network.join(server, "s0", client, "c0")
        network.join(server, "r0", router, "r1")
        network.join(router, "f1", far, "f0")
        for namespace in (server, client, router, far):
            namespace.run("sh", "-c", "for f in /proc/sys/net/ipv4/conf/*/rp_filter; do echo 0 > $f; done")
        for address in addresses:
            server.address("s0", address)
        server.address("r0", f"{TRANSIT[0]}/24")
        server.address("r0", f"{TRANSIT[1]}/24")
        server.address("lo", f"{TRANSIT[2]}/32")
        router.address("r1", f"{RELAYS_OTHER}/24")
        router.address("f1", f"{RELAY}/16")
        router.forward()
        router.route(f"{TRANSIT[2]}/32", str(TRANSIT[0]))
        server.route(str(NETWORKS["routed"]), str(RELAYS_OTHER))
        for namespace, interface, link in ((client, "c0", "served"), (far, "f0", "routed")):
            host = NETWORKS[link][2]
            namespace.address(interface, f"{host}/16")
            for part in (pool_of(NETWORKS[link]), refused_of(NETWORKS[link])):
                namespace.ip("route", "add", "local", str(part), "dev", "lo")
        self.stations = {
            "served": Station(client, "c0"),
            "relayed": Station(router, "r1"),
            "routed": Station(far, "f0"),
        }
        self.hops = {
            "served": mac_of(server, "s0"),
            "relayed": mac_of(server, "r0"),
            "routed": mac_of(router, "f1"),
        }
        told = {
            "dhcp4_interfaces": "s0",
            "dhcp4_bootp": "any",
            "leasequery_requesters": f"{RELAY}/32,{RELAYS_OTHER}/32",
            "dhcp4_listen": "0.0.0.0:67",
        }
        self.server = DhcpServer(server, database, folder, **told | settings)

    def send(self, link: str, frame: Frame) -> None:
        station = self.stations[link]
        port = SERVER if link == "relayed" else CLIENT
        station.socket.send(frames.written(frame, station.mac, port))

    def answers(self, wanted: set[int], seconds: float = ANSWER_SECONDS) -> dict[int, Answer]:
        """Those that are seen until all of `wanted` are, by transaction id."""
        found: dict[int, Answer] = {}
        deadline = time.monotonic() + seconds
        sockets = {station.socket: link for link, station in self.stations.items()}
        while not wanted <= found.keys() and (left := deadline - time.monotonic()) > 0:
            for ready in select.select(list(sockets), [], [], left)[0]:
                link = sockets[ready]
                port = SERVER if link == "relayed" else CLIENT
                for frame in self.stations[link].frames():
                    if frame.payload[:1] == b"\2" and frame.port == port:
                        found.setdefault(int.from_bytes(frame.payload[4:8], "big"), Answer(frame, link))
        return found


def refused_of(network: IPv4Network) -> IPv4Network:
    """A part outside the pool."""
    return list(network.subnets(2))[1]


def mac_of(namespace: Namespace, interface: str) -> bytes:
    text = json.loads(namespace.ip("-j", "link", "show", "dev", interface))[0]["address"]
    return say.hardware(text)
