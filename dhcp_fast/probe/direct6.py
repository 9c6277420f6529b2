"""The DHCPv6 client without a relay: by multicast to ff02::1:2 from its own port 546 (RFC 8415 section 7.2)."""

import socket
from collections.abc import Iterable

from dhcp_fast.packets import message6
from dhcp_fast.packets.message6 import Option
from dhcp_fast.probe.client6 import Client6, kinds_of

CLIENT, SERVER = 546, 547
SERVERS_AND_RELAYS = "ff02::1:2"


class DirectClient6(Client6):
    """A client on the wire of `interface`; OSError where the kernel lets it not be one (see interface.py)."""

    def __init__(
        self,
        interface: str,
        *,
        mac: bytes,
        duid: bytes | None = None,
        delegation: bool = False,
        options: Iterable[Option] = (),
        timeout: float = 1.0,
        tries: int = 3,
    ) -> None:
        self.interface = interface
        self.mac = mac
        self.duid = duid or message6.duid_ll(mac)
        self.kinds = kinds_of(delegation)
        self.extra = list(options)
        self.timeout = timeout
        self.tries = tries
        self.link = self.source = message6.NOWHERE
        self.index = socket.if_nametoindex(interface)
        self.socket = client_socket(interface)

    def asked_whom(self) -> str:
        return f"anybody on {self.interface}"

    def send(self, packet: bytes) -> None:
        self.socket.sendto(packet, (SERVERS_AND_RELAYS, SERVER, 0, self.index))

    def wrapped(self, message: bytes) -> bytes:
        return message


def client_socket(interface: str) -> socket.socket:
    made = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, interface.encode())
        made.bind(("::", CLIENT))
    except OSError:
        made.close()
        raise
    return made
