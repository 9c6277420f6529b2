"""DHCPv4 datagrams in Ethernet frames of the test's own making: any source, any destination, on any link."""

from __future__ import annotations

import struct
from ipaddress import IPv4Address
from typing import NamedTuple

ETHERTYPE_IPV4 = 0x0800
UDP = 17
EVERY_STATION = b"\xff" * 6
HEADERS = 14 + 20 + 8


class Frame(NamedTuple):
    to_mac: bytes
    source: IPv4Address
    to: IPv4Address
    port: int
    payload: bytes


def written(frame: Frame, from_mac: bytes, from_port: int) -> bytes:
    """The octets on the wire; UDP without a checksum (RFC 768)."""
    udp = struct.pack("!4H", from_port, frame.port, 8 + len(frame.payload), 0) + frame.payload
    head = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(udp), 0, 0, 64, UDP, 0)
    addresses = frame.source.packed + frame.to.packed
    head = head[:10] + struct.pack("!H", checksum(head + addresses)) + addresses
    return frame.to_mac + from_mac + struct.pack("!H", ETHERTYPE_IPV4) + head + udp


def read(data: bytes) -> Frame | None:
    """None: no datagram of UDP over IPv4."""
    if len(data) < HEADERS or data[12:14] != struct.pack("!H", ETHERTYPE_IPV4) or data[23] != UDP:
        return None
    udp = 14 + (data[14] & 0x0F) * 4
    port, length = struct.unpack_from("!HH", data, udp + 2)
    return Frame(
        data[:6], IPv4Address(data[26:30]), IPv4Address(data[30:34]), port, data[udp + 8 : udp + length]
    )


def checksum(data: bytes) -> int:
    """RFC 1071."""
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF
