"""The server's sockets on the event loop: each packet is decided at once, and leases to write are
handed over.

A drained server continues to read and discards: packets that stayed in the sockets would later look
like an overload.
"""

import asyncio
from collections.abc import Callable

from dhcp_fast.database.leases.lease_writers import LeaseWriters
from dhcp_fast.engine.engine import Engine
from dhcp_fast.server.held_sockets import HeldSockets
from dhcp_fast.server.ping_timer import PingTimer


class Receiver:
    """Receiver that reads the sockets from now until `close`. The writers may have them read too (`receive`)."""

    def __init__(
        self,
        engine: Engine,
        held: HeldSockets,
        writers: LeaseWriters,
        pings: PingTimer,
        hear_queries: Callable[[], None],
    ) -> None:
        self.engine = engine
        self.held = held
        self.sockets = {engine.add_socket(sock): sock for sock in held.all}
        self.writers = writers
        self.pings = pings
        self.hear_queries = hear_queries
        self.discards = False
        writers.receive = self.receive
        pings.kick = writers.kick
        held.listener = self
        engine.begin_reading()
        self.listen()

    def listen(self) -> None:
        for place in self.sockets:
            self.join(place)

    def join(self, place: int) -> None:
        """Read the socket that is in the place now, if one is."""
        self.engine.note_socket(place)
        sock = self.sockets[place]
        if sock.fd >= 0:
            asyncio.get_running_loop().add_reader(sock.fd, self.readable, place)

    def leave(self, place: int) -> None:
        """Read it no more: it is about to be closed."""
        if self.sockets[place].fd >= 0:
            asyncio.get_running_loop().remove_reader(self.sockets[place].fd)

    def discard(self, discards: bool) -> None:
        """Discard all packets from now on, or decide packets again."""
        if discards != self.discards:
            self.discards = discards
            self.engine.discard_packets(discards)

    def readable(self, index: int) -> None:
        self.engine.receive(index)
        self.writers.kick()
        self.pings.watch()
        if self.engine.queries:
            self.hear_queries()

    def receive(self) -> None:
        for index in self.sockets:
            self.engine.receive(index)
            self.pings.watch()

    def stop_listening(self) -> None:
        for place in self.sockets:
            self.leave(place)

    def close(self) -> None:
        self.held.listener = None
        self.stop_listening()
        self.sockets.clear()
