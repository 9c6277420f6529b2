"""Malformed and repeated options in otherwise good DHCPv6 messages, made reproducibly.

MALFORMATIONS are wounds for `mutate6`. They work on options that were read and write lengths anew, so that what is
malformed lies where it was put: in the message, in an association, in an address, in a relay's envelope. Packets whose
envelopes cannot be opened stay as they are.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

from oracle.message6 import ENVELOPE, HEADER, RELAY_FORW
from oracle.options4 import Length, Pair
from oracle.options6 import (
    CLIENT_FQDN,
    CLIENT_ID,
    CLIENT_LENGTHS,
    IA_NA,
    IA_PD,
    IAADDR,
    IAPREFIX,
    IAS,
    LEASES,
    PD_EXCLUDE,
    RELAY_LENGTHS,
    RELAY_MSG,
    RSOO,
    STATUS_CODE,
    USER_CLASS,
    VENDOR_CLASS,
    VENDOR_OPTS,
    VSS,
    encode,
    ia_header,
    reads,
    walk,
)

CODES = tuple(code for code in CLIENT_LENGTHS if code != CLIENT_ID)
RELAY_CODES = (*RELAY_LENGTHS, RSOO, VSS)
OPAQUE = (7, 13, 18, 31, 82, 9999)
SIZES = (0, 1, 2, 3, 4, 5, 11, 12, 13, 129, 130, 131, 200)
OVERRUNS = {
    USER_CLASS: b"\0\5ab",
    VENDOR_CLASS: b"\0\0\1\x37\0\7ab",
    VENDOR_OPTS: b"\0\0\x11\x8b\0\1\0\5a",
    CLIENT_FQDN: b"\0\x09abc",
}


@dataclass(frozen=True)
class Layer:
    """A header with its options, the octets behind them, and for an envelope what it carries among its options."""

    header: bytes
    pairs: list[Pair]
    tail: bytes


def layers(packet: bytes) -> list[Layer]:
    """From the outside in; empty if the packet is too short or a relayed message is missing."""
    size = ENVELOPE.size if packet[:1] == bytes([RELAY_FORW]) else HEADER.size
    if len(packet) < size:
        return []
    walked = walk(packet[size:])
    layer = Layer(packet[:size], list(walked.options), walked.rest)
    if size == HEADER.size:
        return [layer]
    carried = dict(reversed(walked.options)).get(RELAY_MSG, b"")
    inner = layers(carried)
    return [layer, *inner] if inner else []


def joined(found: list[Layer]) -> bytes:
    """The packet of these layers; each message stands where the first one stood in its envelope."""
    data = b""
    for layer in reversed(found):
        pairs, put = [], False
        for code, value in layer.pairs:
            again = code == RELAY_MSG and not put
            pairs.append((code, data if again else value))
            put |= again
        data = layer.header + encode(pairs) + layer.tail
    return data


Change = Callable[[Layer, Random], Layer]


def in_message(change: Change) -> Callable[[bytes, Random], bytes]:
    """A wound that changes the innermost message."""

    def wound(packet: bytes, rng: Random) -> bytes:
        found = layers(packet)
        return joined([*found[:-1], change(found[-1], rng)]) if found else packet

    wound.__name__ = change.__name__
    return wound


def in_envelope(change: Change) -> Callable[[bytes, Random], bytes]:
    """A wound that changes some envelope, and puts a packet without one into one."""

    def wound(packet: bytes, rng: Random) -> bytes:
        found = layers(packet)
        if len(found) == 1:
            header = ENVELOPE.pack(RELAY_FORW, 0, rng.randbytes(16), rng.randbytes(16))
            found = [Layer(header, [(RELAY_MSG, b"")], b""), *found]
        if not found:
            return packet
        at = rng.randrange(len(found) - 1)
        return joined([*found[:at], change(found[at], rng), *found[at + 1 :]])

    wound.__name__ = change.__name__
    return wound


# --- malformed values


def misfit(code: int, rng: Random) -> bytes:
    """A value that makes this option of a client malformed."""
    if code in OVERRUNS and rng.random() < 0.5:
        return OVERRUNS[code]
    value = rng.randbytes(rng.choice(misfits(CLIENT_LENGTHS[code])))
    assert not reads(code, value)
    return value


def misfits(length: Length) -> list[int]:
    """Sizes that do not fit, mostly those next to one that does."""
    near = (length.least - 1, length.least + 1, 2 * length.least, (length.greatest or 0) + 1)
    return [size for size in (*near, *near, *SIZES) if size >= 0 and not length.fits(bytes(size))]


def relay_misfit(code: int, rng: Random) -> bytes:
    """A value that makes this option of a relay malformed."""
    if code == VSS:
        return b""
    if code == RSOO:
        return encode([(65, b"\0")]) + rng.choice((b"\0", b"\0\x17\0", b"\0\x17\0\x10\x20"))
    return rng.randbytes(rng.choice(misfits(RELAY_LENGTHS[code])))


def lease_misfit(code: int, rng: Random) -> bytes:
    """An address or prefix that is too short, or a prefix that is longer than an address."""
    if code == IAPREFIX and rng.random() < 0.5:
        return bytes(8) + bytes([rng.randint(129, 255)]) + rng.randbytes(16)
    return rng.randbytes(rng.choice((0, 1, 16, 20, 23) if code == IAADDR else (0, 1, 8, 9, 24)))


def cut_option(code: int, rng: Random) -> bytes:
    """The beginning of an option: half its code or more, but not all of its value."""
    size = rng.choice((0, 1, 5))
    whole = struct.pack("!HH", code, rng.choice((size + 1, size + 12, 65535))) + rng.randbytes(size)
    return whole[: rng.choice((1, 2, 3, 4, len(whole)))]


def put(pairs: list[Pair], pair: Pair, rng: Random) -> list[Pair]:
    at = rng.randint(0, len(pairs))
    return [*pairs[:at], pair, *pairs[at:]]


# --- changes of a message


def put_malformed(layer: Layer, rng: Random) -> Layer:
    code = rng.choice(CODES)
    return replace(layer, pairs=put(layer.pairs, (code, misfit(code, rng)), rng))


def spoil_option(layer: Layer, rng: Random) -> Layer:
    """An option that is there gets a value that does not fit."""
    known = [at for at, (code, _) in enumerate(layer.pairs) if code in CLIENT_LENGTHS]
    if not known:
        return layer
    pairs, at = list(layer.pairs), rng.choice(known)
    pairs[at] = (pairs[at][0], misfit(pairs[at][0], rng))
    return replace(layer, pairs=pairs)


def repeat(layer: Layer, rng: Random) -> Layer:
    """An option once more, as it is or with another value; mostly not the client's identifier."""
    known = [pair for pair in layer.pairs if pair[0] != CLIENT_ID or rng.random() < 0.1]
    if not known:
        return layer
    code, value = rng.choice(known)
    other = value[:4] + rng.randbytes(max(0, len(value) - 4)) if code in IAS else rng.randbytes(len(value))
    return replace(layer, pairs=put(layer.pairs, (code, rng.choice((value, other))), rng))


def cut_end(layer: Layer, rng: Random) -> Layer:
    code = rng.choice((*CODES, *OPAQUE, *((CLIENT_ID,) if rng.random() < 0.1 else ())))
    return replace(layer, tail=cut_option(code, rng))


def spoil_association(layer: Layer, rng: Random) -> Layer:
    """Something malformed inside an association, or in an address or prefix of it; a new one if there is none."""
    pairs = list(layer.pairs)
    where = [at for at, (code, value) in enumerate(pairs) if code in IAS and len(value) >= ia_header(code)]
    if not where:
        where, pairs = [len(pairs)], [*pairs, (rng.choice((IA_NA, IA_PD)), rng.randbytes(12))]
    at = rng.choice(where)
    code, value = pairs[at]
    head, inside = value[: ia_header(code)], walk(value[ia_header(code) :])
    pairs[at] = (code, head + _spoiled_inside(code, list(inside.options), rng))
    return replace(layer, pairs=pairs)


def _spoiled_inside(code: int, inside: list[Pair], rng: Random) -> bytes:
    lease = LEASES[code]
    kind = rng.randrange(6)
    if kind == 0:
        return encode(put(inside, (lease, lease_misfit(lease, rng)), rng))
    if kind == 1:
        return encode(put(inside, (STATUS_CODE, rng.randbytes(rng.randrange(2))), rng))
    if kind == 2:
        return encode(inside) + cut_option(rng.choice((lease, STATUS_CODE, PD_EXCLUDE)), rng)
    excluded = bytes([rng.choice((0, 56, 57, 64, 128, 129))]) + rng.randbytes(rng.randrange(12))
    bad = rng.choice(
        (cut_option(STATUS_CODE, rng), encode([(PD_EXCLUDE, excluded)]), encode([(PD_EXCLUDE, b"")]))
    )
    fixed = bytes(8) + bytes([56]) + rng.randbytes(16) if lease == IAPREFIX else rng.randbytes(16) + bytes(8)
    return encode(put(inside, (lease, fixed + bad), rng))


# --- changes of an envelope


def put_malformed_in_envelope(layer: Layer, rng: Random) -> Layer:
    code = rng.choice(RELAY_CODES)
    return replace(layer, pairs=put(layer.pairs, (code, relay_misfit(code, rng)), rng))


def repeat_in_envelope(layer: Layer, rng: Random) -> Layer:
    others = [pair for pair in layer.pairs if pair[0] != RELAY_MSG or rng.random() < 0.1]
    return replace(layer, pairs=put(layer.pairs, rng.choice(others), rng)) if others else layer


def cut_envelope(layer: Layer, rng: Random) -> Layer:
    code = rng.choice((*RELAY_CODES, *OPAQUE, *((RELAY_MSG,) if rng.random() < 0.1 else ())))
    return replace(layer, tail=cut_option(code, rng))


MALFORMATIONS = (
    *map(in_message, (put_malformed, put_malformed, spoil_option, repeat, cut_end)),
    *map(in_message, (spoil_association, spoil_association)),
    *map(in_envelope, (put_malformed_in_envelope, repeat_in_envelope, cut_envelope)),
)
