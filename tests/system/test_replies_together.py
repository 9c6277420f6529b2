"""Replies of one size to one relay leave as one message, whatever stands between them, but only where nobody can read
it before it is cut.

The server is stopped while the requests of many clients gather, so that it answers them in one go. A packet socket
sees what travels: on the loopback messages of many replies, on a virtual wire one frame a reply, as a relay needs it
that reads raw packets there.
"""

import os
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from oracle import packets as say
from oracle.message4 import BOOTP_SIZE, parse_reply
from oracle.options4 import OFFER, Malformed
from oracle.replies4 import check_reply
from system import plan
from system.namespaces import Namespace, Network, socket_in
from system.server import DhcpServer

pytestmark = pytest.mark.peer("namespaces")
CLIENTS = 40
ROOM = 4 << 20
PORT = 67
SERVER = "192.0.2.2"
RELAY = str(plan.ROUTER)
OTHER_RELAY = "192.0.2.3"
RELAYS = "192.0.2.0/29"
EVERYTHING = 3  # ETH_P_ALL
IP_AND_UDP = 28
LONGEST_REPLY = 576
SILENCE_SECONDS = 0.5


class Lab:
    """A running server, a relay towards it, and what is seen on the wire where the relay is."""

    def __init__(self, server: DhcpServer, relay: Namespace, interface: str) -> None:
        self.server = server
        self.relay = socket_in(relay, socket.AF_INET, socket.SOCK_DGRAM)
        self.wire = socket_in(relay, socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(EVERYTHING))
        self.wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, ROOM)
        self.wire.bind((interface, EVERYTHING))
        self.relay.bind((RELAY, PORT))

    def close(self) -> None:
        self.relay.close()
        self.wire.close()

    def ask(self, packets: list[bytes]) -> list[bytes]:
        """All replies to packets that the server finds together, in the order of their transaction ids."""
        with self.stopped():
            for packet in packets:
                self.relay.sendto(packet, (SERVER, PORT))
        return sorted(received(self.relay), key=lambda reply: reply[4:8])

    @contextmanager
    def stopped(self) -> Iterator[None]:
        assert self.server.process is not None
        os.kill(self.server.process.pid, signal.SIGSTOP)
        yield
        os.kill(self.server.process.pid, signal.SIGCONT)

    def seen(self) -> list[int]:
        """The lengths of the UDP payloads that came from the server, as they travelled."""
        arrived = (frame for frame, place in caught(self.wire) if place[2] == socket.PACKET_HOST)
        return [len(frame) - IP_AND_UDP for frame in arrived if frame[12:16] == socket.inet_aton(SERVER)]


def received(sock: socket.socket) -> list[bytes]:
    return [data for data, _ in caught(sock)]


def caught(sock: socket.socket) -> list[tuple[bytes, Any]]:
    """Everything with its source, until nothing more comes."""
    sock.settimeout(SILENCE_SECONDS)
    found = []
    while True:
        try:
            found.append(sock.recvfrom(65535))
        except TimeoutError:
            return found


@contextmanager
def lab(server: Namespace, relay: Namespace, interface: str, database: str, folder: Path) -> Iterator[Lab]:
    plan.write(database, trusted_relay=RELAYS)
    running = DhcpServer(server, database, folder, dhcp4_listen=f"{SERVER}:{PORT}")
    running.start()
    made = Lab(running, relay, interface)
    yield made
    made.close()
    running.stop()


@pytest.fixture
def loopback(network: Network, database: str, tmp_path: Path) -> Iterator[Lab]:
    """Both on one host; an answer to the relay passes the loopback interface."""
    host = network.namespace("host")
    host.ip("link", "set", "lo", "mtu", "65535")
    for address in (SERVER, RELAY, OTHER_RELAY):
        host.address("lo", f"{address}/32")
    with lab(host, host, "lo", database, tmp_path) as made:
        yield made


@pytest.fixture
def virtual_wire(network: Network, database: str, tmp_path: Path) -> Iterator[Lab]:
    server, relay = network.namespace("server"), network.namespace("relay")
    network.join(server, "s0", relay, "r0")
    server.address("s0", f"{SERVER}/24")
    relay.address("r0", f"{RELAY}/24")
    with lab(server, relay, "r0", database, tmp_path) as made:
        yield made


def discover(number: int, circuit: str = "", relay: str = RELAY) -> bytes:
    packet = say.discover(f"02:00:00:00:01:{number:02x}").xid(number + 1).with_relay(relay)
    return (packet.circuit(circuit) if circuit else packet).bytes()


def assert_answered(packets: list[bytes], replies: list[bytes]) -> None:
    """Each client has its own lawful OFFER, whole and once."""
    assert len(replies) == len(packets)
    for packet, reply in zip(packets, replies, strict=True):
        message = parse_reply(reply)
        assert not isinstance(message, Malformed), message
        assert message.message_type == OFFER
        assert check_reply(packet, reply) == []
    assert len({reply[16:20] for reply in replies}) == len(packets)  # yiaddr


def test_on_the_loopback_they_travel_together_and_arrive_one_by_one(loopback: Lab) -> None:
    packets = [discover(number) for number in range(CLIENTS)]
    assert_answered(packets, loopback.ask(packets))
    lengths = loopback.seen()
    assert sum(lengths) >= CLIENTS * BOOTP_SIZE
    assert len(lengths) < CLIENTS / 4, lengths


def test_replies_of_many_sizes_leave_in_as_many_messages(loopback: Lab) -> None:
    """In whichever order they were asked for: the last reply of a message may be shorter, none is longer."""
    sizes = (20, 20, 60, 5, 60, 60, 40, 1, 1, 90)
    packets = [discover(number, "c" * sizes[number % len(sizes)]) for number in range(CLIENTS)]
    replies = loopback.ask(packets)
    assert_answered(packets, replies)
    lengths = {len(reply) for reply in replies}
    assert len(lengths) > 2
    assert len(loopback.seen()) <= len(lengths) + 1  # the server may read what gathered in two goes


def test_replies_to_two_relays_that_ask_by_turns_leave_as_two_messages(loopback: Lab) -> None:
    other = socket_in(loopback.server.namespace, socket.AF_INET, socket.SOCK_DGRAM)
    other.bind((OTHER_RELAY, PORT))
    packets = [discover(number, relay=(RELAY, OTHER_RELAY)[number % 2]) for number in range(CLIENTS)]
    with loopback.stopped():
        for number, packet in enumerate(packets):
            (loopback.relay, other)[number % 2].sendto(packet, (SERVER, PORT))
    ours, theirs = received(loopback.relay), received(other)
    other.close()
    assert len(ours) == len(theirs) == CLIENTS / 2
    assert_answered(packets, sorted(ours + theirs, key=lambda reply: reply[4:8]))
    assert len(loopback.seen()) <= 4


def test_what_the_kernel_does_not_cut_leaves_one_by_one(loopback: Lab) -> None:
    """A reply that does not fit the interface's MTU is refused as a part of a message, and sent in fragments alone."""
    loopback.server.namespace.ip("link", "set", "lo", "mtu", "256")
    packets = [discover(number) for number in range(CLIENTS)]
    assert_answered(packets, loopback.ask(packets))


def test_on_a_virtual_wire_each_has_a_frame_of_its_own(virtual_wire: Lab) -> None:
    packets = [discover(number) for number in range(CLIENTS)]
    assert_answered(packets, virtual_wire.ask(packets))
    lengths = virtual_wire.seen()
    assert len(lengths) == CLIENTS
    assert max(lengths) <= LONGEST_REPLY
