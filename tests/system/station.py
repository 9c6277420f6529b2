"""A station on layer 2, run inside a client's namespace: it sends one DHCP packet and prints what comes back.

    python station.py INTERFACE MAC PACKET-IN-HEX [SECONDS]

As firmware does it: no address yet, source 0.0.0.0:68, broadcast; the reply is taken from the wire, whether it came by
broadcast or by a frame to the station's own hardware address (RFC 2131 section 4.1). Standard library only.
"""

import socket
import struct
import sys
import time

ETHERTYPE_IPV4 = 0x0800
UDP = 17
CLIENT, SERVER = 68, 67
SECONDS = 8.0
AGAIN_SECONDS = 2.0
EVERYBODY = b"\xff" * 6


def checksum(data: bytes) -> int:
    """RFC 1071."""
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def frame(mac: bytes, payload: bytes) -> bytes:
    udp = struct.pack("!4H", CLIENT, SERVER, 8 + len(payload), 0) + payload
    head = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(udp), 0, 0, 64, UDP, 0) + bytes(4) + b"\xff" * 4
    head = head[:10] + struct.pack("!H", checksum(head)) + head[12:]
    return EVERYBODY + mac + struct.pack("!H", ETHERTYPE_IPV4) + head + udp


def reply_in(data: bytes, mac: bytes, xid: bytes) -> bytes | None:
    """The DHCP message, if the frame is one for us."""
    if data[:6] not in (EVERYBODY, mac) or data[23] != UDP:
        return None
    udp = 14 + (data[14] & 0x0F) * 4
    if struct.unpack("!H", data[udp + 2 : udp + 4])[0] != CLIENT:
        return None
    message = data[udp + 8 : udp + struct.unpack("!H", data[udp + 4 : udp + 6])[0]]
    return message if message[0] == 2 and message[4:8] == xid else None


def ask(interface: str, mac: bytes, payload: bytes, seconds: float = SECONDS) -> tuple[bytes, bool] | None:
    """The reply, and whether it came to everybody; the question is repeated as clients do."""
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETHERTYPE_IPV4)) as wire:
        wire.bind((interface, ETHERTYPE_IPV4))
        deadline, again = time.monotonic() + seconds, 0.0
        while (now := time.monotonic()) < deadline:
            if now >= again:
                wire.send(frame(mac, payload))
                again = now + AGAIN_SECONDS
            wire.settimeout(max(0.05, min(again, deadline) - now))
            try:
                data = wire.recv(2048)
            except TimeoutError:
                continue
            message = reply_in(data, mac, payload[4:8])
            if message is not None:
                return message, data[:6] == EVERYBODY
    return None


def main() -> int:
    interface, mac, packet = sys.argv[1], bytes.fromhex(sys.argv[2]), bytes.fromhex(sys.argv[3])
    found = ask(interface, mac, packet, float(sys.argv[4]) if len(sys.argv) > 4 else SECONDS)
    if found is None:
        return 1
    message, broadcast = found
    print("broadcast" if broadcast else "unicast", message.hex())
    return 0


if __name__ == "__main__":
    sys.exit(main())
