"""The machine's interfaces and addresses."""

import socket
from ipaddress import IPv4Address, IPv6Address

import psutil

from ipam_core.settings import Settings


def addresses_of(interface: str) -> list[IPv4Address]:
    """The interface's IPv4 addresses; none when it has none or is not there."""
    return [
        IPv4Address(entry.address)
        for entry in psutil.net_if_addrs().get(interface, ())
        if entry.family == socket.AF_INET
    ]


def addresses6_of(interface: str) -> list[IPv6Address]:
    """The same of IPv6, without the link-local ones, which tell no subnet."""
    found = [
        IPv6Address(entry.address.partition("%")[0])
        for entry in psutil.net_if_addrs().get(interface, ())
        if entry.family == socket.AF_INET6
    ]
    return [address for address in found if not address.is_link_local]


def served_interfaces(settings: Settings, family: int = 4) -> dict[str, list[IPv4Address | IPv6Address]]:
    """The interfaces whose clients are served directly, with their addresses."""
    if family == 6:
        return {name: [*addresses6_of(name)] for name in settings.dhcp6_interfaces}
    return {name: [*addresses_of(name)] for name in settings.dhcp4_interfaces}
