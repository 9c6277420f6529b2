"""Damage, done reproducibly: `mutate(packet, rng)` gives the packet with one to four wounds.

Each wound is a function (octets, rng) -> octets that works on any octets, even none. Results stay under
LONGEST octets, so that a chain of wounds cannot grow without end. Half of the wounds know where the
interesting octets lie, because blind flips mostly hit sname and file and change nothing that is read;
a third write malformed options between good ones (malformations.py).
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from oracle.malformations import MALFORMATIONS, option_starts
from oracle.message4 import LEAST
from oracle.options4 import MESSAGE_TYPE

LONGEST = 2048
INTERESTING = (0, 1, 2, 4, 6, 16, 17, 52, 53, 61, 82, 127, 128, 254, 255)
KNOWN = (43, 50, 51, 54, 55, 57, 60, 61, 77, 80, 81, 82, 93, 97, 108, 116, 118, 121, 124, 125, 221)

Wound = Callable[[bytes, Random], bytes]


def mutate(packet: bytes, rng: Random) -> bytes:
    for _ in range(rng.randint(1, 4)):
        packet = rng.choice(WOUNDS)(packet, rng)[:LONGEST]
    return packet


def _put(packet: bytes, at: int, octet: int) -> bytes:
    return packet[:at] + bytes([octet]) + packet[at + 1 :] if at < len(packet) else packet


def _anywhere(packet: bytes, rng: Random) -> int:
    return rng.randrange(len(packet)) if packet else 0


def _in_options(packet: bytes, rng: Random) -> int:
    return rng.randrange(LEAST, len(packet)) if len(packet) > LEAST else _anywhere(packet, rng)


def _an_option(packet: bytes, rng: Random) -> tuple[int, int]:
    """Start and end of some option, (end, end) where there is none."""
    starts = option_starts(packet)
    if not starts:
        return len(packet), len(packet)
    start = rng.choice(starts)
    return start, min(len(packet), start + 2 + packet[start + 1])


def flip_bit(packet: bytes, rng: Random) -> bytes:
    at = _anywhere(packet, rng)
    return _put(packet, at, packet[at] ^ 1 << rng.randrange(8)) if packet else packet


def flip_option_bit(packet: bytes, rng: Random) -> bytes:
    at = _in_options(packet, rng)
    return _put(packet, at, packet[at] ^ 1 << rng.randrange(8)) if packet else packet


def set_header(packet: bytes, rng: Random) -> bytes:
    """op, htype, hlen or hops, or an octet of the cookie."""
    return _put(packet, rng.choice((0, 1, 2, 3, 236, 237, 238, 239)), rng.choice(INTERESTING))


def set_interesting(packet: bytes, rng: Random) -> bytes:
    return _put(packet, _in_options(packet, rng), rng.choice(INTERESTING))


def truncate(packet: bytes, rng: Random) -> bytes:
    return packet[: _anywhere(packet, rng)]


def truncate_options(packet: bytes, rng: Random) -> bytes:
    return packet[: _in_options(packet, rng)]


def grow(packet: bytes, rng: Random) -> bytes:
    return packet + rng.randbytes(rng.randint(1, 64))


def insert(packet: bytes, rng: Random) -> bytes:
    at = _in_options(packet, rng)
    return packet[:at] + rng.randbytes(rng.randint(1, 8)) + packet[at:]


def remove(packet: bytes, rng: Random) -> bytes:
    at = _in_options(packet, rng)
    return packet[:at] + packet[at + rng.randint(1, 8) :]


def splice(packet: bytes, rng: Random) -> bytes:
    """A stretch of the packet written over another place of it."""
    source, target, size = _anywhere(packet, rng), _in_options(packet, rng), rng.randint(1, 32)
    stretch = packet[source : source + size]
    return packet[:target] + stretch + packet[target + len(stretch) :]


def change_length(packet: bytes, rng: Random) -> bytes:
    """An option's length off by one, or something quite else; what follows shifts its meaning."""
    start, end = _an_option(packet, rng)
    if start == end:
        return packet
    size = packet[start + 1]
    return _put(packet, start + 1, rng.choice((max(0, size - 1), min(255, size + 1), *INTERESTING)))


def change_code(packet: bytes, rng: Random) -> bytes:
    start, _ = _an_option(packet, rng)
    return _put(packet, start, rng.randrange(256))


def resize_option(packet: bytes, rng: Random) -> bytes:
    """Length and value changed together: the walk stays in step, the length rule breaks."""
    start, end = _an_option(packet, rng)
    value = rng.randbytes(rng.choice((0, 1, 2, 3, 4, 5, 16, 17, 18, 255)))
    return packet[:start] + packet[start : start + 1] + bytes([len(value)]) + value + packet[end:]


def duplicate_option(packet: bytes, rng: Random) -> bytes:
    start, end = _an_option(packet, rng)
    return packet[:end] + packet[start:end] + packet[end:]


def drop_option(packet: bytes, rng: Random) -> bytes:
    start, end = _an_option(packet, rng)
    return packet[:start] + packet[end:]


def overload(packet: bytes, rng: Random) -> bytes:
    """Option 52 put in front, so that the text fields are read as options; sometimes with options in them."""
    field = rng.choice((b"", b"\x0c\x02hi\xff", b"\x35\x01\x07\xff", b"\x0c\xff", b"\x34\x01\x01"))
    at = rng.choice((44, 108))
    packet = packet[:at] + field + packet[at + len(field) :]
    return packet[:LEAST] + bytes([52, 1, rng.randint(0, 4)]) + packet[LEAST:]


def hurt_relay(packet: bytes, rng: Random) -> bytes:
    """An option 82 of random sub-options put in front."""
    value = b"".join(
        bytes([rng.choice((0, 1, 2, 5, 9, 10, 11, 19, 151, 152, 255)), rng.choice((0, 1, 4))])
        + rng.randbytes(rng.choice((0, 1, 4)))
        for _ in range(rng.randint(0, 4))
    )
    return packet[:LEAST] + bytes([82, len(value)]) + value + packet[LEAST:]


def add_known(packet: bytes, rng: Random) -> bytes:
    """An option that servers act on, of any length and content, put in front."""
    value = rng.randbytes(rng.choice((0, 1, 2, 3, 4, 5, 8, 17, 40)))
    return packet[:LEAST] + bytes([rng.choice(KNOWN), len(value)]) + value + packet[LEAST:]


def set_message_type(packet: bytes, rng: Random) -> bytes:
    """A type of servers, of leasequeries (RFC 4388), or none at all."""
    for at in option_starts(packet):
        if packet[at] == MESSAGE_TYPE:
            return _put(packet, at + 2, rng.randrange(20))
    return packet


def make_bootp(packet: bytes, rng: Random) -> bytes:
    """The message type gone, and sometimes the cookie too: a BOOTP client's packet (RFC 951, RFC 1497)."""
    for at in option_starts(packet):
        if packet[at] == MESSAGE_TYPE:
            packet = packet[:at] + bytes(2 + packet[at + 1]) + packet[at + 2 + packet[at + 1] :]
            break
    return packet[: LEAST - 4] + bytes(4) + packet[LEAST:] if rng.random() < 0.3 else packet


WOUNDS: tuple[Wound, ...] = (
    *(
        flip_bit,
        flip_option_bit,
        set_header,
        set_interesting,
        truncate,
        truncate_options,
        grow,
        insert,
        remove,
    ),
    *(splice, change_length, change_code, resize_option, duplicate_option, drop_option, overload, hurt_relay),
    *(add_known, set_message_type, make_bootp),
    *MALFORMATIONS,
)
