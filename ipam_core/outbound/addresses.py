"""Kinds of addresses, whatever notation or translation hides them.

An IPv6 address may stand for an IPv4 address: mapped and compatible (RFC 4291 section 2.5.5), translated (RFC 6052, RFC
2765), 6to4 (RFC 3056), Teredo (RFC 4380), ISATAP (RFC 5214). The same rules apply to both.
"""

import socket
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

import psutil

from ipam_core.model.values import Address

# Where clouds keep credentials, beside 169.254.0.0/16.
METADATA = frozenset(
    map(
        ip_address,
        (
            "100.100.100.200",
            "168.63.129.16",
            "192.0.0.192",
            "fd00:ec2::254",
            "fd20:ce::254",
            "fd00:42::42",
        ),
    )
)
NOWHERE = ip_network("0.0.0.0/8")  # RFC 1122 section 3.2.1.3: this host
BROADCAST = ip_address("255.255.255.255")
PRIVATE = tuple(
    map(
        ip_network,
        (
            "10.0.0.0/8",
            "172.16.0.0/12",
            "192.168.0.0/16",
            "100.64.0.0/10",
            "192.0.0.0/24",
            "198.18.0.0/15",
            "240.0.0.0/4",
            "fc00::/7",
        ),
    )
)
TRANSLATED = IPv6Network("64:ff9b::/96")  # RFC 6052 section 2.1
LOCALLY_TRANSLATED = IPv6Network(
    "64:ff9b:1::/48"
)  # RFC 8215: any network of the site, at any place of the address
STATELESS = IPv6Network("::ffff:0:0:0/96")  # RFC 2765 section 2.1
ISATAP = (0x00005EFE, 0x02005EFE)  # RFC 5214 section 6.1


def inner(address: Address) -> list[IPv4Address]:
    """Return the IPv4 addresses that an IPv6 address may stand for."""
    if isinstance(address, IPv4Address):
        return []
    value, last = int(address), IPv4Address(int(address) & 0xFFFFFFFF)
    found = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if address in TRANSLATED or address in STATELESS or value < 2**32 or value >> 32 & 0xFFFFFFFF in ISATAP:
        found.append(last)
    return [each for each in found if each is not None]


def is_here(address: Address, own: set[Address]) -> bool:
    """Return whether the address leads to this host; `own` contains the addresses of its interfaces."""
    return address in own or address.is_loopback or address.is_unspecified or address in NOWHERE


def is_special(address: Address) -> bool:
    """Return whether the address belongs to no machine of its own beyond the link, to a cloud's metadata service, or to
    a translator of which nobody knows where it leads."""
    return (
        address in LOCALLY_TRANSLATED
        or address.is_link_local
        or address.is_multicast
        or address in METADATA
        or address == BROADCAST
        or (isinstance(address, IPv6Address) and address.is_site_local)
    )


def is_private(address: Address) -> bool:
    return any(address in network for network in PRIVATE)


def own_addresses() -> set[Address]:
    """Return the addresses of this host's interfaces as they are now."""
    found = psutil.net_if_addrs().values()
    texts = (entry.address.partition("%")[0] for entries in found for entry in entries
             if entry.family in (socket.AF_INET, socket.AF_INET6))  # fmt: skip
    return set(map(ip_address, texts))
