"""A packet from a relay that the demonstration plan does not trust.

The DHCP server drops it and reports the relay, so that the list of unknown relays has an entry.
"""

import contextlib
import socket
import struct
from ipaddress import IPv4Address

from ipam_core.settings import Settings

RELAY = IPv4Address("192.0.2.1")  # TEST-NET-1 (RFC 5737)
CLIENT = bytes.fromhex("020000000002")
HEAD = struct.Struct("!4B I 2H 4s 4s 4s 4s 16s 192x 4s")  # RFC 2131 section 2
DISCOVER = bytes([53, 1, 1, 255])


def send(chosen: Settings) -> None:
    """Send a relayed DHCPDISCOVER to the first loopback address on which DHCPv4 is served."""
    server = next((at for at in chosen.dhcp4_listen if at.host in ("127.0.0.1", "0.0.0.0")), None)  # noqa: S104
    if server is None:
        return
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(discover(), ("127.0.0.1", server.port))


def discover() -> bytes:
    none = bytes(4)
    hardware = CLIENT.ljust(16, b"\0")
    head = HEAD.pack(1, 1, 6, 1, 1, 0, 0, none, none, none, RELAY.packed, hardware, b"\x63\x82\x53\x63")
    return head + DISCOVER
