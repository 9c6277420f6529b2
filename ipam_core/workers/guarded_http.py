"""HTTP connections to addresses that operators' customers may name, without a way into the host itself.

A name is resolved once for a connection, each of its addresses is judged, and the connection goes to one that was
judged good; the name is what the certificate must be of. Loopback, link-local (where clouds keep their
metadata), unspecified and multicast addresses are not spoken to, nor the host's own and the known metadata addresses
elsewhere, whatever notation or translation they hide in (RFC 4291 section 2.5.5, RFC 6052, RFC 3056). Networks of the
setting `webhook_allow` are exceptions. No proxy of the environment is used.
"""

import asyncio
import math
import socket
import ssl
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from pathlib import Path

import httpx
import psutil

from ipam_core.errors import SettingsError
from ipam_core.model.values import Address, Network
from ipam_core.workers.http_connection import HttpConnection

METADATA = frozenset(
    map(ip_address, ("100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254", "fd20:ce::254"))
)
NOWHERE = ip_network("0.0.0.0/8")  # RFC 1122 section 3.2.1.3: this host
BROADCAST = ip_address("255.255.255.255")
TRANSLATED = IPv6Network("64:ff9b::/96")  # RFC 6052 section 2.1
MOST_ADDRESSES = 4
LOOK_SECONDS = 10.0
RESOLVING = 64  # names at a time; a name server that hangs holds up nobody else


class ForbiddenAddressError(Exception):
    """Where the request may not go, in words."""


class Guard:
    """Which addresses may be spoken to, and by which certificates."""

    def __init__(self, allow: Sequence[Network] = (), ca: Path | None = None) -> None:
        self.allow = tuple(allow)
        self.context = trust(ca)
        self.resolvers = ThreadPoolExecutor(RESOLVING, "resolver")
        self.own: set[Address] = set()
        self.looked = -math.inf

    def refuses(self, address: Address) -> bool:
        if any(address in network for network in self.allow):
            return False
        self.look()
        return any(each in self.own or is_forbidden(each) for each in (address, *inner(address)))

    def look(self) -> None:
        """At this host's own addresses, which may change."""
        if time.monotonic() - self.looked > LOOK_SECONDS:
            self.own, self.looked = own_addresses(), time.monotonic()

    async def addresses(self, host: str, port: int) -> list[Address]:
        """Those of the host that may be spoken to, best first. Raises ForbiddenAddressError where there are others
        only, OSError where the name leads nowhere."""
        found = literal(host) or await self.resolve(host, port)
        good = [address for address in found if not self.refuses(address)]
        if not good:
            raise ForbiddenAddressError(
                f"{host} is {found[0]}, which webhooks may not be sent to (webhook_allow has exceptions)"
            )
        return good[:MOST_ADDRESSES]

    async def resolve(self, host: str, port: int) -> list[Address]:
        return await asyncio.get_running_loop().run_in_executor(self.resolvers, resolve, host, port)

    async def connect(self, url: httpx.URL) -> HttpConnection:
        """To the first of the host's good addresses that answers. Raises as `addresses` does, and OSError where nobody
        answers or the certificate is not the host's."""
        host = url.raw_host.decode("ascii")
        port = url.port or (443 if url.scheme == "https" else 80)
        *others, last = await self.addresses(host, port)
        for address in others:
            with suppress(OSError):
                return await self.open(url.scheme, host, address, port)
        return await self.open(url.scheme, host, last, port)

    async def open(self, scheme: str, host: str, address: Address, port: int) -> HttpConnection:
        """To this very address; the certificate must be of the name."""
        secure = scheme == "https"
        _, connection = await asyncio.get_running_loop().create_connection(
            HttpConnection,
            str(address),
            port,
            ssl=self.context if secure else None,
            server_hostname=host if secure else None,
        )
        return connection

    def close(self) -> None:
        self.resolvers.shutdown(wait=False, cancel_futures=True)


def trust(ca: Path | None) -> ssl.SSLContext:
    """The system's certificates, those that come with httpx, and those of the file. Raises SettingsError."""
    context = httpx.create_ssl_context(trust_env=False)
    context.load_default_certs()
    context.set_alpn_protocols(["http/1.1"])
    if ca is not None:
        try:
            context.load_verify_locations(ca)
        except OSError as error:  # ssl.SSLError is one
            raise SettingsError("webhook_ca", f"{ca} does not hold certificates: {error.strerror}") from None
    return context


def literal(host: str) -> list[Address]:
    """An address is asked of nobody."""
    try:
        return [ip_address(host.partition("%")[0])]
    except ValueError:
        return []


def resolve(host: str, port: int) -> list[Address]:
    """Raises OSError."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(ip_address(str(entry[4][0]).partition("%")[0]) for entry in found))


def inner(address: Address) -> list[Address]:
    """IPv4 addresses that an IPv6 address stands for."""
    if isinstance(address, IPv4Address):
        return []
    found = [address.ipv4_mapped, address.sixtofour]
    if address in TRANSLATED or int(address) < 2**32:
        found.append(IPv4Address(int(address) & 0xFFFFFFFF))
    return [each for each in found if each is not None]


def is_forbidden(address: Address) -> bool:
    kinds = address.is_loopback or address.is_link_local or address.is_unspecified or address.is_multicast
    return (
        kinds
        or address in METADATA
        or address in NOWHERE
        or address == BROADCAST
        or (isinstance(address, IPv6Address) and address.is_site_local)
    )


def own_addresses() -> set[Address]:
    """Of this host's interfaces, as they are now."""
    found = psutil.net_if_addrs().values()
    texts = (entry.address.partition("%")[0] for entries in found for entry in entries
             if entry.family in (socket.AF_INET, socket.AF_INET6))  # fmt: skip
    return set(map(ip_address, texts))
