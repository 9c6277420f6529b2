"""Reader of the kernel's interfaces and addresses, requested and announced over rtnetlink (rtnetlink(7)).

An answer is read whole. The kernel answers when it has its lock for interfaces, which all network
namespaces share: a request may wait while others are made and deleted. Announcements only show that
something has changed. Their content is not used, because some may be lost (ENOBUFS): the reader
requests the state again.
"""

import errno
import os
import socket
import struct
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

NEW_LINK, GET_LINK = 16, 18
NEW_ADDRESS, GET_ADDRESS = 20, 22
NEW_CONFIGURATION, GET_CONFIGURATION = 80, 82
ERROR, DONE = 2, 3
REQUEST_DUMP = 0x301  # NLM_F_REQUEST | NLM_F_DUMP
INTERRUPTED = 0x10  # NLM_F_DUMP_INTR: the objects changed during the dump
GROUPS = 1 | 1 << 4 | 1 << 8 | 1 << 23  # links, IPv4 and IPv6 addresses, IPv4 configuration
EXTENSIONS, WITHOUT_STATISTICS = 29, 1 << 3  # IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS
STRICT_CHECK = 12  # NETLINK_GET_STRICT_CHK
SOL_NETLINK = 270
HEADER = struct.Struct("=IHHII")  # length, type, flags, sequence number, port
ATTRIBUTE = struct.Struct("=HH")  # length, type
TYPE_BITS = 0x3FFF  # the others are flags
RECEIVED = 1 << 18
ATTEMPTS = 3  # to read a list that nobody changes meanwhile

Attributes = list[tuple[int, bytes]]


class Message(NamedTuple):
    """Its fixed part, and what follows that."""

    kind: int
    head: bytes
    attributes: Attributes


def subscribe() -> socket.socket:
    """Return a socket that becomes readable when an interface, an address or rp_filter changes; see `drain`."""
    sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_NONBLOCK, socket.NETLINK_ROUTE)
    sock.bind((0, GROUPS))
    return sock


def drain(sock: socket.socket) -> None:
    """Forget what was announced so far. Lost announcements are changes like any other."""
    while True:
        try:
            sock.recv(RECEIVED)
        except BlockingIOError:
            return
        except OSError as error:
            if error.errno != errno.ENOBUFS:
                raise


def dump(kind: int, answer: int, head: bytes, attributes: bytes = b"") -> list[Message]:
    """Return all objects of a kind; `head` is the fixed part of the request, as long as that of the answers.

    If the objects change during every attempt, the last result is returned: the changes are
    announced, so a new request follows soon. Raises OSError.
    """
    for _ in range(ATTEMPTS):
        with suppress(InterruptedError):
            return list(asked(kind, answer, head, attributes, steady=True))
    return list(asked(kind, answer, head, attributes, steady=False))


def asked(kind: int, answer: int, head: bytes, attributes: bytes, *, steady: bool) -> Iterator[Message]:
    """Raise InterruptedError where the list is to be `steady` and changed while it was read."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as sock:
        question = head + attributes
        sock.send(HEADER.pack(HEADER.size + len(question), kind, REQUEST_DUMP, 1, 0) + question)
        while True:
            for found, flags, body in messages(sock.recv(RECEIVED)):
                if steady and flags & INTERRUPTED:
                    raise InterruptedError
                if found == DONE:
                    return
                if found == ERROR:
                    number = -int.from_bytes(body[:4], "little", signed=True)
                    raise OSError(number, os.strerror(number))
                if found == answer:
                    yield Message(found, body[: len(head)], read_attributes(body[len(head) :]))


def messages(data: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Yield type, flags and body of each message."""
    at = 0
    while at + HEADER.size <= len(data):
        length, kind, flags, _, _ = HEADER.unpack_from(data, at)
        yield kind, flags, data[at + HEADER.size : at + length]
        at += aligned(max(length, HEADER.size))


def read_attributes(data: bytes) -> Attributes:
    """Read attributes, also those that another one contains."""
    found, at = [], 0
    while at + ATTRIBUTE.size <= len(data):
        length, kind = ATTRIBUTE.unpack_from(data, at)
        if length < ATTRIBUTE.size:
            break
        found.append((kind & TYPE_BITS, data[at + ATTRIBUTE.size : at + length]))
        at += aligned(length)
    return found


def attribute(kind: int, value: bytes) -> bytes:
    return ATTRIBUTE.pack(ATTRIBUTE.size + len(value), kind) + value


def aligned(length: int) -> int:
    return (length + 3) & ~3
