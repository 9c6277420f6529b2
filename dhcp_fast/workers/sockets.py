"""The sockets of all workers, opened by the supervisor before anything else and kept as long as it lives.

Each endpoint of the server has a group of sockets, bound one after the other in the order of the
workers. The kernel's program names a socket by that order (net/reuseport.pyx). Because the
supervisor keeps all of them open, the order never shifts. Packets that arrive while a worker is
away wait in its socket for the next one.

Broadcasts and multicasts reach every socket of a group; the worker of the client handles one, the
others ignore it (sharing/lease_ownership.pxd). DHCPv4 packets of clients without an address also
arrive at UDP sockets, bound to their interface; the answers leave by a packet socket that all
workers share. If an interface appears, disappears or is replaced, the supervisor opens a new group
and gives each worker its socket through a door (door.py). The first worker answers leasequeries
over TCP for the host.
"""

import errno
import mmap
import os
import secrets
import socket
from collections.abc import Callable, Sequence

import msgspec

from dhcp_fast.engine.configure import RELAY_RATE_OCTETS
from dhcp_fast.net.links import Links
from dhcp_fast.net.listen import Listening, endpoints_of, open_frame_socket, open_listeners, refuse
from dhcp_fast.net.packet_socket import FrameSocket
from dhcp_fast.net.reuseport import WorkerHash
from dhcp_fast.net.udp import UdpSocket, kernel_drops, open_socket
from dhcp_fast.net.udp6 import UdpSocket6, leave_groups, open_socket6
from ipam_core.setting_values import INNER_HOST
from ipam_core.settings import Settings

BACKLOG = 64


class InheritedSocket(msgspec.Struct, frozen=True):
    """A socket of a worker with its address, its interface, and its descriptor; null: its interface is away."""

    host: str
    port: int
    interface: str | None
    fd: int | None


class Part(msgspec.Struct, frozen=True):
    """Settings and sockets of a worker.

    Descriptors are the supervisor's, which the child inherits under the same numbers.
    """

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
    door: int | None = None
    """Descriptor over which replacements of sockets arrive (`Door`)."""

    def descriptors(self) -> list[int]:
        """Return those that the child inherits."""
        own = [one.fd for one in self.inherited] + [self.pages, self.memory, *self.listeners]
        return [fd for fd in (*own, self.frames, self.door) if fd is not None]

    def sockets(self) -> list[UdpSocket]:
        return [adopted(one) for one in self.inherited]

    def frame_socket(self) -> FrameSocket | None:
        return None if self.frames is None else FrameSocket(socket.socket(fileno=self.frames))

    def query_listeners(self) -> list[socket.socket]:
        return [socket.socket(fileno=fd) for fd in self.listeners]

    def shared_memory(self) -> mmap.mmap:
        return mmap.mmap(self.memory, RELAY_RATE_OCTETS)


def adopted(inherited: InheritedSocket) -> UdpSocket:
    kind = UdpSocket6 if ":" in inherited.host else UdpSocket
    where = inherited.host, inherited.port, inherited.interface
    if inherited.fd is None:
        return kind(*where, resting=True)
    try:
        return kind(*where, socket.socket(fileno=inherited.fd))
    except OSError:  # the interface has gone meanwhile; the door reports it
        return kind(*where, resting=True)


class Sockets:
    """Sockets of all workers of one family.

    Raises SettingsError if an endpoint cannot be served. `changed` is called with each place whose
    sockets were replaced.
    """

    def __init__(self, settings: Settings, family: int, links: Links) -> None:
        self.family = family
        self.count = settings.dhcp_workers
        self.worker_hash = WorkerHash(secrets.randbits(32), self.count, family)
        self.endpoints = endpoints_of(settings, family)
        self.groups = [self.open_first(endpoint, links) for endpoint in self.endpoints]
        self.changed: Callable[[int], None] = ignore
        self.lost = 0  # datagrams, for which the sockets that are closed by now had no room
        heard = [
            group[0].getsockname()[:2]
            for group, (_, _, name) in zip(self.groups, self.endpoints, strict=True)
            if name is None
        ]
        self.listeners = open_listeners(settings, heard, family)
        self.frames = open_frame_socket(settings) if family == 4 else None
        self.pages = [listening() for _ in range(self.count)]
        self.memory = os.memfd_create("ipam relay rates")
        os.ftruncate(self.memory, RELAY_RATE_OCTETS)

    def open_first(self, endpoint: Listening, links: Links) -> list[socket.socket]:
        """Return None where its interface cannot be served now. Raises SettingsError."""
        host, port, name = endpoint
        if name is not None and links.fault(name, self.family):
            return []
        try:
            return self.open_group(endpoint)
        except OSError as error:
            if name is None or error.errno != errno.ENODEV:
                refuse(host, port, name, error, f"dhcp{self.family}")
            return []  # it has just gone

    def open_group(self, endpoint: Listening) -> list[socket.socket]:
        """Return the first is bound like any, so that another process's socket is refused; the others join it. Raises
        OSError."""
        host, port, interface = endpoint
        group: list[socket.socket] = []
        opened = open_socket6 if self.family == 6 else open_socket
        try:
            for index in range(self.count):
                if group:
                    port = group[0].getsockname()[1]  # the kernel's choice where 0 was asked
                group.append(opened(host, port, interface, shared=True, joining=index > 0))
            self.worker_hash.attach(group[0])
        except OSError:
            for sock in group:
                sock.close()
            raise
        return group

    # --- a Binder (server/wires.py)

    def is_bound(self, interface: str) -> bool:
        return bool(self.groups[self.place(interface)])

    def bind(self, interface: str) -> None:
        """Raise OSError."""
        place = self.place(interface)
        self.retire(place)
        try:
            self.groups[place] = self.open_group(self.endpoints[place])
        finally:
            self.changed(place)

    def rest(self, interface: str) -> None:
        place = self.place(interface)
        if self.groups[place]:
            self.retire(place)
            self.changed(place)

    def place(self, interface: str) -> int:
        return next(place for place, (_, _, name) in enumerate(self.endpoints) if name == interface)

    def retire(self, place: int) -> None:
        """Close the group.

        Workers have its sockets open until they are notified, and no socket may join it meanwhile:
        the kernel's program would select the wrong ones in a mixed group.
        """
        for sock in self.groups[place]:
            self.lost += kernel_drops(sock)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 0)
            if self.family == 6:
                leave_groups(sock)
            sock.close()
        self.groups[place] = []

    def descriptor(self, place: int, index: int) -> int | None:
        """Return a worker's, in a place; None while its interface is away."""
        return self.groups[place][index].fileno() if self.groups[place] else None

    # --- sockets and settings for workers

    def part(self, index: int) -> Part:
        """Return the socket for a worker that is about to start."""
        return Part(
            os.getpid(),
            self.family,
            index,
            self.count,
            self.worker_hash.seed,
            [
                InheritedSocket(*endpoint, self.descriptor(place, index))
                for place, endpoint in enumerate(self.endpoints)
            ],
            None if self.frames is None else self.frames.fileno(),
            self.pages[index].fileno(),
            self.memory,
            [sock.fileno() for sock in self.listeners] if index == 0 else [],
        )

    def kernel_drops(self) -> int:
        """Return datagrams that the kernel had no room for, whether their worker was there or not."""
        return self.lost + sum(kernel_drops(sock) for group in self.groups for sock in group)

    def page_ports(self) -> Sequence[int]:
        """Return the port of INNER_HOST at which each worker answers for itself."""
        return [sock.getsockname()[1] for sock in self.pages]

    def close(self) -> None:
        for sock in [sock for group in self.groups for sock in group] + self.pages + self.listeners:
            sock.close()
        if self.frames is not None:
            self.frames.close()
        os.close(self.memory)


def ignore(place: int) -> None:
    """Do nothing, because there is no worker yet."""


def listening() -> socket.socket:
    sock = socket.create_server((INNER_HOST, 0), backlog=BACKLOG)
    sock.setblocking(False)
    return sock
