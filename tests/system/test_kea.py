"""Debian's Kea as the benchmark starts it: leases from the benchmark's pool, replies to the port it says."""

import socket
from collections.abc import Iterator
from ipaddress import IPv4Address
from pathlib import Path

import pytest
from oracle.message4 import Message, parse_reply
from oracle.packets import Packet, discover, request_selecting
from ports import free_port

from dhcp_fast.bench.servers.kea import Backend, Kea

pytestmark = pytest.mark.peer("kea")
RELAY = "127.0.0.1"
MAC = "02:00:00:00:00:01"


@pytest.fixture
def client() -> Iterator[socket.socket]:
    """A relay's socket on a port of its own."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.bind((RELAY, 0))
        client.settimeout(5)
        yield client


def exchange(client: socket.socket, kea: Kea, packet: Packet) -> Message:
    request = packet.with_relay(RELAY).asking(1, 3, 6, 15, 42, 51).bytes()
    client.sendto(request, (kea.address, kea.port))
    reply, sender = client.recvfrom(2048)
    assert sender == (kea.address, kea.port)
    said = parse_reply(reply)
    assert isinstance(said, Message)
    assert said.hardware_address == bytes.fromhex(MAC.replace(":", ""))
    return said


@pytest.mark.parametrize("backend", ["memfile", "postgresql"])
def test_kea_leases_to_a_relay_that_says_its_port(
    tmp_path: Path, client: socket.socket, postgres_dsn: str, backend: Backend
) -> None:
    with Kea(tmp_path, backend, dsn=postgres_dsn, port=free_port()) as kea:
        offer = exchange(client, kea, discover(MAC).relay_port())
        ack = exchange(client, kea, request_selecting(MAC, offer.yiaddr, RELAY).relay_port())
        if kea.database:
            assert kea.database.count_leases() == 1
    assert ack.yiaddr == IPv4Address("10.64.1.0")
    assert {3, 6, 15, 42, 51, 54} <= set(ack.options)


def test_kea_told_a_port_answers_there(tmp_path: Path, client: socket.socket) -> None:
    with (
        Kea(tmp_path, "memfile", client_port=client.getsockname()[1], port=free_port()) as kea,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as elsewhere,
    ):
        elsewhere.sendto(discover(MAC).with_relay(RELAY).bytes(), (kea.address, kea.port))
        said = parse_reply(client.recv(2048))
    assert isinstance(said, Message)
    assert said.message_type == 2
