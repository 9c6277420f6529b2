"""Generated packets made to concern the server under test.

The oracle's packets speak of random addresses; nearly all would be dropped for that. `aim` writes addresses, clients,
relays and our server identifier over the random ones, in place, wherever the options stand (options field, file,
sname), and puts a piece of option 82 in front that asks for the answer at the source port (RFC 8357), so that no
rights are needed to hear it. Everything else stays as generated.
"""

from collections.abc import Callable, Iterator
from random import Random

from fuzz.network import CLASS_VENDOR, CLIENTS, DENIED_VENDOR, RESERVED_CIRCUIT, RESERVED_CLIENT_ID
from oracle import packets as say
from oracle.generate import packets, spoil
from oracle.message4 import LEAST
from oracle.mutations import mutate
from oracle.options4 import LINK_SELECTION, RELAY_AGENT, SERVER_ID_OVERRIDE
from oracle.packets import Packet

MAIN, SMALL, OFF, NOWHERE, UNTRUSTED = (
    bytes((127, 0, 0, 1)),
    bytes((127, 0, 0, 2)),
    bytes((127, 0, 0, 3)),
    bytes((127, 0, 0, 4)),
    bytes((126, 0, 0, 1)),
)
RELAYS = (MAIN,) * 12 + (SMALL,) * 5 + (OFF, NOWHERE, UNTRUSTED)
ANSWER_AT_SOURCE_PORT = bytes((RELAY_AGENT, 2, 19, 0))
CIADDR, GIADDR, CHADDR, XID = 12, 24, 28, 4
LITTER = 8  # mutants of one packet: making it costs what twenty of them do


def lawful(seed: int, count: int) -> Iterator[bytes]:
    """`count` packets without a fault; their transaction ids are 0, 1, 2 ..."""
    rng = Random(seed)
    for number, packet in enumerate(packets(seed, count)):
        yield aim(sentence(rng) if rng.random() < 0.3 else packet, number, rng)


def damaged(seed: int, count: int) -> Iterator[bytes]:
    """Half of them mutants, a quarter with malformed options that are ignored; the transaction id is mostly still the
    number."""
    rng = Random(seed + 1)
    for packet in lawful(seed, count):
        kind = rng.random()
        yield mutate(packet, rng) if kind < 0.5 else spoil(packet, rng) if kind < 0.75 else packet


def wounded(seed: int, count: int) -> Iterator[bytes]:
    """`count` mutants, and before every few of them the packet that they were made of, which nobody counts."""
    rng, number = Random(seed + 1), 0
    for packet in lawful(seed, -(-count // LITTER)):
        for child in (packet, *(mutate(packet, rng) for _ in range(min(LITTER, count)))):
            yield child[:XID] + number.to_bytes(4, "big")[: len(child) - XID] + child[XID + 4 :]
            number += 1
        count -= LITTER


def sentence(rng: Random) -> bytes:
    """What the generator says too seldom for a server: identities that are reserved, classes, whole conversations."""
    mac, address, server = rng.choice(CLIENTS), "127.64.0.9", "127.0.0.1"
    packet = rng.choice(
        (
            say.discover(mac).asking(1, 3, 6, 15, 42, 43, 66, 67, 119, 121, 125),
            say.discover(mac).max_size(rng.choice((576, 600, 1500))).asking(*range(1, 120)),
            say.request_selecting(mac, address, server),
            say.request_selecting(mac, address, server).asking(43, 60, 125, 128).max_size(1500),
            say.request_renewing(mac, address),
            say.request_init_reboot(mac, address),
            say.release(mac, address, server),
            say.decline(mac, address, server),
        )
    ).with_relay("127.0.0.1")
    words = (
        lambda p: p.client_id(RESERVED_CLIENT_ID),
        lambda p: p.circuit(RESERVED_CIRCUIT),
        lambda p: p.vendor(f"{CLASS_VENDOR}:Arch:00007"),
        lambda p: p.vendor(DENIED_VENDOR),
        lambda p: p.hostname(b"a\0b\xff\0"),
        lambda p: p.lease_time(rng.choice((0, 1, 3, 5, 0xFFFFFFFF))),
        lambda p: p.client_id(rng.randbytes(255)).circuit(rng.randbytes(250)),
        lambda p: p.also(82, rng_suboptions(rng)).also(82, rng_suboptions(rng)),
    )
    for word in rng.sample(words, rng.choice((0, 1, 1, 2))):
        packet = word(packet)
    for word in rng.sample(LATER_WORDS, rng.choice((0, 0, 1, 2, 3))):
        packet = word(packet, rng)
    return packet.bytes()


# What RFCs after 2132 have added and a server acts on.
LATER_WORDS: tuple[Callable[[Packet, Random], Packet], ...] = (
    lambda p, rng: p.rapid_commit(),
    lambda p, rng: p.fqdn("host.fuzz.example", rng.choice((0, 1, 8, 9))),
    lambda p, rng: p.option(81, bytes((rng.choice((4, 5, 12)), 0, 0)) + b"\4host\4fuzz\0"),
    lambda p, rng: p.selecting_subnet(rng.choice(("127.64.0.0", "127.64.1.0", "192.0.2.0"))),
    lambda p, rng: p.option(221, rng.choice((b"\0red", b"\0blue", b"\xff", b"\1" + bytes(7)))),
    lambda p, rng: p.suboption(151, rng.choice((b"\0red", b"\0blue", b"\xff"))).suboption(152, b""),
    lambda p, rng: p.suboption(10, rng.randbytes(1)),
    lambda p, rng: p.suboption(9, b"\0\0\x0d\xe9\4" + rng.randbytes(4)),
    lambda p, rng: p.option(55, bytes((1, 3, 6, 108, 114, 119, 121, 162, 249))),
    lambda p, rng: p.architecture(rng.choice((0, 7, 9, 11, 16))).machine(rng.randbytes(16)),
    lambda p, rng: p.user_class("iPXE"),
    lambda p, rng: p.option(124, b"\0\0\x0d\xe9\5docsi").option(125, b"\0\0\x0d\xe9\3\1\1x"),
)


def rng_suboptions(rng: Random) -> bytes:
    """250 octets of option 82, so that two of them leave no room for it in a small reply."""
    return b"\x09\xf8" + rng.randbytes(248)


def address(rng: Random, giaddr: bytes) -> bytes:
    """Mostly of the pools, sometimes reserved, excluded, of the other subnet or of none."""
    if giaddr == SMALL:
        return bytes((127, 64, 1, rng.randint(6, 17)))
    last = rng.choice(
        (rng.randint(14, 97), rng.randint(16, 79), rng.randint(16, 79), 40, 200, 201, 202, 1, 255)
    )
    return bytes((127, 64, rng.choice((0,) * 15 + (1, 9)), last))


def aim(data: bytes, number: int, rng: Random) -> bytes:
    packet = bytearray(data)
    giaddr = rng.choice(RELAYS) if any(packet[GIADDR : GIADDR + 4]) or rng.random() < 0.7 else bytes(4)
    packet[XID : XID + 4] = number.to_bytes(4, "big")
    packet[GIADDR : GIADDR + 4] = giaddr
    if any(packet[CIADDR : CIADDR + 4]):
        packet[CIADDR : CIADDR + 4] = address(rng, giaddr)
    if packet[1] == 1 and packet[2] == 6:
        packet[CHADDR : CHADDR + 6] = rng.choice(CLIENTS)
    for code, at, size in instances(packet):
        if code == 50 and size == 4:
            packet[at : at + 4] = address(rng, giaddr)
        if code == 54 and size == 4:
            packet[at : at + 4] = MAIN
        if code == RELAY_AGENT:
            aim_relay(packet, at, size)
    if any(giaddr):
        packet[LEAST:LEAST] = ANSWER_AT_SOURCE_PORT
    return bytes(packet)


def instances(packet: bytearray) -> list[tuple[int, int, int]]:
    """(code, where the value stands, its length) in all three fields, whether or not option 52 says that they count."""
    found = []
    for at, end in ((LEAST, len(packet)), (108, 236), (44, 108)):
        while at + 1 < end and packet[at] != 255:
            if packet[at] == 0:
                at += 1
                continue
            if at + 2 + packet[at + 1] <= end:
                found.append((packet[at], at + 2, packet[at + 1]))
            at += 2 + packet[at + 1]
    return found


def aim_relay(packet: bytearray, at: int, size: int) -> None:
    """The relay selects the link of the main subnet and leaves the server its own identifier."""
    end = at + size
    while at + 1 < end:
        if packet[at] == LINK_SELECTION and packet[at + 1] == 4:
            packet[at + 2 : at + 6] = bytes((127, 64, 0, 0))
        if packet[at] == SERVER_ID_OVERRIDE and packet[at + 1] == 4:
            packet[at + 2 : at + 6] = MAIN
        at += 2 + packet[at + 1]
