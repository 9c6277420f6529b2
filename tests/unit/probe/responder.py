"""A DHCP server of a few lines on a socket of its own: it keeps what it was sent and answers as it is told.

It reads and writes with the oracle, which shares nothing with the load generator's own codec.
"""

import socket
import struct
import threading
from collections.abc import Callable, Iterable
from ipaddress import IPv4Address
from types import TracebackType
from typing import Self

from oracle.message4 import Message, build, parse

SERVER_ID = IPv4Address("127.0.0.1")
UDP_SEGMENT = 103  # linux/udp.h
Answer = Callable[[Message], Iterable[bytes]]


class Responder:
    """Answers each well-formed message with the datagrams that `answer` gives for it."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.datagrams: list[bytes] = []
        self.messages: list[Message] = []
        self.sources: list[tuple[str, int]] = []
        self.stopping = False
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        self.socket.bind(("127.0.0.1", 0))
        self.socket.settimeout(0.02)
        self.thread = threading.Thread(target=self.serve, daemon=True)

    def __enter__(self) -> Self:
        self.thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stopping = True
        self.thread.join()
        self.socket.close()

    @property
    def address(self) -> tuple[str, int]:
        return "127.0.0.1", self.socket.getsockname()[1]

    def serve(self) -> None:
        while not self.stopping:
            try:
                datagram, sender = self.socket.recvfrom(65535)
            except TimeoutError:
                continue
            self.datagrams.append(datagram)
            message = parse(datagram)
            if isinstance(message, Message):
                self.messages.append(message)
                self.sources.append(sender)
                for reply in self.answer(message):
                    self.socket.sendto(reply, sender)


class Gatherer(Responder):
    """Sends what it has to say to a sender as one message, as soon as nothing more comes; the kernel cuts it."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer)
        self.gathered: list[int] = []  # replies of one length in each message

    def serve(self) -> None:
        replies: list[bytes] = []
        sender = None
        while not self.stopping:
            try:
                datagram, sender = self.socket.recvfrom(65535)
            except TimeoutError:
                self.send(replies, sender)
                replies = []
                continue
            message = parse(datagram)
            if isinstance(message, Message):
                replies += self.answer(message)

    def send(self, replies: list[bytes], to: tuple[str, int] | None) -> None:
        if replies:
            (length,) = {len(reply) for reply in replies}
            cut = [(socket.IPPROTO_UDP, UDP_SEGMENT, struct.pack("H", length))]
            self.socket.sendmsg([b"".join(replies)], cut, 0, to)
            self.gathered.append(len(replies))


def reply(
    request: Message, kind: int, *, yiaddr: str, xid: int | None = None, mac: bytes | None = None
) -> bytes:
    """A server's message to the client of `request`, or to another."""
    options = [(53, bytes([kind])), (54, SERVER_ID.packed), (51, (600).to_bytes(4, "big"))]
    return build(
        options,
        op=2,
        xid=request.xid if xid is None else xid,
        yiaddr=yiaddr,
        giaddr=request.giaddr,
        chaddr=request.chaddr[:6] if mac is None else mac,
    )


def address_for(request: Message) -> str:
    """One address a client, by the last two octets of its MAC."""
    return f"10.64.{request.chaddr[4]}.{request.chaddr[5]}"


def grant(request: Message) -> Iterable[bytes]:
    """OFFER to DISCOVER, ACK to REQUEST, nothing to the rest."""
    kind = {1: 2, 3: 5}.get(request.options[53][0])
    return [reply(request, kind, yiaddr=address_for(request))] if kind else []


def silent(_: Message) -> Iterable[bytes]:
    return []
