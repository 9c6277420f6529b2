"""Sockets of the server, opened before anything else so that a mistake stops the start.

There is one socket per address for relayed and unicast traffic and one per interface for its
directly attached clients. A packet socket sends replies to clients that have no address yet.
Leasequeries over TCP, where permitted, use the same addresses. The DNS server has two sockets per
address, for datagrams and for connections.
"""

import errno
import socket
from collections.abc import Iterable
from typing import NoReturn

import structlog

from dhcp_fast.net.links import Links
from dhcp_fast.net.packet_socket import FrameSocket
from dhcp_fast.net.udp import UdpSocket
from dhcp_fast.net.udp6 import UdpSocket6
from ipam_core.errors import SettingsError, unserved
from ipam_core.setting_values import Endpoint
from ipam_core.settings import Settings

SERVER_PORT = 67
SERVER_PORT6 = 547
WAITING = 16  # connections
IP_FREEBIND, IPV6_FREEBIND = 15, 78  # linux/in.h, linux/in6.h
ON_THE_WAY = 128 * 1024  # octets that the kernel holds for a requester who does not read

MISSING = "degraded: no interface has the address of {}"

Listening = tuple[str, int, str | None]  # host, port, interface

log = structlog.get_logger("dns")


def interfaces_of(settings: Settings, family: int) -> tuple[str, ...]:
    """Return those whose clients are served directly."""
    return settings.dhcp6_interfaces if family == 6 else settings.dhcp4_interfaces


def addresses_of(settings: Settings, family: int) -> tuple[Endpoint, ...]:
    """Return addresses for relayed and unicast packets."""
    return settings.dhcp6_listen if family == 6 else settings.dhcp4_listen


def endpoints_of(settings: Settings, family: int) -> list[Listening]:
    """Return where the family is served: of the interfaces, the port on each."""
    wild = ("::", SERVER_PORT6) if family == 6 else ("0.0.0.0", SERVER_PORT)  # noqa: S104 - bound to its device
    heard: list[Listening] = [(each.host, each.port, None) for each in addresses_of(settings, family)]
    return heard + [(*wild, name) for name in interfaces_of(settings, family)]


def open_sockets(settings: Settings, family: int, links: Links) -> list[UdpSocket]:
    """Return those of interfaces that cannot be served now rest. Raises SettingsError."""
    kind = UdpSocket6 if family == 6 else UdpSocket
    sockets = []
    for host, port, name in endpoints_of(settings, family):
        away = name is not None and bool(links.fault(name, family))
        try:
            sockets.append(kind(host, port, name, resting=away))
        except OSError as error:
            if name is None or error.errno != errno.ENODEV:
                refuse(host, port, name, error, f"dhcp{family}")
            sockets.append(kind(host, port, name, resting=True))  # it has just gone
    return sockets


def open_listeners(
    settings: Settings, addresses: Iterable[tuple[str, int]], family: int = 4
) -> list[socket.socket]:
    """Open listeners for bulk leasequeries, on each address of the clients' datagrams; none where nobody may ask."""
    if all(network.version != family for network in settings.leasequery_requesters):
        return []
    return [opened_listener(host, port, family) for host, port in addresses]


def opened_listener(host: str, port: int, family: int, protocol: str | None = None) -> socket.socket:
    sock = socket.socket(socket.AF_INET6 if family == 6 else socket.AF_INET, socket.SOCK_STREAM)
    try:
        if family == 6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            sock.setsockopt(socket.IPPROTO_IPV6, IPV6_FREEBIND, 1)
        else:
            sock.setsockopt(socket.IPPROTO_IP, IP_FREEBIND, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, ON_THE_WAY)  # each connection's has its size
        sock.setblocking(False)
        sock.bind((host, port))
        sock.listen(WAITING)
    except OSError as error:
        sock.close()
        refuse(host, port, None, error, protocol or f"dhcp{family}")
    return sock


def refuse(host: str, port: int, interface: str | None, error: OSError, protocol: str = "dhcp4") -> NoReturn:
    """Raise what is to be said of an endpoint that cannot be served."""
    endpoint = f"interface {interface}" if interface else str(Endpoint(host, port))
    name = f"{protocol}_interfaces" if interface else f"{protocol}_listen"
    need = " (needs CAP_NET_BIND_SERVICE)" if error.errno == errno.EACCES else ""
    raise unserved(name, f"{endpoint} cannot be served: {error.strerror or error}{need}", error) from None


def missing_addresses(endpoints: Iterable[Endpoint]) -> list[str]:
    """Return those whose address no interface has now. They are served as soon as one has it."""
    return [str(endpoint) for endpoint in endpoints if not is_here(endpoint.host)]


def is_here(host: str) -> bool:
    """Return whether packets to this address are this host's; the kernel knows more of its own than interfaces show."""
    try:
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_DGRAM) as sock:
            sock.bind((host, 0))
    except OSError as error:
        return error.errno != errno.EADDRNOTAVAIL
    return True


def open_frames(settings: Settings) -> FrameSocket | None:
    sock = open_frame_socket(settings)
    return None if sock is None else FrameSocket(sock)


def open_frame_socket(settings: Settings) -> socket.socket | None:
    """Open the socket, which is needed as soon as an interface is served: a client without an address is reached by a
    frame only."""
    if not settings.dhcp4_interfaces:
        return None
    try:
        sock = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, 0)
        sock.setblocking(False)
        return sock
    except PermissionError:
        raise SettingsError(
            "dhcp4_interfaces",
            "serving an interface needs CAP_NET_RAW: run the server as root, or grant it with setcap or systemd",
        ) from None


def open_dns(settings: Settings) -> tuple[list[UdpSocket], list[socket.socket]]:
    """Open, of each address of the DNS server the socket of its datagrams and the one of its connections. On a host
    without IPv6 the addresses that there are, [::], are those of IPv4 alone."""
    sockets: list[UdpSocket] = []
    for endpoint in settings.dns_listen:
        try:
            kind = UdpSocket6 if ":" in endpoint.host else UdpSocket
            sockets.append(kind(endpoint.host, endpoint.port))
        except OSError as error:
            if not has_no_ipv6(endpoint, error) or len(settings.dns_listen) == 1:
                refuse(endpoint.host, endpoint.port, None, error, "dns")
            log.warning("this host has no IPv6: DNS is served over IPv4 only", endpoint=str(endpoint))
    listeners = [
        opened_listener(host, port, 6 if ":" in host else 4, "dns")
        for host, port in (sock.address[:2] for sock in sockets)
    ]
    return sockets, listeners


def has_no_ipv6(endpoint: Endpoint, error: OSError) -> bool:
    """Return whether that is why its addresses of IPv6, whichever there are, cannot be served: a kernel without it. One
    that is named is missed."""
    return endpoint.host == "::" and error.errno == errno.EAFNOSUPPORT
