"""A VLAN interface in user space, for kernels without 802.1Q, run inside a namespace.

    python tagger.py TRUNK NAME VLAN

Makes the tap interface NAME and passes frames between it and the trunk, where they bear the VLAN's tag (IEEE 802.1Q:
0x8100, priority and number, behind the addresses). Standard library only. The interface vanishes with the process.
"""

import contextlib
import fcntl
import os
import select
import socket
import struct
import sys

TUNSETIFF, TAP, WITHOUT_HEAD = 0x400454CA, 0x0002, 0x1000  # linux/if_tun.h
EVERY, TAGGED = 0x0003, 0x8100  # ETH_P_ALL, ETH_P_8021Q
SOL_PACKET, AUXDATA, VALID = 263, 8, 1 << 4  # linux/if_packet.h
OUTGOING = 4
ADDRESSES = 12  # octets
FRAME = 65536
AUXILIARY = struct.Struct("=IIIHHHH")  # status, length, captured, where MAC and network begin, tag, its type


def main() -> None:
    trunk, name, vlan = sys.argv[1], sys.argv[2], int(sys.argv[3])
    tap = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(tap, TUNSETIFF, struct.pack("16sH", name.encode(), TAP | WITHOUT_HEAD))
    wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(EVERY))
    wire.bind((trunk, EVERY))
    wire.setsockopt(SOL_PACKET, AUXDATA, 1)
    while True:
        ready = select.select([tap, wire], [], [])[0]
        if tap in ready:
            frame = os.read(tap, FRAME)
            send(wire, frame[:ADDRESSES] + struct.pack("!HH", TAGGED, vlan) + frame[ADDRESSES:])
        if wire in ready and (untagged := take(wire, vlan)):
            os.write(tap, untagged)


def send(wire: socket.socket, frame: bytes) -> None:
    with contextlib.suppress(OSError):  # the trunk is down
        wire.send(frame)


def take(wire: socket.socket, vlan: int) -> bytes:
    """The next frame, without its tag, if it is one of the VLAN; the kernel gives the tag beside it."""
    try:
        frame, told, _, sender = wire.recvmsg(FRAME, socket.CMSG_SPACE(AUXILIARY.size))
    except OSError:
        return b""
    for _, kind, data in told:
        if kind == AUXDATA and sender[2] != OUTGOING:
            status, *_, tag, _ = AUXILIARY.unpack(data)
            if status & VALID and tag & 0x0FFF == vlan:
                return bytes(frame)
    return b""


if __name__ == "__main__":
    main()
