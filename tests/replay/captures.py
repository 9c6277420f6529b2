"""Capture files as capture programs write them, made here octet by octet from the formats' own descriptions."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path

ETHERNET, RAW, SLL, SLL2, LOOP = 1, 101, 113, 276, 108
CLIENT, SERVER = ("0.0.0.0", 68), ("255.255.255.255", 67)
CLIENT6, SERVER6 = ("fe80::1", 546), ("ff02::1:2", 547)
End = tuple[str, int]


def udp(payload: bytes, source: End = CLIENT, destination: End = SERVER) -> bytes:
    """An IPv4 packet (RFC 791, RFC 768) without checksums."""
    length = 8 + len(payload)
    ip = struct.pack(
        "!BBHHHBBH4s4s", 0x45, 0, 20 + length, 1, 0, 64, 17, 0,
        IPv4Address(source[0]).packed, IPv4Address(destination[0]).packed,
    )  # fmt: skip
    return ip + struct.pack("!HHHH", source[1], destination[1], length, 0) + payload


def udp6(payload: bytes, source: End = CLIENT6, destination: End = SERVER6, *extensions: bytes) -> bytes:
    """An IPv6 packet (RFC 8200) without a checksum; of each extension header the first octet is filled in here."""
    kinds = [extension[0] for extension in extensions] + [17]
    behind = b"".join(bytes([kinds[n + 1]]) + extension[1:] for n, extension in enumerate(extensions))
    datagram = struct.pack("!HHHH", source[1], destination[1], 8 + len(payload), 0) + payload
    ends = IPv6Address(source[0]).packed + IPv6Address(destination[0]).packed
    head = struct.pack("!IHBB", 6 << 28, len(behind + datagram), kinds[0], 64)
    return head + ends + behind + datagram


def framed(ip: bytes, link: int, *tags: int) -> bytes:
    """With the header of the link in front; Ethernet frames are padded to 60 octets."""
    kind = b"\x86\xdd" if ip[0] >> 4 == 6 else b"\x08\x00"
    if link == ETHERNET:
        tagged = b"".join(b"\x81\x00" + tag.to_bytes(2, "big") for tag in tags)
        return (b"\xff" * 6 + b"\x02" * 6 + tagged + kind + ip).ljust(60, b"\0")
    if link == SLL:
        return struct.pack("!HHH8s", 0, 1, 6, b"\x02" * 6) + kind + ip
    if link == SLL2:
        return kind + struct.pack("!HIHBB8s", 0, 2, 1, 0, 6, b"\x02" * 6) + ip
    family = 30 if ip[0] >> 4 == 6 else 2  # AF_INET6 of one BSD, AF_INET
    return struct.pack("!I", family) + ip if link == LOOP else ip


def pcap(frames: Iterable[bytes], link: int = ETHERNET, order: str = "<", magic: int = 0xA1B2C3D4) -> bytes:
    head = struct.pack(f"{order}IHHiIII", magic, 2, 4, 0, 0, 262144, link)
    return head + b"".join(struct.pack(f"{order}IIII", 1, 2, len(f), len(f)) + f for f in frames)


def block(kind: int, body: bytes, order: str = "<") -> bytes:
    body += b"\0" * (-len(body) % 4)
    length = struct.pack(f"{order}I", 12 + len(body))
    return struct.pack(f"{order}I", kind) + length + body + length


def section(order: str = "<") -> bytes:
    return block(0x0A0D0D0A, struct.pack(f"{order}IHHq", 0x1A2B3C4D, 1, 0, -1), order)


def interface(link: int, order: str = "<") -> bytes:
    return block(1, struct.pack(f"{order}HHI", link, 0, 0), order)


def enhanced(number: int, frame: bytes, order: str = "<") -> bytes:
    return block(6, struct.pack(f"{order}IIIII", number, 0, 0, len(frame), len(frame)) + frame, order)


def pcapng(frames: Iterable[bytes], link: int = ETHERNET, order: str = "<") -> bytes:
    return section(order) + interface(link, order) + b"".join(enhanced(0, f, order) for f in frames)


def written(folder: Path, data: bytes, name: str = "capture.pcap") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path
