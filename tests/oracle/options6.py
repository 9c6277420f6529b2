"""DHCPv6 options, read the slow and obvious way from the RFCs.

An option is a code, a length and a value, two octets each before the value (RFC 8415 section 21.1); there is neither
pad nor END, and instances of one code are never joined (section 21). Some options hold others: an IA its addresses
or prefixes, an address its status, a relayed message everything.

An option is present, absent or malformed. Of those that the server reads, an RFC fixes the form; a malformed one is
counted and treated as absent, unless it determines who the client is (decisions: Malformed options). Of several
instances the first well-formed one counts.

Sections are those of RFC 8415; RFC 9915 keeps their numbers.
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
ERO, RELAY_ID, CLIENT_ARCH, NII, LINKLAYER, RELAY_PORT = 43, 53, 61, 62, 79, 135

IAS = frozenset({IA_NA, IA_TA, IA_PD})
LEASES = {IA_NA: IAADDR, IA_TA: IAADDR, IA_PD: IAPREFIX}

# Section 21.13, RFC 3633 16 and the registry that both began.
SUCCESS, UNSPEC_FAIL, NO_ADDRS_AVAIL, NO_BINDING, NOT_ON_LINK, USE_MULTICAST, NO_PREFIX_AVAIL = range(7)


@dataclass(frozen=True)
class Walk:
    """One field read from its first octet: its options in order, and the octets of one that the field cuts off."""

    options: tuple[Pair, ...]
    rest: bytes = b""

    @property
    def exact(self) -> bool:
        return not self.rest

    @property
    def cut(self) -> tuple[int, ...]:
        """The code of the option cut off, 0 where its header is not whole; empty if there is none."""
        return (number(self.rest[:2]) if len(self.rest) > 3 else 0,) if self.rest else ()


def walk(field: bytes) -> Walk:
    """Section 21.1; what is behind an option that is longer than the field cannot be read."""
    seen: list[Pair] = []
    while len(field) >= 4:
        code, size = struct.unpack_from("!HH", field)
        if 4 + size > len(field):
            break
        seen.append((code, field[4 : 4 + size]))
        field = field[4 + size :]
    return Walk(tuple(seen), field)


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

# What a relay's envelope may hold. RFC 8357 4: the option alone asks for the answer at the datagram's source port.
RELAY_LENGTHS: dict[int, Length] = {
    REMOTE_ID: at_least(4, "RFC 4649 3"),
    ERO: at_least(0, "RFC 4994 4", divisor=2),
    RELAY_ID: Length(3, 130, 1, "RFC 5460 5.4.1"),
    LINKLAYER: at_least(2, "RFC 6939 4"),
    RELAY_PORT: exactly(2, "RFC 8357 4.2"),
}

# What a client's IA holds; nobody reads the statuses in it.
LEASE_LENGTHS: dict[int, Length] = {
    IAADDR: at_least(24, "21.6"),
    IAPREFIX: at_least(25, "21.22"),
}
STATUS_LENGTH = at_least(2, "21.13")

# Bounds of this server (decisions: Malformed options).
MOST_IAS, MOST_LEASES = 8, 16

# What stands several times in an answer besides (RFC 5908 section 4, RFC 9463 section 4.1).
INSTANCES = frozenset({56, 144})
# Section 21: of everything else in CLIENT_LENGTHS one instance counts.
MANY = frozenset({IA_NA, IA_TA, IA_PD, VENDOR_CLASS, VENDOR_OPTS})


@dataclass(frozen=True)
class Sorted:
    """Options that count, in their order, and the codes of which something is ignored."""

    used: tuple[Pair, ...]
    ignored: frozenset[int]


def counted(code: int) -> int:
    """What a counter calls an option (decisions: Malformed options)."""
    return code if code < 256 else 0


def identity_faults(options: tuple[Pair, ...], cut: tuple[int, ...]) -> Iterator[Malformed]:
    """Section 11: who sent the message, or whom it is for, must not be in doubt; the same twice leaves none."""
    clients, servers = values(options, CLIENT_ID), values(options, SERVER_ID)
    if any(not DUID.fits(value) for value in clients):
        yield Malformed("option_length", CLIENT_ID)
    if CLIENT_ID in cut:
        yield Malformed("option_overrun", CLIENT_ID)
    if len(set(clients)) > 1:
        yield Malformed("option_repeated", CLIENT_ID)
    if len({value for value in servers if DUID.fits(value)}) > 1:
        yield Malformed("option_repeated", SERVER_ID)


def sort_client(walked: Walk, *, registration: bool = False) -> Sorted:
    """A client's options; those inside an IA are sorted with it. RFC 9686: a registration's address is in no IA.

    A virtual network without its type (RFC 6607 3.1) is malformed and there all the same: it is none of ours.
    """
    used: list[Pair] = []
    ignored = set(walked.cut)
    for code, value in walked.options:
        address = registration and code == IAADDR
        if not reads(code, value) or (address and not lease_reads(code, value)):
            ignored.add(code)
        elif _again(code, value, used):
            ignored |= {code} & (IAS | {CLIENT_ID, SERVER_ID})
        elif address and (code, value) in used:
            ignored.add(code)
        else:
            used.append((code, value))
            ignored |= {code} if code == VSS and value == b"" else set()
            ignored |= sort_ia(code, value).ignored if code in IAS else set()
            ignored |= sort_lease(code, value).ignored if address else set()
    return Sorted(tuple(used), frozenset(map(counted, ignored)))


def _again(code: int, value: bytes, before: list[Pair]) -> bool:
    """Section 21: singletons stand once; 21.4, 21.21: the IAIDs of one kind of IA differ."""
    if code in IAS:
        return any(value[:4] == other[:4] for other in values(before, code))
    return code in CLIENT_LENGTHS and code not in MANY and values(before, code) != []


def sort_ia(code: int, value: bytes) -> Sorted:
    """21.4, 21.5, 21.21: options fill the IA exactly; a lease of the wrong kind is none of its options."""
    inside = walk(value[ia_header(code) :])
    used: list[Pair] = []
    ignored = {code} if inside.cut else set()
    for inner, data in inside.options:
        if inner == LEASES[code] and not lease_reads(inner, data):
            ignored.add(inner)
            continue
        used.append((inner, data))
        if inner == LEASES[code]:
            ignored |= sort_lease(inner, data).ignored
    return Sorted(tuple(used), frozenset(ignored))


def lease_reads(code: int, value: bytes) -> bool:
    """21.6: 16 octets and two lifetimes; 21.22: two lifetimes, a length of at most 128, 16 octets."""
    return LEASE_LENGTHS[code].fits(value) and not (code == IAPREFIX and value[8] > 128)


def sort_lease(code: int, value: bytes) -> Sorted:
    """The options behind the fixed part of an address or prefix."""
    inside = walk(value[LEASE_LENGTHS[code].least :])
    wrong = [pair for pair in inside.options if code == IAPREFIX and not _excludes(value[8], *pair)]
    used = tuple(pair for pair in inside.options if pair not in wrong)
    return Sorted(used, frozenset({PD_EXCLUDE} if wrong else ()) | ({code} if inside.cut else set()))


def _excludes(length: int, code: int, value: bytes) -> bool:
    """RFC 6603 4.2: a longer prefix, and the octets that its further bits need. Other options are not looked at."""
    if code != PD_EXCLUDE:
        return True
    return value != b"" and length < value[0] <= 128 and len(value) == 1 + (value[0] - length + 7) // 8


def sort_relay(walked: Walk) -> Sorted:
    """An envelope's own options, apart from the message that it relays."""
    pairs = [pair for pair in walked.options if pair[0] != RELAY_MSG]
    used = tuple(pair for pair in pairs if _relay_reads(*pair))
    ignored = {code for code, value in pairs if not _relay_reads(code, value) or not _supplies(code, value)}
    ignored |= {VSS} & {code for code, value in pairs if value == b""}
    return Sorted(used, frozenset(map(counted, ignored | set(walked.cut))))


def _relay_reads(code: int, value: bytes) -> bool:
    return code not in RELAY_LENGTHS or RELAY_LENGTHS[code].fits(value)


def _supplies(code: int, value: bytes) -> bool:
    """RFC 6422 4: options fill option 66 exactly; those before one that is cut count."""
    return code != RSOO or walk(value).exact


def reads(code: int, value: bytes) -> bool:
    """Whether an option of a client is as its RFC lays it out."""
    if code not in CLIENT_LENGTHS:
        return True
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
    """IA_NA (3), IA_TA (4, without times) or IA_PD (25). `options`: all that counts in it, leases too."""

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
    """Reads an IA that is as long as its header."""
    iaid, t1, t2 = struct.unpack_from("!III", value[: ia_header(code)].ljust(12, b"\0"))
    inside = sort_ia(code, value).used
    leases = tuple(lease(LEASES[code], data) for data in values(inside, LEASES[code]))
    return IdentityAssociation(code, iaid, t1, t2, leases, inside)


def lease(code: int, value: bytes) -> Lease:
    if code == IAADDR:
        address, preferred, valid = struct.unpack_from("!16sII", value)
        return Lease(IPv6Address(address), 128, preferred, valid, sort_lease(code, value).used)
    preferred, valid, length, address = struct.unpack_from("!IIB16s", value)
    return Lease(IPv6Address(address), length, preferred, valid, sort_lease(code, value).used)


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
