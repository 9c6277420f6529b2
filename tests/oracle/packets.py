"""Packets as sentences: `discover(mac).with_relay("10.0.0.1").asking(3, 6).circuit("eth1/3").bytes()`.

Every word returns a new Packet, so a test may keep a half-built one and go two ways from it. Options stand in
the order in which they were said, message type first, option 82 last (RFC 3046 section 2.1). Saying an
option twice replaces it where it stood; `also` adds a second instance.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, replace
from ipaddress import IPv4Address
from typing import Any

from oracle.message4 import BOOTP_SIZE, BROADCAST, build
from oracle.options4 import (
    CIRCUIT_ID,
    DECLINE,
    DISCOVER,
    INFORM,
    LINK_SELECTION,
    MESSAGE_TYPE,
    RELAY_AGENT,
    RELAY_PORT,
    RELEASE,
    REMOTE_ID,
    REQUEST,
    SERVER_ID_OVERRIDE,
    Pair,
    encode_suboptions,
)

Address = IPv4Address | str
Text = str | bytes
Octets = bytes  # inside Packet, `bytes` is its last word


@dataclass(frozen=True)
class Packet:
    """One message in the making: header fields that differ from zero, options, option 82's sub-options."""

    header: tuple[tuple[str, Any], ...]
    options: tuple[Pair, ...] = ()
    suboptions: tuple[Pair, ...] = ()
    ended: bool = True
    least: int = BOOTP_SIZE

    def bytes(self) -> bytes:
        relay = ((RELAY_AGENT, encode_suboptions(self.suboptions)),) if self.suboptions else ()
        return build(self.options + relay, ended=self.ended, least=self.least, **dict(self.header))

    def field(self, **fields: Any) -> Packet:
        return replace(self, header=tuple((dict(self.header) | fields).items()))

    def option(self, code: int, value: Text) -> Packet:
        value = octets(value)
        if code not in dict(self.options):
            return self.also(code, value)
        kept = tuple((c, value if c == code else v) for c, v in self.options)
        return replace(self, options=kept)

    def also(self, code: int, value: Text) -> Packet:
        return replace(self, options=(*self.options, (code, octets(value))))

    def without(self, code: int) -> Packet:
        return replace(self, options=tuple(pair for pair in self.options if pair[0] != code))

    def without_end(self) -> Packet:
        return replace(self, ended=False, least=0)

    def padded_to(self, size: int) -> Packet:
        return replace(self, least=size)

    # header words

    def xid(self, number: int) -> Packet:
        return self.field(xid=number)

    def secs(self, number: int) -> Packet:
        return self.field(secs=number)

    def hops(self, number: int) -> Packet:
        return self.field(hops=number)

    def broadcast(self) -> Packet:
        return self.field(flags=BROADCAST)

    # what the relay says

    def with_relay(self, giaddr: Address, hops: int = 1) -> Packet:
        return self.field(giaddr=IPv4Address(giaddr), hops=hops)

    def suboption(self, code: int, value: Text) -> Packet:
        return replace(self, suboptions=(*self.suboptions, (code, octets(value))))

    def circuit(self, name: Text) -> Packet:
        return self.suboption(CIRCUIT_ID, name)

    def remote(self, name: Text) -> Packet:
        return self.suboption(REMOTE_ID, name)

    def link_selection(self, subnet: Address) -> Packet:
        return self.suboption(LINK_SELECTION, IPv4Address(subnet).packed)

    def server_override(self, address: Address) -> Packet:
        return self.suboption(SERVER_ID_OVERRIDE, IPv4Address(address).packed)

    def relay_port(self) -> Packet:
        return self.suboption(RELAY_PORT, b"")

    # what the client says

    def hostname(self, name: Text) -> Packet:
        return self.option(12, name)

    def requesting(self, address: Address) -> Packet:
        return self.option(50, IPv4Address(address).packed)

    def lease_time(self, seconds: int) -> Packet:
        return self.option(51, struct.pack("!I", seconds))

    def server_id(self, address: Address) -> Packet:
        return self.option(54, IPv4Address(address).packed)

    def asking(self, *codes: int) -> Packet:
        return self.option(55, bytes(codes))

    def max_size(self, octets: int) -> Packet:
        return self.option(57, struct.pack("!H", octets))

    def vendor(self, name: Text) -> Packet:
        return self.option(60, name)

    def client_id(self, identifier: Text) -> Packet:
        """As octets, type octet included; text is sent as type 0 (RFC 2132 9.14)."""
        return self.option(61, b"\0" + identifier.encode() if isinstance(identifier, str) else identifier)

    def duid(self, iaid: int, duid: Octets) -> Packet:
        """RFC 4361 6.1: type 255, IAID, DUID."""
        return self.option(61, struct.pack("!BI", 255, iaid) + duid)

    def user_class(self, *names: Text) -> Packet:
        """RFC 3004 4: each instance behind its length."""
        return self.option(77, b"".join(bytes([len(name)]) + octets(name) for name in names))

    def rapid_commit(self) -> Packet:
        return self.option(80, b"")

    def fqdn(self, name: str, flags: int = 0) -> Packet:
        """RFC 4702 2.1, in the ASCII encoding that most clients still send unless flag E (4) is set."""
        return self.option(81, bytes([flags, 0, 0]) + name.encode())

    def architecture(self, *numbers: int) -> Packet:
        return self.option(93, struct.pack(f"!{len(numbers)}H", *numbers))

    def machine(self, uuid: Octets) -> Packet:
        return self.option(97, b"\0" + uuid)

    def selecting_subnet(self, subnet: Address) -> Packet:
        return self.option(118, IPv4Address(subnet).packed)


def octets(text: Text) -> bytes:
    return text.encode() if isinstance(text, str) else text


def hardware(mac: Text) -> bytes:
    return bytes.fromhex(mac.replace(":", "")) if isinstance(mac, str) else mac


def message(kind: int, mac: Text, **header: Any) -> Packet:
    """Any message type; the transaction id follows from the hardware address unless given."""
    return bootp(mac, **header).option(MESSAGE_TYPE, bytes([kind]))


def bootp(mac: Text, **header: Any) -> Packet:
    """RFC 951 / 1497: a cookie, but no message type."""
    address = hardware(mac)
    return Packet(
        tuple(({"chaddr": address, "hlen": len(address), "xid": zlib.crc32(address)} | header).items())
    )


def discover(mac: Text) -> Packet:
    return message(DISCOVER, mac)


def request_selecting(mac: Text, requested: Address, server_id: Address) -> Packet:
    return message(REQUEST, mac).requesting(requested).server_id(server_id)


def request_init_reboot(mac: Text, requested: Address) -> Packet:
    return message(REQUEST, mac).requesting(requested)


def request_renewing(mac: Text, ciaddr: Address) -> Packet:
    """Sent by unicast to the server that leased."""
    return message(REQUEST, mac, ciaddr=IPv4Address(ciaddr))


def request_rebinding(mac: Text, ciaddr: Address) -> Packet:
    """The same octets as RENEWING; it is the datagram that is broadcast (RFC 2131 4.3.2)."""
    return request_renewing(mac, ciaddr)


def decline(mac: Text, address: Address, server_id: Address) -> Packet:
    return message(DECLINE, mac).requesting(address).server_id(server_id)


def release(mac: Text, ciaddr: Address, server_id: Address) -> Packet:
    return message(RELEASE, mac, ciaddr=IPv4Address(ciaddr)).server_id(server_id)


def inform(mac: Text, ciaddr: Address) -> Packet:
    return message(INFORM, mac, ciaddr=IPv4Address(ciaddr))
