"""The server's sockets on the event loop: what comes is decided at once, and what is to be written is handed over.

A drained server is `silent`: packets that came meanwhile are too old by the time at which it reads again.
"""

import asyncio
from collections.abc import Callable

from dhcp_fast.database.lease_writers import LeaseWriters
from dhcp_fast.engine.engine import Engine
from dhcp_fast.net.udp import UdpSocket
from dhcp_fast.server.ping_timer import PingTimer


class Receiver:
    """Reads the sockets from now until `close`. The writers may have them read too (`receive`)."""

    def __init__(
        self,
        engine: Engine,
        sockets: list[UdpSocket],
        writers: LeaseWriters,
        pings: PingTimer,
        hear_queries: Callable[[], None],
    ) -> None:
        self.engine = engine
        self.sockets = {engine.add_socket(sock): sock for sock in sockets}
        self.writers = writers
        self.pings = pings
        self.hear_queries = hear_queries
        self.is_silent = False
        writers.receive = self.receive
        pings.kick = writers.kick
        self.listen()

    def listen(self) -> None:
        for index, sock in self.sockets.items():
            asyncio.get_running_loop().add_reader(sock.fd, self.readable, index)

    def silence(self, silent: bool) -> None:
        """Read no packet, or packets again."""
        if silent != self.is_silent:
            self.is_silent = silent
            (self.stop_listening if silent else self.listen)()

    def readable(self, index: int) -> None:
        self.engine.receive(index)
        self.writers.kick()
        self.pings.watch()
        if self.engine.queries:
            self.hear_queries()

    def receive(self) -> None:
        for index in () if self.is_silent else self.sockets:
            self.engine.receive(index)
            self.pings.watch()

    def stop_listening(self) -> None:
        for sock in self.sockets.values():
            asyncio.get_running_loop().remove_reader(sock.fd)

    def close(self) -> None:
        self.stop_listening()
        self.sockets.clear()
