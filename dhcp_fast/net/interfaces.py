"""The machine's interfaces and IPv4 addresses."""

import socket
from ipaddress import IPv4Address

import psutil

from ipam_core.settings import Settings


def addresses_of(interface: str) -> list[IPv4Address]:
    """The interface's IPv4 addresses; none when it has none or is not there."""
    return [
        IPv4Address(entry.address)
        for entry in psutil.net_if_addrs().get(interface, ())
        if entry.family == socket.AF_INET
    ]


def served_interfaces(settings: Settings) -> dict[str, list[IPv4Address]]:
    """The interfaces whose clients are served directly, with their addresses."""
    return {name: addresses_of(name) for name in settings.dhcp4_interfaces}


def own_addresses() -> list[IPv4Address]:
    return [address for name in psutil.net_if_addrs() for address in addresses_of(name)]
