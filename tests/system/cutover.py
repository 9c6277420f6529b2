"""Another DHCP server and ours behind one relay, asked the same by the same clients."""

import random
import select
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path

from cli.serving import ipam, serving
from oracle.message4 import Message, parse_reply
from oracle.options4 import ACK, MESSAGE_TYPE, OFFER
from oracle.packets import Packet, discover, release, request_selecting
from system import peers
from system.namespaces import Namespace, Network, entered, socket_in
from system.server import DhcpServer

from api.client import Client
from ipam_core.dhcp import kinds, registry

GIADDRS = ("10.40.1.1", "10.40.2.1", "10.40.3.1")
CLIENTS_NET = "10.40.0.0/16"
THEIRS, OURS = "203.0.113.1", "203.0.113.5"
WIRES = {THEIRS: ("r0", "203.0.113.2", "theirs"), OURS: ("r1", "203.0.113.6", "ours")}
UDP4 = ("/proc/net/udp", ":0043 ")
START_SECONDS, ANSWER_SECONDS = 30.0, 5.0
HEADER = ("siaddr", "sname", "file")
ASKING, CLIENT_ID = 55, 61
OWN = (54, 82)
"""Options that name the server, or say again what the relay said."""
RESERVED = ("02:00:00:00:01:01", "02:00:00:00:01:02", "02:00:00:00:02:01")
"""Cards with a reservation in some of the networks."""
SHARED = IPv4Network("10.40.3.0/25")
"""What the two subnets of the shared network lie in."""
KEPT = {"10.40.1.10", "10.40.1.11", "10.40.1.30", "10.40.2.250"}
"""Addresses of reservations."""


@dataclass(frozen=True)
class Told:
    """What a client was told: in which subnet, and which address if one is kept for it."""

    address: IPv4Address
    subnet: IPv4Network
    header: dict[str, bytes]
    options: dict[int, bytes]


@dataclass
class Difference:
    """How often, and one example."""

    count: int = 0
    example: str = ""


@dataclass
class Wire:
    """The relay's namespace, and a socket on each address of it."""

    relay: Namespace
    servers: dict[str, Namespace]
    sockets: dict[str, socket.socket] = field(default_factory=dict)

    def ask(self, server: str, giaddr: str, packet: Packet) -> Message | None:
        door = self.sockets[giaddr]
        door.sendto(packet.with_relay(giaddr).bytes(), (server, 67))
        deadline = time.monotonic() + ANSWER_SECONDS
        while (left := deadline - time.monotonic()) > 0 and select.select([door], [], [], left)[0]:
            said = parse_reply(door.recv(4096))
            assert isinstance(said, Message), said
            if said.xid == dict(packet.header)["xid"]:
                return said
        return None

    def lease(self, server: str, giaddr: str, hello: Packet, mac: str) -> Told | None:
        """Discover to ack."""
        offer = self.ask(server, giaddr, hello)
        if offer is None or offer.options[MESSAGE_TYPE][0] != OFFER:
            return None
        asked = request_selecting(mac, offer.yiaddr, IPv4Address(offer.options[54]))
        for code, value in hello.options:
            asked = asked if code == MESSAGE_TYPE else asked.option(code, value)
        for code, value in hello.suboptions:
            asked = asked.suboption(code, value)
        ack = self.ask(server, giaddr, asked)
        if ack is None or ack.options[MESSAGE_TYPE][0] != ACK:
            return None
        self.give_back(server, giaddr, hello, mac, ack)
        return told(ack)

    def give_back(self, server: str, giaddr: str, hello: Packet, mac: str, ack: Message) -> None:
        """So that there are addresses for as many clients as one likes."""
        packet = release(mac, ack.yiaddr, IPv4Address(ack.options[54]))
        for code, value in hello.options:
            packet = packet.option(code, value) if code == CLIENT_ID else packet
        self.sockets[giaddr].sendto(packet.bytes(), (server, 67))


def told(ack: Message) -> Told:
    mask = IPv4Address(ack.options[1])
    options = {code: value for code, value in ack.options.items() if code not in (*OWN, MESSAGE_TYPE)}
    header = {"siaddr": ack.siaddr.packed, "sname": ack.sname.rstrip(b"\0"), "file": ack.file.rstrip(b"\0")}
    return Told(ack.yiaddr, IPv4Network(f"{ack.yiaddr}/{mask}", strict=False), header, options)


@contextmanager
def wired(network: Network) -> Iterator[Wire]:
    relay = network.namespace("relay")
    servers = {}
    for address, (end, gateway, name) in WIRES.items():
        servers[address] = network.namespace(name)
        network.join(servers[address], "s0", relay, end)
        servers[address].address("s0", f"{address}/30")
        relay.address(end, f"{gateway}/30")
        servers[address].route(CLIENTS_NET, gateway)
    for giaddr in GIADDRS:
        relay.address("lo", f"{giaddr}/32")
    wire = Wire(relay, servers)
    for giaddr in GIADDRS:
        door = wire.sockets[giaddr] = socket_in(relay, socket.AF_INET, socket.SOCK_DGRAM)
        with entered(relay):
            door.bind((giaddr, 67))
    try:
        yield wire
    finally:
        for door in wire.sockets.values():
            door.close()


def ours(wire: Wire, source: Path, database: str, folder: Path) -> DhcpServer:
    """Our server with what is imported of the source."""
    imported(source, database, folder, CLIENTS_NET)
    server = DhcpServer(wire.servers[OURS], database, folder, dhcp4_interfaces="s0")
    server.start()
    return server


def imported(source: Path, database: str, folder: Path, relays: str) -> None:
    """As a person would, by the commands."""
    with serving(database, folder) as service:
        ipam(service, "import", str(source), "--apply", "--record", str(folder / "made"))
        with Client(service.url, service.token) as client:
            client.request("POST", "/trusted-relays", {"cidr": relays})


def kea(wire: Wire, source: Path, folder: Path) -> None:
    places = {"KEA_LOCKFILE_DIR": str(folder), "KEA_PIDFILE_DIR": str(folder)}
    command = [peers.program("kea"), "-c", source]
    await_bound(wire.servers[THEIRS], *UDP4, *command, folder=folder, **places)


def dhcpd(wire: Wire, source: Path, folder: Path) -> None:
    (folder / "leases").touch()
    files = ["-cf", source, "-lf", folder / "leases", "-pf", folder / "dhcpd.pid"]
    command = [peers.program("dhcpd"), "-4", "-f", "-d", *files, "s0"]
    await_bound(wire.servers[THEIRS], *UDP4, *command, folder=folder)


def dnsmasq(wire: Wire, source: Path, folder: Path) -> None:
    command = [
        peers.program("dnsmasq"),
        "--keep-in-foreground",
        "--log-facility=-",
        "--user=root",
        "--group=root",
    ]
    files = [f"--conf-file={source}", f"--dhcp-leasefile={folder / 'leases'}", "--pid-file"]
    await_bound(wire.servers[THEIRS], *UDP4, *command, *files, folder=folder)


def await_bound(
    namespace: Namespace, table: str, port: str, *command: str | Path, folder: Path, **places: str
) -> None:
    """Starts a server, and waits for its socket: a port of one of the kernel's tables, in hexadecimals."""
    log = folder / "theirs.log"
    process = namespace.start(*command, log=log, env=peers.environment() | places)
    deadline = time.monotonic() + START_SECONDS
    while port not in namespace.run("cat", table):
        assert process.poll() is None, log.read_text(errors="replace")[-2000:]
        assert time.monotonic() < deadline
        time.sleep(0.1)


# --- clients


def hello(draw: random.Random, number: int) -> tuple[str, str, Packet]:
    """Where a client is, its card, and what it says."""
    giaddr = draw.choice(GIADDRS)
    mac = draw.choice(RESERVED) if draw.random() < 0.15 else card(draw, number)
    packet = discover(mac).xid(number + 1)
    if draw.random() < 0.5:
        packet = packet.client_id(b"\1" + bytes.fromhex(mac.replace(":", "")))
    if draw.random() < 0.3:
        packet = packet.vendor(draw.choice(["PXEClient:Arch:00007", "MSFT 5.0"]))
        packet = packet.option(93, draw.choice([b"\0\7", b"\0\0"]))
    if draw.random() < 0.5:
        packet = packet.hostname(f"host-{number}")
    if draw.random() < 0.5:
        packet = packet.circuit(draw.choice(["eth1/1", "eth1/2"]))
    wanted = draw.sample([2, 6, 12, 15, 17, 42, 43, 58, 59, 66, 67, 119, 225], draw.randint(0, 13))
    return giaddr, mac, packet.asking(1, 3, 51, *wanted)


def card(draw: random.Random, number: int) -> str:
    vendor = draw.choice(["02:00:01", "02:00:01", "00:1a:2b"])
    return ":".join([vendor, *(f"{each:02x}" for each in number.to_bytes(3))])


def differences(wire: Wire, count: int, seed: int) -> dict[str, Difference]:
    """By what differs."""
    draw, found = random.Random(seed), dict[str, Difference]()
    for number in range(count):
        giaddr, mac, packet = hello(draw, number)
        one, other = (wire.lease(server, giaddr, packet, mac) for server in (THEIRS, OURS))
        for name, values in compared(one, other, dict(packet.options)[ASKING]):
            each = found.setdefault(name, Difference())
            each.count += 1
            each.example = each.example or f"{mac} at {giaddr}: {values}"
    return found


def compared(theirs: Told | None, ours: Told | None, asked: bytes) -> Iterator[tuple[str, str]]:
    if theirs is None or ours is None:
        if theirs is not ours:
            yield ("only ours answers" if theirs is None else "only theirs answers"), ""
        return
    if theirs.subnet != ours.subnet:
        on_one_wire = theirs.subnet.subnet_of(SHARED) and ours.subnet.subnet_of(SHARED)
        yield "subnet of the shared network" if on_one_wire else "subnet", f"{theirs.subnet} / {ours.subnet}"
        return
    if theirs.address != ours.address and {str(theirs.address), str(ours.address)} & KEPT:
        yield "reserved address", f"{theirs.address} / {ours.address}"
    for name in HEADER:
        if theirs.header[name] != ours.header[name]:
            yield name, f"{theirs.header[name]!r} / {ours.header[name]!r}"
    for code in sorted(theirs.options.keys() | ours.options.keys()):
        one, other = read(code, theirs.options.get(code)), read(code, ours.options.get(code))
        if one != other:
            unasked = "" if code in asked else ", not asked for"
            yield f"option {code}{unasked}", f"{one} / {other}"


def read(code: int, value: bytes | None) -> str:
    """Names are the same whether they are compressed or not."""
    if value is None:
        return "none"
    definition = registry.lookup(4, code)
    return kinds.text(definition, kinds.decode(definition, value)) if definition else value.hex()
