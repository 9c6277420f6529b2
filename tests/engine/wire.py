"""A wire of the test's own, for the ping check: what the server sends by ICMP stays on it.

Two network namespaces joined by a veth pair. The server's raw socket belongs to the first, wherever the server runs;
an address of the second answers pings, any other of 10.5.0.0/24 and 10.6.0.0/16 is silent, and there is no route to
anything else.
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import IPv4Address
from typing import Self

import pytest
from system.namespaces import Namespace, Network, socket_in

from dhcp_fast.database.leases import echo

IGNORE = "/proc/sys/net/ipv4/icmp_echo_ignore_all"


class Wire:
    """Made by `Wire.create(network)`."""

    def __init__(self, near: Namespace, far: Namespace) -> None:
        self.near = near
        self.far = far
        self.near_socket, self.far_socket = raw_socket(near), raw_socket(far)
        self.answering: set[IPv4Address] = set()

    @classmethod
    def create(cls, network: Network) -> Self:
        near, far = network.namespace("near"), network.namespace("far")
        network.join(near, "w0", far, "w1")
        near.address("w0", "10.5.0.1/24")
        far.address("w1", "10.5.0.2/24")
        far.ip("route", "add", "default", "via", "10.5.0.1")
        near.route("10.6.0.0/16", "10.5.0.2")
        return cls(near, far)

    def answer(self, *addresses: IPv4Address) -> None:
        for address in addresses:
            self.far.address("w1", f"{address}/32")
            self.answering.add(address)
        self.near.ip("neigh", "flush", "dev", "w0")  # what was silent a moment ago is asked for by ARP again

    def fall_silent(self, address: IPv4Address) -> None:
        self.far.ip("address", "del", f"{address}/32", "dev", "w1")
        self.answering.remove(address)

    @contextmanager
    def answered_by_hand(self) -> Iterator[socket.socket]:
        """The far end's kernel answers no ping; its raw socket, by which a test may."""
        self.far.run("sh", "-c", f"echo 1 > {IGNORE}")
        with self.far_socket.dup() as far:
            far.setblocking(False)
            drain(far)
            yield far
        self.far.run("sh", "-c", f"echo 0 > {IGNORE}")

    def clear(self) -> None:
        """As it was made, for the next test."""
        for address in set(self.answering):
            self.fall_silent(address)

    def close(self) -> None:
        self.near_socket.close()
        self.far_socket.close()


def drain(raw: socket.socket) -> None:
    with contextlib.suppress(BlockingIOError):
        while True:
            raw.recv(1500)


def raw_socket(namespace: Namespace) -> socket.socket:
    """A raw ICMP socket of the namespace, in this process."""
    return socket_in(namespace, socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)


@pytest.fixture
def unrouted(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """`echo.ask` finds a route to nothing, whatever routes this machine has."""
    with Network() as network:
        nowhere = network.namespace("nowhere")

        def opened(version: int) -> socket.socket:
            family, protocol = echo.FAMILY[version]
            return socket_in(nowhere, family, socket.SOCK_RAW, protocol)

        monkeypatch.setattr(echo, "raw_socket", opened)
        yield
