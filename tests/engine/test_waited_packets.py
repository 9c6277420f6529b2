"""Packets that waited in the sockets for more than five seconds, of both families: which of them mean an overload."""

from __future__ import annotations

import socket
import time

from engine.serving import drops, mac_of, running
from engine.site import until
from oracle import packets as say
from oracle import packets6 as say6

from dhcp_fast.engine.engine import Engine
from dhcp_fast.net.udp import UdpSocket
from dhcp_fast.net.udp6 import UdpSocket6
from dhcp_fast.server.server import Server
from ipam_core.settings import Settings

STALE_SECONDS = 5.0
DISCOVER = say.discover(mac_of(1)).bytes()
RELEASE = say.release(mac_of(1), "192.0.2.1", "192.0.2.2").bytes()
SOLICIT = say6.solicit(say6.duid_ll(bytes(6))).ia_na(1).bytes()


class Waiting:
    """An engine without a plan; what is sent to its socket stays there until `drops`."""

    def __init__(self, family: int) -> None:
        self.engine = Engine((1, 2), family)
        self.socket = UdpSocket6("::1", 0) if family == 6 else UdpSocket("127.0.0.1", 0)
        self.engine.add_socket(self.socket)

    def send(self, *packets: bytes) -> None:
        assert self.socket.sock is not None
        with socket.socket(self.socket.sock.family, socket.SOCK_DGRAM) as client:
            for packet in packets:
                client.sendto(packet, self.socket.address)

    def drops(self) -> dict[str, int]:
        self.engine.receive(0)
        return dict(self.engine.counters()["drops"])


async def test_packets_of_a_start_and_those_of_a_slow_server() -> None:
    """The alert about overload counts the latter alone. A RELEASE is never too old."""
    starting, slow = [Waiting(4), Waiting(6)], [Waiting(4), Waiting(6)]
    for each in slow:
        each.engine.begin_reading()
    for v4, v6 in (starting, slow):
        v4.send(DISCOVER, RELEASE)
        v6.send(SOLICIT)
    sent = time.monotonic()
    await until("old", lambda: time.monotonic() > sent + STALE_SECONDS)
    for each in starting:
        each.engine.begin_reading()
    assert [each.drops() for each in starting] == [{"starting": 1, "no_subnet": 1}, {"starting": 1}]
    assert [each.drops() for each in slow] == [{"stale": 1, "no_subnet": 1}, {"stale": 1}]


async def test_packets_without_room_before_the_start_are_not_the_kernels(database: str) -> None:
    """The server may have waited for its database for hours; more room in the sockets would not have helped."""
    sent = 200

    def make(settings: Settings) -> Server:
        server = Server(settings, database)
        (held,) = server.opened.held.all
        assert held.sock is not None
        held.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
            for _ in range(sent):
                client.sendto(DISCOVER, held.address)
        return server

    async with running(make) as server:
        await until("read", lambda: sum(server.counters()["received"].values()))
        received = sum(server.counters()["received"].values())
        assert 0 < received < sent
        assert drops(server, "starting") == sent - received
        assert server.counters()["kernel_drops"] == 0
