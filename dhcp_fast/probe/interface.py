"""A client's interface: its addresses in the kernel, and the reason why it cannot send."""

import errno
import fcntl
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ipam_core.errors import IpamError

SIOCGIFFLAGS, SIOCGIFHWADDR = 0x8913, 0x8927  # linux/sockios.h
IFF_RUNNING = 0x40
RIGHTS = (
    "--interface needs CAP_NET_RAW (with -6 CAP_NET_BIND_SERVICE for port 546): run the probe as root,"
    " or as a relay without --interface"
)
REASONS = {
    errno.EPERM: RIGHTS,
    errno.EACCES: RIGHTS,
    errno.ENETDOWN: "the interface is down: ip link set {interface} up",
    errno.EADDRINUSE: "another program uses port 546, perhaps this host's DHCPv6 client: stop it first",
    errno.EADDRNOTAVAIL: "the interface has no link-local address (yet): ip -6 address show dev {interface}",
    errno.ENETUNREACH: "the interface has no link-local address (yet): ip -6 address show dev {interface}",
}


@dataclass(eq=False)
class NoWire(IpamError):
    """Nothing can be asked on {interface}: {reason}"""

    interface: str
    reason: str


@contextmanager
def on_wire(interface: str) -> Iterator[int]:
    """Provide the interface's index; an error of the kernel within the block is raised as NoWire."""
    try:
        index = socket.if_nametoindex(interface)
    except OSError:
        there = ", ".join(name for _, name in socket.if_nameindex())
        raise NoWire(interface, f"this host has no such interface; it has {there}") from None
    try:
        yield index
    except OSError as error:
        reason = REASONS.get(error.errno or 0, error.strerror or str(error))
        raise NoWire(interface, reason.format(interface=interface)) from None


def has_carrier(interface: str) -> bool:
    (flags,) = struct.unpack_from("H", asked(interface, SIOCGIFFLAGS))
    return bool(flags & IFF_RUNNING)


def hardware_address(interface: str) -> bytes:
    """Return the address, which follows the two octets of its type (netdevice(7))."""
    return asked(interface, SIOCGIFHWADDR)[2:8]


def asked(interface: str, request: int) -> bytes:
    """Return what netdevice(7) has behind the interface's name."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as kernel:
        return fcntl.ioctl(kernel, request, struct.pack("16s24x", interface.encode()))[16:]
