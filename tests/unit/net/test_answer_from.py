"""Datagrams leave from the address that the caller chooses, though the socket listens on all of them."""

import socket
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address

import pytest
from system.conftest import pytest_runtest_setup as pytest_runtest_setup  # a test may need a peer here too
from system.namespaces import Namespace, Network, socket_in

from dhcp_fast.net.answer_from import send_from
from ipam_core.model.values import Address

pytestmark = pytest.mark.peer("namespaces")
FIRST, SECOND = "2001:db8:77::1", "2001:db8:88::1"
ASKER = "2001:db8:99::1"


@pytest.fixture
def host() -> Iterator[Namespace]:
    with Network() as network:
        made = network.namespace("host")
        for address in (FIRST, SECOND, ASKER, "192.0.2.1", "192.0.2.2", "192.0.2.3"):
            made.address("lo", f"{address}/{128 if ':' in address else 32}")
        yield made


@pytest.mark.parametrize(
    ("asker", "asked"),
    [(ASKER, FIRST), (ASKER, SECOND), ("192.0.2.3", "192.0.2.1"), ("192.0.2.3", "192.0.2.2")],
)
def test_the_source_is_the_one_that_was_asked(host: Namespace, asker: str, asked: str) -> None:
    family = socket.AF_INET6 if ":" in asker else socket.AF_INET
    kind: type[Address] = IPv6Address if ":" in asker else IPv4Address
    with (
        socket_in(host, family, socket.SOCK_DGRAM) as ours,
        socket_in(host, family, socket.SOCK_DGRAM) as theirs,
    ):
        ours.bind(("", 0))
        theirs.bind((asker, 0))
        theirs.settimeout(5)
        send_from(ours, b"answer", (kind(asker), theirs.getsockname()[1]), kind(asked), 0)
        data, (source, *_) = theirs.recvfrom(100)
        assert (data, source) == (b"answer", asked)


def test_a_link_local_asker_is_reached_on_its_link() -> None:
    with Network() as network:
        here, there = network.namespace("here"), network.namespace("there")
        network.join(here, "h0", there, "t0")
        for namespace, interface, address in ((here, "h0", "fe80::1"), (there, "t0", "fe80::2")):
            namespace.ip("address", "add", f"{address}/64", "dev", interface, "nodad")
        with (
            socket_in(here, socket.AF_INET6, socket.SOCK_DGRAM) as ours,
            socket_in(there, socket.AF_INET6, socket.SOCK_DGRAM) as theirs,
        ):
            theirs.bind(("::", 0))
            theirs.settimeout(5)
            index = int(here.ip("-o", "link", "show", "dev", "h0").partition(":")[0])
            port = theirs.getsockname()[1]
            send_from(ours, b"answer", (IPv6Address("fe80::2"), port), IPv6Address("fe80::1"), index)
            assert theirs.recvfrom(100)[1][0].partition("%")[0] == "fe80::1"
