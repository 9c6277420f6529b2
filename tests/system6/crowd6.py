"""Many stations on one wire, run inside a namespace: each gets a lease, and every answer that it hears is counted.

    python crowd6.py INTERFACE COUNT

Station n has the link-local address fe80::1:n, which its interface gets first, and asks ff02::1:2 from there: SOLICIT,
then REQUEST, eight stations at a time and once each, so that a server that answers twice, or not at all, shows. Prints
a line a station: its address, ADVERTISEs, REPLYs.
"""

import select
import socket
import subprocess
import sys
import time
from ipaddress import IPv6Address

from dhcp_fast.packets import message6
from dhcp_fast.packets.message6 import MessageType, Option

AT_ONCE = 8
PATIENCE = 10.0  # a loaded machine
LATE = 1.0  # for answers too many
SERVERS, SERVER_PORT, CLIENT_PORT = "ff02::1:2", 547, 546
ANSWERS = (MessageType.ADVERTISE, MessageType.REPLY)


class Station:
    """One client; `counts` by message type."""

    def __init__(self, number: int, interface: str) -> None:
        self.duid = message6.duid_ll(b"\x02\x00\x00\x01" + number.to_bytes(2, "big"))
        self.counts = dict.fromkeys(ANSWERS, 0)
        self.lease: IPv6Address | None = None
        self.offered: list[Option] = []
        self.scope = socket.if_nametoindex(interface)
        self.socket = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
        self.socket.bind((f"fe80::1:{number:x}", CLIENT_PORT, 0, self.scope))

    def send(self, kind: MessageType) -> None:
        wanted = self.offered or [message6.association(message6.IA_NA, 1)]
        options = [(message6.CLIENT_ID, self.duid), *wanted, message6.elapsed(0)]
        message = message6.message(kind, kind, options)
        self.socket.sendto(message, (SERVERS, SERVER_PORT, 0, self.scope))

    def take(self) -> None:
        heard = message6.read(self.socket.recv(2048))
        assert isinstance(heard, message6.Message)
        assert heard.value(message6.CLIENT_ID) == self.duid
        self.counts[MessageType(heard.kind)] += 1
        self.lease = heard.associations[0].leases[0].address
        kept = (message6.SERVER_ID, message6.IA_NA)
        self.offered = [(code, data) for code, data in heard.options if code in kept]


def converse(stations: list[Station], kind: MessageType, answer: MessageType) -> None:
    """All send; until each has an answer, or patience ends."""
    for station in stations:
        station.send(kind)
    deadline = time.monotonic() + PATIENCE
    while not all(station.counts[answer] for station in stations) and time.monotonic() < deadline:
        listen(stations, 0.1)


def listen(stations: list[Station], seconds: float) -> None:
    by_socket = {station.socket: station for station in stations}
    for ready in select.select(list(by_socket), [], [], seconds)[0]:
        by_socket[ready].take()


def main() -> int:
    interface, count = sys.argv[1], int(sys.argv[2])
    for number in range(1, count + 1):
        address = ["ip", "address", "add", f"fe80::1:{number:x}/64", "dev", interface, "nodad"]
        subprocess.run(address, check=True)
    crowd = [Station(number, interface) for number in range(1, count + 1)]
    for at in range(0, count, AT_ONCE):
        some = crowd[at : at + AT_ONCE]
        converse(some, MessageType.SOLICIT, MessageType.ADVERTISE)
        converse(some, MessageType.REQUEST, MessageType.REPLY)
    deadline = time.monotonic() + LATE
    while time.monotonic() < deadline:
        listen(crowd, LATE / 10)
    for station in crowd:
        print(station.lease, *station.counts.values())
    return 0


if __name__ == "__main__":
    sys.exit(main())
