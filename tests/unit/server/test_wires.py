"""Interfaces are bound when they can be served, bound anew when they are others, and tried again when that fails."""

import errno
from ipaddress import ip_address

from dhcp_fast.net.links import Link, LinkAddress, Links
from dhcp_fast.server.wires import Wires
from ipam_core.settings import Settings

SETTINGS = Settings(dhcp4_interfaces=("s0", "s1"), dhcp4_listen=(), dhcp6_interfaces=("s0",), dhcp6_listen=())


class Binder:
    """Keeps what it was asked for; `refusals`: how many bindings fail first."""

    def __init__(self, refusals: int = 0) -> None:
        self.refusals = refusals
        self.asked: list[tuple[str, str]] = []
        self.bound: set[str] = set()

    def is_bound(self, interface: str) -> bool:
        return interface in self.bound

    def bind(self, interface: str) -> None:
        self.asked.append(("bind", interface))
        if self.refusals:
            self.refusals -= 1
            raise OSError(errno.EADDRINUSE, "Address already in use")
        self.bound.add(interface)

    def rest(self, interface: str) -> None:
        self.asked.append(("rest", interface))
        self.bound.discard(interface)


def link(name: str, ifindex: int, *addresses: str, since6: int = 0) -> Link:
    found = tuple(LinkAddress(ip_address(address), 24, 0, 0) for address in addresses)
    return Link(ifindex, (name,), is_up=True, port_of="", strict=False, since6=since6, addresses=found)


def test_a_binding_that_fails_is_named_and_tried_again() -> None:
    binder, nothing = Binder(refusals=1), Links()
    wires = Wires(SETTINGS, 4, binder, nothing)
    there = Links([link("s0", 2, "192.0.2.1"), link("s1", 3, "198.51.100.1")])
    wires.follow(there)
    assert wires.warnings() == ["degraded: interface s0 cannot be served: Address already in use"]
    assert binder.bound == {"s1"}
    assert wires.not_ready() == ""
    wires.follow(there)
    assert (wires.warnings(), binder.bound) == ([], {"s0", "s1"})
    asked = list(binder.asked)
    wires.follow(there)
    assert binder.asked == asked


def test_another_interface_under_the_name_is_bound_anew() -> None:
    binder = Binder()
    wires = Wires(SETTINGS, 4, binder, Links())
    for ifindex in (2, 5, 5, 7):
        wires.follow(Links([link("s0", ifindex, "192.0.2.1")]))
    assert binder.asked == [("bind", "s0")] * 3


def test_one_interface_is_served_by_one_of_its_names() -> None:
    binder = Binder()
    both = link("s1", 2, "192.0.2.1")._replace(names=("s1", "s0"))
    wires = Wires(SETTINGS, 4, binder, Links())
    wires.follow(Links([both]))
    assert (binder.bound, wires.warnings()) == (
        {"s0"},
        ["degraded: interface s1 is the same interface as s0, which is served already"],
    )
    wires.follow(Links([link("s0", 2, "192.0.2.1"), link("s1", 3, "198.51.100.1")]))
    assert (binder.bound, wires.warnings()) == ({"s0", "s1"}, [])
    wires.follow(Links([both]))
    assert binder.bound == {"s0"}


def test_names_that_were_bound_before_they_were_compared() -> None:
    """As sockets are opened when a server starts."""
    binder = Binder()
    binder.bound = {"s0", "s1"}
    both = Links([link("s0", 2, "192.0.2.1")._replace(names=("s0", "s1"))])
    Wires(SETTINGS, 4, binder, both).follow(both)
    assert binder.bound == {"s0"}


def test_ipv6_that_began_again_is_bound_anew() -> None:
    binder = Binder()
    wires = Wires(SETTINGS, 6, binder, Links())
    for since in (100, 100, 250):
        wires.follow(Links([link("s0", 2, "2001:db8::1", since6=since)]))
    assert binder.asked == [("bind", "s0")] * 2
    wires.follow(Links([link("s0", 2, "192.0.2.1")]))
    assert binder.asked[2:] == [("rest", "s0")]
    assert wires.not_ready() == "nothing is served: interface s0 has no IPv6 address"


def test_a_server_that_is_told_to_serve_nothing_is_not_faulty() -> None:
    wires = Wires(Settings(dhcp4_listen=(), dhcp4_interfaces=()), 4, Binder(), Links())
    wires.follow(Links())
    assert (wires.warnings(), wires.not_ready()) == ([], "")
