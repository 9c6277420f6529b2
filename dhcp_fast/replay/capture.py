"""Capture files, read as they are written: pcap in all four byte and time orders, and pcapng of several interfaces.

Formats: draft-ietf-opsawg-pcap and draft-ietf-opsawg-pcapng. A damaged file is an error that names
it and the packet: a client that the rehearsal silently left out might fail at the cutover. (The
small library for this accepts a file that ends within a packet as complete, and every interface of
a pcapng as the first one.)
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple

from ipam_core.errors import IpamError

PCAP = {
    b"\xd4\xc3\xb2\xa1": "<",
    b"\xa1\xb2\xc3\xd4": ">",
    b"\x4d\x3c\xb2\xa1": "<",  # nanoseconds
    b"\xa1\xb2\x3c\x4d": ">",
}
PCAPNG = b"\x0a\x0d\x0d\x0a"
ORDERS = {b"\x4d\x3c\x2b\x1a": "<", b"\x1a\x2b\x3c\x4d": ">"}
COMPRESSED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\xfd7zX")
SECTION, INTERFACE, OLD_PACKET, SIMPLE_PACKET, PACKET = 0x0A0D0D0A, 1, 2, 3, 6
LONGEST = 1 << 18  # the largest snap length that capture programs use
LONGEST_BLOCK = 1 << 24


@dataclass(eq=False)
class CaptureError(IpamError):
    """{path}, packet {number}: {reason}"""

    path: str
    number: int
    reason: str


class Packet(NamedTuple):
    """`number` counts from 1, as packet analysers do. `whole`: it was not cut at the snap length."""

    number: int
    link: int
    data: bytes
    whole: bool


class Capture:
    """A capture file; iterate once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.number = 0

    def __iter__(self) -> Iterator[Packet]:
        try:
            with self.path.open("rb") as file:
                yield from self.read(file)
        except OSError as error:
            raise self.error(f"cannot be read: {error.strerror}") from None

    def read(self, file: BinaryIO) -> Iterator[Packet]:
        magic = file.read(4)
        if magic in PCAP:
            return self.read_pcap(file, PCAP[magic])
        if magic == PCAPNG:
            return self.read_pcapng(file)
        if magic.startswith(COMPRESSED):
            raise self.error("the file is compressed; unpack it first")
        raise self.error("the file is neither pcap nor pcapng")

    def error(self, reason: str) -> CaptureError:
        return CaptureError(str(self.path), self.number, reason)

    def take(self, file: BinaryIO, length: int) -> bytes:
        data = file.read(length)
        if len(data) < length:
            raise self.error("the file ends inside it")
        return data

    # --- pcap

    def read_pcap(self, file: BinaryIO, order: str) -> Iterator[Packet]:
        (link,) = struct.unpack(f"{order}16xI", self.take(file, 20))
        header = struct.Struct(f"{order}8xII")
        while head := file.read(16):
            self.number += 1
            if len(head) < 16:
                raise self.error("the file ends within its header")
            length, original = header.unpack(head)
            yield self.packet(link & 0xFFFF, file, length, original)

    def packet(self, link: int, file: BinaryIO, length: int, original: int) -> Packet:
        if length > LONGEST:
            raise self.error(f"claims to have {length} octets: the file is damaged before it")
        return Packet(self.number, link, self.take(file, length), length >= original)

    # --- pcapng

    def read_pcapng(self, file: BinaryIO) -> Iterator[Packet]:
        file.seek(0)
        order = "<"
        links: list[int] = []
        while head := file.read(8):
            if len(head) < 8:
                raise self.error("the file ends within a block after it")
            (kind,) = struct.unpack(f"{order}I", head[:4])
            if kind == SECTION:
                order, links = self.section_order(file), []
            body = self.block(file, order, head)
            if kind == INTERFACE:
                links.append(self.unpack(f"{order}H", body)[0])
            elif kind in (PACKET, OLD_PACKET, SIMPLE_PACKET):
                self.number += 1
                yield self.packet_of_block(kind, order, links, body)

    def section_order(self, file: BinaryIO) -> str:
        """Return the byte order, which is behind the length of the block that is written in it."""
        magic = self.take(file, 4)
        file.seek(-4, 1)
        if magic not in ORDERS:
            raise self.error("a section after it has no byte order")
        return ORDERS[magic]

    def block(self, file: BinaryIO, order: str, head: bytes) -> bytes:
        (length,) = struct.unpack(f"{order}4xI", head)
        if length < 12 or length % 4 or length > LONGEST_BLOCK:
            raise self.error(f"a block after it claims to have {length} octets: the file is damaged")
        body = file.read(length - 8)
        if len(body) < length - 8:
            raise self.error("the file ends within a block after it")
        return body[:-4]

    def unpack(self, form: str, body: bytes) -> tuple[int, ...]:
        if len(body) < struct.calcsize(form):
            raise self.error("a block at it is too short")
        return struct.unpack_from(form, body)

    def packet_of_block(self, kind: int, order: str, links: list[int], body: bytes) -> Packet:
        interface, at = 0, 4
        if kind == SIMPLE_PACKET:
            (original,) = self.unpack(f"{order}I", body)
            length = min(original, len(body) - at)
        else:
            form, at = (f"{order}I8xII", 20) if kind == PACKET else (f"{order}H2x8xII", 20)
            interface, length, original = self.unpack(form, body)
        if interface >= len(links):
            raise self.error(f"it is of interface {interface}, which the file does not describe")
        if length > len(body) - at:
            raise self.error("is longer than its block")
        return Packet(self.number, links[interface], body[at : at + length], length >= original)
