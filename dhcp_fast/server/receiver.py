"""The server's sockets on the event loop: what comes is decided at once, and what is to be written is handed over.

A drained server is `silent`: packets that came meanwhile are too old by the time at which it reads again.
"""

import asyncio
from collections.abc import Callable

from dhcp_fast.database.lease_writers import LeaseWriters
from dhcp_fast.engine.engine import Engine
from dhcp_fast.server.held_sockets import HeldSockets
from dhcp_fast.server.ping_timer import PingTimer


class Receiver:
    """Reads the sockets from now until `close`. The writers may have them read too (`receive`)."""

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
        self.is_silent = False
        writers.receive = self.receive
        pings.kick = writers.kick
        held.listener = self
        self.listen()

    def listen(self) -> None:
        for place in self.sockets:
            self.join(place)

    def join(self, place: int) -> None:
        """Read the socket that is in the place now, if one is."""
        self.engine.note_socket(place)
        sock = self.sockets[place]
        if sock.fd >= 0 and not self.is_silent:
            asyncio.get_running_loop().add_reader(sock.fd, self.readable, place)

    def leave(self, place: int) -> None:
        """Read it no more: it is about to be closed."""
        if self.sockets[place].fd >= 0:
            asyncio.get_running_loop().remove_reader(self.sockets[place].fd)

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
        for place in self.sockets:
            self.leave(place)

    def close(self) -> None:
        self.held.listener = None
        self.stop_listening()
        self.sockets.clear()
