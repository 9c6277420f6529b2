"""Lawful DHCPv6 messages without end: `packets6(seed, count)`, the same ones for the same seed.

Every packet parses. They differ in message type, identity, associations, options, their order and the relays around
them. `spoiled6(seed, count)` are such messages with malformed and repeated options that a server ignores, beside what
must be read. `corpus6(seed, count)` is what to run a codec over: the vectors, generated packets, spoiled ones, and
mutants.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from ipaddress import IPv6Address
from random import Random

from oracle import packets6 as say
from oracle.malformations6 import CODES, OPAQUE, cut_option, joined, layers, misfit, put, relay_misfit
from oracle.mutations6 import mutate6
from oracle.options6 import (
    INTERFACE_ID,
    LINKLAYER,
    RELAY_LENGTHS,
    RELAY_PORT,
    REMOTE_ID,
    RSOO,
    SUBSCRIBER_ID,
    VSS,
    encode,
)
from oracle.packets6 import Packet
from oracle.vectors.all6 import VECTORS

PLAIN_CODES = (7, 21, 23, 24, 27, 31, 43, 56, 64, 82, 103, 144, 200, 9999, 65535)


def packets6(seed: int, count: int) -> Iterator[bytes]:
    rng = Random(seed)
    for _ in range(count):
        yield _relays(_shuffled(_options(_leases(_kind(rng), rng), rng), rng), rng).bytes()


@dataclass(frozen=True)
class Spoiled6:
    """A packet with malformed options of these codes, and the lawful one that it must read like."""

    data: bytes
    lawful: bytes
    codes: frozenset[int]


def spoiled6(seed: int, count: int) -> Iterator[Spoiled6]:
    rng = Random(seed)
    for lawful in packets6(seed, count):
        yield spoiling6(lawful, rng)


def spoil6(lawful: bytes, rng: Random) -> bytes:
    return spoiling6(lawful, rng).data


def spoiling6(lawful: bytes, rng: Random) -> Spoiled6:
    """One to four malformed options anywhere in the message or, if relays carry it, in an envelope; in every third
    packet the end of a field cuts off one more."""
    found, codes = layers(lawful), []
    for _ in range(rng.randint(1, 4)):
        at = rng.choice((len(found) - 1, rng.randrange(len(found))))
        relay = at < len(found) - 1
        code = rng.choice(tuple(RELAY_LENGTHS) if relay else CODES)
        value = relay_misfit(code, rng) if relay else misfit(code, rng)
        found[at] = replace(found[at], pairs=put(found[at].pairs, (code, value), rng))
        codes.append(code)
    if rng.random() < 0.3:
        at, tail = rng.randrange(len(found)), cut_option(rng.choice(OPAQUE), rng)
        found[at] = replace(found[at], tail=tail)
        codes.append(int.from_bytes(tail[:2]) if len(tail) > 3 else 0)
    return Spoiled6(joined(found), lawful, frozenset(code if code < 256 else 0 for code in codes))


def mutants6(seed: int, count: int) -> Iterator[bytes]:
    """Damaged vectors and damaged generated packets, half and half."""
    rng = Random(seed)
    for number, packet in enumerate(packets6(seed, count)):
        yield mutate6(packet if number % 2 else rng.choice(VECTORS).data, rng)


def corpus6(seed: int, count: int) -> Iterator[bytes]:
    """All vectors, then `count` lawful packets, as many spoiled ones, and as many mutants."""
    yield from (vector.data for vector in VECTORS)
    yield from packets6(seed, count)
    yield from (packet.data for packet in spoiled6(seed + 2, count))
    yield from mutants6(seed + 1, count)


def _address(rng: Random) -> IPv6Address:
    return IPv6Address((0x20010DB8 << 96) | rng.getrandbits(96))


def _duid(rng: Random) -> bytes:
    mac = bytes([2]) + rng.randbytes(5)
    kinds: tuple[Callable[[], bytes], ...] = (
        lambda: say.duid_ll(mac),
        lambda: say.duid_llt(mac, rng.getrandbits(32)),
        lambda: b"\0\2" + rng.randbytes(12),
        lambda: b"\0\4" + rng.randbytes(16),
        lambda: rng.randbytes(rng.choice((3, 4, 129, 130))),
    )
    return rng.choice(kinds)()


def _kind(rng: Random) -> Packet:
    duid, server = _duid(rng), _duid(rng)
    kinds: tuple[Callable[[], Packet], ...] = (
        lambda: say.solicit(duid),
        lambda: say.request(duid, server),
        lambda: say.confirm(duid),
        lambda: say.renew(duid, server),
        lambda: say.rebind(duid),
        lambda: say.release(duid, server),
        lambda: say.decline(duid, server),
        lambda: say.information_request(duid if rng.random() < 0.5 else None),
    )
    return rng.choice(kinds)().xid(rng.getrandbits(24))


def _leases(packet: Packet, rng: Random) -> Packet:
    """Up to three associations of each kind, each with up to three leases; none in an information-request."""
    if packet.kind == 11:
        return packet
    for iaid in rng.sample(range(2**32), rng.randint(0, 3)):
        packet = packet.ia_na(iaid, *(_address(rng) for _ in range(rng.choice((0, 1, 1, 3)))))
    for iaid in rng.sample(range(9), rng.choice((0, 0, 1, 3))):
        lengths = (rng.randint(40, 64) for _ in range(rng.choice((0, 1, 2))))
        packet = packet.ia_pd(iaid, *(_prefix(rng, length) for length in lengths))
    return packet.ia_ta(rng.getrandbits(32), _address(rng)) if rng.random() < 0.1 else packet


def _prefix(rng: Random, length: int) -> str:
    return f"{IPv6Address(int(_address(rng)) >> (128 - length) << (128 - length))}/{length}"


def _options(packet: Packet, rng: Random) -> Packet:
    words: tuple[Callable[[Packet], Packet], ...] = (
        lambda p: p.asking(*(rng.randrange(150) for _ in range(rng.randint(0, 20)))),
        lambda p: p.rapid_commit(),
        lambda p: p.fqdn(rng.choice(("host", "host.example.org.", "")), rng.randrange(8)),
        lambda p: p.user_class("iPXE", rng.randbytes(3)),
        lambda p: p.vendor_class(rng.getrandbits(32), "MSFT 5.0"),
        lambda p: p.vendor_class(311, "another"),
        lambda p: p.vendor_options(4491, (1, rng.randbytes(4)), (2, b"")),
        lambda p: p.architecture(*(rng.randrange(40) for _ in range(rng.randint(1, 3)))),
        lambda p: p.option(62, bytes([1, 3, 16])),
        lambda p: p.option(20),
        lambda p: p.option(rng.choice(PLAIN_CODES), rng.randbytes(rng.choice((0, 1, 16, 300)))),
    )
    for word in rng.sample(words, rng.randint(0, 8)):
        packet = word(packet)
    return packet


def _shuffled(packet: Packet, rng: Random) -> Packet:
    """Order is the sender's business."""
    return replace(packet, options=tuple(rng.sample(packet.options, len(packet.options))))


def _relays(packet: Packet, rng: Random) -> Packet:
    pairs: tuple[Callable[[], tuple[int, bytes]], ...] = (
        lambda: (INTERFACE_ID, rng.randbytes(rng.choice((0, 4, 30)))),
        lambda: (REMOTE_ID, rng.randbytes(rng.choice((4, 12)))),
        lambda: (SUBSCRIBER_ID, rng.randbytes(rng.randint(0, 9))),
        lambda: (LINKLAYER, rng.randbytes(rng.choice((2, 8, 10)))),
        lambda: (RELAY_PORT, rng.randbytes(2)),
        lambda: (RSOO, encode([(65, b"\0"), (rng.getrandbits(16), rng.randbytes(3))])),
        lambda: (VSS, b"\0blue"),
        lambda: (rng.choice((53, 81, 9999)), rng.randbytes(5)),
    )
    for _ in range(rng.choice((0, 0, 0, 0, 1, 1, 1, 2, 3, 9))):
        link = _address(rng) if rng.random() < 0.8 else IPv6Address(0)
        chosen = rng.sample(pairs, rng.randint(0, 3))
        packet = packet.through(link, *(pair() for pair in chosen), peer=_address(rng))
    return packet
