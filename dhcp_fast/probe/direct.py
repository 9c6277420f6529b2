"""The DHCPv4 client without a relay: on an interface's wire, before it has an address.

It broadcasts from port 68 to port 67 (RFC 2131 section 4.1) by a packet socket, for which CAP_NET_RAW is needed, and
asks for answers to everybody. The frames come from the interface's hardware address, whatever the client's MAC is.
"""

import ctypes
import socket
import struct
from collections.abc import Iterable
from ipaddress import IPv4Address

from dhcp_fast.packets import message4
from dhcp_fast.packets.message4 import Option
from dhcp_fast.probe.client import Client

CLIENT, SERVER = 68, 67
EVERYBODY = b"\xff" * 6
UDP = 17
IPV4 = 0x0800
LONGEST = 65535
SO_ATTACH_FILTER = 26
# The kernel passes UDP packets to port 68 that are not later fragments; packets begin with the IP
# header.
FILTER = (
    (0x30, 0, 0, 9),  # protocol
    (0x15, 0, 6, UDP),
    (0x28, 0, 0, 6),  # offset of the fragment
    (0x45, 4, 0, 0x1FFF),
    (0xB1, 0, 0, 0),  # length of the header
    (0x48, 0, 0, 2),  # destination port
    (0x15, 0, 1, CLIENT),
    (0x06, 0, 0, LONGEST),
    (0x06, 0, 0, 0),
)


class DirectClient(Client):
    """A client on the wire of `interface`; OSError where the kernel lets it not be one (see interface.py)."""

    agent = None
    flags = message4.BROADCAST

    def __init__(
        self,
        interface: str,
        *,
        mac: bytes,
        options: Iterable[Option] = (),
        timeout: float = 1.0,
        tries: int = 3,
    ) -> None:
        self.interface = interface
        self.mac = mac
        self.timeout = timeout
        self.tries = tries
        self.extra = list(options)
        self.giaddr = message4.NOWHERE
        self.socket = packet_socket(interface)

    def asked_whom(self) -> str:
        return f"anybody on {self.interface}"

    def _send(self, packet: bytes) -> None:
        """Send to everybody on the wire, from ciaddr, which is what a client has that has an address."""
        data = datagram(packet, IPv4Address(packet[12:16]))
        self.socket.sendto(data, (self.interface, IPV4, 0, 0, EVERYBODY))

    def _datagram(self) -> bytes:
        return carried(self.socket.recv(LONGEST))


def packet_socket(interface: str) -> socket.socket:
    made = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, 0)
    try:
        code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in FILTER))
        program = struct.pack("@HP", len(FILTER), ctypes.addressof(code))
        made.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, program)
        made.bind((interface, IPV4))
    except OSError:
        made.close()
        raise
    return made


def datagram(payload: bytes, source: IPv4Address) -> bytes:
    """Return a datagram to everybody; without a checksum over the data, which UDP over IPv4 may leave out (RFC 768)."""
    udp = struct.pack("!4H", CLIENT, SERVER, 8 + len(payload), 0) + payload
    head = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(udp), 0, 0, 64, UDP, 0) + source.packed + b"\xff" * 4
    return head[:10] + struct.pack("!H", checksum(head)) + head[12:] + udp


def carried(packet: bytes) -> bytes:
    """Return the payload of a UDP packet; empty if the packet is shorter than its length field."""
    udp = (packet[0] & 0x0F) * 4 if packet else 0
    length = int.from_bytes(packet[udp + 4 : udp + 6], "big")
    return packet[udp + 8 : udp + length]


def checksum(head: bytes) -> int:
    """Return the checksum of RFC 1071."""
    total: int = sum(struct.unpack(f"!{len(head) // 2}H", head))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF
