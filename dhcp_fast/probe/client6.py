"""A DHCPv6 client behind a relay, written to be read, for the probe and for tests.

Like client.py it is relay and client in one, on a port of its own, so it needs no privileges. The
relay sends the link-address `link`, by which the server chooses the subnet; answers are sent to its
source port (RFC 8357).

    with Client6(("::1", 5547), mac=mac) as client:
        offer = client.solicit()
        lease = client.request(offer.reply)
        lease = client.renew(lease.reply)
        client.release(lease.reply)
"""

import secrets
import socket
import time
from collections.abc import Iterable
from contextlib import suppress
from ipaddress import IPv6Address
from types import TracebackType
from typing import NamedTuple, Self

from dhcp_fast.packets import message6
from dhcp_fast.packets.message6 import ASSOCIATIONS, Message, MessageType, Option, Status
from dhcp_fast.probe.client import NoAnswer, Refused

IPV6_RECVERR = 25
IAID = 1
STATUS_NAMES = {status.value: status.name for status in Status}


class Step6(NamedTuple):
    """A reply and the seconds from the first sending to its arrival."""

    reply: Message
    seconds: float


class Client6:
    """A client with one DUID, by default made of its MAC; it requests an address, and a prefix if
    `delegation` is set. `asked` contains the codes of option 6, `agent` the options of the relay.

    Its relay sends from `link` if that is an address of this machine, else from the one with a
    route to the server: answers are sent to the packet's source.
    """

    asked: Iterable[int] = message6.ASKED
    agent: Iterable[Option] = ((message6.INTERFACE_ID, b"probe"),)

    def __init__(
        self,
        server: tuple[str, int],
        *,
        mac: bytes,
        duid: bytes | None = None,
        link: IPv6Address | None = None,
        delegation: bool = False,
        options: Iterable[Option] = (),
        timeout: float = 1.0,
        tries: int = 3,
    ) -> None:
        self.server = server
        self.mac = mac
        self.duid = duid or message6.duid_ll(mac)
        self.kinds = kinds_of(delegation)
        self.extra = list(options)
        self.timeout = timeout
        self.tries = tries
        self.socket = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
        # "Port unreachable" then shows as an error, although the answer may come from any address.
        self.socket.setsockopt(socket.IPPROTO_IPV6, IPV6_RECVERR, 1)
        bind_link(self.socket, link)
        self.socket.connect(server)
        self.source = IPv6Address(self.socket.getsockname()[0].partition("%")[0])
        self.link = link or self.source

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.socket.close()

    def solicit(self) -> Step6:
        """Return the first ADVERTISE; Refused where it has nothing to give."""
        wanted = [message6.association(kind, IAID) for kind in self.kinds]
        return self.granted(self.exchange(MessageType.SOLICIT, wanted))

    def request(self, offer: Message) -> Step6:
        return self.granted(self.exchange(MessageType.REQUEST, chosen(offer)))

    def renew(self, lease: Message) -> Step6:
        return self.granted(self.exchange(MessageType.RENEW, chosen(lease)))

    def release(self, lease: Message) -> Step6:
        return self.exchange(MessageType.RELEASE, chosen(lease))

    def granted(self, step: Step6) -> Step6:
        """Raise Refused where no association has a lease, by the status that the server gives."""
        found = step.reply.associations
        if any(lease.valid for association in found for lease in association.leases):
            return step
        code, text = next((ia.status for ia in found if ia.status[0]), step.reply.status)
        raise Refused("any lease", text or STATUS_NAMES.get(code, str(code)))

    def exchange(self, kind: MessageType, options: Iterable[Option]) -> Step6:
        xid = secrets.randbits(24)
        began = time.perf_counter()
        unreachable = False
        for _ in range(self.tries):
            try:
                self.send(self.message(kind, xid, options, time.perf_counter() - began))
                if reply := self.receive(xid):
                    return Step6(reply, time.perf_counter() - began)
            except ConnectionRefusedError:
                unreachable = True
                time.sleep(0.1)
        raise NoAnswer(kind.name, self.asked_whom(), unreachable)

    def asked_whom(self) -> str:
        return f"[{self.server[0]}]:{self.server[1]}"

    def message(self, kind: MessageType, xid: int, options: Iterable[Option], tried: float) -> bytes:
        said = [
            (message6.CLIENT_ID, self.duid),
            *options,
            message6.elapsed(int(tried * 100)),
            message6.asking(self.asked),
            *self.extra,
        ]
        return self.wrapped(message6.message(kind, xid, said))

    def wrapped(self, message: bytes) -> bytes:
        said = [*self.agent, message6.relay_port()]
        return message6.relay_forward(message, link=self.link, peer=link_local(self.mac), options=said)

    def send(self, packet: bytes) -> None:
        self.socket.send(packet)

    def receive(self, xid: int) -> Message | None:
        """Return the answer to `xid`; others' datagrams are passed over. None when the time is up."""
        deadline = time.monotonic() + self.timeout
        while (left := deadline - time.monotonic()) > 0:
            self.socket.settimeout(left)
            try:
                _, reply = message6.opened(message6.read(self.socket.recv(65535)))
            except TimeoutError:
                return None
            if reply and reply.xid == xid and reply.value(message6.CLIENT_ID) == self.duid:
                return reply
        return None


def kinds_of(delegation: bool) -> tuple[int, ...]:
    return (message6.IA_NA, message6.IA_PD) if delegation else (message6.IA_NA,)


def bind_link(opened: socket.socket, link: IPv6Address | None) -> None:
    """Bind to a free port of it; another machine's is said, and need not be ours."""
    if link is not None:
        with suppress(OSError):
            opened.bind((str(link), 0))


def chosen(reply: Message) -> list[Option]:
    """Return the server that spoke, and the associations with what it gave."""
    server = [(code, data) for code, data in reply.options if code == message6.SERVER_ID]
    return [*server, *((code, data) for code, data in reply.options if code in ASSOCIATIONS)]


def link_local(mac: bytes) -> IPv6Address:
    """Return what a client with this MAC calls itself on its link (RFC 4291 appendix A)."""
    return IPv6Address(b"\xfe\x80" + bytes(6) + bytes([mac[0] ^ 2]) + mac[1:3] + b"\xff\xfe" + mac[3:])
