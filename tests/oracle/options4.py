"""DHCPv4 options, read the slow and obvious way from the RFCs.

The options of a message are (code, length, value) triples in up to three fields (RFC 2132 section 2). Here
they are walked, joined (RFC 3396), judged against the lengths their RFCs give, and read as values.

An option is present, absent or malformed. Only lengths and values that an RFC fixes make it malformed;
whatever is free text or opaque is present with the octets it has, even none.
Nothing in this folder is written for speed: it is what the fast codec is compared with.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network

PAD, END = 0, 255
OVERLOAD, MESSAGE_TYPE, RELAY_AGENT = 52, 53, 82

DISCOVER, OFFER, REQUEST, DECLINE, ACK, NAK, RELEASE, INFORM = range(1, 9)
FROM_CLIENT = frozenset({DISCOVER, REQUEST, DECLINE, RELEASE, INFORM})
FROM_SERVER = frozenset({OFFER, ACK, NAK})

CIRCUIT_ID, REMOTE_ID, LINK_SELECTION, RELAY_FLAGS, SERVER_ID_OVERRIDE, RELAY_PORT = 1, 2, 5, 10, 11, 19
NETWORK, NETWORK_CONTROL = 151, 152

Pair = tuple[int, bytes]


@dataclass(frozen=True)
class Malformed:
    """Why a message cannot be used; `code` is the option (or relay sub-option) at fault, 0 for none."""

    reason: str
    code: int = 0


@dataclass(frozen=True)
class Walk:
    """One field read from its first octet: its options, how it stopped, and what stood behind END."""

    options: tuple[Pair, ...]
    stop: str  # "end", "no_end" or "overrun"
    behind: bytes = b""


def walk(field: bytes) -> Walk:
    """Options of one field (RFC 2132 sections 2, 3.1, 3.2); pad and END have no length octet."""
    seen: list[Pair] = []
    at = 0
    while at < len(field):
        code = field[at]
        if code == END:
            return Walk(tuple(seen), "end", field[at + 1 :])
        if code == PAD:
            at += 1
            continue
        if at + 1 == len(field) or at + 2 + field[at + 1] > len(field):
            return Walk(tuple(seen), "overrun")
        seen.append((code, field[at + 2 : at + 2 + field[at + 1]]))
        at += 2 + field[at + 1]
    return Walk(tuple(seen), "no_end")


def join(pairs: tuple[Pair, ...]) -> dict[int, bytes]:
    """One value a code: repeated instances are one option in pieces (RFC 3396 section 7, RFC 2131 4.1)."""
    joined: dict[int, bytes] = {}
    for code, value in pairs:
        joined[code] = joined.get(code, b"") + value
    return joined


@dataclass(frozen=True)
class Length:
    """Least, greatest (None: any) and divisor of an option's length, with the section that says so."""

    least: int
    greatest: int | None
    divisor: int
    source: str

    def fits(self, value: bytes) -> bool:
        within = self.least <= len(value) and (self.greatest is None or len(value) <= self.greatest)
        return within and len(value) % self.divisor == 0


def exactly(size: int, source: str) -> Length:
    return Length(size, size, 1, source)


def at_least(size: int, source: str, divisor: int = 1) -> Length:
    return Length(size, None, divisor, source)


REQUEST_LENGTHS: dict[int, Length] = {
    50: exactly(4, "RFC 2132 9.1"),
    51: exactly(4, "RFC 2132 9.2"),
    54: exactly(4, "RFC 2132 9.7"),
    55: at_least(1, "RFC 2132 9.8"),
    57: exactly(2, "RFC 2132 9.10"),
    61: at_least(2, "RFC 2132 9.14"),
    80: exactly(0, "RFC 4039 4"),
    82: at_least(2, "RFC 3046 2.0"),
    93: at_least(2, "RFC 4578 2.1", divisor=2),
    94: exactly(3, "RFC 4578 2.2"),
    97: exactly(17, "RFC 4578 2.3"),
    116: exactly(1, "RFC 2563 2"),
    118: exactly(4, "RFC 3011 2"),
    221: at_least(1, "RFC 6607 3.1"),
}

# Options of boot clients (RFC 4578), where firmware errs: from a client a malformed one counts as absent (engine rule
# 30), since no lease rests on it.
FORGIVEN = frozenset({93, 94, 97})

# What a server sends is held to more: a client may refuse any of these.
REPLY_LENGTHS: dict[int, Length] = REQUEST_LENGTHS | {
    1: exactly(4, "RFC 2132 3.3"),
    2: exactly(4, "RFC 2132 3.4"),
    3: at_least(4, "RFC 2132 3.5", divisor=4),
    6: at_least(4, "RFC 2132 3.8", divisor=4),
    12: at_least(1, "RFC 2132 3.14"),
    15: at_least(1, "RFC 2132 3.17"),
    26: exactly(2, "RFC 2132 5.1"),
    28: exactly(4, "RFC 2132 5.3"),
    33: at_least(8, "RFC 2132 5.8", divisor=8),
    42: at_least(4, "RFC 2132 8.3", divisor=4),
    43: at_least(1, "RFC 2132 8.4"),
    44: at_least(4, "RFC 2132 8.5", divisor=4),
    56: at_least(1, "RFC 2132 9.9"),
    58: exactly(4, "RFC 2132 9.11"),
    59: exactly(4, "RFC 2132 9.12"),
    60: at_least(1, "RFC 2132 9.13"),
    66: at_least(1, "RFC 2132 9.4"),
    67: at_least(1, "RFC 2132 9.5"),
    108: exactly(4, "RFC 8925 3.1"),
    119: at_least(1, "RFC 3397 2"),
    121: at_least(5, "RFC 3442"),
}

# Sub-options of option 82 whose length is fixed; the others are opaque.
SUBOPTION_LENGTHS: dict[int, Length] = {
    LINK_SELECTION: exactly(4, "RFC 3527 3"),
    RELAY_FLAGS: exactly(1, "RFC 5010 3"),
    SERVER_ID_OVERRIDE: exactly(4, "RFC 5107 4"),
    RELAY_PORT: exactly(0, "RFC 8357 4"),
    NETWORK: at_least(1, "RFC 6607 3.3"),
    NETWORK_CONTROL: exactly(0, "RFC 6607 3.4"),
}


def overload_faults(options: Mapping[int, bytes]) -> Iterator[Malformed]:
    """RFC 2132 9.3: one octet; 1 file, 2 sname, 3 both."""
    value = options.get(OVERLOAD)
    if value is None:
        return
    if len(value) != 1:
        yield Malformed("option_length", OVERLOAD)
    elif value[0] not in (1, 2, 3):
        yield Malformed("overload_value", OVERLOAD)


def message_type_faults(options: Mapping[int, bytes], wrong_way: frozenset[int]) -> Iterator[Malformed]:
    """RFC 2132 9.6 defines 1 to 8; `wrong_way` are those that only the other side sends."""
    value = options.get(MESSAGE_TYPE)
    if value is None:
        yield Malformed("message_type_missing", MESSAGE_TYPE)
    elif len(value) != 1:
        yield Malformed("option_length", MESSAGE_TYPE)
    elif not DISCOVER <= value[0] <= INFORM:
        yield Malformed("message_type_unknown", MESSAGE_TYPE)
    elif value[0] in wrong_way:
        yield Malformed("message_type_wrong_way", MESSAGE_TYPE)


def counted(options: dict[int, bytes]) -> dict[int, bytes]:
    """A client's options without those of FORGIVEN that are malformed."""
    wrong = {fault.code for fault in length_faults(options, {c: REQUEST_LENGTHS[c] for c in FORGIVEN})}
    return {code: value for code, value in options.items() if code not in wrong}


def length_faults(options: Mapping[int, bytes], lengths: Mapping[int, Length]) -> Iterator[Malformed]:
    """In ascending order of the code; what only a fitting length lets us read comes right after it."""
    for code in sorted(options.keys() & lengths.keys()):
        if not lengths[code].fits(options[code]):
            yield Malformed("option_length", code)
        elif code == RELAY_AGENT:
            yield from relay_faults(options[code])
        elif code == 97 and options[code][0] != 0:
            yield Malformed("option_value", code)  # RFC 4578 2.3: type 0 is the only one defined


def relay_faults(value: bytes) -> Iterator[Malformed]:
    """RFC 3046 2.0: sub-options fill option 82 exactly; neither pad nor END exists in there."""
    suboptions, exact = walk_suboptions(value)
    if not exact:
        yield Malformed("relay_suboption_overrun", RELAY_AGENT)
    for code, content in suboptions:
        if code in SUBOPTION_LENGTHS and not SUBOPTION_LENGTHS[code].fits(content):
            yield Malformed("relay_suboption_length", code)


def walk_suboptions(value: bytes) -> tuple[tuple[Pair, ...], bool]:
    """The (code, value) pairs in order, and whether they used up every octet."""
    seen: list[Pair] = []
    while len(value) >= 2 and len(value) >= 2 + value[1]:
        seen.append((value[0], value[2 : 2 + value[1]]))
        value = value[2 + value[1] :]
    return tuple(seen), value == b""


def encode_suboptions(suboptions: tuple[Pair, ...]) -> bytes:
    return b"".join(bytes([code, len(value)]) + value for code, value in suboptions)


@dataclass(frozen=True)
class RelayAgent:
    """Option 82: each sub-option by its first instance, all of them in order, and the option verbatim."""

    circuit_id: bytes | None
    remote_id: bytes | None
    link_selection: IPv4Address | None
    flags: int | None
    server_id_override: IPv4Address | None
    source_port: bool
    network: bytes | None
    suboptions: tuple[Pair, ...]
    verbatim: bytes


def relay_agent(value: bytes) -> RelayAgent:
    """Reads a well-formed option 82. RFC 8357: sub-option 19 is a bare mark, the port is the datagram's."""
    suboptions, exact = walk_suboptions(value)
    assert exact, "judge it by relay_faults first"
    first = dict(reversed(suboptions))
    return RelayAgent(
        circuit_id=first.get(CIRCUIT_ID),
        remote_id=first.get(REMOTE_ID),
        link_selection=_address(first.get(LINK_SELECTION)),
        flags=first[RELAY_FLAGS][0] if RELAY_FLAGS in first else None,
        server_id_override=_address(first.get(SERVER_ID_OVERRIDE)),
        source_port=RELAY_PORT in first,
        network=first.get(NETWORK),
        suboptions=suboptions,
        verbatim=value,
    )


def _address(value: bytes | None) -> IPv4Address | None:
    return None if value is None else IPv4Address(value)


def number(value: bytes) -> int:
    return int.from_bytes(value, "big")


def addresses(value: bytes) -> list[IPv4Address]:
    return [IPv4Address(raw) for (raw,) in struct.iter_unpack("!4s", value)]


def routes(value: bytes) -> list[tuple[IPv4Network, IPv4Address]]:
    """RFC 3442: a width, only the significant octets of the destination, the router."""
    found = []
    while value:
        significant = (value[0] + 7) // 8
        destination = value[1 : 1 + significant].ljust(4, b"\0")
        router = IPv4Address(value[1 + significant : 5 + significant])
        found.append((IPv4Network((destination, value[0])), router))
        value = value[5 + significant :]
    return found


def search_list(value: bytes) -> list[str]:
    """RFC 3397: DNS names (RFC 1035 4.1.4), compressed against the start of the joined option."""
    names, at = [], 0
    while at < len(value):
        labels, at = _name(value, at)
        names.append(".".join(labels))
    return names


def _name(value: bytes, at: int) -> tuple[list[str], int]:
    """Labels of the name at `at`, and where the next name begins. A pointer must point backwards."""
    size = value[at]
    if size == 0:
        return [], at + 1
    if size >= 0xC0:
        target = number(value[at : at + 2]) & 0x3FFF
        if target >= at:
            raise ValueError(f"pointer at {at} leads forward to {target}")
        return _name(value, target)[0], at + 2
    rest, after = _name(value, at + 1 + size)
    return [value[at + 1 : at + 1 + size].decode("ascii"), *rest], after
