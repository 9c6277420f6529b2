"""Guard of outbound connections, which judges destinations when a connection is opened.

A name is resolved once for a connection, each of its addresses is judged, and the connection goes to one that was
judged good; the name is what the certificate must be of. Loopback, link-local (where clouds keep their metadata),
unspecified and multicast addresses are never reached, nor the host's own and the known metadata addresses elsewhere;
on behalf of a tenant, private networks neither. Networks of the setting `outbound_allow` are exceptions. Our own
services on this host are never reached. No proxy of the environment is used.
"""

import asyncio
import math
import re
import socket
import ssl
import time
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager, suppress
from functools import cached_property, partial
from ipaddress import ip_address
from pathlib import Path
from typing import NamedTuple, TypeVar
from unicodedata import normalize

import httpx

from ipam_core.errors import SettingsError
from ipam_core.model.values import Address, Network
from ipam_core.outbound import proxy
from ipam_core.outbound.addresses import inner, is_here, is_private, is_special, own_addresses
from ipam_core.outbound.faults import ForbiddenAddressError, Kind, OutboundError
from ipam_core.outbound.mail import MailServer
from ipam_core.outbound.threads import Threads
from ipam_core.setting_values import INNER_HOST, Proxy

MOST_ADDRESSES = 4
LOOK_SECONDS = 10.0
RESOLVE_SECONDS = 3.0
CONNECT_SECONDS = 1.5  # for an address that others follow; the last one has all remaining time
AT_ONCE, AT_ONCE_OF_TENANT = 256, 64  # exchanges in flight for the operator's objects, and for one tenant's

HOST_NAMES = frozenset({"localhost", "localhost.localdomain", "ip6-localhost", "ip6-loopback"})
NUMBERS = re.compile(r"(?:0x[0-9a-f]*|[0-9]+)(?:\.(?:0x[0-9a-f]*|[0-9]+)){0,3}")

LARGE, LARGE_OF_TENANT = 8, 2  # of exchanges whose answer may be large

INNER = ip_address(INNER_HOST)

P = TypeVar("P", bound=asyncio.BaseProtocol)


class Reach(NamedTuple):
    """Reach of connections on somebody's behalf, and with whose they are counted.

    `of_tenant`: private networks are closed. `on_host`: this host itself is open, but for the ports of our own
    services."""

    tenant_no: int | None = None
    of_tenant: bool = False
    on_host: bool = False


OPERATOR = Reach()


class Guard:
    """Guard of connections: which addresses may be reached, and which certificates are trusted; also the SMTP server
    and the URL that messages link to, which are the operator's. `own_ports`: of our own services on this host.
    `beside`: of services there that may have moved, such as our DNS server; open only to who may reach the host,
    because another service may use the port. Raises SettingsError."""

    def __init__(
        self,
        allow: Sequence[Network] = (),
        ca: Path | None = None,
        through: Proxy | None = None,
        own_ports: Collection[int] = (),
        mail: MailServer | None = None,
        public_url: str = "",
        beside: Collection[int] = (),
    ) -> None:
        self.allow = tuple(allow)
        self.ca = ca
        if ca is not None:
            self.context  # noqa: B018 - a file without certificates ends the start
        self.through = through
        self.own_ports, self.beside = frozenset(own_ports), frozenset(beside)
        self.mail = mail or MailServer()
        self.public_url = public_url
        self.threads = Threads()
        self.turns: dict[tuple[Reach, bool], asyncio.Semaphore] = {}
        self.own: set[Address] = set()
        self.looked = -math.inf

    @cached_property
    def context(self) -> ssl.SSLContext:
        return trust(self.ca)

    # --- judging

    def refusal(self, address: Address, port: int, reach: Reach) -> str:
        """Return why the address may not be reached; empty if it may."""
        self.look()
        return self.judged(address, port, reach, self.own)

    def refusal_of(
        self, host: str, port: int, tenant_no: int | None, *, of_tenant: bool, on_host: bool
    ) -> str:
        """Return why a destination may not be stored; empty if it may, or if only a connection decides. The check has
        the same result on every host: it judges addresses in any notation and the names of this host. It does not
        resolve other names or use this host's own addresses, because another host may connect."""
        reach = Reach(tenant_no, of_tenant=of_tenant, on_host=on_host)
        refusals = [self.judged(address, port, reach, set()) for address in written_address(host)]
        return refusals[0] if refusals and all(refusals) else ""

    def refusal_of_mail(self, address: str, *, of_tenant: bool) -> str:
        """Return why a mail address may not be stored on a tenant's behalf; empty if it may."""
        return self.mail.refusal_of(address, of_tenant=of_tenant)

    def judged(self, address: Address, port: int, reach: Reach, own: set[Address]) -> str:
        every = (address, *inner(address))
        here = [is_here(each, own) for each in every]
        closed = self.own_ports if reach.on_host else self.own_ports | self.beside
        if INNER in every or (any(here) and port in closed):
            return f"a service of this host itself (port {port})"
        if any(address in network for network in self.allow):
            return ""
        if here[0] and reach.on_host:
            return ""
        if any(here):
            return "an address of this host itself"
        if any(is_special(each) for each in every):
            return "a link-local, multicast or metadata address"
        if reach.of_tenant and any(is_private(each) for each in every):
            return "in a private network"
        return ""

    def look(self) -> None:
        """Refresh this host's own addresses, which may change."""
        if time.monotonic() - self.looked > LOOK_SECONDS:
            self.own, self.looked = own_addresses(), time.monotonic()

    async def addresses(self, host: str, port: int, reach: Reach) -> list[Address]:
        """Return the addresses of the host that may be reached, best first. Raises OutboundError if there are none."""
        found = literal(host) or await self.resolve(host, port, reach.tenant_no)
        refusals = [self.refusal(address, port, reach) for address in found]
        good = [address for address, refusal in zip(found, refusals, strict=True) if not refusal]
        if not good:
            raise ForbiddenAddressError(
                f"{host} is {found[0]}, {refusals[0]}: connections there are blocked"
                " (the setting outbound_allow lists exceptions)"
            )
        return good[:MOST_ADDRESSES]

    async def resolve(self, host: str, port: int, tenant_no: int | None) -> list[Address]:
        """Return all addresses of a name. Raises OutboundError."""
        try:
            async with asyncio.timeout(RESOLVE_SECONDS):
                return await self.threads.run(tenant_no, partial(resolve, host, port))
        except TimeoutError:
            said = f"the name {host} was not resolved within {RESOLVE_SECONDS:.0f} s"
        except (OSError, UnicodeError) as error:
            said = f"the name {host} cannot be resolved: {words(error)}"
        raise OutboundError(Kind.NAME, said)

    # --- connecting

    @asynccontextmanager
    async def turn(self, reach: Reach, *, large: bool = False) -> AsyncIterator[None]:
        """Wait until fewer exchanges than the limit are in flight for the tenant; `large`: its answer may be large."""
        limits = (LARGE_OF_TENANT, LARGE) if large else (AT_ONCE_OF_TENANT, AT_ONCE)
        most = limits[0] if reach.of_tenant else limits[1]
        async with self.turns.setdefault((reach, large), asyncio.Semaphore(most)):
            yield

    async def connect(
        self,
        protocol: Callable[[], P],
        host: str,
        port: int,
        reach: Reach,
        context: ssl.SSLContext | None = None,
        *,
        direct: bool = False,
    ) -> P:
        """Return a protocol that is connected to the first good address that answers, over TLS if there is a context;
        `direct`: never through the proxy. Raises OutboundError."""
        through = None if direct else self.through
        addresses = await self.addresses(host, port, reach)
        while True:
            address = addresses.pop(0)
            opening = opened(protocol, address, port, through, context, host)
            if not addresses:
                return await opening
            with suppress(OutboundError, TimeoutError):
                return await asyncio.wait_for(opening, CONNECT_SECONDS)


async def opened(
    protocol: Callable[[], P],
    address: Address,
    port: int,
    through: Proxy | None,
    context: ssl.SSLContext | None,
    host: str,
) -> P:
    """Connect to this very address; the certificate must be of the host. Raises OutboundError."""
    name = host if context else None
    loop = asyncio.get_running_loop()
    try:
        if through is None:
            connecting = loop.create_connection(
                protocol, str(address), port, ssl=context, server_hostname=name
            )
        else:
            tunnel = await proxy.tunnel(through, address, port)
            connecting = loop.create_connection(protocol, sock=tunnel, ssl=context, server_hostname=name)
        return (await connecting)[1]
    except ssl.SSLError as error:
        raise OutboundError(Kind.TLS, f"TLS with {named(host, address)} fails: {words(error)}") from None
    except (OSError, UnicodeError) as error:
        said = f"{named(host, address)} port {port} cannot be reached: {words(error)}"
        raise OutboundError(Kind.CONNECT, said) from None


def named(host: str, address: Address) -> str:
    return host if host == str(address) else f"{host} ({address})"


def trust(ca: Path | None) -> ssl.SSLContext:
    """Return a context that trusts the system's certificates, those that come with httpx, and those of the file.
    Raises SettingsError."""
    context = httpx.create_ssl_context(trust_env=False)
    context.load_default_certs()
    context.set_alpn_protocols(["http/1.1"])
    if ca is not None:
        try:
            context.load_verify_locations(ca)
        except OSError as error:  # ssl.SSLError is one
            raise SettingsError(
                "webhook_ca", f"{ca} does not contain certificates: {error.strerror}"
            ) from None
    return context


def literal(host: str) -> list[Address]:
    """Return the address that the host is, without asking anybody; empty for a name."""
    try:
        return [ip_address(host.partition("%")[0])]
    except ValueError:
        return []


def written_address(host: str) -> list[Address]:
    """Return the addresses of a host that needs no look-up; empty for other names. It is a literal in any notation that
    resolvers accept (`0x7f.1`, `2130706433`), or a name of the host itself (RFC 6761, section 6.3). A literal may have
    characters that IDNA maps to digits and dots (fullwidth or circled digits, ideographic full stops)."""
    name = normalize("NFKC", host).replace("\u3002", ".").rstrip(".").lower()
    if name in HOST_NAMES or name.endswith(".localhost"):
        return [ip_address("127.0.0.1"), ip_address("::1")]
    if NUMBERS.fullmatch(name):
        with suppress(OSError):
            return [ip_address(socket.inet_aton(name))]
    return literal(name)


def resolve(host: str, port: int) -> list[Address]:
    """Return a name's addresses, blocking. Raises OSError."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(ip_address(str(entry[4][0]).partition("%")[0]) for entry in found))


def words(error: BaseException) -> str:
    """Return the message of the system or the TLS library, without leading numbers and addresses."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"certificate verify failed: {error.verify_message}"
    if isinstance(error, ssl.SSLError):
        return str(error.reason or error)
    return str(getattr(error, "strerror", None) or error or type(error).__name__)
