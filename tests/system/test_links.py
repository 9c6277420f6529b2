"""Interfaces as they are read from the kernel: names, indexes, addresses in order, and why one cannot be served."""

import select
import socket
from collections.abc import Callable, Iterator
from ipaddress import ip_address
from pathlib import Path

import pytest
from system.namespaces import Namespace, Network, entered, stop

from dhcp_fast.net import netlink
from dhcp_fast.net.links import Links, read_links

pytestmark = pytest.mark.peer("namespaces")

STRICT = "/proc/sys/net/ipv4/conf/{}/rp_filter"
MANY = 400
READINGS = 20
CHANGES_SECONDS = 10.0


@pytest.fixture
def space(network: Network) -> Iterator[Namespace]:
    made = network.namespace("host")
    made.ip("link", "add", "s0", "up", "type", "veth", "peer", "name", "s1")
    with entered(made):
        yield made


def reads(space: Namespace, *argv: str) -> Links:
    if argv:
        space.ip(*argv)
    return read_links()


def test_addresses_are_in_the_kernels_order_with_their_prefixes(space: Namespace) -> None:
    told = ["198.18.0.1/30", "192.0.2.1/24", "192.0.2.2/24", "2001:db8::1/64"]
    for address in told:
        space.ip("address", "add", address, "dev", "s0", *(["nodad"] if ":" in address else []))
    link = read_links().by_name["s0"]
    found = [f"{each.address}/{each.prefix}" for each in link.addresses if each.scope == 0]
    assert found == told
    own = read_links().own_addresses(4)
    assert [each for each in own if each[0] == link.ifindex] == [
        (link.ifindex, int(ip_address(address)), prefix, 0)
        for address, prefix in (("198.18.0.1", 30), ("192.0.2.1", 24), ("192.0.2.2", 24))
    ]


def test_an_address_of_a_tunnels_end_is_ours_and_not_the_peers(space: Namespace) -> None:
    links = reads(space, "address", "add", "192.0.2.1", "peer", "192.0.2.9/32", "dev", "s0")
    assert [str(each.address) for each in links.by_name["s0"].of_family(4)] == ["192.0.2.1"]


def test_why_an_interface_cannot_be_served(space: Namespace) -> None:
    assert reads(space).fault("s7", 4) == "does not exist"
    assert reads(space).fault("s0", 4) == "has no IPv4 address"
    assert reads(space, "address", "add", "192.0.2.1/24", "dev", "s0").fault("s0", 4) == ""
    assert reads(space, "link", "set", "s0", "down").fault("s0", 4) == "is down"
    assert reads(space, "link", "set", "s0", "up").fault("s0", 4) == ""
    space.ip("link", "add", "br0", "up", "type", "bridge")
    enslaved = reads(space, "link", "set", "s0", "master", "br0")
    assert enslaved.fault("s0", 4) == "is a port of a bridge, which receives its packets"
    assert reads(space, "link", "set", "s0", "nomaster").fault("s0", 4) == ""
    assert reads(space, "link", "delete", "s0").fault("s0", 4) == "does not exist"


def test_ipv6_that_is_switched_off_and_on(space: Namespace) -> None:
    space.ip("address", "add", "2001:db8::1/64", "dev", "s0", "nodad")
    assert read_links().fault("s0", 6) == ""
    write(space, "/proc/sys/net/ipv6/conf/s0/disable_ipv6", "1")
    assert read_links().fault("s0", 6) == "has no IPv6 address"
    write(space, "/proc/sys/net/ipv6/conf/s0/disable_ipv6", "0")
    space.ip("address", "add", "2001:db8::1/64", "dev", "s0", "nodad")
    assert read_links().fault("s0", 6) == ""


def test_an_address_that_may_be_somebody_elses_is_not_ours_yet(space: Namespace) -> None:
    """Duplicate address detection takes a second or so (RFC 4862 section 5.4)."""
    space.ip("link", "set", "s1", "up")
    links = reads(space, "address", "add", "2001:db8::1/64", "dev", "s0")
    assert "2001:db8::1" not in {str(each.address) for each in links.by_name["s0"].addresses}


@pytest.mark.parametrize(("every", "own", "strict"), [
    ("0", "0", False), ("1", "0", True), ("0", "1", True), ("1", "1", True), ("2", "1", False), ("1", "2", False),
])  # fmt: skip
def test_the_filter_of_reverse_paths_is_the_stricter_number(
    space: Namespace, every: str, own: str, strict: bool
) -> None:
    """The kernel takes the larger one of `all` and the interface (ip-sysctl: rp_filter); 1 is the strict one."""
    write(space, STRICT.format("all"), every)
    write(space, STRICT.format("s0"), own)
    assert read_links().by_name["s0"].strict is strict


def test_an_interface_has_several_names(space: Namespace) -> None:
    links = reads(space, "link", "property", "add", "dev", "s0", "altname", "uplink0")
    assert links.indexes()["uplink0"] == links.indexes()["s0"]
    renamed = reads(space, "link", "set", "s0", "name", "lan0")
    assert "s0" not in renamed.indexes()
    assert renamed.indexes()["lan0"] == links.indexes()["s0"]


@pytest.mark.parametrize("change", [
    lambda space: space.ip("link", "delete", "s0"),
    lambda space: space.ip("link", "set", "s0", "down"),
    lambda space: space.ip("link", "set", "s0", "name", "lan0"),
    lambda space: space.ip("address", "add", "192.0.2.1/24", "dev", "s0"),
    lambda space: space.ip("address", "add", "2001:db8::1/64", "dev", "s0"),
    lambda space: write(space, STRICT.format("s0"), "1"),
    lambda space: write(space, STRICT.format("all"), "1"),
], ids=["deleted", "down", "renamed", "address", "address6", "filter", "filter of all"])  # fmt: skip
def test_the_kernel_announces_each_change(space: Namespace, change: Callable[[Namespace], None]) -> None:
    with netlink.subscribe() as sock:
        netlink.drain(sock)
        with pytest.raises(BlockingIOError):
            sock.recv(1)
        change(space)
        assert sock.recv(netlink.RECEIVED)


def test_lost_announcements_are_a_change_like_any_other(space: Namespace, tmp_path: Path) -> None:
    with netlink.subscribe() as sock:
        each = "address add 10.1.0.1/32 dev s0\naddress del 10.1.0.1/32 dev s0\n"
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 0)
        batch(space, tmp_path, each * MANY)
        with pytest.raises(OSError, match="No buffer space available"):
            sock.recv(1)
        batch(space, tmp_path, each * MANY)
        netlink.drain(sock)
        with pytest.raises(BlockingIOError):
            sock.recv(1)


def test_many_interfaces_and_addresses(space: Namespace, tmp_path: Path) -> None:
    """More than one message of the kernel holds."""
    links = "".join(f"link add d{number} type bridge\n" for number in range(MANY))
    addresses = "".join(f"address add 10.2.{n // 250}.{n % 250 + 1}/16 dev d0\n" for n in range(MANY))
    batch(space, tmp_path, links + addresses)
    found = read_links()
    assert len([name for name in found.by_name if name.startswith("d")]) == MANY
    assert len(found.by_name["d0"].of_family(4)) == MANY


def test_interfaces_can_be_read_while_they_keep_changing(space: Namespace, tmp_path: Path) -> None:
    """Addresses come and go as fast as they can. What does not change is read each time."""
    stay = {f"10.2.{number // 250}.{number % 250 + 1}" for number in range(5 * MANY)}
    batch(space, tmp_path, "".join(f"address add {address}/32 dev s0\n" for address in stay))
    told = tmp_path / "flapping"
    told.write_text("address add 10.1.0.1/32 dev s0\naddress del 10.1.0.1/32 dev s0\n" * 2000)
    script = f"while :; do ip -force -batch {told}; done"
    flapping = space.start("sh", "-c", script, log=tmp_path / "log")
    try:
        with netlink.subscribe() as sock:
            for _ in range(READINGS):
                assert select.select([sock], [], [], CHANGES_SECONDS)[0]
                netlink.drain(sock)
                found = {str(each.address) for each in read_links().by_name["s0"].of_family(4)}
                assert stay <= found
    finally:
        stop(flapping)


def batch(space: Namespace, folder: Path, lines: str) -> None:
    told = folder / "batch"
    told.write_text(lines)
    space.ip("-batch", str(told))


def write(space: Namespace, path: str, value: str) -> None:
    space.run("sh", "-c", f"echo {value} > {path}")
