"""Links: this host's interfaces as they are now: names, indexes, addresses in the kernel's order, and what keeps each
from being served. Read anew whenever the kernel announces a change (net/netlink.py)."""

import itertools
import struct
import sys
from collections.abc import Iterable, Mapping
from ipaddress import IPv4Address, IPv6Address, ip_address
from socket import AF_INET, AF_INET6
from typing import NamedTuple

from dhcp_fast.net import netlink
from dhcp_fast.net.netlink import Attributes

IF_INFO = struct.Struct("=BxHiII")  # family, device type, index, flags, change
IF_ADDRESS = struct.Struct("=BBBBI")  # family, prefix length, flags, scope, index
NET_CONFIGURATION = struct.Struct("=B3x")  # family
CACHE_INFO = struct.Struct("=IIII")  # preferred, valid, created, changed
UP = 1  # IFF_UP
NAME, LINK_INFO, PROPERTIES, OTHER_NAME = 3, 18, 52, 53  # IFLA_*
SLAVE_KIND = 4  # IFLA_INFO_SLAVE_KIND
ADDRESS, LOCAL, LIFETIMES, FLAGS = 1, 2, 6, 8  # IFA_*
LINK_SCOPE = 253  # RT_SCOPE_LINK
TENTATIVE, DUPLICATE, OPTIMISTIC = 0x40, 0x08, 0x04  # IFA_F_TENTATIVE, IFA_F_DADFAILED, IFA_F_OPTIMISTIC
INDEX, REVERSE_PATH = 1, 3  # NETCONFA_*
ALL = -1  # NETCONFA_IFINDEX_ALL
STRICT = 1  # of rp_filter
PORTS = {"bridge": "bridge", "bond": "bond", "team": "team", "openvswitch": "switch"}
"""Kinds of interfaces that take the packets of their ports for themselves."""


class LinkAddress(NamedTuple):
    """An address with the length of its prefix; `scope` as rtnetlink(7) has it: 0 is global, 253 the link. `since`:
    hundredths of a second from the host's start until it was added."""

    address: IPv4Address | IPv6Address
    prefix: int
    scope: int
    since: int


class Link(NamedTuple):
    """An interface.

    `names` are its name and its alternative names; `port_of` is the kind of the interface of which
    it is a port, if that takes its packets. With `strict` rp_filter drops packets whose source has
    no route by it. `since6` is the time from the host's start until IPv6 began on it, in hundredths
    of a second; 0: it has no link-local address. `duplicates` are addresses of IPv6 that another
    machine on the link has, so that the kernel does not use them (RFC 4862 section 5.4.5).
    """

    ifindex: int
    names: tuple[str, ...]
    is_up: bool
    port_of: str
    strict: bool
    since6: int
    addresses: tuple[LinkAddress, ...]
    duplicates: tuple[IPv4Address | IPv6Address, ...] = ()

    def of_family(self, family: int) -> list[LinkAddress]:
        return [each for each in self.addresses if each.address.version == family]

    def fault(self, family: int) -> str:
        """Return why clients of this family cannot be served on it; empty where they can."""
        if self.port_of:
            return f"is a port of a {self.port_of}, which receives its packets"
        if not self.is_up:
            return "is down"
        if self.of_family(family):
            return ""
        if family == 6 and self.duplicates:
            return f"has no IPv6 address: another machine on the link has {self.duplicates[0]}"
        return f"has no IPv{family} address"


class Links:
    """Interfaces of the host at one moment."""

    def __init__(self, links: Iterable[Link] = ()) -> None:
        self.all = tuple(links)
        self.by_name: Mapping[str, Link] = {name: link for link in self.all for name in link.names}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Links) and self.all == other.all

    def __hash__(self) -> int:
        return hash(self.all)

    def fault(self, name: str, family: int) -> str:
        """Return why clients on the interface of this name cannot be served; empty where they can."""
        link = self.by_name.get(name)
        return "does not exist" if link is None else link.fault(family)

    def another_name(self, name: str, names: Iterable[str]) -> str:
        """Return the first of these names, before this one, that the same interface has; empty where there is none."""
        link = self.by_name.get(name)
        earlier = itertools.takewhile(lambda each: each != name, names)
        return next((each for each in earlier if link and each in link.names), "")

    def indexes(self) -> dict[str, int]:
        return {name: link.ifindex for name, link in self.by_name.items()}

    def served(self, names: Iterable[str], family: int) -> dict[str, list[IPv4Address | IPv6Address]]:
        """Return the named interfaces whose clients can be served, with their addresses.

        Link-local addresses are left out, because they identify no subnet.
        """
        return {
            name: [
                each.address
                for each in self.by_name[name].of_family(family)
                if family == 4 or not each.address.is_link_local
            ]
            for name in names
            if not self.fault(name, family)
        }

    def own_addresses(self, family: int) -> list[tuple[int, int, int, int]]:
        """Return (interface index, address, prefix length, scope) of each, as engine.configure.set_own_addresses takes
        it."""
        return [
            (link.ifindex, int(each.address), each.prefix, each.scope)
            for link in self.all
            for each in link.of_family(family)
        ]


def read_links() -> Links:
    """Raise OSError."""
    addresses, duplicates = read_addresses()
    filters = read_filters()
    mask = netlink.attribute(netlink.EXTENSIONS, netlink.WITHOUT_STATISTICS.to_bytes(4, sys.byteorder))
    found = netlink.dump(netlink.GET_LINK, netlink.NEW_LINK, bytes(IF_INFO.size), mask)
    links = (read_link(each.head, each.attributes, addresses, filters) for each in found)
    return Links(link._replace(duplicates=tuple(duplicates.get(link.ifindex, ()))) for link in links)


def read_link(
    head: bytes,
    attributes: Attributes,
    addresses: Mapping[int, list[LinkAddress]],
    filters: Mapping[int, int],
) -> Link:
    _, _, index, flags, _ = IF_INFO.unpack(head)
    told = dict(attributes)
    others = netlink.read_attributes(told.get(PROPERTIES, b""))
    found = tuple(addresses.get(index, ()))
    names = [told[NAME], *(value for kind, value in others if kind == OTHER_NAME)]
    master = dict(netlink.read_attributes(told.get(LINK_INFO, b""))).get(SLAVE_KIND, b"")
    return Link(
        index,
        tuple(map(text, names)),
        bool(flags & UP),
        PORTS.get(text(master), ""),
        max(filters.get(index, 0), filters.get(ALL, 0)) == STRICT,
        next((each.since for each in found if each.address.version == 6 and each.scope == LINK_SCOPE), 0),
        found,
    )


def read_addresses() -> tuple[dict[int, list[LinkAddress]], dict[int, list[IPv4Address | IPv6Address]]]:
    """Return the addresses by the interface's index. Of IPv6 those that are usable, and those that are another
    machine's; not the ones that may be somebody else's still."""
    found: dict[int, list[LinkAddress]] = {}
    duplicates: dict[int, list[IPv4Address | IPv6Address]] = {}
    for family in (AF_INET, AF_INET6):
        head = IF_ADDRESS.pack(family, 0, 0, 0, 0)
        for each in netlink.dump(netlink.GET_ADDRESS, netlink.NEW_ADDRESS, head):
            its_family, prefix, flags, scope, index = IF_ADDRESS.unpack(each.head)
            told = dict(each.attributes)
            flags = int.from_bytes(told.get(FLAGS, bytes([flags])), sys.byteorder)
            if its_family != family:
                continue
            address = ip_address(told.get(LOCAL, told.get(ADDRESS, b"")))
            if flags & DUPLICATE:
                duplicates.setdefault(index, []).append(address)
            elif not flags & TENTATIVE or flags & OPTIMISTIC:
                since = CACHE_INFO.unpack(told.get(LIFETIMES, bytes(CACHE_INFO.size)))[2]
                found.setdefault(index, []).append(LinkAddress(address, prefix, scope, since))
    return found, duplicates


def read_filters() -> dict[int, int]:
    """Return rp_filter by the interface's index, and ALL; empty if the kernel does not report it (a sandbox)."""
    head = NET_CONFIGURATION.pack(AF_INET)
    found: dict[int, int] = {}
    try:
        configured = netlink.dump(netlink.GET_CONFIGURATION, netlink.NEW_CONFIGURATION, head)
    except OSError:
        return found
    for each in configured:
        told = dict(each.attributes)
        if INDEX in told and REVERSE_PATH in told:
            found[signed(told[INDEX])] = signed(told[REVERSE_PATH])
    return found


def signed(value: bytes) -> int:
    return int.from_bytes(value, sys.byteorder, signed=True)


def text(value: bytes) -> str:
    return value.rstrip(b"\0").decode("utf-8", "surrogateescape")
