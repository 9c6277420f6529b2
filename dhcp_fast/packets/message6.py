"""DHCPv6 messages as clients, relays and servers write and read them, in plain Python.

This is the readable codec of probe, trace, replay and tests. It shares no line with the engine's
codec, so that a mistake in one does not hide in the other. Layout: RFC 8415 sections 8 (messages),
9 (relays' envelopes), 11 (DUIDs) and 21 (options), unchanged by RFC 9915; excluded prefixes: RFC
6603. Options nest: the content of an identity association or an envelope is again a list of
options.
"""

import struct
from collections.abc import Iterable
from enum import IntEnum
from ipaddress import IPv6Address, IPv6Network

import msgspec

CLIENT_ID, SERVER_ID, IA_NA, IA_TA, IA_ADDRESS, ORO, PREFERENCE, ELAPSED, RELAY_MESSAGE = range(1, 10)
STATUS_CODE, RAPID_COMMIT, USER_CLASS, VENDOR_CLASS, VENDOR_OPTIONS, INTERFACE_ID = range(13, 19)
RECONFIGURE_ACCEPT, IA_PD, IA_PREFIX, REMOTE_ID, CLIENT_FQDN = 20, 25, 26, 37, 39
EXCLUDED_PREFIX, LINK_LAYER_ADDRESS, RELAY_PORT = 67, 79, 135

ASSOCIATIONS = (IA_NA, IA_TA, IA_PD)
RELAY_HEADER = struct.Struct("!BB16s16s")
NOWHERE = IPv6Address(0)
ETHERNET = 1
DEEPEST = 32  # relays; RFC 3315's limit, four times that of RFC 8415

#: Options that a present-day client requests.
ASKED = (23, 24, 31, 56, 82, 83)

Option = tuple[int, bytes]
Options = tuple[Option, ...]


class MessageType(IntEnum):
    """RFC 8415 section 7.3, RFC 5007, RFC 5460, RFC 9686."""

    SOLICIT = 1
    ADVERTISE = 2
    REQUEST = 3
    CONFIRM = 4
    RENEW = 5
    REBIND = 6
    REPLY = 7
    RELEASE = 8
    DECLINE = 9
    RECONFIGURE = 10
    INFORMATION_REQUEST = 11
    RELAY_FORW = 12
    RELAY_REPL = 13
    LEASEQUERY = 14
    LEASEQUERY_REPLY = 15
    LEASEQUERY_DONE = 16
    LEASEQUERY_DATA = 17
    ADDR_REG_INFORM = 36
    ADDR_REG_REPLY = 37


class Status(IntEnum):
    """Option 13."""

    SUCCESS = 0
    UNSPEC_FAIL = 1
    NO_ADDRS_AVAIL = 2
    NO_BINDING = 3
    NOT_ON_LINK = 4
    USE_MULTICAST = 5
    NO_PREFIX_AVAIL = 6


class Optioned(msgspec.Struct, frozen=True):
    """Message that holds options; an option may be there more than once."""

    options: Options

    def value(self, code: int) -> bytes | None:
        """Return the first of the code; None when it is absent."""
        return next((data for found, data in self.options if found == code), None)

    def values(self, code: int) -> list[bytes]:
        return [data for found, data in self.options if found == code]

    @property
    def status(self) -> tuple[int, str]:
        """Code and text; Success when none is there (RFC 8415 section 21.13)."""
        data = self.value(STATUS_CODE)
        if data is None or len(data) < 2:
            return Status.SUCCESS, ""
        return int.from_bytes(data[:2], "big"), data[2:].decode("utf-8", "backslashreplace")


class Lease(Optioned, frozen=True):
    """An address, of length 128, or a delegated prefix; lifetimes in seconds, 0xFFFFFFFF is for ever."""

    address: IPv6Address
    length: int
    preferred: int
    valid: int

    @property
    def network(self) -> IPv6Network:
        return IPv6Network((self.address, self.length), strict=False)

    @property
    def excluded(self) -> IPv6Network | None:
        """The part of the prefix that is not delegated (RFC 6603 section 4.2); None when absent or malformed."""
        data = next(filter(self.is_part, self.values(EXCLUDED_PREFIX)), None)
        if data is None:
            return None
        bits = data[0] - self.length
        subnet_id = int.from_bytes(data[1:], "big") >> (8 * (len(data) - 1) - bits)
        start = int(self.network.network_address) | subnet_id << (128 - data[0])
        return IPv6Network((start, data[0]))

    def is_part(self, data: bytes) -> bool:
        """Return whether the octets are a longer prefix's length and the bits by which it is longer."""
        return (
            len(data) >= 2
            and self.length < data[0] <= 128
            and len(data) == 2 + (data[0] - self.length - 1) // 8
        )


class Association(Optioned, frozen=True):
    """An IA_NA, IA_TA or IA_PD by its code; T1 and T2 in seconds, 0 in an IA_TA."""

    kind: int
    iaid: int
    t1: int
    t2: int

    @property
    def leases(self) -> list[Lease]:
        """Readable leases, in their order."""
        read = read_prefix if self.kind == IA_PD else read_address
        wanted = IA_PREFIX if self.kind == IA_PD else IA_ADDRESS
        return [lease for data in self.values(wanted) if (lease := read(data)) is not None]


class Message(Optioned, frozen=True):
    """A message of a client or a server.

    `cut`: an option is longer than the message; it and the rest are left out.
    """

    kind: int
    xid: int
    cut: bool = False

    @property
    def associations(self) -> list[Association]:
        """Readable associations, in their order; the first one of each type and IAID."""
        read = [read_association(code, data) for code, data in self.options if code in ASSOCIATIONS]
        found: dict[tuple[int, int], Association] = {}
        for association in read:
            if association is not None:
                found.setdefault((association.kind, association.iaid), association)
        return list(found.values())

    @property
    def asked(self) -> list[int]:
        """Codes of the first well-formed Option Request option (section 21.7)."""
        return read_codes(next((data for data in self.values(ORO) if len(data) % 2 == 0), b""))


class Envelope(Optioned, frozen=True):
    """RELAY-FORW or RELAY-REPL: `message` is what it holds, None when nothing readable is in it; `cut` as above."""

    kind: int
    hops: int
    link: IPv6Address
    peer: IPv6Address
    message: "Message | Envelope | None"
    cut: bool = False


def opened(found: Message | Envelope | None) -> tuple[list[Envelope], Message | None]:
    """Return the envelopes, outermost first, and the message in the innermost."""
    envelopes = []
    while isinstance(found, Envelope):
        envelopes.append(found)
        found = found.message
    return envelopes, found


# Writing.


def message(kind: int, xid: int, options: Iterable[Option]) -> bytes:
    return bytes((kind,)) + xid.to_bytes(3, "big") + pack(options)


def relay_forward(
    inner: bytes,
    *,
    link: IPv6Address = NOWHERE,
    peer: IPv6Address = NOWHERE,
    hops: int = 0,
    options: Iterable[Option] = (),
) -> bytes:
    """Return a relay's envelope around a message, or around another relay's envelope with `hops` one higher."""
    return _envelope(MessageType.RELAY_FORW, inner, hops, link, peer, options)


def relay_reply(inner: bytes, to: Envelope, options: Iterable[Option] = ()) -> bytes:
    """Return the envelope that answers `to`, which comes back to its relay."""
    return _envelope(MessageType.RELAY_REPL, inner, to.hops, to.link, to.peer, options)


def _envelope(
    kind: int, inner: bytes, hops: int, link: IPv6Address, peer: IPv6Address, options: Iterable[Option]
) -> bytes:
    return RELAY_HEADER.pack(kind, hops, link.packed, peer.packed) + pack([*options, (RELAY_MESSAGE, inner)])


def pack(options: Iterable[Option]) -> bytes:
    return b"".join(struct.pack("!HH", code, len(data)) + data for code, data in options)


def association(kind: int, iaid: int, options: Iterable[Option] = (), *, t1: int = 0, t2: int = 0) -> Option:
    """Return IA_NA, IA_TA or IA_PD with the leases and the status in it (sections 21.4, 21.5, 21.21)."""
    times = b"" if kind == IA_TA else struct.pack("!II", t1, t2)
    return kind, struct.pack("!I", iaid) + times + pack(options)


def address(of: IPv6Address, preferred: int = 0, valid: int = 0, options: Iterable[Option] = ()) -> Option:
    """Return IAADDR (section 21.6)."""
    return IA_ADDRESS, of.packed + struct.pack("!II", preferred, valid) + pack(options)


def prefix(of: IPv6Network, preferred: int = 0, valid: int = 0, options: Iterable[Option] = ()) -> Option:
    """Return IAPREFIX (section 21.22)."""
    fixed = struct.pack("!IIB", preferred, valid, of.prefixlen) + of.network_address.packed
    return IA_PREFIX, fixed + pack(options)


def excluded_prefix(delegated: IPv6Network, excluded: IPv6Network) -> Option:
    """Return the bits of `excluded` behind those of `delegated` (RFC 6603 section 4.2); ValueError when it is not in
    it."""
    if excluded.prefixlen <= delegated.prefixlen or not excluded.subnet_of(delegated):
        raise ValueError(f"{excluded} is no smaller part of {delegated}")
    bits = excluded.prefixlen - delegated.prefixlen
    octets = (bits + 7) // 8
    subnet_id = int(excluded.network_address) >> (128 - excluded.prefixlen) & ((1 << bits) - 1)
    shifted = subnet_id << (8 * octets - bits)
    return EXCLUDED_PREFIX, bytes((excluded.prefixlen,)) + shifted.to_bytes(octets, "big")


def status(code: int, text: str = "") -> Option:
    return STATUS_CODE, struct.pack("!H", code) + text.encode()


def asking(codes: Iterable[int]) -> Option:
    return ORO, b"".join(struct.pack("!H", code) for code in codes)


def elapsed(hundredths: int) -> Option:
    """Return the time that the client has tried; longer times become the largest number of the field (21.9)."""
    return ELAPSED, struct.pack("!H", min(hundredths, 0xFFFF))


def user_class(*pieces: bytes) -> Option:
    return USER_CLASS, _counted(pieces)


def vendor_class(enterprise: int, *pieces: bytes) -> Option:
    return VENDOR_CLASS, struct.pack("!I", enterprise) + _counted(pieces)


def vendor_options(enterprise: int, options: Iterable[Option]) -> Option:
    return VENDOR_OPTIONS, struct.pack("!I", enterprise) + pack(options)


def remote_id(enterprise: int, identifier: bytes) -> Option:
    """Return the option of RFC 4649."""
    return REMOTE_ID, struct.pack("!I", enterprise) + identifier


def link_layer_address(mac: bytes) -> Option:
    """Return the client's, as a relay saw it (RFC 6939)."""
    return LINK_LAYER_ADDRESS, struct.pack("!H", ETHERNET) + mac


def relay_port(port: int = 0) -> Option:
    """Return the option of RFC 8357: this relay sends from another port than 547; `port` is that of the relay before
    it, if it differs."""
    return RELAY_PORT, struct.pack("!H", port)


def _counted(pieces: Iterable[bytes]) -> bytes:
    return b"".join(struct.pack("!H", len(piece)) + piece for piece in pieces)


def duid_llt(mac: bytes, time: int) -> bytes:
    """Return link-layer address and time, seconds since 2000 (section 11.2)."""
    return struct.pack("!HHI", 1, ETHERNET, time) + mac


def duid_en(enterprise: int, identifier: bytes) -> bytes:
    return struct.pack("!HI", 2, enterprise) + identifier


def duid_ll(mac: bytes) -> bytes:
    return struct.pack("!HH", 3, ETHERNET) + mac


def duid_uuid(uuid: bytes) -> bytes:
    """Return the DUID of RFC 6355."""
    return struct.pack("!H", 4) + uuid


# Reading.


def read(data: bytes, nested: int = 0) -> Message | Envelope | None:
    """Return a message or a relay's envelope with all that is in it before an option that is cut
    (decisions: Malformed options). None if its header is cut, or if it is in more envelopes than
    any network has relays.
    """
    if nested > DEEPEST:
        return None
    if data[:1] in (b"\x0c", b"\x0d"):
        return read_envelope(data, nested)
    if len(data) < 4:
        return None
    options, cut = read_whole(data[4:])
    return Message(kind=data[0], xid=int.from_bytes(data[1:4], "big"), options=options, cut=cut)


def read_envelope(data: bytes, nested: int = 0) -> Envelope | None:
    if len(data) < RELAY_HEADER.size:
        return None
    options, cut = read_whole(data[RELAY_HEADER.size :])
    kind, hops, link, peer = RELAY_HEADER.unpack_from(data)
    inner = next((value for code, value in options if code == RELAY_MESSAGE), b"")
    return Envelope(
        kind=kind,
        hops=hops,
        link=IPv6Address(link),
        peer=IPv6Address(peer),
        options=options,
        message=read(inner, nested + 1),
        cut=cut,
    )


def read_options(data: bytes) -> Options | None:
    """Return None when the region is not consumed exactly (section 21.1)."""
    options, cut = read_whole(data)
    return None if cut else options


def read_whole(data: bytes) -> tuple[Options, bool]:
    """Return the options before one that is cut, and whether there is such a one."""
    options: list[Option] = []
    at = 0
    while at + 4 <= len(data):
        code, length = struct.unpack_from("!HH", data, at)
        if at + 4 + length > len(data):
            break
        at += 4 + length
        options.append((code, data[at - length : at]))
    return tuple(options), at < len(data)


def read_codes(data: bytes) -> list[int]:
    """Read the codes of an Option Request option (section 21.7)."""
    return [int.from_bytes(data[at : at + 2], "big") for at in range(0, len(data) - 1, 2)]


def read_association(kind: int, data: bytes) -> Association | None:
    """Return None when it has no whole fixed part, as in what follows."""
    fixed = 4 if kind == IA_TA else 12
    if len(data) < fixed:
        return None
    options, _ = read_whole(data[fixed:])
    numbers = struct.unpack_from("!I" if kind == IA_TA else "!III", data)
    iaid, t1, t2 = (*numbers, 0, 0)[:3]
    return Association(kind=kind, iaid=iaid, t1=t1, t2=t2, options=options)


def read_address(data: bytes) -> Lease | None:
    if len(data) < 24:
        return None
    options, _ = read_whole(data[24:])
    preferred, valid = struct.unpack_from("!II", data, 16)
    return Lease(
        address=IPv6Address(data[:16]), length=128, preferred=preferred, valid=valid, options=options
    )


def read_prefix(data: bytes) -> Lease | None:
    if len(data) < 25 or data[8] > 128:
        return None
    options, _ = read_whole(data[25:])
    preferred, valid, length = struct.unpack_from("!IIB", data)
    return Lease(
        address=IPv6Address(data[9:25]), length=length, preferred=preferred, valid=valid, options=options
    )
