"""A captured packet -> the IPv4 UDP datagram in it, whatever the link: Ethernet with VLAN tags, Linux cooked v1 and v2,
raw IP, BSD loopback."""

import struct
from ipaddress import IPv4Address
from typing import NamedTuple

from dhcp_fast.replay.capture import Packet

ETHERNET, NULL, RAW, LOOP, SLL, IPV4, SLL2 = 1, 0, 101, 108, 113, 228, 276
RAW_ELSEWHERE = (12, 14)
VLAN_TAGS = (0x8100, 0x88A8, 0x9100)
IP, UDP = 0x0800, 17
FRAGMENT = 0x3FFF  # more fragments, or an offset
DHCP_PORTS = {67, 68}


class Datagram(NamedTuple):
    source: IPv4Address
    destination: IPv4Address
    payload: bytes


class UnknownLink(Exception):
    """Link type {0} is not known here."""


def datagram_of(packet: Packet) -> Datagram | None:
    """None: not IPv4 UDP to or from a DHCP port, or a fragment. Raises UnknownLink."""
    ip = ip_of(packet)
    if len(ip) < 20 or ip[0] >> 4 != 4 or ip[9] != UDP:
        return None
    size, header = (
        int.from_bytes(ip[2:4], "big") or len(ip),
        (ip[0] & 15) * 4,
    )  # 0: the card was to fill it in
    fragment = int.from_bytes(ip[6:8], "big") & FRAGMENT
    if fragment or header < 20 or size > len(ip) or size < header + 8:
        return None
    source, destination, length = struct.unpack_from("!HHH", ip, header)
    if not {source, destination} & DHCP_PORTS or not 8 <= length <= size - header:
        return None
    return Datagram(IPv4Address(ip[12:16]), IPv4Address(ip[16:20]), ip[header + 8 : header + length])


def ip_of(packet: Packet) -> bytes:
    """From the IP header on; empty when it is another protocol."""
    data, link = packet.data, packet.link
    if link == ETHERNET:
        return behind_tags(data, 12)
    if link == SLL:
        return behind_tags(data, 14)
    if link == SLL2:
        return data[20:] if data[:2] == IP.to_bytes(2, "big") else b""
    if link in (RAW, IPV4, *RAW_ELSEWHERE):
        return data
    if link in (NULL, LOOP):
        return data[4:]
    raise UnknownLink(link)


def behind_tags(data: bytes, at: int) -> bytes:
    """802.1Q and 802.1ad tags stand before the protocol, one or two of them."""
    while int.from_bytes(data[at : at + 2], "big") in VLAN_TAGS:
        at += 4
    return data[at + 2 :] if int.from_bytes(data[at : at + 2], "big") == IP else b""
