"""Generated DHCPv6 messages made to concern the server under test, which hears them through relays on ::1.

The oracle's generator speaks of random links; here clients, addresses and prefixes are few, so that they meet leases of
each other, and conversations name the server. Every relay asks for the answer at its source port (RFC 8357).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from ipaddress import IPv6Address, IPv6Network
from random import Random

from oracle import packets6 as say
from oracle.generate6 import spoil6
from oracle.mutations6 import mutate6
from oracle.options6 import RELAY_PORT
from oracle.packets6 import Packet

LINK, OTHER_LINK, NOWHERE = IPv6Address("2001:db8:5::1"), IPv6Address("2001:db8:6::1"), IPv6Address("3fff::1")
LINKS = (LINK,) * 8 + (OTHER_LINK,) * 3 + (NOWHERE,)
POOL = IPv6Network("2001:db8:5::100/124")
DELEGATED = IPv6Network("2001:db8:f00::/60")
DELEGATED_LENGTH = 64
CLIENTS = [say.duid_ll(bytes((2, 0, 0, 0, 0, number))) for number in range(24)]
ROOT_PORT = ((RELAY_PORT, b"\0\0"),)


def lawful(seed: int, count: int, server: bytes) -> Iterator[bytes]:
    """`count` messages; their transaction ids are 0, 1, 2 ..."""
    rng = Random(seed)
    for number in range(count):
        packet = replace(message(rng, server), transaction_id=number)
        yield relayed(packet, rng).bytes()


def damaged(seed: int, count: int, server: bytes) -> Iterator[bytes]:
    """Half of them mutants, a quarter with malformed options that are ignored."""
    rng = Random(seed + 1)
    for packet in lawful(seed, count, server):
        kind = rng.random()
        yield mutate6(packet, rng) if kind < 0.5 else spoil6(packet, rng) if kind < 0.75 else packet


def message(rng: Random, server: bytes) -> Packet:
    client = rng.choice(CLIENTS)
    kinds: tuple[Callable[[], Packet], ...] = (
        lambda: say.solicit(client),
        lambda: say.solicit(client).rapid_commit(),
        lambda: say.request(client, server),
        lambda: say.request(client, server),
        lambda: say.renew(client, server),
        lambda: say.rebind(client),
        lambda: say.confirm(client),
        lambda: say.release(client, server),
        lambda: say.decline(client, server),
    )
    if rng.random() < 0.1:
        return say.information_request(client) if rng.random() < 0.5 else registration(client, rng)
    packet = rng.choice(kinds)()
    for iaid in range(rng.choice((0, 1, 1, 1, 2, 3))):
        packet = association(packet, iaid, rng)
    for word in rng.sample(WORDS, rng.choice((0, 0, 1, 2, 3))):
        packet = word(packet, rng)
    return packet


def registration(client: bytes, rng: Random) -> Packet:
    """Mostly from the address itself, as the relay next to the host saw it."""
    own = address(rng)
    peer = own if rng.random() < 0.9 else address(rng)
    return say.register(client, own).through(LINK, *ROOT_PORT, peer=peer)


def association(packet: Packet, iaid: int, rng: Random) -> Packet:
    if rng.random() < 0.6:
        return packet.ia_na(iaid, *(address(rng) for _ in range(rng.choice((0, 1, 1, 2)))))
    return packet.ia_pd(iaid, *(prefix(rng) for _ in range(rng.choice((0, 1, 1, 2)))))


def address(rng: Random) -> IPv6Address:
    """Mostly of the pool, sometimes beside it, or of no subnet."""
    if rng.random() < 0.9:
        return POOL[rng.randrange(16)]
    return rng.choice((IPv6Address("2001:db8:5::dead"), IPv6Address("2001:db8:6::7"), IPv6Address("fe80::1")))


def prefix(rng: Random) -> IPv6Network:
    if rng.random() < 0.9:
        return IPv6Network((int(DELEGATED[0]) + (rng.randrange(16) << 64), DELEGATED_LENGTH))
    return rng.choice(
        (IPv6Network("2001:db8:f00::/56"), IPv6Network("::/48"), IPv6Network("2001:db8:9::/64"))
    )


WORDS: tuple[Callable[[Packet, Random], Packet], ...] = (
    lambda p, rng: p.asking(*rng.choice((range(7, 40), (23, 24, 39, 64, 148, 23, 82)))),
    lambda p, rng: p.fqdn("host", rng.choice((0, 1, 4, 5, 255))),
    lambda p, rng: p.user_class("iPXE"),
    lambda p, rng: p.vendor_class(3561, "HTTPClient:Arch:00016"),
    lambda p, rng: p.without(8).elapsed(rng.choice((0, 100, 65535))),
    lambda p, rng: p.option(rng.randrange(200, 300), rng.randbytes(rng.randrange(40))),
)


def relayed(packet: Packet, rng: Random) -> Packet:
    """Through one to three relays, unless it came through one already."""
    if not packet.envelopes:
        packet = packet.through(rng.choice(LINKS), *ROOT_PORT)
    if rng.random() < 0.3:
        packet = packet.at_interface(rng.randbytes(rng.randrange(20)))
    for _ in range(rng.choice((0, 0, 0, 1, 2))):
        packet = packet.through("::", *ROOT_PORT)
    return packet
