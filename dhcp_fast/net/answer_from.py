"""Datagrams that Python sends beside the packet path, from an address of ours that the caller chooses.

A socket that listens on all addresses would answer from whichever the kernel prefers on the way back. Connected sockets
and firewalls with state take an answer from the address that was asked alone (RFC 1122 section 4.1.3.5).
"""

import socket
import struct
from ipaddress import IPv4Address

from ipam_core.model.values import Address

IP_PKTINFO = 8  # linux/in.h
INFO4 = struct.Struct("=i4s4x")  # struct in_pktinfo: interface, source
INFO6 = struct.Struct("=16sI")  # struct in6_pktinfo: source, interface


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
