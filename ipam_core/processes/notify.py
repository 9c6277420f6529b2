"""Notifications to systemd from a process that it started as Type=notify (sd_notify(3)).

READY means that the sockets are open and the health address answers. The database may be away: a server waits for it
without limit, and /readyz reports the reason.
"""

import socket

from ipam_core.settings import take_notify_socket


def ready() -> None:
    """Notify systemd once, if a socket is set."""
    address = take_notify_socket()
    if address:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as told:
            # An abstract address begins with NUL, for which systemd writes @.
            told.sendto(b"READY=1", address.replace("@", "\0", 1) if address.startswith("@") else address)
