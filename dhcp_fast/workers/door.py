"""Sockets that a worker is given while it serves, because an interface is another one than before.

A message is the place of the socket, an octet, with its descriptor; without one that place is empty from now on.
"""

import asyncio
import socket

from dhcp_fast.server.held_sockets import HeldSockets


def open_door() -> tuple[socket.socket, socket.socket]:
    """Return the supervisor's end and the worker's."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.setblocking(False)
    theirs.setblocking(False)
    return ours, theirs


def hand_in(door: socket.socket, place: int, descriptor: int | None) -> None:
    """Raise OSError where the worker takes none."""
    socket.send_fds(door, [bytes([place])], [] if descriptor is None else [descriptor])


class Door:
    """A worker's end: sockets that arrive are held from now on, until `close`."""

    def __init__(self, door: socket.socket, held: HeldSockets) -> None:
        self.door = door
        self.held = held
        asyncio.get_running_loop().add_reader(door.fileno(), self.take)

    def take(self) -> None:
        data, descriptors, _, _ = socket.recv_fds(self.door, 1, 1)
        if not data:  # the supervisor has gone, and so do we
            asyncio.get_running_loop().remove_reader(self.door.fileno())
            return
        self.held.take(data[0], socket.socket(fileno=descriptors[0]) if descriptors else None)

    def close(self) -> None:
        asyncio.get_running_loop().remove_reader(self.door.fileno())
        self.door.close()
