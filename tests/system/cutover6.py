"""Kea's DHCPv6 server and ours behind one relay, asked the same by the same clients."""

import random
import select
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import IPv6Address, IPv6Network
from pathlib import Path

from oracle import message6 as message
from oracle import options6 as code
from oracle.message6 import Message, parse_reply
from oracle.packets6 import Packet, duid_ll, release, request, solicit
from system import cutover, peers
from system.cutover import ANSWER_SECONDS, OURS, THEIRS, Difference
from system.namespaces import Namespace, Network, entered, socket_in
from system.server import DhcpServer

LINKS = ("2001:db8:1::1", "2001:db8:2::1", "2001:db8:3::1")
RELAY = "2001:db8:ff::2"
DOORS = {THEIRS: "2001:db8:ff::1", OURS: "2001:db8:ff::5"}
"""Where each server listens, by what it is called in cutover.py."""
RESERVED = ("02:00:00:00:01:01", "02:00:00:00:01:02", "02:00:00:00:02:01")
KEPT = {"2001:db8:1::10", "2001:db8:1::30", "2001:db8:2::ffff:1", "2001:db8:9000::"}
SHARED = {IPv6Network("2001:db8:3::/64"), IPv6Network("2001:db8:4::/64")}
OWN = {code.CLIENT_ID, code.SERVER_ID, code.IA_NA, code.IA_PD}
LEASES = {code.IA_NA: 64, code.IA_PD: 36}
"""Associations, with how long the networks are out of which they are given."""


@dataclass(frozen=True)
class Told:
    """What a client was told: of each association its lease, out of which network, and times; and options."""

    leases: dict[int, tuple[IPv6Address, IPv6Network]]
    times: dict[int, tuple[int, ...]]
    options: dict[int, bytes]


@dataclass
class Wire:
    relay: Namespace
    servers: dict[str, Namespace]
    door: socket.socket

    def ask(self, server: str, packet: Packet) -> Message | None:
        self.door.sendto(packet.bytes(), (DOORS[server], 547))
        deadline = time.monotonic() + ANSWER_SECONDS
        while (left := deadline - time.monotonic()) > 0 and select.select([self.door], [], [], left)[0]:
            said = parse_reply(self.door.recv(4096))
            assert isinstance(said, Message), said
            if said.transaction_id == packet.transaction_id:
                return said
        return None

    def lease(self, server: str, hello: Packet, duid: bytes) -> Told | None:
        """Solicit to reply."""
        offer = self.ask(server, hello)
        if offer is None or offer.message_type != message.ADVERTISE or not given(offer):
            return None
        assert offer.server_id is not None
        asked = [pair for pair in hello.options if pair[0] not in (code.CLIENT_ID, code.ELAPSED_TIME)]
        packet = with_options(request(duid, offer.server_id).xid(hello.transaction_id + 1), asked, hello)
        reply = self.ask(server, packet)
        if reply is None or not given(reply):
            return None
        back = [pair for pair in reply.options if pair[0] in LEASES]
        self.ask(
            server, with_options(release(duid, offer.server_id).xid(hello.transaction_id + 2), back, hello)
        )
        return told(reply)


def with_options(packet: Packet, pairs: list[tuple[int, bytes]], hello: Packet) -> Packet:
    """Through the same relay."""
    for number, value in pairs:
        packet = packet.option(number, value)
    return Packet(packet.kind, packet.transaction_id, packet.options, hello.envelopes)


def given(reply: Message) -> bool:
    return any(association.leases for association in reply.associations)


def told(reply: Message) -> Told:
    leases, times = dict[int, tuple[IPv6Address, IPv6Network]](), dict[int, tuple[int, ...]]()
    for each in reply.associations:
        for lease in each.leases:
            around = IPv6Network((lease.address, LEASES[each.code]), strict=False)
            leases[each.code] = lease.address, around
            times[each.code] = each.t1, each.t2, lease.preferred, lease.valid
    return Told(leases, times, {number: value for number, value in reply.options if number not in OWN})


@contextmanager
def wired(network: Network) -> Iterator[Wire]:
    relay = network.namespace("relay")
    servers = {}
    for name, end in ((THEIRS, "r0"), (OURS, "r1")):
        servers[name] = network.namespace("theirs" if name == THEIRS else "ours")
        network.join(servers[name], "s0", relay, end)
        servers[name].ip("address", "add", f"{DOORS[name]}/64", "dev", "s0", "nodad")
    relay.bridge("b0", "r0", "r1")
    relay.ip("address", "add", f"{RELAY}/64", "dev", "b0", "nodad")
    door = socket_in(relay, socket.AF_INET6, socket.SOCK_DGRAM)
    with entered(relay):
        door.bind((RELAY, 547))
    with door:
        yield Wire(relay, servers, door)


def ours(wire: Wire, source: Path, database: str, folder: Path) -> DhcpServer:
    cutover.imported(source, database, folder, "2001:db8:ff::/64")
    server = DhcpServer(wire.servers[OURS], database, folder, family="6", dhcp6_interfaces="s0")
    server.start()
    return server


def kea(wire: Wire, source: Path, folder: Path) -> None:
    places = {"KEA_LOCKFILE_DIR": str(folder), "KEA_PIDFILE_DIR": str(folder)}
    command = [peers.program("kea6"), "-c", source]
    namespace = wire.servers[THEIRS]
    cutover.await_bound(namespace, "/proc/net/udp6", ":0223 ", *command, folder=folder, **places)


# --- clients


def hello(draw: random.Random, number: int) -> tuple[bytes, Packet]:
    """Who a client is, and what it says."""
    mac = (
        draw.choice(RESERVED)
        if draw.random() < 0.15
        else f"02:00:03:{number >> 16:02x}:{number >> 8 & 255:02x}:{number & 255:02x}"
    )
    duid = duid_ll(mac)
    packet = solicit(duid).xid(4 * number + 4)
    kinds = draw.choice([(code.IA_NA,), (code.IA_NA,), (code.IA_PD,), (code.IA_NA, code.IA_PD)])
    if code.IA_NA in kinds:
        packet = packet.ia_na(1)
    if code.IA_PD in kinds:
        packet = packet.ia_pd(2)
    if draw.random() < 0.3:
        packet = packet.architecture(draw.choice([7, 0]))
    wanted = draw.sample([23, 24, 31, 32, 41, 59], draw.randint(0, 6))
    packet = packet.asking(*wanted) if wanted else packet
    packet = packet.through(draw.choice(LINKS))
    return duid, packet.at_interface(draw.choice(["eth1/1", "eth1/2"])) if draw.random() < 0.5 else packet


def differences(wire: Wire, count: int, seed: int) -> dict[str, Difference]:
    """By what differs."""
    draw, found = random.Random(seed), dict[str, Difference]()
    for number in range(count):
        duid, packet = hello(draw, number)
        one, other = (wire.lease(server, packet, duid) for server in (THEIRS, OURS))
        for name, values in compared(one, other):
            each = found.setdefault(name, Difference())
            each.count += 1
            each.example = each.example or f"{duid.hex(':')} at {packet.envelopes[0].link_address}: {values}"
    return found


def compared(theirs: Told | None, ours: Told | None) -> Iterator[tuple[str, str]]:
    if theirs is None or ours is None:
        if theirs is not ours:
            yield ("only ours answers" if theirs is None else "only theirs answers"), f"{theirs} / {ours}"
        return
    for kind in sorted(theirs.leases.keys() | ours.leases.keys()):
        yield from compared_leases(kind, theirs, ours)
    for number in sorted(theirs.options.keys() | ours.options.keys()):
        one, other = theirs.options.get(number), ours.options.get(number)
        if one != other:
            yield f"option {number}", f"{one.hex() if one else one} / {other.hex() if other else other}"


def compared_leases(kind: int, theirs: Told, ours: Told) -> Iterator[tuple[str, str]]:
    what = "address" if kind == code.IA_NA else "prefix"
    if kind not in theirs.leases or kind not in ours.leases:
        yield f"{what} given by one alone", f"{theirs.leases.get(kind)} / {ours.leases.get(kind)}"
        return
    (one, around_one), (other, around_other) = theirs.leases[kind], ours.leases[kind]
    if around_one != around_other:
        on_one_wire = {around_one, around_other} <= SHARED
        yield "subnet of the shared network" if on_one_wire else f"network of the {what}", f"{one} / {other}"
    elif one != other and {str(one), str(other)} & KEPT:
        yield f"reserved {what}", f"{one} / {other}"
    if theirs.times[kind] != ours.times[kind]:
        yield f"times of the {what}", f"{theirs.times[kind]} / {ours.times[kind]}"
