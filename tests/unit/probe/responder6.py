"""A DHCPv6 server of a few lines on a socket of its own, behind relays; see responder.py. It speaks by the oracle."""

import socket
from collections.abc import Callable, Iterable
from ipaddress import IPv6Address

from oracle.message6 import ADVERTISE, RELAY_REPL, REPLY, SOLICIT, Message, build, enclose, parse
from oracle.options6 import (
    CLIENT_ID,
    IA_NA,
    SERVER_ID,
    STATUS_CODE,
    IdentityAssociation,
    Lease,
    Status,
    encode_ia,
    encode_status,
)
from unit.probe.responder import Responder

SERVER = bytes.fromhex("0003000102000000ffff")
NAMESERVERS = 23, IPv6Address("2001:db8::53").packed
NO_ADDRESSES = Status(2, "all are taken")
Answer6 = Callable[[Message], Iterable[bytes]]


class Responder6(Responder):
    """Answers each message that a relay forwards; it listens on ::1."""

    def __init__(self, answer: Answer6) -> None:
        super().__init__(lambda _: [])
        self.socket.close()
        self.answer6 = answer
        self.forwarded: list[Message] = []
        self.socket = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
        self.socket.bind(("::1", 0))
        self.socket.settimeout(0.02)

    @property
    def address(self) -> tuple[str, int]:
        return "::1", self.socket.getsockname()[1]

    def serve(self) -> None:
        while not self.stopping:
            try:
                datagram, sender = self.socket.recvfrom(65535)
            except TimeoutError:
                continue
            message = parse(datagram, server=SERVER)
            if isinstance(message, Message):
                self.forwarded.append(message)
                for answer in self.answer6(message):
                    self.socket.sendto(answer, sender)


def reply6(request: Message, associations: Iterable[IdentityAssociation]) -> bytes:
    """A server's message to the client of `request`, through its relay."""
    kind = ADVERTISE if request.message_type == SOLICIT else REPLY
    options = [(CLIENT_ID, request.client_id or b""), (SERVER_ID, SERVER), NAMESERVERS]
    options += [(ia.code, encode_ia(ia)) for ia in associations]
    return enclose(build(kind, request.transaction_id, options), request.envelopes[0], RELAY_REPL)


def grant6(request: Message) -> Iterable[bytes]:
    """Each association gets one lease of an hour."""
    yield reply6(request, [given(ia) for ia in request.associations])


def given(ia: IdentityAssociation) -> IdentityAssociation:
    lease = Lease(IPv6Address("2001:db8::7"), 128, 1800, 3600)
    if ia.code != IA_NA:
        lease = Lease(IPv6Address("2001:db8:f00::"), 56, 1800, 3600)
    return IdentityAssociation(ia.code, ia.iaid, 900, 1440, (lease,), ())


def refuse6(request: Message) -> Iterable[bytes]:
    status = ((STATUS_CODE, encode_status(NO_ADDRESSES)),)
    yield reply6(
        request, [IdentityAssociation(ia.code, ia.iaid, 0, 0, (), status) for ia in request.associations]
    )


def silent6(_: Message) -> Iterable[bytes]:
    return []
