"""IPv6 sockets: a bound one, and what its settings are."""

import socket
from pathlib import Path

import pytest

from dhcp_fast.net.udp6 import UdpSocket6, open_socket6


def test_a_socket_is_bound_and_hears_ipv6_alone() -> None:
    sock = UdpSocket6("::1", 0)
    host, port, *_ = sock.address
    assert (host, port) == ("::1", sock.port)
    with pytest.raises(OSError, match="in use"):
        open_socket6("::1", sock.port)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ipv4:
        ipv4.bind(("127.0.0.1", sock.port))
    sock.close()


def test_sockets_of_a_group_share_an_address() -> None:
    first = open_socket6("::1", 0, shared=True)
    second = open_socket6("::1", first.getsockname()[1], joining=True)
    assert first.getsockname() == second.getsockname()
    first.close()
    second.close()


def test_a_socket_of_an_interface_joins_the_groups_of_servers() -> None:
    """RFC 8415 section 7.1; seen where the kernel tells of memberships."""
    sock = open_socket6("::", 0, "lo")
    told = Path("/proc/net/igmp6").read_text("ascii").splitlines()
    joined = {line.split()[2] for line in told if line.split()[1] == "lo"}
    sock.close()
    assert {"ff020000000000000000000000010002", "ff050000000000000000000000010003"} <= joined
    with pytest.raises(OSError, match=r"No such device|no interface"):
        open_socket6("::", 0, "none0")
