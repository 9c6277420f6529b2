"""The server's sockets on the event loop: what comes is decided at once, and what is to be written is handed over."""

import asyncio

from dhcp_fast.database.lease_writers import LeaseWriters
from dhcp_fast.engine.engine import Engine
from dhcp_fast.net.udp import UdpSocket
from dhcp_fast.server.ping_timer import Pings


class Ears:
    """From now until `close`. The writers may have the sockets read too (`hear`)."""

    def __init__(self, engine: Engine, sockets: list[UdpSocket], writers: LeaseWriters, pings: Pings) -> None:
        self.engine = engine
        self.sockets = {engine.add_socket(sock): sock for sock in sockets}
        self.writers = writers
        self.pings = pings
        writers.hear = self.hear
        pings.kick = writers.kick
        for place, sock in self.sockets.items():
            asyncio.get_running_loop().add_reader(sock.fd, self.readable, place)

    def readable(self, place: int) -> None:
        self.engine.receive(place)
        self.writers.kick()
        self.pings.watch()

    def hear(self) -> None:
        for place in self.sockets:
            self.engine.receive(place)
            self.pings.watch()

    def close(self) -> None:
        for sock in self.sockets.values():
            asyncio.get_running_loop().remove_reader(sock.fd)
        self.sockets.clear()
