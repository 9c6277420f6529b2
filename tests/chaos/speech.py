"""What clients of either family have to say, and what they hear, in the same words: speech4.py and speech6.py."""

import socket
from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from chaos.crowd import Client, Crowd

OFFER, ACK, NAK = "offer", "ack", "nak"
Build = Callable[[int, float], bytes]
"""A message with this transaction id, by a client that has tried for so many seconds."""


class Given(NamedTuple):
    """`key`: whose it is, as the judge knows clients; `seconds`: how long it lasts."""

    key: bytes
    address: IPv4Address | IPv6Address
    seconds: int


class Heard(NamedTuple):
    """An answer: one of the words above, and the leases that it gives. `reply` is what the family's codec read."""

    xid: int
    word: str
    server: IPv4Address | IPv6Address
    gives: tuple[Given, ...]
    reply: Any


class Says(Protocol):
    """Messages of one client."""

    def discover(self) -> Build: ...
    def select(self, offer: Heard) -> Build: ...
    def renew(self, lease: Heard) -> Build: ...
    def rebind(self, lease: Heard) -> Build: ...
    def reboot(self, lease: Heard) -> Build: ...
    def decline(self, lease: Heard) -> Build: ...
    def release(self, lease: Heard) -> Build: ...


class Speech(Protocol):
    """A family."""

    def hear(self, data: bytes, source: Any) -> Heard | None: ...
    def says(self, client: "Client") -> Says: ...
    def to(self, lease: Heard, crowd: "Crowd") -> Callable[[bytes], None]:
        """How a RELEASE is sent."""

    def unicast(self, packet: bytes, lease: Heard, sock: socket.socket) -> None:
        """Send it as from the client to its server."""

    def nobody(self, mac: bytes) -> Heard:
        """What a client has heard that has not been answered."""
