"""Datagrams that Python sends beside the packet path, from an address of ours that the caller chooses.

A socket that listens on all addresses would answer from whichever the kernel prefers on the way back. Connected sockets
and firewalls with state take an answer from the address that was asked alone (RFC 1122 section 4.1.3.5).
"""

import errno
import socket
import struct
from ipaddress import IPv4Address

from dhcp_fast.net.udp import UdpSocket
from ipam_core.model.values import Address

IP_PKTINFO = 8  # linux/in.h
INFO4 = struct.Struct("=i4s4x")  # struct in_pktinfo: interface, source
INFO6 = struct.Struct("=16sI")  # struct in6_pktinfo: source, interface
UNREACHABLE = (errno.ENETUNREACH, errno.EHOSTUNREACH)


def send_from(
    sock: socket.socket, data: bytes, to: tuple[Address, int], source: Address, ifindex: int
) -> None:
    """Send `data` to an address and port. `source` of zeros: the kernel chooses it. A link-local address is one of the
    interface's link. Raises OSError."""
    address, port = to
    if isinstance(address, IPv4Address):
        info = (socket.IPPROTO_IP, IP_PKTINFO, INFO4.pack(0, source.packed))
        sock.sendmsg([data], [info], 0, (str(address), port))
    else:
        scope = ifindex if address.is_link_local or source.is_link_local else 0
        info = (socket.IPPROTO_IPV6, socket.IPV6_PKTINFO, INFO6.pack(source.packed, scope))
        sock.sendmsg([data], [info], 0, (str(address), port, 0, scope if address.is_link_local else 0))


def answer_from(held: UdpSocket, data: bytes, to: tuple[Address, int], source: Address, ifindex: int) -> bool:
    """Send as `send_from` by the socket to which the question came, or, if no route of its interface leads there, by
    whichever interface the kernel's routes lead to; that needs a `source`. Return whether the kernel took the datagram.
    """
    if held.sock is None:
        return False
    if held.reaches(int(source), int(to[0])):
        refused = refusal(held.sock, data, to, source, ifindex)
        if refused not in UNREACHABLE or held.interface is None or to[0].is_link_local:
            return not refused
    other = None if source.is_unspecified else held.by_routes()
    return other is not None and other.sock is not None and not refusal(other.sock, data, to, source, 0)


def refusal(
    sock: socket.socket, data: bytes, to: tuple[Address, int], source: Address, ifindex: int
) -> int | None:
    """Send, and return the kernel's errno where it refuses the datagram."""
    try:
        send_from(sock, data, to, source, ifindex)
    except OSError as error:
        return error.errno
    return None
