"""Many stations on one wire, run inside a namespace: each gets a lease, and every reply that anybody gets is counted.

    python crowd.py INTERFACE FIRST COUNT {broadcast|unicast}

Station n has the hardware address 02:00:00:01:00:00 + n. Eight at a time send DISCOVER, then REQUEST, once each: a
server that answers twice, or not at all, shows. Prints a line a station: address, OFFERs, ACKs, NAKs, and how many of
them came to everybody. Standard library only.
"""

import socket
import struct
import sys
import time

from station import ETHERTYPE_IPV4, EVERYBODY, frame, reply_in

AT_ONCE = 8
PATIENCE = 10.0  # a loaded machine
LATE = 1.0  # for replies too many
BROADCAST_FLAG = 0x8000
DISCOVER, REQUEST, OFFER, ACK, NAK = 1, 3, 2, 5, 6


class Station:
    """One client; `counts` by message type."""

    def __init__(self, number: int, flags: int) -> None:
        self.mac = (0x020000010000 + number).to_bytes(6, "big")
        self.xid = struct.pack("!I", 0x5A000000 + number)
        self.flags = flags
        self.counts = dict.fromkeys((OFFER, ACK, NAK), 0)
        self.everybody = 0
        self.address = bytes(4)
        self.server = b""

    def message(self, kind: int) -> bytes:
        head = struct.pack("!BBBB4sHH", 1, 1, 6, 0, self.xid, 0, self.flags) + bytes(16)
        options = bytes([53, 1, kind])
        if kind == REQUEST:
            options += b"\x32\x04" + self.address + b"\x36\x04" + self.server
        return head + self.mac + bytes(10 + 192) + b"\x63\x82\x53\x63" + options + b"\xff".ljust(60, b"\0")

    def take(self, message: bytes, everybody: bool) -> None:
        found = options_of(message)
        kind = found[53][0]
        self.counts[kind] = self.counts.get(kind, 0) + 1
        self.everybody += everybody
        if kind == OFFER:
            self.address, self.server = message[16:20], found[54]


def options_of(message: bytes) -> dict[int, bytes]:
    found, at = {}, 240
    while message[at] != 255:
        if message[at]:
            found[message[at]] = message[at + 2 : at + 2 + message[at + 1]]
            at += 1 + message[at + 1]
        at += 1
    return found


def converse(wire: socket.socket, stations: list[Station], kind: int) -> None:
    """All send; until each has an answer, or patience ends."""
    for station in stations:
        wire.send(frame(station.mac, station.message(kind)))
    wanted = (OFFER,) if kind == DISCOVER else (ACK, NAK)
    listen(wire, stations, PATIENCE, lambda: all(any(s.counts[k] for k in wanted) for s in stations))


def listen(wire, stations, seconds, enough) -> None:  # type: ignore[no-untyped-def]
    deadline = time.monotonic() + seconds
    while not enough() and (left := deadline - time.monotonic()) > 0:
        wire.settimeout(left)
        try:
            data = wire.recv(2048)
        except TimeoutError:
            return
        for station in stations:
            message = reply_in(data, station.mac, station.xid)
            if message is not None:
                station.take(message, data[:6] == EVERYBODY)


def main() -> int:
    interface, first, count, way = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    flags = BROADCAST_FLAG if way == "broadcast" else 0
    crowd = [Station(first + n, flags) for n in range(count)]
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETHERTYPE_IPV4)) as wire:
        wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        wire.bind((interface, ETHERTYPE_IPV4))
        for at in range(0, count, AT_ONCE):
            some = crowd[at : at + AT_ONCE]
            converse(wire, some, DISCOVER)
            converse(wire, some, REQUEST)
        listen(wire, crowd, LATE, lambda: False)
    for station in crowd:
        print(socket.inet_ntoa(station.address), *station.counts.values(), station.everybody)
    return 0


if __name__ == "__main__":
    sys.exit(main())
