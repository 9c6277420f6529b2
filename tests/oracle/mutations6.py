"""Damage to DHCPv6 messages, done reproducibly: `mutate6(packet, rng)` gives the packet with one to four wounds.

The blind wounds are those of DHCPv4. The others know where options lie: behind an envelope's header, inside the
relayed message, inside associations and inside addresses, since a length there is what a reader may trust too far;
a third write malformed and repeated options between good ones (malformations6.py).
"""

from __future__ import annotations

import struct
from random import Random

from oracle.malformations6 import MALFORMATIONS
from oracle.message6 import ENVELOPE, HEADER, RELAY_FORW, RELAY_REPL
from oracle.mutations import LONGEST, Wound, flip_bit, grow, truncate
from oracle.options6 import IA_NA, IA_PD, IA_TA, IAADDR, IAPREFIX, RELAY_MSG, RSOO

# Octets before the options that these hold.
HOLDERS = {IA_NA: 12, IA_TA: 4, IA_PD: 12, IAADDR: 24, IAPREFIX: 25, RSOO: 0}
SIZES = (0, 1, 2, 3, 4, 11, 12, 13, 23, 24, 25, 26, 128, 130, 131, 255, 256, 65535)
KNOWN = (1, 2, 3, 4, 5, 6, 8, 9, 13, 14, 15, 16, 17, 18, 20, 25, 26, 37, 39, 61, 62, 66, 68, 79, 135)
TYPES = (*range(16), 36, 37, 255)


def mutate6(packet: bytes, rng: Random) -> bytes:
    for _ in range(rng.randint(1, 4)):
        packet = rng.choice(WOUNDS)(packet, rng)[:LONGEST]
    return packet


def option_starts(packet: bytes, at: int = 0) -> list[int]:
    """Where options begin, at all depths, as far as the walk goes; the message begins at `at`."""
    kind = packet[at : at + 1]
    header = ENVELOPE.size if kind in (bytes([RELAY_FORW]), bytes([RELAY_REPL])) else HEADER.size
    return _starts(packet, at + header, len(packet))


def _starts(packet: bytes, at: int, end: int) -> list[int]:
    starts: list[int] = []
    while at + 4 <= end:
        code, size = struct.unpack_from("!HH", packet, at)
        starts.append(at)
        if code == RELAY_MSG:
            starts += option_starts(packet[: at + 4 + size], at + 4)
        elif code in HOLDERS:
            starts += _starts(packet, at + 4 + HOLDERS[code], min(end, at + 4 + size))
        at += 4 + size
    return starts


def _an_option(packet: bytes, rng: Random) -> tuple[int, int]:
    """Start and end of some option, (end, end) where there is none."""
    starts = option_starts(packet)
    if not starts:
        return len(packet), len(packet)
    start = rng.choice(starts)
    return start, min(len(packet), start + 4 + struct.unpack_from("!H", packet, start + 2)[0])


def set_type(packet: bytes, rng: Random) -> bytes:
    return bytes([rng.choice(TYPES)]) + packet[1:]


def set_hops(packet: bytes, rng: Random) -> bytes:
    """In an envelope the hop count, in a message the first octet of its number."""
    return packet[:1] + bytes([rng.choice((0, 1, 7, 8, 9, 32, 255))]) + packet[2:]


def change_length(packet: bytes, rng: Random) -> bytes:
    """An option's length off by one, or something quite else; what follows shifts its meaning."""
    start, end = _an_option(packet, rng)
    if start == end:
        return packet
    (size,) = struct.unpack_from("!H", packet, start + 2)
    wrong = rng.choice((max(0, size - 1), min(65535, size + 1), *SIZES))
    return packet[: start + 2] + struct.pack("!H", wrong) + packet[start + 4 :]


def change_code(packet: bytes, rng: Random) -> bytes:
    start, end = _an_option(packet, rng)
    if start == end:
        return packet
    return packet[:start] + struct.pack("!H", rng.choice(KNOWN)) + packet[start + 2 :]


def flip_option_bit(packet: bytes, rng: Random) -> bytes:
    start, end = _an_option(packet, rng)
    if start == end:
        return packet
    at = rng.randrange(start, end)
    return packet[:at] + bytes([packet[at] ^ 1 << rng.randrange(8)]) + packet[at + 1 :]


def resized(packet: bytes, rng: Random) -> bytes:
    """An option's value of another size; what holds it keeps its length, unless it is a top-level option."""
    start, end = _an_option(packet, rng)
    if start == end:
        return packet
    value = rng.randbytes(rng.choice(SIZES[:-2]))
    return packet[: start + 2] + struct.pack("!H", len(value)) + value + packet[end:]


def duplicate_last(packet: bytes, rng: Random) -> bytes:
    """A top-level option once more, at the end of a message that no relay carries."""
    start, end = _an_option(packet, rng)
    return packet + packet[start:end]


def drop_option(packet: bytes, rng: Random) -> bytes:
    start, end = _an_option(packet, rng)
    return packet[:start] + packet[end:]


def add_known(packet: bytes, rng: Random) -> bytes:
    """An option that servers act on, of any length and content, at the end."""
    value = rng.randbytes(rng.choice(SIZES[:-2]))
    return packet + struct.pack("!HH", rng.choice(KNOWN), len(value)) + value


def enclosed(packet: bytes, rng: Random) -> bytes:
    """In one to ten more envelopes, sound but for their hop counts."""
    for _ in range(rng.choice((1, 1, 2, 8, 9, 10))):
        hops = rng.choice((0, 1, 8, 9))
        header = ENVELOPE.pack(RELAY_FORW, hops, rng.randbytes(16), rng.randbytes(16))
        packet = header + struct.pack("!HH", RELAY_MSG, len(packet) & 0xFFFF) + packet
    return packet


WOUNDS: tuple[Wound, ...] = (
    *(flip_bit, truncate, grow, set_type, set_hops, change_length, change_code, flip_option_bit, resized),
    *(duplicate_last, drop_option, add_known, enclosed),
    *MALFORMATIONS,
)
