"""The sockets of all workers, opened by the supervisor before anything else and kept as long as it lives.

For each endpoint where the server listens there is a group of sockets, bound one after the other in the order of the
workers. The kernel's program names a socket by that order (net/reuseport.pyx). Because the supervisor keeps all of them
open, the order never shifts and what arrives while a worker is away waits in its socket for the next one.

Broadcasts and multicasts reach every socket of a group; the worker whose client sent one takes it, the others leave it
alone (state/lease_ownership.pxd). DHCPv4 clients without an address are heard by UDP sockets too, bound to their
interface; layer 2 is for answering them, by a packet socket that all workers share. Leasequeries over TCP the first
worker answers for the host.
"""

import mmap
import os
import secrets
import socket
from collections.abc import Sequence

import msgspec

from dhcp_fast.engine.configure import RELAY_RATE_OCTETS
from dhcp_fast.net.listen import SERVER_PORT, SERVER_PORT6, open_frame_socket, open_listeners, refuse
from dhcp_fast.net.packet_socket import FrameSocket
from dhcp_fast.net.reuseport import WorkerHash
from dhcp_fast.net.udp import UdpSocket, kernel_drops, open_socket
from dhcp_fast.net.udp6 import UdpSocket6, open_socket6
from ipam_core.settings import Settings

LOOPBACK = "127.0.0.1"
BACKLOG = 64

Listening = tuple[str, int, str | None]  # host, port, interface


class InheritedSocket(msgspec.Struct, frozen=True):
    """One socket of a worker's: its descriptor and its interface."""

    fd: int
    interface: str | None


class Part(msgspec.Struct, frozen=True):
    """All that a worker is given. Descriptors are the supervisor's, which the child inherits under the same numbers."""

    supervisor: int
    family: int
    index: int
    count: int
    seed: int
    inherited: list[InheritedSocket]
    frames: int | None
    pages: int
    memory: int
    listeners: list[int] = []

    def descriptors(self) -> list[int]:
        own = [one.fd for one in self.inherited] + [self.pages, self.memory, *self.listeners]
        return own if self.frames is None else [*own, self.frames]

    def sockets(self) -> list[UdpSocket]:
        return [adopted(one) for one in self.inherited]

    def frame_socket(self) -> FrameSocket | None:
        return None if self.frames is None else FrameSocket(socket.socket(fileno=self.frames))

    def query_listeners(self) -> list[socket.socket]:
        return [socket.socket(fileno=fd) for fd in self.listeners]

    def shared_memory(self) -> mmap.mmap:
        return mmap.mmap(self.memory, RELAY_RATE_OCTETS)


def adopted(inherited: InheritedSocket) -> UdpSocket:
    sock = socket.socket(fileno=inherited.fd)
    host, port = sock.getsockname()[:2]
    kind = UdpSocket6 if sock.family == socket.AF_INET6 else UdpSocket
    return kind(host, port, inherited.interface, sock)


def endpoints_of(settings: Settings, family: int) -> list[Listening]:
    """Where the family is served."""
    if family == 6:
        heard: list[Listening] = [(endpoint.host, endpoint.port, None) for endpoint in settings.dhcp6_listen]
        return heard + [("::", SERVER_PORT6, name) for name in settings.dhcp6_interfaces]
    heard = [(endpoint.host, endpoint.port, None) for endpoint in settings.dhcp4_listen]
    return heard + [("0.0.0.0", SERVER_PORT, name) for name in settings.dhcp4_interfaces]  # noqa: S104 - bound to its device


class Sockets:
    """Of all workers of one family. Raises SettingsError where an endpoint cannot be served."""

    def __init__(self, settings: Settings, family: int = 4) -> None:
        self.family = family
        self.count = settings.dhcp_workers
        self.worker_hash = WorkerHash(secrets.randbits(32), self.count, family)
        endpoints = endpoints_of(settings, family)
        self.interfaces = [interface for _, _, interface in endpoints]
        self.groups = [self.open_group(*endpoint) for endpoint in endpoints]
        heard = [
            group[0].getsockname()[:2]
            for group, name in zip(self.groups, self.interfaces, strict=True)
            if name is None
        ]
        self.listeners = open_listeners(settings, heard, family)
        self.frames = open_frame_socket(settings) if family == 4 else None
        self.pages = [listening() for _ in range(self.count)]
        self.memory = os.memfd_create("ipam relay rates")
        os.ftruncate(self.memory, RELAY_RATE_OCTETS)

    def open_group(self, host: str, port: int, interface: str | None) -> list[socket.socket]:
        """The first is bound like any, so that another process's socket is refused; the others join it."""
        group: list[socket.socket] = []
        opened = open_socket6 if self.family == 6 else open_socket
        try:
            for index in range(self.count):
                if group:
                    port = group[0].getsockname()[1]  # the kernel's choice where 0 was asked
                group.append(opened(host, port, interface, shared=True, joining=index > 0))
            self.worker_hash.attach(group[0])
        except OSError as error:
            refuse(host, port, interface, error, f"dhcp{self.family}")
        return group

    def part(self, index: int) -> Part:
        """For a worker that is about to start."""
        mine = zip((group[index] for group in self.groups), self.interfaces, strict=True)
        return Part(
            os.getpid(),
            self.family,
            index,
            self.count,
            self.worker_hash.seed,
            [InheritedSocket(sock.fileno(), interface) for sock, interface in mine],
            None if self.frames is None else self.frames.fileno(),
            self.pages[index].fileno(),
            self.memory,
            [sock.fileno() for sock in self.listeners] if index == 0 else [],
        )

    def kernel_drops(self) -> int:
        """Datagrams that the kernel had no room for, whether their worker was there or not."""
        return sum(kernel_drops(sock) for group in self.groups for sock in group)

    def page_ports(self) -> Sequence[int]:
        """Where each worker answers for itself, on the loopback interface."""
        return [sock.getsockname()[1] for sock in self.pages]

    def close(self) -> None:
        for sock in [sock for group in self.groups for sock in group] + self.pages + self.listeners:
            sock.close()
        if self.frames is not None:
            self.frames.close()
        os.close(self.memory)


def listening() -> socket.socket:
    sock = socket.create_server((LOOPBACK, 0), backlog=BACKLOG)
    sock.setblocking(False)
    return sock
