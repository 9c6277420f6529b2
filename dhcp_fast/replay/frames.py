"""A captured packet -> the UDP datagram in it, whatever the link: Ethernet with VLAN tags, Linux cooked v1 and v2, raw
IP, BSD loopback."""

import struct
from ipaddress import IPv4Address, IPv6Address
from typing import NamedTuple

from dhcp_fast.replay.capture import Packet

ETHERNET, NULL, RAW, LOOP, SLL, IPV4, IPV6, SLL2 = 1, 0, 101, 108, 113, 228, 229, 276
RAW_ELSEWHERE = (12, 14)
VLAN_TAGS = (0x8100, 0x88A8, 0x9100)
ETHERTYPES = (0x0800, 0x86DD)
UDP = 17
FRAGMENT = 0x3FFF  # more fragments, or an offset
DHCP_PORTS = {67, 68}
DHCP6_PORTS = {546, 547}
# Extension headers of IPv6 (RFC 8200 section 4): with a length in units of eight octets, and two
# others.
HOP_BY_HOP, ROUTING, FRAGMENTED, AUTHENTICATION, DESTINATION = 0, 43, 44, 51, 60
FRAGMENT6 = 0xFFF9  # an offset, or more fragments


class Datagram(NamedTuple):
    source: IPv4Address | IPv6Address
    destination: IPv4Address | IPv6Address
    payload: bytes


class UnknownLink(Exception):
    """Link type {0} is not known here."""


def datagram_of(packet: Packet) -> Datagram | None:
    """Return None: not UDP to or from a DHCP port, or a fragment. Raises UnknownLink."""
    ip = ip_of(packet)
    if len(ip) < 20:
        return None
    if ip[0] >> 4 == 6:
        return datagram6(ip)
    return datagram4(ip) if ip[0] >> 4 == 4 else None


def datagram4(ip: bytes) -> Datagram | None:
    if ip[9] != UDP:
        return None
    size, header = (
        int.from_bytes(ip[2:4], "big") or len(ip),
        (ip[0] & 15) * 4,
    )  # 0: the card was to fill it in
    fragment = int.from_bytes(ip[6:8], "big") & FRAGMENT
    if fragment or header < 20 or size > len(ip):
        return None
    payload = payload_of(ip[:size], header, DHCP_PORTS)
    return None if payload is None else Datagram(IPv4Address(ip[12:16]), IPv4Address(ip[16:20]), payload)


def datagram6(ip: bytes) -> Datagram | None:
    if len(ip) < 40:
        return None
    size = 40 + int.from_bytes(ip[4:6], "big")
    if size == 40:  # the card was to fill it in
        size = len(ip)
    at = behind_extensions(ip)
    payload = payload_of(ip[:size], at, DHCP6_PORTS) if at and size <= len(ip) else None
    return None if payload is None else Datagram(IPv6Address(ip[8:24]), IPv6Address(ip[24:40]), payload)


def behind_extensions(ip: bytes) -> int:
    """Return the offset of the UDP header of an IPv6 packet; 0 if there is none, or it is a later fragment."""
    kind, at = ip[6], 40
    while kind != UDP:
        if at + 8 > len(ip) or kind not in (HOP_BY_HOP, ROUTING, FRAGMENTED, AUTHENTICATION, DESTINATION):
            return 0
        if kind == FRAGMENTED and int.from_bytes(ip[at + 2 : at + 4], "big") & FRAGMENT6:
            return 0
        length = {FRAGMENTED: 8, AUTHENTICATION: 4 * ip[at + 1] + 8}.get(kind, 8 * ip[at + 1] + 8)
        kind, at = ip[at], at + length
    return at


def payload_of(ip: bytes, at: int, ports: set[int]) -> bytes | None:
    """Return the payload of the UDP datagram that begins at `at` and is to or from one of the ports."""
    if len(ip) < at + 8:
        return None
    source, destination, length = struct.unpack_from("!HHH", ip, at)
    if not {source, destination} & ports or not 8 <= length <= len(ip) - at:
        return None
    return ip[at + 8 : at + length]


def ip_of(packet: Packet) -> bytes:
    """Return the packet from the IP header on; empty when it is another protocol."""
    data, link = packet.data, packet.link
    if link == ETHERNET:
        return behind_tags(data, 12)
    if link == SLL:
        return behind_tags(data, 14)
    if link == SLL2:
        return data[20:] if is_ip(data[:2]) else b""
    if link in (RAW, IPV4, IPV6, *RAW_ELSEWHERE):
        return data
    if link in (NULL, LOOP):
        return data[4:]
    raise UnknownLink(link)


def is_ip(ethertype: bytes) -> bool:
    return int.from_bytes(ethertype, "big") in ETHERTYPES


def behind_tags(data: bytes, at: int) -> bytes:
    """Return the place behind 802.1Q and 802.1ad tags, one or two of them."""
    while int.from_bytes(data[at : at + 2], "big") in VLAN_TAGS:
        at += 4
    return data[at + 2 :] if is_ip(data[at : at + 2]) else b""
