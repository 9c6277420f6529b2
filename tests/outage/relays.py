"""A relay with two servers behind it: a datagram goes to both, or to either, as a load balancer would send it.

It keeps its one UDP port to all sides; a reply comes back to it because the servers answer the port that a relayed
request came from (RFC 8357).
"""

import select
import socket
import threading
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self

Address = tuple[str, int]
# Which servers get this datagram, given all of them.
Choice = Callable[[bytes, Sequence[Address]], Sequence[Address]]

BOOTREQUEST = 1
MESSAGE_TYPE = 242  # where the storm's datagrams have it
DISCOVER = 1


def both(_datagram: bytes, servers: Sequence[Address]) -> Sequence[Address]:
    return servers


def split(datagram: bytes, servers: Sequence[Address]) -> Sequence[Address]:
    """The DISCOVER to the first server, the REQUEST to the second."""
    return servers[:1] if datagram[MESSAGE_TYPE] == DISCOVER else servers[1:]


class Relay:
    """Forwards in a thread of its own; `address` is what clients send to, `host` where it is, as it says in giaddr."""

    def __init__(self, servers: Sequence[Address], choose: Choice = both, host: str = "127.0.0.1") -> None:
        self.servers = servers
        self.choose = choose
        self.socket = socket.socket(type=socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        self.socket.bind((host, 0))
        self.socket.setblocking(False)
        self.clients: Address = ("", 0)
        self.ending = threading.Event()
        self.thread = threading.Thread(target=self.forward)

    @property
    def address(self) -> Address:
        host, port = self.socket.getsockname()
        return host, port

    def __enter__(self) -> Self:
        self.thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.ending.set()
        self.thread.join()
        self.socket.close()

    def forward(self) -> None:
        while not self.ending.is_set():
            select.select([self.socket], [], [], 0.1)
            try:
                while True:
                    self.pass_on(*self.socket.recvfrom(2048))
            except BlockingIOError:
                continue
            except ConnectionRefusedError:
                continue  # one of the servers is gone

    def pass_on(self, datagram: bytes, source: Address) -> None:
        if datagram[0] == BOOTREQUEST:
            self.clients = source
            for server in self.choose(datagram, self.servers):
                self.socket.sendto(datagram, server)
        else:
            self.socket.sendto(datagram, self.clients)
