"""DHCPv6 packets as sentences: `solicit(duid).ia_na(1).asking(23, 24).through("2001:db8::1").bytes()`.

Every word returns a new Packet, so a test may keep a half-built one and go two ways from it. Options stand in the
order in which they were said; `option` says one once more, `without` takes it back. `through` puts the packet into a
relay's envelope, each further one around those before, as the packet travels.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, replace
from ipaddress import IPv6Address, IPv6Network
from typing import Any

from oracle import message6 as message
from oracle import options6 as code
from oracle.message6 import Envelope, build, enclose
from oracle.options4 import Pair
from oracle.options6 import IdentityAssociation, Lease, encode_ia, encode_lease
from oracle.values6 import encode_domain_names, encode_tuples

Address = IPv6Address | str
Text = str | bytes
Octets = bytes  # inside Packet, `bytes` is its last word

PEER = "fe80::200:ff:fe00:1"


@dataclass(frozen=True)
class Packet:
    """One message in the making, and the envelopes around it, the innermost first."""

    kind: int
    transaction_id: int
    options: tuple[Pair, ...] = ()
    envelopes: tuple[Envelope, ...] = ()

    def bytes(self) -> bytes:
        data = build(self.kind, self.transaction_id, self.options)
        for envelope in self.envelopes:
            data = enclose(data, envelope)
        return data

    def xid(self, number: int) -> Packet:
        return replace(self, transaction_id=number)

    def option(self, number: int, value: Text = b"") -> Packet:
        return replace(self, options=(*self.options, (number, octets(value))))

    def without(self, number: int) -> Packet:
        return replace(self, options=tuple(pair for pair in self.options if pair[0] != number))

    # what the client wants

    def ia_na(self, iaid: int, *addresses: Address) -> Packet:
        return self.association(code.IA_NA, iaid, *(Lease(IPv6Address(a), 128, 0, 0) for a in addresses))

    def ia_ta(self, iaid: int, *addresses: Address) -> Packet:
        return self.association(code.IA_TA, iaid, *(Lease(IPv6Address(a), 128, 0, 0) for a in addresses))

    def ia_pd(self, iaid: int, *prefixes: str) -> Packet:
        found = (IPv6Network(prefix) for prefix in prefixes)
        return self.association(
            code.IA_PD, iaid, *(Lease(prefix.network_address, prefix.prefixlen, 0, 0) for prefix in found)
        )

    def association(self, kind: int, iaid: int, *leases: Lease) -> Packet:
        return self.option(kind, encode_ia(IdentityAssociation(kind, iaid, 0, 0, leases, ())))

    def registering(self, address: Address, preferred: int, valid: int) -> Packet:
        """RFC 9686: the address stands in no IA."""
        lease = Lease(IPv6Address(address), 128, preferred, valid)
        return self.option(code.IAADDR, encode_lease(lease, code.IA_NA))

    def asking(self, *codes: int) -> Packet:
        return self.option(code.ORO, struct.pack(f"!{len(codes)}H", *codes))

    def rapid_commit(self) -> Packet:
        return self.option(code.RAPID_COMMIT)

    # what the client says of itself

    def server_id(self, duid: Octets) -> Packet:
        return self.option(code.SERVER_ID, duid)

    def elapsed(self, hundredths: int) -> Packet:
        return self.option(code.ELAPSED_TIME, struct.pack("!H", hundredths))

    def fqdn(self, name: str, flags: int = 0) -> Packet:
        """A name with its last dot is whole, one without is a part (RFC 4704 4.2)."""
        wire = encode_domain_names([name])
        return self.option(code.CLIENT_FQDN, bytes([flags]) + (wire if name.endswith(".") else wire[:-1]))

    def user_class(self, *names: Text) -> Packet:
        return self.option(code.USER_CLASS, encode_tuples([octets(name) for name in names]))

    def vendor_class(self, enterprise: int, *names: Text) -> Packet:
        data = encode_tuples([octets(name) for name in names])
        return self.option(code.VENDOR_CLASS, struct.pack("!I", enterprise) + data)

    def vendor_options(self, enterprise: int, *pairs: Pair) -> Packet:
        return self.option(code.VENDOR_OPTS, struct.pack("!I", enterprise) + code.encode(pairs))

    def architecture(self, *numbers: int) -> Packet:
        return self.option(code.CLIENT_ARCH, struct.pack(f"!{len(numbers)}H", *numbers))

    # what relays say

    def through(self, link: Address, *pairs: Pair, peer: Address | None = None) -> Packet:
        """The hop count rises with each envelope; the first one's peer is the client."""
        peer = peer or (f"2001:db8:ffff::{len(self.envelopes)}" if self.envelopes else PEER)
        envelope = Envelope(len(self.envelopes), IPv6Address(link), IPv6Address(peer), pairs)
        return replace(self, envelopes=(*self.envelopes, envelope))

    def at_interface(self, name: Text) -> Packet:
        return self.relay_option(code.INTERFACE_ID, octets(name))

    def from_hardware(self, mac: Text, kind: int = 1) -> Packet:
        address = bytes.fromhex(mac.replace(":", "")) if isinstance(mac, str) else mac
        return self.relay_option(code.LINKLAYER, struct.pack("!H", kind) + address)

    def relay_port(self, downstream: int = 0) -> Packet:
        return self.relay_option(code.RELAY_PORT, struct.pack("!H", downstream))

    def relay_option(self, number: int, value: Octets) -> Packet:
        """Said by the outermost relay so far."""
        *inner, outermost = self.envelopes
        said = replace(outermost, options=(*outermost.options, (number, value)))
        return replace(self, envelopes=(*inner, said))


def octets(text: Text) -> bytes:
    return text.encode() if isinstance(text, str) else text


def duid_ll(mac: Text, kind: int = 1) -> Octets:
    """RFC 8415 11.4."""
    address = bytes.fromhex(mac.replace(":", "")) if isinstance(mac, str) else mac
    return struct.pack("!HH", 3, kind) + address


def duid_llt(mac: Text, seconds: int, kind: int = 1) -> Octets:
    """RFC 8415 11.2; seconds since 2000."""
    return struct.pack("!HHI", 1, kind, seconds) + duid_ll(mac)[4:]


def of(kind: int, duid: Octets | None, server: Octets | None = None) -> Packet:
    """Any message type; the transaction id follows from the DUID unless given."""
    named: tuple[tuple[int, Any], ...] = ((code.CLIENT_ID, duid), (code.SERVER_ID, server))
    options = tuple((number, value) for number, value in named if value is not None)
    return Packet(kind, zlib.crc32(duid or b"") >> 8, options)


def solicit(duid: Octets) -> Packet:
    return of(message.SOLICIT, duid).elapsed(0)


def request(duid: Octets, server: Octets) -> Packet:
    return of(message.REQUEST, duid, server).elapsed(0)


def confirm(duid: Octets) -> Packet:
    return of(message.CONFIRM, duid).elapsed(0)


def renew(duid: Octets, server: Octets) -> Packet:
    return of(message.RENEW, duid, server).elapsed(0)


def rebind(duid: Octets) -> Packet:
    return of(message.REBIND, duid).elapsed(0)


def release(duid: Octets, server: Octets) -> Packet:
    return of(message.RELEASE, duid, server).elapsed(0)


def decline(duid: Octets, server: Octets) -> Packet:
    return of(message.DECLINE, duid, server).elapsed(0)


def information_request(duid: Octets | None = None) -> Packet:
    return of(message.INFORMATION_REQUEST, duid).elapsed(0)


def register(duid: Octets, address: Address, preferred: int = 3600, valid: int = 7200) -> Packet:
    return of(message.ADDR_REG_INFORM, duid).registering(address, preferred, valid)
