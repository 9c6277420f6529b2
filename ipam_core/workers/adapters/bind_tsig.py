"""Servers that take dynamic updates signed with a shared key (RFC 8945), or by their address alone: BIND, Knot,
PowerDNS.

Over TCP: an answer is then surely to this update, and no update is lost on the way without a word.
"""

import asyncio
import ssl
from collections.abc import Awaitable, Callable, Collection

import dns.asyncquery
import dns.asyncresolver
import dns.exception
import dns.inet
import dns.message
import dns.name
import dns.rcode
import dns.rdatatype
import dns.tsig
import dns.update
import dns.xfr
import dns.zone
from dns.rcode import Rcode

from ipam_core.model.dns_server import DnsServer
from ipam_core.workers.adapters import (
    COMPARED,
    Change,
    Found,
    Refused,
    Step,
    TestResult,
    Unreachable,
    UpdateError,
)
from ipam_core.workers.adapters.update import WHY, Updates, changes_nothing, marks_nothing

PORT = 53
SECONDS = 5.0
ALGORITHM = "hmac-sha256"
RESOLVE_SECONDS = 3.0
TRANSFER_SECONDS = 120.0
QUESTIONS_AT_ONCE = 20
UNSIGNED = "the server answers without a signature: it does not serve the zone, or does not know the key"
UNREADABLE = "the answer cannot be read"
TSIG_FAULTS = {
    dns.tsig.PeerBadKey: "the server does not know the key's name",
    dns.tsig.PeerBadSignature: "the server does not take the signature: the secret differs",
    dns.tsig.PeerBadTime: "the clocks of the two machines differ too much",
    dns.tsig.PeerBadTruncation: "the server does not take the signature's length",
    dns.message.UnknownTSIGKey: "the server answers with another key",
    dns.tsig.BadSignature: "the answer's signature is wrong",
}

Records = dict[tuple[str, str], set[str]]


class BindTsig:
    """One server. Raises Refused where its credentials make no key."""

    def __init__(self, server: DnsServer, secret: str | None) -> None:
        self.host = server.address or ""
        self.port = server.port or PORT
        self.keyring = keyring(server, secret)
        self.updates = Updates(self.send)

    async def add(self, change: Change) -> None:
        await self.updates.add(change)

    async def remove(self, change: Change) -> None:
        await self.updates.remove(change)

    async def close(self) -> None:
        """Each update has a connection of its own."""

    async def send(self, message: dns.update.UpdateMessage) -> Rcode:
        """The answer's code. Raises UpdateError."""
        if self.keyring:
            message.use_tsig(self.keyring)
        try:
            address = await resolve(self.host)
            answer = await dns.asyncquery.tcp(message, address, timeout=SECONDS, port=self.port)
        except tuple(TSIG_FAULTS) as error:
            raise Refused(TSIG_FAULTS[type(error)]) from None
        except dns.exception.Timeout:
            raise Unreachable(
                f"{self.host} port {self.port} does not answer within {SECONDS:.0f} s"
            ) from None
        except (OSError, EOFError) as error:
            raise Unreachable(f"{self.host} port {self.port} cannot be reached: {words(error)}") from None
        except dns.exception.DNSException as error:
            raise Refused(UNSIGNED if "requires a TSIG" in str(error) else f"{UNREADABLE}: {error}") from None
        return Rcode(answer.rcode())

    async def test(self, zones: list[str]) -> TestResult:
        return await test_updates(self.send, zones)

    async def read(self, zone: str, names: Collection[str]) -> Found:
        """By a transfer (RFC 5936); where the server gives none, by a question for each name and type."""
        address = await resolve(self.host)
        try:
            return Found(await self.transfer(address, zone), complete=True)
        except (OSError, EOFError) as error:
            raise Unreachable(f"{self.host} port {self.port} cannot be reached: {words(error)}") from None
        except dns.exception.DNSException:
            return Found(await self.look_up(address, names), complete=False)

    async def transfer(self, address: str, zone: str) -> Records:
        copy = dns.zone.Zone(f"{zone}.", relativize=False)
        query, _ = dns.xfr.make_query(copy, keyring=self.keyring or None)
        await dns.asyncquery.inbound_xfr(
            address, copy, query, port=self.port, timeout=SECONDS, lifetime=TRANSFER_SECONDS
        )
        found: Records = {}
        for name, rdataset in copy.iterate_rdatasets():
            if (kind := dns.rdatatype.to_text(rdataset.rdtype)) in COMPARED:
                found[name.to_text().lower(), kind] = {rdata.to_text().lower() for rdata in rdataset}
        return found

    async def look_up(self, address: str, names: Collection[str]) -> Records:
        """Raises UpdateError."""
        turns = asyncio.Semaphore(QUESTIONS_AT_ONCE)

        async def ask(name: str, kind: str) -> tuple[tuple[str, str], set[str]]:
            query = dns.message.make_query(name, kind, flags=0)
            async with turns:
                answer = await dns.asyncquery.tcp(query, address, timeout=SECONDS, port=self.port)
            if answer.rcode() not in (Rcode.NOERROR, Rcode.NXDOMAIN):
                raise Refused(f"the server does not tell its records ({dns.rcode.to_text(answer.rcode())})")
            sets = [rrset for rrset in answer.answer if dns.rdatatype.to_text(rrset.rdtype) == kind]
            return (name, kind), {rdata.to_text().lower() for rrset in sets for rdata in rrset}

        try:
            told = await asyncio.gather(*(ask(name, kind) for name in names for kind in COMPARED))
        except (OSError, EOFError, dns.exception.DNSException) as error:
            raise Unreachable(f"{self.host} port {self.port} does not answer: {words(error)}") from None
        return {key: data for key, data in told if data}


def keyring(server: DnsServer, secret: str | None) -> dict[dns.name.Name, dns.tsig.Key]:
    """Empty where the server admits updates by address."""
    if not server.key_name or not secret:
        return {}
    name = dns.name.from_text(server.key_name)
    try:
        return {name: dns.tsig.Key(name, secret, server.key_algorithm or ALGORITHM)}
    except (ValueError, dns.exception.DNSException):
        raise Refused("the secret is no TSIG key in base64") from None


async def resolve(host: str) -> str:
    """An address of the host. Raises Unreachable."""
    if dns.inet.is_address(host):
        return host
    try:
        async with asyncio.timeout(RESOLVE_SECONDS):
            found = await asyncio.get_running_loop().getaddrinfo(host, None)
    except TimeoutError:
        raise Unreachable(f"the name {host} is not resolved within {RESOLVE_SECONDS:.0f} s") from None
    except (OSError, UnicodeError) as error:
        raise Unreachable(f"the name {host} cannot be resolved: {words(error)}") from None
    return str(found[0][4][0])


def words(error: BaseException) -> str:
    """What the system says, without the numbers and addresses that stand in front of it."""
    if isinstance(error, ssl.SSLError):
        return str(error.reason or error)
    return str(getattr(error, "strerror", None) or error or type(error).__name__)


async def test_updates(
    send: Callable[[dns.update.UpdateMessage], Awaitable[Rcode]], zones: list[str]
) -> TestResult:
    """An update of each zone that changes nothing, and one that shows whether the server knows DHCID records."""
    steps: list[Step] = []
    takes: bool | None = None
    for zone in zones:
        try:
            code = await send(changes_nothing(zone))
            ok = code == Rcode.NOERROR
            steps.append(Step(f"update {zone}", ok, "taken" if ok else refusal(code)))
            if ok and takes is None:
                dhcid, text = [await send(each) for each in marks_nothing(zone)]
                takes = dhcid not in (Rcode.NOTIMP, Rcode.FORMERR) or text in (Rcode.NOTIMP, Rcode.FORMERR)
                said = "taken" if takes else "not taken: owners of names are marked by TXT records instead"
                steps.append(Step("DHCID records", True, said))
        except UpdateError as error:
            steps.append(Step(f"update {zone}", False, str(error)))
    if not zones:
        steps.append(
            Step("zones", False, "no zone and no subnet names this server, so no update can be tried")
        )
    return TestResult(all(step.ok for step in steps), steps, takes)


def refusal(code: Rcode) -> str:
    return f"{WHY.get(code, 'the server refuses the update')} ({dns.rcode.to_text(code)})"
