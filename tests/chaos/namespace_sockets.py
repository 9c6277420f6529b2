"""Sockets of a namespace for this process; one helper in there opens them all."""

import socket
import subprocess
import sys
from types import TracebackType
from typing import Self

from system.namespaces import Namespace, popen, stop

OPEN = """
import socket
channel = socket.socket(fileno=0)
while kind := channel.recv(1):
    with socket.socket(socket.AF_INET, kind[0]) as opened:
        socket.send_fds(channel, [b"opened"], [opened.fileno()])
"""


class NamespaceSockets:
    """A context manager; also for threads, one after the other."""

    def __init__(self, namespace: Namespace) -> None:
        self.ours, theirs = socket.socketpair()
        with theirs:
            command = namespace.command(sys.executable, "-c", OPEN)
            self.helper = popen(command, stdin=theirs.fileno(), stdout=subprocess.DEVNULL)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.ours.close()
        stop(self.helper)

    def open(self, kind: socket.SocketKind) -> socket.socket:
        self.ours.send(bytes([kind]))
        _, (fd,), _, _ = socket.recv_fds(self.ours, 16, 1)
        return socket.socket(fileno=fd)

    def datagrams(self, address: str) -> socket.socket:
        """A UDP socket at this address, on a port of its own."""
        opened = self.open(socket.SOCK_DGRAM)
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        opened.bind((address, 0))
        return opened

    def connect(self, host: str, port: int, within: float) -> socket.socket:
        opened = self.open(socket.SOCK_STREAM)
        opened.settimeout(within)
        try:
            opened.connect((host, port))
        except OSError:
            opened.close()
            raise
        return opened
