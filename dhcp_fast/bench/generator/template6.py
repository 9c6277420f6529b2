"""The DHCPv6 storm's packets, built once in Python and then only patched in C; see template.py.

All are of one length: the vendor class pads the shorter ones. Each comes through a relay, which
asks for its own port (RFC 8357) and names the link.
"""

from ipaddress import IPv6Address, IPv6Network

import msgspec

from dhcp_fast.bench.generator.template import SIZE
from dhcp_fast.packets import message6
from dhcp_fast.packets.message6 import MessageType, Option

MAC = bytes(6)
IAID = 1
ENTERPRISE = 8888
PEER = IPv6Address("fe80::")  # with the client's MAC behind it


class Template6(msgspec.Struct, frozen=True):
    """A datagram and where to patch it; an offset of 0 means that the packet has no such option.

    `address` and `prefix` are the offsets of the octets that differ from lease to lease: the last four of an address,
    of a prefix the second four.
    """

    packet: bytes
    xid: int
    mac: int
    elapsed: int
    address: int
    prefix: int


class Features6(msgspec.Struct, frozen=True):
    """Features that the storm's clients send.

    `pool` and `delegated` contain the octets that all leases have in common; without `delegated` no
    prefix is requested.
    """

    server_id: bytes
    link: IPv6Address
    pool: IPv6Address
    delegated: IPv6Network | None = None
    delegated_length: int = 64


def solicit(features: Features6) -> Template6:
    return made(MessageType.SOLICIT, features, named=False)


def request(features: Features6) -> Template6:
    return made(MessageType.REQUEST, features, named=True)


def renew(features: Features6) -> Template6:
    return made(MessageType.RENEW, features, named=True)


def release(features: Features6) -> Template6:
    return made(MessageType.RELEASE, features, named=True)


def made(kind: MessageType, features: Features6, *, named: bool) -> Template6:
    """Return the template. `named`: to one server, with the leases that it gave."""
    options = [(message6.CLIENT_ID, message6.duid_ll(MAC))]
    if named:
        options.append((message6.SERVER_ID, features.server_id))
    options += associations(features, named=named)
    options += [message6.elapsed(0), message6.asking(message6.ASKED)]
    bare = enclosed(kind, features, [*options, message6.vendor_class(ENTERPRISE, b"")])
    filled = message6.vendor_class(ENTERPRISE, b"x" * (SIZE - len(bare)))
    packet = enclosed(kind, features, [*options, filled])
    at = packet.index(message6.message(kind, 0, options))
    return Template6(
        packet=packet,
        xid=at + 1,
        mac=value_at(options, message6.CLIENT_ID, at) + 4,
        elapsed=value_at(options, message6.ELAPSED, at),
        address=value_at(options, message6.IA_NA, at) + 12 + 4 + 12 if named else 0,
        prefix=value_at(options, message6.IA_PD, at) + 12 + 4 + 9 + 4 if named and features.delegated else 0,
    )


def associations(features: Features6, *, named: bool) -> list[Option]:
    leases = [message6.address(features.pool)] if named else []
    found = [message6.association(message6.IA_NA, IAID, leases)]
    if features.delegated is not None:
        first = IPv6Network((features.delegated.network_address, features.delegated_length))
        found.append(message6.association(message6.IA_PD, IAID, [message6.prefix(first)] if named else []))
    return found


def enclosed(kind: MessageType, features: Features6, options: list[Option]) -> bytes:
    relay = [(message6.INTERFACE_ID, b"bench/01"), message6.relay_port()]
    message = message6.message(kind, 0, options)
    return message6.relay_forward(message, link=features.link, peer=PEER, options=relay)


def value_at(options: list[Option], wanted: int, at: int) -> int:
    """Return where the value of an option begins in a message that begins at `at`; 0 when it is absent."""
    at += 4
    for code, data in options:
        if code == wanted:
            return at + 4
        at += 4 + len(data)
    return 0
