"""The storm's packets, built once in Python and then only patched in C.

A template is a whole datagram plus the offsets of what differs from client to client. All templates
of a storm have one length: the kernel's segmentation offload requires it, and a batch is one flat
buffer. The client is a realistic one: it asks for thirteen options, names itself, its vendor and
its size limit.
"""

from ipaddress import IPv4Address
from typing import Final

import msgspec

from dhcp_fast.packets import message4
from dhcp_fast.packets.message4 import MessageType, Option

SIZE: Final = 336
HOST_NAME: Final = b"host-00000000"
NO_ADDRESS: Final = bytes(4)


class Template(msgspec.Struct, frozen=True):
    """A datagram and where to patch it; an offset of 0 means that the packet has no such option.

    `hostname` is the offset of eight hexadecimal digits, the others of six or four octets; `link` is that of link
    selection.
    """

    packet: bytes
    hostname: int
    client_id: int
    requested: int
    server_id: int
    link: int


class Links(msgspec.Struct, frozen=True):
    """`count` networks of prefix length `length`, one behind the other from `first` on.

    A client that has an address is in its network; the others are dealt out by their numbers.
    """

    first: IPv4Address
    length: int
    count: int


class Features(msgspec.Struct, frozen=True):
    """Optional features of the storm's clients; with `links` the relay names the network of each."""

    giaddr: IPv4Address = IPv4Address("127.0.0.1")
    circuit_id: bytes = b"bench/01"
    hostname: bool = True
    client_id: bool = False
    vendor_class: bytes = b"ipam-bench"
    links: Links | None = None


def discover(features: Features) -> Template:
    return _template(MessageType.DISCOVER, [], features)


def selecting(features: Features) -> Template:
    """Return a REQUEST that takes an offer: server identifier and requested address (RFC 2131 section 4.3.2)."""
    taken = [(message4.REQUESTED_ADDRESS, NO_ADDRESS), (message4.SERVER_ID, NO_ADDRESS)]
    return _template(MessageType.REQUEST, taken, features)


def renewing(features: Features) -> Template:
    """Return a REQUEST with `ciaddr` and neither of the two options."""
    return _template(MessageType.REQUEST, [], features)


def rebooting(features: Features) -> Template:
    """Return a REQUEST in INIT-REBOOT: the requested address and no server identifier (RFC 2131 section 4.3.2)."""
    return _template(MessageType.REQUEST, [(message4.REQUESTED_ADDRESS, NO_ADDRESS)], features)


def release(features: Features) -> Template:
    return _template(MessageType.RELEASE, [(message4.SERVER_ID, NO_ADDRESS)], features)


def _template(kind: MessageType, extra: list[Option], features: Features) -> Template:
    options = [(message4.MESSAGE_TYPE, bytes((kind,))), *extra, *_identity(features)]
    packet = message4.request(bytes(6), 0, options, giaddr=features.giaddr, size=SIZE)
    return Template(
        packet=packet,
        hostname=_offset(options, message4.HOST_NAME, len(b"host-")),
        client_id=_offset(options, message4.CLIENT_ID, 1),
        requested=_offset(options, message4.REQUESTED_ADDRESS, 0),
        server_id=_offset(options, message4.SERVER_ID, 0),
        link=_link_offset(options, features),
    )


def _identity(features: Features) -> list[Option]:
    options = [(message4.CLIENT_ID, b"\x01" + bytes(6))] if features.client_id else []
    options += [(message4.HOST_NAME, HOST_NAME)] if features.hostname else []
    return [
        *options,
        (message4.PARAMETER_LIST, message4.ASKED),
        (message4.MAX_SIZE, (1500).to_bytes(2, "big")),
        (message4.VENDOR_CLASS, features.vendor_class),
        message4.relay_agent(features.circuit_id, features.links.first if features.links else None),
    ]


def _link_offset(options: list[Option], features: Features) -> int:
    """Return the offset of the four octets at the end of option 82."""
    if features.links is None:
        return 0
    data = dict(options)[message4.RELAY_AGENT]
    return _offset(options, message4.RELAY_AGENT, len(data) - len(NO_ADDRESS))


def _offset(options: list[Option], wanted: int, skip: int) -> int:
    """Return where the value of option `wanted` begins, `skip` octets in; 0 when it is absent."""
    at = message4.HEADER.size
    for code, data in options:
        if code == wanted:
            return at + 2 + skip
        at += 2 + len(data)
    return 0
