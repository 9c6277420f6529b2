"""Probe of which of a few addresses answer a ping (RFC 792, RFC 4443 section 4.1), asked all at once, of either family.

For looks that happen now and then, beside the packets; the ping before an offer has a table of its own (icmp.pyx). It
needs CAP_NET_RAW. A reply counts if it comes from the address and brings the token that was sent to it.
"""

import asyncio
import errno
import os
import socket
import struct
from collections.abc import Sequence
from contextlib import ExitStack, closing, suppress
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import NamedTuple, TypeAlias

Address: TypeAlias = IPv4Address | IPv6Address

SECONDS = 1.0
LONGEST = 2048
TOKEN = 16
NO_ROOM = (errno.EAGAIN, errno.ENOBUFS)
HEADER = struct.Struct("!BBHHH")  # type, code, checksum, identifier, sequence
REQUEST = {4: 8, 6: 128}
REPLY = {4: 0, 6: 129}
FAMILY = {4: (socket.AF_INET, socket.IPPROTO_ICMP), 6: (socket.AF_INET6, socket.IPPROTO_ICMPV6)}


class Heard(NamedTuple):
    """`unasked`: addresses that cannot be pinged, for lack of a privilege or a route.

    Addresses in none of the fields were not pinged because the socket was full.
    """

    answered: set[Address]
    silent: set[Address]
    unasked: set[Address]


async def ask(
    addresses: Sequence[Address], seconds: float = SECONDS, opened: socket.socket | None = None
) -> Heard:
    """Return addresses of one family; by a raw socket that is opened already, or one of its own."""
    if not addresses:
        return Heard(set(), set(), set())
    with ExitStack() as stack:
        try:
            sock = opened or stack.enter_context(closing(raw_socket(addresses[0].version)))
        except OSError:
            return Heard(set(), set(), set(addresses))
        sock.setblocking(False)
        tokens = {address: os.urandom(TOKEN) for address in addresses}
        asked, unasked = send_to_all(sock, tokens)
        answered = await replies(sock, tokens, asked, seconds)
        return Heard(answered, asked - answered, unasked)


def send_to_all(sock: socket.socket, tokens: dict[Address, bytes]) -> tuple[set[Address], set[Address]]:
    """Send to all and return (asked, those that no request can be sent to)."""
    asked: set[Address] = set()
    unasked: set[Address] = set()
    for address, token in tokens.items():
        try:
            send(sock, address, token)
        except OSError as error:
            if error.errno not in NO_ROOM:
                unasked.add(address)
        else:
            asked.add(address)
    return asked, unasked


def raw_socket(version: int) -> socket.socket:
    """Raise PermissionError without CAP_NET_RAW."""
    family, protocol = FAMILY[version]
    return socket.socket(family, socket.SOCK_RAW, protocol)


async def replies(
    sock: socket.socket, tokens: dict[Address, bytes], asked: set[Address], seconds: float
) -> set[Address]:
    """Collect replies until all have answered or the time is over."""
    answered: set[Address] = set()
    loop, done = asyncio.get_running_loop(), asyncio.Event()

    def readable() -> None:
        with suppress(BlockingIOError):
            while True:
                data, peer = sock.recvfrom(LONGEST)
                answered.update(replied(data, ip_address(peer[0].partition("%")[0]), tokens))
                if len(answered) == len(asked):
                    done.set()

    loop.add_reader(sock.fileno(), readable)
    try:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds if asked else 0):
                await done.wait()
    finally:
        loop.remove_reader(sock.fileno())
    return answered


def send(sock: socket.socket, address: Address, token: bytes) -> None:
    """Send a request; the kernel fills in the checksum of ICMPv6."""
    head = HEADER.pack(REQUEST[address.version], 0, 0, 0, 1)
    checksum = internet_checksum(head + token) if address.version == 4 else 0
    message = HEADER.pack(REQUEST[address.version], 0, checksum, 0, 1) + token
    sock.sendto(message, (str(address), 0))


def replied(data: bytes, source: Address, tokens: dict[Address, bytes]) -> set[Address]:
    """Return the source, if the datagram is its reply; raw sockets of IPv4 show the IP header too."""
    message = data[(data[0] & 15) * 4 :] if source.version == 4 and data else data
    fits = len(message) == HEADER.size + TOKEN and message[0] == REPLY[source.version]
    return {source} if fits and message[HEADER.size :] == tokens.get(source) else set()


def internet_checksum(data: bytes) -> int:
    """Return the checksum (RFC 1071) of an even number of octets."""
    total: int = sum(struct.unpack(f"!{len(data) // 2}H", data))
    total = (total & 0xFFFF) + (total >> 16)
    return ~(total + (total >> 16)) & 0xFFFF
