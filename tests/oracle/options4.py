"""DHCPv4 options, read the slow and obvious way from the RFCs.

The options of a message are (code, length, value) triples in up to three fields (RFC 2132 section 2). This module
walks them, joins them (RFC 3396), compares them with the lengths in their RFCs, and reads their values.

An option of a client is present, absent or malformed. An RFC fixes the form of those that the server reads; a
malformed one is counted and treated as absent, unless it determines which message was sent (decisions: Malformed
options).

Nothing in this folder is written for speed: the fast codec is compared with it.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network

PAD, END = 0, 255
OVERLOAD, MESSAGE_TYPE, CLIENT_ID, RELAY_AGENT, MACHINE = 52, 53, 61, 82, 97

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
    """One field read from its first octet: its options, how it stopped, and the octets behind END.

    `cut`: the code of the option that is longer than the rest of the field; reading ends there.
    """

    options: tuple[Pair, ...]
    stop: str  # "end", "no_end" or "cut"
    behind: bytes = b""
    cut: int | None = None


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
            return Walk(tuple(seen), "cut", cut=code)
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
    12: at_least(1, "RFC 2132 3.14"),
    50: exactly(4, "RFC 2132 9.1"),
    51: exactly(4, "RFC 2132 9.2"),
    52: exactly(1, "RFC 2132 9.3"),
    54: exactly(4, "RFC 2132 9.7"),
    55: at_least(1, "RFC 2132 9.8"),
    57: exactly(2, "RFC 2132 9.10"),
    60: at_least(1, "RFC 2132 9.13"),
    61: at_least(1, "decisions, Malformed options; RFC 2132 9.14 says 2"),
    77: at_least(1, "RFC 3004 4"),
    80: exactly(0, "RFC 4039 4"),
    81: at_least(3, "RFC 4702 2"),
    82: at_least(2, "RFC 3046 2.0"),
    93: at_least(2, "RFC 4578 2.1", divisor=2),
    94: exactly(3, "RFC 4578 2.2"),
    97: exactly(17, "RFC 4578 2.3"),
    116: exactly(1, "RFC 2563 2"),
    118: exactly(4, "RFC 3011 2"),
    124: at_least(5, "RFC 3925 3"),
    125: at_least(5, "RFC 3925 4"),
    221: at_least(1, "RFC 6607 3.1"),
}

# Options that clients send twice, although one instance holds any of them.
ONCE = frozenset({50, 51, 52, 53, 54, 57, 94, 97, 116, 118})

LENGTHS = REQUEST_LENGTHS | {MESSAGE_TYPE: exactly(1, "RFC 2132 9.6")}

# Malformed, these are there all the same: the relay wants its own back, and a network without a name is none of ours.
KEPT = frozenset({RELAY_AGENT, 221})

# What a server sends is held to more: a client may refuse any of these. Option 82 is the relay's, as it came.
REPLY_LENGTHS: dict[int, Length] = {
    c: length for c, length in REQUEST_LENGTHS.items() if c != RELAY_AGENT
} | {
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


def fault(code: int, value: bytes, lengths: Mapping[int, Length]) -> str:
    """What is wrong with one joined option: "option_length", "option_value", or "" for nothing."""
    if code in lengths and not lengths[code].fits(value):
        return "option_length"
    if code in lengths and code in FORMS and not FORMS[code](value):
        return "option_value"
    return ""


def length_faults(options: Mapping[int, bytes], lengths: Mapping[int, Length]) -> Iterator[Malformed]:
    """In ascending order of the code."""
    for code in sorted(options):
        if reason := fault(code, options[code], lengths):
            yield Malformed(reason, code)


def from_client(pairs: tuple[Pair, ...]) -> dict[int, bytes]:
    """One value a code, malformed ones too: the pieces joined, or the first of those that are there twice."""
    return join(pairs) | {code: values[0] for code, values in _twice(pairs).items()}


def _twice(pairs: tuple[Pair, ...]) -> dict[int, list[bytes]]:
    """Equal pieces of options in ONCE that make no sense when joined."""
    found = {}
    for code, value in join(pairs).items():
        pieces = [piece for seen, piece in pairs if seen == code]
        if code in ONCE and len(pieces) > len(set(pieces)) == 1 and fault(code, value, LENGTHS):
            found[code] = pieces
    return found


def ignored(pairs: tuple[Pair, ...]) -> frozenset[int]:
    """Codes of which a client's message holds something malformed, or the same several times."""
    options = from_client(pairs)
    wrong = {code for code, value in options.items() if fault(code, value, REQUEST_LENGTHS)}
    return frozenset(wrong | _twice(pairs).keys())


def used(pairs: tuple[Pair, ...]) -> dict[int, bytes]:
    """A client's options without those that count as absent."""
    options = from_client(pairs)
    return {c: value for c, value in options.items() if c in KEPT or not fault(c, value, REQUEST_LENGTHS)}


def walk_suboptions(value: bytes) -> tuple[tuple[Pair, ...], bytes]:
    """The (code, value) pairs in order, and the octets of one that is longer than the rest."""
    seen: list[Pair] = []
    while len(value) >= 2 and len(value) >= 2 + value[1]:
        seen.append((value[0], value[2 : 2 + value[1]]))
        value = value[2 + value[1] :]
    return tuple(seen), value


def encode_suboptions(suboptions: tuple[Pair, ...]) -> bytes:
    return b"".join(bytes([code, len(value)]) + value for code, value in suboptions)


@dataclass(frozen=True)
class RelayAgent:
    """Option 82: each sub-option by its first well-formed instance, all of those in order, and the octets verbatim.

    A network is that of the first instance, malformed or not: b"" is no tenant's.
    """

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
    """Sub-options before one that is cut. RFC 8357: sub-option 19 is a mark, the port is the datagram's."""
    walked, rest = walk_suboptions(value)
    suboptions = tuple(pair for pair in walked if _fits(*pair))
    first = dict(reversed(suboptions))
    networks = [content for code, content in walked if code == NETWORK]
    networks += [b""] if rest[:1] == bytes([NETWORK]) else []
    return RelayAgent(
        circuit_id=first.get(CIRCUIT_ID),
        remote_id=first.get(REMOTE_ID),
        link_selection=_address(first.get(LINK_SELECTION)),
        flags=first[RELAY_FLAGS][0] if RELAY_FLAGS in first else None,
        server_id_override=_address(first.get(SERVER_ID_OVERRIDE)),
        source_port=RELAY_PORT in first,
        network=networks[0] if networks else None,
        suboptions=suboptions,
        verbatim=value,
    )


def _fits(code: int, value: bytes) -> bool:
    return code not in SUBOPTION_LENGTHS or SUBOPTION_LENGTHS[code].fits(value)


def _relay_reads(value: bytes) -> bool:
    """RFC 3046 2.0: sub-options fill it exactly; neither pad nor END exists in there."""
    walked, rest = walk_suboptions(value)
    return rest == b"" and all(_fits(*pair) for pair in walked)


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


def blocks(value: bytes) -> list[tuple[int, bytes]] | None:
    """RFC 3925: enterprise numbers, each with the octets behind its length; None if the last one is not whole."""
    found = []
    while value:
        if len(value) < 5 or len(value) < 5 + value[4]:
            return None
        found.append((number(value[:4]), value[5 : 5 + value[4]]))
        value = value[5 + value[4] :]
    return found


def name_labels(value: bytes) -> list[bytes] | None:
    """Option 81's name (RFC 4702 2.3): labels with flag E (4), else ASCII; None if it is no name."""
    text = value[3:].rstrip(b"\0.")
    labels = _wire_labels(value[3:]) if value[0] & 4 else (text.split(b".") if text else [])
    if labels is None or not all(1 <= len(label) <= 63 for label in labels):
        return None
    return labels if len(b".".join(labels)) <= 253 else None


def _wire_labels(value: bytes) -> list[bytes] | None:
    """Whole labels, with the root as the last octet or without it."""
    labels = []
    while value not in (b"", b"\0"):
        if value[0] == 0 or len(value) < 1 + value[0]:
            return None
        labels.append(value[1 : 1 + value[0]])
        value = value[1 + value[0] :]
    return labels


# What a fitting length does not tell.
FORMS: dict[int, Callable[[bytes], bool]] = {
    OVERLOAD: lambda value: value[0] in (1, 2, 3),  # RFC 2132 9.3: file, sname, both
    81: lambda value: name_labels(value) is not None,
    RELAY_AGENT: _relay_reads,
    MACHINE: lambda value: value[0] == 0,  # RFC 4578 2.3: no other type is defined
    124: lambda value: blocks(value) is not None,
    125: lambda value: blocks(value) is not None,
}
