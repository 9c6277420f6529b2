"""A DHCPv4 client behind a relay, written to be read, for the probe and for tests.

It binds an ephemeral port and sends it in RFC 8357's sub-option, so it needs no privileges. Each
step is one call that returns the reply and how long it took:

    with Client(("127.0.0.1", 6767), mac=mac) as client:
        offer = client.discover()
        lease = client.select(offer.reply)
        lease = client.renew(lease.reply)
        client.release(lease.reply)

A message is sent again when `timeout` has passed without its answer, `tries` times in all; then NoAnswer is
raised, or Refused on NAK. A server answers to giaddr, so giaddr must be an address of this machine: it is what the
client binds, and ForeignRelay is raised where that cannot be.
"""

import errno
import secrets
import socket
import time
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address
from types import TracebackType
from typing import NamedTuple, Self

from dhcp_fast.packets import message4
from dhcp_fast.packets.message4 import MessageType, Option, Reply
from ipam_core.errors import IpamError

IP_RECVERR = 11


@dataclass(eq=False)
class NoAnswer(IpamError):
    """No answer to {step} from {server}"""

    step: str
    server: str
    unreachable: bool


@dataclass(eq=False)
class Refused(IpamError):
    """The server refused {address}: {reason}"""

    address: str
    reason: str


@dataclass(eq=False)
class ForeignRelay(IpamError):
    """{giaddr} is no address of this machine: a server answers to the relay address, and none of it would come back"""

    giaddr: str


class Step(NamedTuple):
    """A reply and the seconds from the first sending to its arrival."""

    reply: Reply
    seconds: float


class Client:
    """A client with one MAC; `giaddr` is the relay address it claims, its own address by default.

    `asked` contains the codes of option 55, `agent` the sub-options of the relay; None without a
    relay.
    """

    asked: bytes = message4.ASKED
    agent: Option | None = message4.relay_agent(b"probe")
    flags = 0

    def __init__(
        self,
        server: tuple[str, int],
        *,
        mac: bytes,
        giaddr: IPv4Address | None = None,
        options: Iterable[Option] = (),
        timeout: float = 1.0,
        tries: int = 3,
    ) -> None:
        self.server = server
        self.mac = mac
        self.timeout = timeout
        self.tries = tries
        self.extra = list(options)
        self.giaddr = giaddr or address_towards(server)
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        # "Port unreachable" then shows as an error, although the answer may come from any address.
        self.socket.setsockopt(socket.IPPROTO_IP, IP_RECVERR, 1)
        bind_relay(self.socket, self.giaddr)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.socket.close()

    def discover(self, *options: Option) -> Step:
        """Return the first OFFER."""
        return self._exchange(MessageType.DISCOVER, options, wanted={MessageType.OFFER})

    def select(self, offer: Reply) -> Step:
        """Take an offer: SELECTING of RFC 2131 section 4.3.2."""
        taken = [
            (message4.REQUESTED_ADDRESS, offer.yiaddr.packed),
            (message4.SERVER_ID, offer.address(message4.SERVER_ID).packed),
        ]
        return self._bind(offer.yiaddr, taken)

    def reboot(self, address: IPv4Address) -> Step:
        """Send an INIT-REBOOT: ask whether a remembered address still holds."""
        return self._bind(address, [(message4.REQUESTED_ADDRESS, address.packed)])

    def renew(self, lease: Reply) -> Step:
        """Send a RENEWING, through the relay."""
        return self._bind(lease.yiaddr, [], ciaddr=lease.yiaddr)

    def inform(self, address: IPv4Address) -> Step:
        return self._exchange(MessageType.INFORM, [], wanted={MessageType.ACK}, ciaddr=address)

    def release(self, lease: Reply) -> None:
        """Give the address back; nothing answers."""
        server_id = (message4.SERVER_ID, lease.address(message4.SERVER_ID).packed)
        self._send(self._message(MessageType.RELEASE, new_xid(), [server_id], ciaddr=lease.yiaddr))

    def decline(self, lease: Reply) -> None:
        """Report that another device uses the address; nothing answers."""
        said = [
            (message4.REQUESTED_ADDRESS, lease.yiaddr.packed),
            (message4.SERVER_ID, lease.address(message4.SERVER_ID).packed),
        ]
        self._send(self._message(MessageType.DECLINE, new_xid(), said))

    def _bind(
        self, address: IPv4Address, options: list[Option], ciaddr: IPv4Address = message4.NOWHERE
    ) -> Step:
        wanted = {MessageType.ACK, MessageType.NAK}
        step = self._exchange(MessageType.REQUEST, options, wanted=wanted, ciaddr=ciaddr)
        if step.reply.type == MessageType.NAK:
            reason = step.reply.options.get(message4.MESSAGE, b"no reason given").decode("utf-8", "replace")
            raise Refused(str(address), reason)
        return step

    def _exchange(
        self,
        kind: MessageType,
        options: Iterable[Option],
        *,
        wanted: set[MessageType],
        ciaddr: IPv4Address = message4.NOWHERE,
    ) -> Step:
        xid = new_xid()
        packet = self._message(kind, xid, options, ciaddr)
        began = time.perf_counter()
        unreachable = False
        for _ in range(self.tries):
            try:
                self._send(packet)
                if reply := self._receive(xid, wanted):
                    return Step(reply, time.perf_counter() - began)
            except ConnectionRefusedError:
                unreachable = True
                time.sleep(0.1)
        raise NoAnswer(kind.name, self.asked_whom(), unreachable)

    def asked_whom(self) -> str:
        return f"{self.server[0]}:{self.server[1]}"

    def _message(
        self,
        kind: MessageType,
        xid: int,
        options: Iterable[Option],
        ciaddr: IPv4Address = message4.NOWHERE,
    ) -> bytes:
        said = [
            (message4.MESSAGE_TYPE, bytes((kind,))),
            *options,
            (message4.PARAMETER_LIST, self.asked),
            *self.extra,
            *([self.agent] if self.agent else ()),
        ]
        return message4.request(
            self.mac, xid, said, ciaddr=ciaddr, giaddr=self.giaddr, flags=0 if int(ciaddr) else self.flags
        )

    def _send(self, packet: bytes) -> None:
        self.socket.sendto(packet, self.server)

    def _receive(self, xid: int, wanted: set[MessageType]) -> Reply | None:
        """Return the answer to `xid`; others' datagrams are passed over. None when the time is up."""
        deadline = time.monotonic() + self.timeout
        while (left := deadline - time.monotonic()) > 0:
            self.socket.settimeout(left)
            try:
                reply = message4.read_reply(self._datagram())
            except TimeoutError:
                return None
            if reply and reply.xid == xid and reply.mac == self.mac and reply.type in wanted:
                return reply
        return None

    def _datagram(self) -> bytes:
        return self.socket.recv(65535)


def bind_relay(opened: socket.socket, giaddr: IPv4Address) -> None:
    """Bind to a free port of it. Raises ForeignRelay, and closes the socket, when it is none of this machine's
    addresses."""
    try:
        opened.bind((str(giaddr), 0))
    except OSError as error:
        opened.close()
        if error.errno != errno.EADDRNOTAVAIL:
            raise
        raise ForeignRelay(str(giaddr)) from None


def new_xid() -> int:
    return secrets.randbits(32)


def address_towards(server: tuple[str, int]) -> IPv4Address:
    """Return our own address on the way to the server; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(server)
        return IPv4Address(probe.getsockname()[0])
