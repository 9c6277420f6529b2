"""DHCPv6 options, read the slow and obvious way from the RFCs.

An option is a code, a length and a value, two octets each before the value (RFC 8415 section 21.1); there is neither
pad nor END, and instances of one code are never joined (section 21). Some options hold others: an IA its addresses
or prefixes, an address its status, a relayed message everything.

An option is present, absent or malformed. Only lengths and values that an RFC fixes make it malformed. What no lease
rests on (FORGIVEN) is then absent, anything else spoils the message. Sections are those of RFC 8415; RFC 9915 keeps
their numbers.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from ipaddress import IPv6Address

from oracle.options4 import Length, Malformed, Pair, at_least, exactly, number
from oracle.values6 import fqdn, tuples

CLIENT_ID, SERVER_ID, IA_NA, IA_TA, IAADDR, ORO, PREFERENCE, ELAPSED_TIME, RELAY_MSG = range(1, 10)
AUTH, UNICAST, STATUS_CODE, RAPID_COMMIT, USER_CLASS, VENDOR_CLASS, VENDOR_OPTS, INTERFACE_ID = range(11, 19)
RECONF_MSG, RECONF_ACCEPT, IA_PD, IAPREFIX = 19, 20, 25, 26
REMOTE_ID, SUBSCRIBER_ID, CLIENT_FQDN, RSOO, PD_EXCLUDE, VSS = 37, 38, 39, 66, 67, 68
CLIENT_ARCH, NII, LINKLAYER, RELAY_PORT = 61, 62, 79, 135

IAS = frozenset({IA_NA, IA_TA, IA_PD})
LEASES = {IA_NA: IAADDR, IA_TA: IAADDR, IA_PD: IAPREFIX}

# Section 21.13, RFC 3633 16 and the registry that both began.
SUCCESS, UNSPEC_FAIL, NO_ADDRS_AVAIL, NO_BINDING, NOT_ON_LINK, USE_MULTICAST, NO_PREFIX_AVAIL = range(7)


@dataclass(frozen=True)
class Walk:
    """One field read from its first octet: its options in order, and whether they used up every octet."""

    options: tuple[Pair, ...]
    exact: bool


def walk(field: bytes) -> Walk:
    """Section 21.1; what is behind an option that is longer than the field cannot be read."""
    seen: list[Pair] = []
    while len(field) >= 4:
        code, size = struct.unpack_from("!HH", field)
        if 4 + size > len(field):
            break
        seen.append((code, field[4 : 4 + size]))
        field = field[4 + size :]
    return Walk(tuple(seen), field == b"")


def encode(options: Iterable[Pair]) -> bytes:
    return b"".join(struct.pack("!HH", code, len(value)) + value for code, value in options)


def values(options: Iterable[Pair], code: int) -> list[bytes]:
    """Each instance on its own (section 21)."""
    return [value for seen, value in options if seen == code]


def first(options: Iterable[Pair], code: int) -> bytes | None:
    return next(iter(values(options, code)), None)


# What a client's message may hold, and how long it then is.
DUID = Length(3, 130, 1, "11.1: a type of 2 octets, and 1 to 128 behind it")
CLIENT_LENGTHS: dict[int, Length] = {
    CLIENT_ID: DUID,
    SERVER_ID: DUID,
    IA_NA: at_least(12, "21.4"),
    IA_TA: at_least(4, "21.5"),
    ORO: at_least(0, "21.7", divisor=2),
    ELAPSED_TIME: exactly(2, "21.9"),
    RAPID_COMMIT: exactly(0, "21.14"),
    USER_CLASS: at_least(2, "21.15"),
    VENDOR_CLASS: at_least(4, "21.16"),
    VENDOR_OPTS: at_least(4, "21.17"),
    RECONF_ACCEPT: exactly(0, "21.20"),
    IA_PD: at_least(12, "21.21"),
    CLIENT_FQDN: at_least(1, "RFC 4704 4"),
    CLIENT_ARCH: at_least(2, "RFC 5970 3.3", divisor=2),
    NII: exactly(3, "RFC 5970 3.4"),
}
FORGIVEN = frozenset({USER_CLASS, VENDOR_CLASS, VENDOR_OPTS, CLIENT_FQDN, CLIENT_ARCH, NII})

# What a relay's envelope may hold. RFC 8357 4: the option alone asks for the answer at the datagram's source port.
RELAY_LENGTHS: dict[int, Length] = {
    REMOTE_ID: at_least(4, "RFC 4649 3"),
    LINKLAYER: at_least(2, "RFC 6939 4"),
    RELAY_PORT: exactly(2, "RFC 8357 4.2"),
    VSS: at_least(1, "RFC 6607 3.1"),
}

# What stands in an IA and, the status only, in an address or prefix.
IA_LENGTHS: dict[int, Length] = {
    IAADDR: at_least(24, "21.6"),
    IAPREFIX: at_least(25, "21.22"),
    STATUS_CODE: at_least(2, "21.13"),
}

# Section 21: of everything else a second instance is an error.
MANY = frozenset({IA_NA, IA_TA, IA_PD, VENDOR_CLASS, VENDOR_OPTS})
SINGLE = frozenset(CLIENT_LENGTHS.keys() - MANY - FORGIVEN)


def client_faults(options: tuple[Pair, ...]) -> Iterator[Malformed]:
    """A client's options in the order in which they stand, each IA with all that is in it; then what stands twice."""
    for code, value in options:
        if code in FORGIVEN or code not in CLIENT_LENGTHS:
            continue
        if not CLIENT_LENGTHS[code].fits(value):
            yield Malformed("option_length", code)
        elif code in IAS:
            yield from ia_faults(code, value)
    yield from repeated(options)


def repeated(options: tuple[Pair, ...]) -> Iterator[Malformed]:
    """Section 21: singletons stand once; 21.4, 21.21: the IAIDs of one kind of IA differ."""
    for code in sorted(SINGLE):
        if len(values(options, code)) > 1:
            yield Malformed("option_repeated", code)
    for code in sorted(IAS):
        iaids = [value[:4] for value in values(options, code)]
        if len(set(iaids)) < len(iaids):
            yield Malformed("iaid_repeated", code)


def ia_faults(code: int, value: bytes) -> Iterator[Malformed]:
    """21.4, 21.5, 21.21: options fill the IA exactly; a lease of the wrong kind is none of its options."""
    inside = walk(value[ia_header(code) :])
    if not inside.exact:
        yield Malformed("option_overrun", code)
    for inner, data in inside.options:
        if inner not in (LEASES[code], STATUS_CODE):
            continue
        if not IA_LENGTHS[inner].fits(data):
            yield Malformed("option_length", inner)
        elif inner != STATUS_CODE:
            yield from lease_faults(inner, data)


def lease_faults(code: int, value: bytes) -> Iterator[Malformed]:
    """21.6: 16 octets and two lifetimes; 21.22: two lifetimes, a length and 16 octets; then options."""
    if code == IAPREFIX and value[8] > 128:
        yield Malformed("option_value", IAPREFIX)
    inside = walk(value[25 if code == IAPREFIX else 24 :])
    if not inside.exact:
        yield Malformed("option_overrun", code)
    for inner, data in inside.options:
        if inner == STATUS_CODE and not IA_LENGTHS[STATUS_CODE].fits(data):
            yield Malformed("option_length", STATUS_CODE)


def relay_faults(options: tuple[Pair, ...]) -> Iterator[Malformed]:
    """An envelope's own options in their order, apart from the message that it relays."""
    for code, value in options:
        if code in RELAY_LENGTHS and not RELAY_LENGTHS[code].fits(value):
            yield Malformed("option_length", code)
        elif code == RSOO and not walk(value).exact:
            yield Malformed("option_overrun", RSOO)  # RFC 6422 4: options fill it exactly


def counted(options: tuple[Pair, ...]) -> tuple[Pair, ...]:
    """A client's options without those of FORGIVEN that are malformed."""
    return tuple((code, value) for code, value in options if code not in FORGIVEN or _reads(code, value))


def _reads(code: int, value: bytes) -> bool:
    if not CLIENT_LENGTHS[code].fits(value):
        return False
    if code == USER_CLASS:
        return tuples(value) is not None
    if code == VENDOR_CLASS:
        return tuples(value[4:]) is not None
    if code == VENDOR_OPTS:
        return walk(value[4:]).exact
    return code != CLIENT_FQDN or fqdn(value) is not None


@dataclass(frozen=True)
class Status:
    """Section 21.13: a code and a text for people, UTF-8 without an end mark."""

    code: int
    text: str = ""


def status(options: Iterable[Pair]) -> Status | None:
    value = first(options, STATUS_CODE)
    return None if value is None else Status(number(value[:2]), value[2:].decode(errors="replace"))


@dataclass(frozen=True)
class Lease:
    """An address (length 128) or a delegated prefix; lifetimes in seconds."""

    address: IPv6Address
    length: int
    preferred: int
    valid: int
    options: tuple[Pair, ...] = ()

    @property
    def status(self) -> Status | None:
        return status(self.options)


@dataclass(frozen=True)
class IdentityAssociation:
    """IA_NA (3), IA_TA (4, without times) or IA_PD (25). `options`: all that is in it, leases too."""

    code: int
    iaid: int
    t1: int
    t2: int
    leases: tuple[Lease, ...]
    options: tuple[Pair, ...]

    @property
    def status(self) -> Status | None:
        return status(self.options)


def ia_header(code: int) -> int:
    return 4 if code == IA_TA else 12


def identity_association(code: int, value: bytes) -> IdentityAssociation:
    """Reads a well-formed IA; judge it by ia_faults first."""
    iaid, t1, t2 = struct.unpack_from("!III", value[: ia_header(code)].ljust(12, b"\0"))
    inside = walk(value[ia_header(code) :]).options
    leases = tuple(lease(LEASES[code], data) for data in values(inside, LEASES[code]))
    return IdentityAssociation(code, iaid, t1, t2, leases, inside)


def lease(code: int, value: bytes) -> Lease:
    if code == IAADDR:
        address, preferred, valid = struct.unpack_from("!16sII", value)
        return Lease(IPv6Address(address), 128, preferred, valid, walk(value[24:]).options)
    preferred, valid, length, address = struct.unpack_from("!IIB16s", value)
    return Lease(IPv6Address(address), length, preferred, valid, walk(value[25:]).options)


def encode_ia(ia: IdentityAssociation) -> bytes:
    """The value of the IA's option: header, leases and the options that are no lease, in this order."""
    others = [pair for pair in ia.options if pair[0] != LEASES[ia.code]]
    pairs = [(LEASES[ia.code], encode_lease(held, ia.code)) for held in ia.leases]
    header = struct.pack("!III", ia.iaid, ia.t1, ia.t2)[: ia_header(ia.code)]
    return header + encode([*pairs, *others])


def encode_lease(held: Lease, ia_code: int) -> bytes:
    if LEASES[ia_code] == IAADDR:
        fixed = struct.pack("!16sII", held.address.packed, held.preferred, held.valid)
    else:
        fixed = struct.pack("!IIB16s", held.preferred, held.valid, held.length, held.address.packed)
    return fixed + encode(held.options)


def encode_status(said: Status) -> bytes:
    return struct.pack("!H", said.code) + said.text.encode()
