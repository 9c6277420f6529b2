"""Malformed options in otherwise good DHCPv4 messages, made reproducibly.

MALFORMATIONS are wounds for `mutate`; `misfit` writes one option whose value its RFC does not allow. They keep the
walk in step where they can, because an option that shifts everything behind it tries out the walk and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from oracle.message4 import LEAST
from oracle.options4 import (
    END,
    MACHINE,
    OVERLOAD,
    PAD,
    RELAY_AGENT,
    REQUEST_LENGTHS,
    SUBOPTION_LENGTHS,
    Length,
    Pair,
    encode_suboptions,
)

CODES = tuple(REQUEST_LENGTHS)
OPAQUE = (43, 66, 145, 175)
SIZES = (0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 18, 255)


# Values of a length that fits, and with another fault.
SHAPELESS = {
    OVERLOAD: (b"\0", b"\4", b"\xff"),
    81: (
        b"\0\0\0a..b",
        b"\0\0\0.a",
        b"\1\0\0" + b"a" * 64,
        b"\4\0\0\3a\0",
        b"\5\0\0\1a\0\0",
        b"\4\0\0\xc0\0",
    ),
    MACHINE: (b"\1" + bytes(16), bytes([255]) * 17),
    124: (b"\0\0\x0d\xe9\2a", b"\0\0\x0d\xe9\1a\0"),
    125: (b"\0\0\x0d\xe9\1", b"\0\0\x0d\xe9\0\0\0\x0d\xe9\3\1\1"),
}


def option_starts(packet: bytes) -> list[int]:
    """Offsets at which options begin in the options field, as far as the walk goes."""
    starts, at = [], LEAST
    while at + 1 < len(packet) and packet[at] != END:
        if packet[at] == PAD:
            at += 1
            continue
        starts.append(at)
        at += 2 + packet[at + 1]
    return starts


def option_ends(packet: bytes) -> list[int]:
    """Offsets at which another option may stand: in front, and behind each whole option."""
    ends = (at + 2 + packet[at + 1] for at in option_starts(packet))
    return [min(LEAST, len(packet)), *(end for end in ends if end <= len(packet))]


def encode(code: int, value: bytes) -> bytes:
    return bytes([code, len(value)]) + value


def misfit(code: int, rng: Random) -> bytes:
    """A value that makes this option of a client malformed."""
    if code == RELAY_AGENT:
        return relay_information(rng)
    length = REQUEST_LENGTHS[code]
    if code in SHAPELESS and rng.random() < 0.5:
        return rng.choice(SHAPELESS[code])
    return rng.randbytes(rng.choice(_misfits(length)))


def _misfits(length: Length) -> list[int]:
    """Sizes that do not fit, mostly those next to one that does; twice the size is an option that stands twice."""
    near = (length.least - 1, length.least + 1, 2 * length.least)
    return [size for size in (*near, *near, *SIZES) if size >= 0 and not length.fits(bytes(size))]


def relay_information(rng: Random) -> bytes:
    """Option 82 with good sub-options and, in front, between or behind them, one that is malformed; sometimes empty."""
    good = [(rng.choice((1, 2, 6, 9, 12)), rng.randbytes(rng.randrange(9))) for _ in range(rng.randrange(4))]
    if rng.random() < 0.1:
        return b""
    if rng.random() < 0.5:
        return encode_suboptions(tuple(good)) + _cut_suboption(rng)
    good.insert(rng.randint(0, len(good)), _wrong_suboption(rng))
    return encode_suboptions(tuple(good))


def _cut_suboption(rng: Random) -> bytes:
    """Longer than the rest of option 82, or a code without a length; an END that is none."""
    size = rng.randrange(5)
    whole = bytes([rng.choice((1, 2, 5, 11, 151)), rng.randint(size + 1, 255)]) + rng.randbytes(size)
    return rng.choice((whole, whole[:1], bytes([END]), bytes([PAD])))


def _wrong_suboption(rng: Random) -> Pair:
    code = rng.choice(tuple(SUBOPTION_LENGTHS))
    return code, rng.randbytes(rng.choice([size for size in _misfits(SUBOPTION_LENGTHS[code]) if size < 255]))


def cut_option(code: int, rng: Random) -> bytes:
    """The beginning of an option at the end of a field: its code alone, or fewer octets than its length says."""
    size = rng.choice((0, 0, 1, 3, 6))
    return rng.choice((bytes([code]), bytes([code, rng.randint(size + 1, 255)]) + rng.randbytes(size)))


# --- wounds


def put_malformed(packet: bytes, rng: Random) -> bytes:
    """One more option, malformed, between two others: not there before, or the second piece of one that was good."""
    code = rng.choice(CODES)
    at = rng.choice(option_ends(packet))
    return packet[:at] + encode(code, misfit(code, rng)) + packet[at:]


def spoil_option(packet: bytes, rng: Random) -> bytes:
    """An option that is there gets a value that does not fit."""
    known = [at for at in option_starts(packet) if packet[at] in REQUEST_LENGTHS]
    if not known:
        return packet
    at = rng.choice(known)
    return packet[:at] + encode(packet[at], misfit(packet[at], rng)) + packet[at + 2 + packet[at + 1] :]


def trim_option(packet: bytes, rng: Random) -> bytes:
    """An option loses its last octet or gets one more; its length says so."""
    ends = option_ends(packet)[1:]
    starts = option_starts(packet)[: len(ends)]
    if not starts:
        return packet
    start, end = rng.choice(list(zip(starts, ends, strict=True)))
    value = packet[start + 2 : end]
    value = value[:-1] if rng.random() < 0.5 or len(value) == 255 else value + b"\0"
    return packet[:start] + encode(packet[start], value) + packet[end:]


def cut_end(packet: bytes, rng: Random) -> bytes:
    """The message ends within an option, behind a whole one."""
    at = rng.choice(option_ends(packet)[-2:])
    return packet[:at] + cut_option(rng.choice((*CODES, *OPAQUE)), rng)


def stretch_last(packet: bytes, rng: Random) -> bytes:
    """The last option's length covers END, the padding and more."""
    starts = option_starts(packet)
    if not starts or starts[-1] + 1 >= len(packet):
        return packet
    at = starts[-1] + 1
    return packet[:at] + bytes([rng.randint(packet[at], 255)]) + packet[at + 1 :]


def spill(packet: bytes, rng: Random) -> bytes:
    """The text field file or sname, opened by option 52, ends within an option."""
    bit, start, end = rng.choice(((1, 108, 236), (2, 44, 108)))
    if len(packet) < LEAST:
        return packet
    cut = cut_option(rng.choice((*CODES, *OPAQUE)), rng)
    field = cut.rjust(end - start, bytes([PAD]))
    return packet[:start] + field + packet[end:LEAST] + encode(OVERLOAD, bytes([bit])) + packet[LEAST:]


def spoil_relay(packet: bytes, rng: Random) -> bytes:
    return packet[:LEAST] + encode(RELAY_AGENT, relay_information(rng)) + packet[LEAST:]


def repeat_whole(packet: bytes, rng: Random) -> bytes:
    """Any option once more: the pieces are one option (RFC 3396), twice as long as it may be."""
    starts = option_starts(packet)
    if not starts:
        return packet
    start = rng.choice(starts)
    option = packet[start : start + 2 + (packet[start + 1] if start + 1 < len(packet) else 0)]
    at = rng.choice(option_ends(packet))
    return packet[:at] + option + packet[at:]


MALFORMATIONS: tuple[Callable[[bytes, Random], bytes], ...] = (
    *(put_malformed, put_malformed, spoil_option, trim_option, cut_end, stretch_last, spill, spoil_relay),
    repeat_whole,
)
