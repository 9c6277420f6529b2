"""Lawful requests without end: `packets(seed, count)`, the same ones for the same seed.

Every packet parses. They differ in message type, state, relay, identity, options, order, padding, END,
overload and pieces, so that a codec meets each rule of the format within a few hundred of them.
`spoiled(seed, count)` are such requests with malformed options that a server ignores, beside what must be read.
`corpus(seed, count)` is what to run a codec over: the vectors, generated packets, spoiled ones, and mutants of all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from ipaddress import IPv4Address
from random import Random

from oracle import packets as say
from oracle.malformations import CODES, OPAQUE, cut_option, encode, misfit, option_ends
from oracle.message4 import Message, build, parse
from oracle.mutations import mutate
from oracle.options4 import CLIENT_ID, MESSAGE_TYPE, RELAY_AGENT, REQUEST_LENGTHS, Pair, encode_suboptions
from oracle.packets import Packet
from oracle.vectors.all import VECTORS

VENDORS = ("MSFT 5.0", "android-dhcp-13", "PXEClient:Arch:00007:UNDI:003016", "udhcp 1.35.0", "docsis3.0")
PLAIN_CODES = tuple(code for code in range(1, 255) if code != MESSAGE_TYPE and code not in REQUEST_LENGTHS)


def packets(seed: int, count: int) -> Iterator[bytes]:
    rng = Random(seed)
    for _ in range(count):
        packet = _options(_relay(_header(_kind(rng), rng), rng), rng)
        yield _overloaded(packet, rng) if rng.random() < 0.15 else _framed(packet, rng).bytes()


@dataclass(frozen=True)
class Spoiled:
    """A packet with malformed options of these codes, and the lawful one that it must read like."""

    data: bytes
    lawful: bytes
    codes: frozenset[int]


def spoiled(seed: int, count: int) -> Iterator[Spoiled]:
    rng = Random(seed)
    for lawful in packets(seed, count):
        yield spoiling(lawful, rng)


def spoil(lawful: bytes, rng: Random) -> bytes:
    return spoiling(lawful, rng).data


def spoiling(lawful: bytes, rng: Random) -> Spoiled:
    """One to five malformed options of codes that the packet has not, anywhere among its options; in every third
    packet the end of the message cuts off one more, which is not the client identifier."""
    absent = _absent(lawful, CODES)
    codes = rng.sample(absent, min(len(absent), rng.randint(1, 5)))
    data = lawful
    for code in codes:
        at = rng.choice(option_ends(data))
        data = data[:at] + encode(code, misfit(code, rng)) + data[at:]
    if rng.random() < 0.3:
        codes.append(rng.choice([code for code in _absent(data, (*CODES, *OPAQUE)) if code != CLIENT_ID]))
        data = data[: option_ends(data)[-1]] + cut_option(codes[-1], rng)
    return Spoiled(data, lawful, frozenset(codes))


def _absent(data: bytes, codes: tuple[int, ...]) -> list[int]:
    """Those of `codes` that no field of the message holds."""
    message = parse(data)
    assert isinstance(message, Message)
    return [code for code in codes if code not in message.options.keys() | message.ignored]


def mutants(seed: int, count: int) -> Iterator[bytes]:
    """Damaged vectors and damaged generated packets, half and half."""
    rng = Random(seed)
    for number, packet in enumerate(packets(seed, count)):
        yield mutate(packet if number % 2 else rng.choice(VECTORS).data, rng)


def corpus(seed: int, count: int) -> Iterator[bytes]:
    """All vectors, then `count` lawful packets, as many spoiled ones, and as many mutants."""
    yield from (vector.data for vector in VECTORS)
    yield from packets(seed, count)
    yield from (packet.data for packet in spoiled(seed + 2, count))
    yield from mutants(seed + 1, count)


def _address(rng: Random) -> IPv4Address:
    return IPv4Address(rng.getrandbits(32) or 1)


def _kind(rng: Random) -> Packet:
    mac = bytes([rng.getrandbits(8) & 0xFE | 2]) + rng.randbytes(5)
    address, server = _address(rng), _address(rng)
    kinds: tuple[Callable[[], Packet], ...] = (
        lambda: say.discover(mac),
        lambda: say.request_selecting(mac, address, server),
        lambda: say.request_init_reboot(mac, address),
        lambda: say.request_renewing(mac, address),
        lambda: say.decline(mac, address, server),
        lambda: say.release(mac, address, server),
        lambda: say.inform(mac, address),
    )
    return rng.choice(kinds)().xid(rng.getrandbits(32))


def _header(packet: Packet, rng: Random) -> Packet:
    if rng.random() < 0.2:
        hlen = rng.choice((0, 1, 8, 16))
        packet = packet.field(htype=rng.choice((6, 32)), hlen=hlen, chaddr=rng.randbytes(hlen))
    if rng.random() < 0.3:
        packet = packet.field(flags=rng.choice((0x8000, 0x8000, 0x0001, 0xFFFF)))
    if rng.random() < 0.1:
        packet = packet.field(sname=rng.randbytes(64), file=rng.randbytes(128))
    return packet.secs(rng.choice((0, 0, 1, 4, 65535)))


def _relay(packet: Packet, rng: Random) -> Packet:
    if rng.random() < 0.5:
        return packet
    packet = packet.with_relay(_address(rng), hops=rng.randint(1, 16))
    words: tuple[Callable[[Packet], Packet], ...] = (
        lambda p: p.circuit(rng.randbytes(rng.choice((0, 4, 6, 40)))),
        lambda p: p.remote(rng.randbytes(rng.choice((6, 8)))),
        lambda p: p.link_selection(_address(rng)),
        lambda p: p.server_override(_address(rng)),
        lambda p: p.relay_port(),
        lambda p: p.suboption(rng.choice((0, 6, 9, 12, 151, 255)), rng.randbytes(rng.randint(1, 9))),
    )
    for word in rng.sample(words, rng.randint(0, len(words))):
        packet = word(packet)
    return packet


def _options(packet: Packet, rng: Random) -> Packet:
    words: tuple[Callable[[Packet], Packet], ...] = (
        lambda p: p.asking(*rng.sample(range(1, 255), rng.randint(1, 30))),
        lambda p: p.hostname(f"host{rng.getrandbits(16)}"),
        lambda p: p.vendor(rng.choice(VENDORS)),
        lambda p: p.client_id(rng.randbytes(rng.choice((2, 7, 19, 64)))),
        lambda p: p.max_size(rng.choice((0, 300, 576, 1500, 65535))),
        lambda p: p.lease_time(rng.choice((0, 60, 86400, 0xFFFFFFFF))),
        lambda p: p.rapid_commit(),
        lambda p: p.architecture(*(rng.randrange(20) for _ in range(rng.randint(1, 3)))),
        lambda p: p.option(94, bytes([1, 3, 16])),
        lambda p: p.machine(rng.randbytes(16)),
        lambda p: p.option(116, b"\1"),
        lambda p: p.selecting_subnet(_address(rng)),
        lambda p: p.user_class("iPXE", "lab"),
        lambda p: p.fqdn("host.example.io", rng.choice((0, 1, 2, 8, 9))),
        lambda p: p.option(81, bytes((rng.choice((4, 5, 12)), 0, 0)) + b"\4host\7example\0"),
        lambda p: p.option(rng.choice((124, 125)), _blocks(rng)),
        lambda p: p.option(rng.choice(PLAIN_CODES), rng.randbytes(rng.choice((0, 1, 4, 60)))),
        lambda p: p.option(rng.choice((43, 175)), rng.randbytes(rng.choice((255, 256, 510, 600)))),
    )
    for word in rng.sample(words, rng.randint(0, 8)):
        packet = word(packet)
    return packet


def _blocks(rng: Random) -> bytes:
    """Vendors' data (RFC 3925), sometimes too much for one instance of the option."""
    sizes = (rng.choice((0, 1, 9, 200)) for _ in range(rng.randint(1, 3)))
    return b"".join(rng.randbytes(4) + bytes([size]) + rng.randbytes(size) for size in sizes)


def _framed(packet: Packet, rng: Random) -> Packet:
    """Order, padding and END are the sender's business; the message type need not be the first."""
    if rng.random() < 0.2:
        packet = replace(packet, options=tuple(rng.sample(packet.options, len(packet.options))))
    if rng.random() < 0.1:
        return packet.without_end()
    return packet.padded_to(rng.choice((0, 300, 300, 548)))


def _overloaded(packet: Packet, rng: Random) -> bytes:
    """The same options spread over options, file and sname, each whole one where it fits."""
    rooms = {"in_file": 127, "in_sname": 63}
    placed: dict[str, list[Pair]] = {"in_file": [], "in_sname": [], "options": []}
    options = list(packet.options)
    if packet.suboptions:
        options.append((RELAY_AGENT, encode_suboptions(packet.suboptions)))
    for code, value in options:
        room = rng.choice(("in_file", "in_sname", "options"))
        if code == MESSAGE_TYPE or len(value) + 2 > rooms.get(room, 0):
            room = "options"
        else:
            rooms[room] -= len(value) + 2
        placed[room].append((code, value))
    header = {name: value for name, value in packet.header if name not in ("sname", "file")}
    return build(placed["options"], in_file=placed["in_file"], in_sname=placed["in_sname"], **header)
