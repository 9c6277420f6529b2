"""A server's sockets by their places. The kernel's socket in a place may be replaced while packets are served."""

import socket
from typing import Protocol

from dhcp_fast.net.udp import UdpSocket, open_socket
from dhcp_fast.net.udp6 import open_socket6


class Listener(Protocol):
    """Interface of the reader of a server's sockets, each by its place among them."""

    def leave(self, place: int) -> None: ...
    def join(self, place: int) -> None: ...


class HeldSockets:
    """A server's sockets, whose kernel sockets may be replaced.

    `listener`, if set, is called when that happens.
    """

    def __init__(self, sockets: list[UdpSocket]) -> None:
        self.all = sockets
        self.listener: Listener | None = None

    def is_bound(self, interface: str) -> bool:
        return self.all[self.place(interface)].fd >= 0

    def bind(self, interface: str) -> None:
        """Raise OSError."""
        place = self.place(interface)
        self.replace(place, None)  # first: the end of an older member would end the membership of the new one
        host, port = self.all[place].address[:2]
        opened = open_socket6 if ":" in host else open_socket
        self.replace(place, opened(host, port, interface))

    def rest(self, interface: str) -> None:
        self.replace(self.place(interface), None)

    def place(self, interface: str) -> int:
        return next(place for place, sock in enumerate(self.all) if sock.interface == interface)

    def take(self, place: int, sock: socket.socket | None) -> None:
        """Take a socket that somebody else has bound; where its interface has gone meanwhile, none."""
        try:
            self.replace(place, sock)
        except OSError:
            self.replace(place, None)

    def replace(self, place: int, sock: socket.socket | None) -> None:
        """Raise OSError where its interface has gone meanwhile."""
        held = self.all[place]
        if self.listener is not None:
            self.listener.leave(place)
        try:
            held.rest() if sock is None else held.hold(sock)
        finally:
            if self.listener is not None:
                self.listener.join(place)

    def close(self) -> None:
        for sock in self.all:
            sock.close()
