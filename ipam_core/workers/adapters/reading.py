"""What a server of dynamic updates has: the whole zone by a transfer (RFC 5936), else the names that are asked for."""

import asyncio
import ssl
from collections.abc import Collection

import dns.asyncquery
import dns.exception
import dns.inet
import dns.message
import dns.name
import dns.rcode
import dns.rdatatype
import dns.tsig
import dns.xfr
import dns.zone
from dns.rcode import Rcode
from dns.rdata import Rdata
from dns.rdatatype import RdataType

from ipam_core.workers.adapters import COMPARED, Found, Refused, Unreachable

SECONDS = 5.0
RESOLVE_SECONDS = 3.0
TRANSFER_SECONDS = 120.0
QUESTIONS_AT_ONCE = 20

Records = dict[tuple[str, str], set[str]]
Keys = dict[dns.name.Name, dns.tsig.Key]


class Place:
    """A server, asked over TCP. All raise UpdateError."""

    def __init__(self, host: str, port: int) -> None:
        self.host, self.port = host, port

    async def read(self, zone: str, names: Collection[str], keys: Keys | None = None) -> Found:
        address = await resolve(self.host)
        try:
            return Found(await self.transfer(address, zone, keys), complete=True)
        except (OSError, EOFError) as error:
            raise self.unreachable(error) from None
        except dns.exception.DNSException:
            return Found(await self.look_up(address, names), complete=False)

    async def transfer(self, address: str, zone: str, keys: Keys | None) -> Records:
        copy = dns.zone.Zone(f"{zone}.", relativize=False)
        query, _ = dns.xfr.make_query(copy, keyring=keys or None)
        await dns.asyncquery.inbound_xfr(
            address, copy, query, port=self.port, timeout=SECONDS, lifetime=TRANSFER_SECONDS
        )
        found: Records = {}
        for name, rdataset in copy.iterate_rdatasets():
            if (kind := dns.rdatatype.to_text(rdataset.rdtype)) in COMPARED:
                found[name.to_text().lower(), kind] = {rdata.to_text().lower() for rdata in rdataset}
        return found

    async def look_up(self, address: str, names: Collection[str]) -> Records:
        turns = asyncio.Semaphore(QUESTIONS_AT_ONCE)

        async def ask(name: str, kind: str) -> tuple[tuple[str, str], set[str]]:
            async with turns:
                found = await self.ask(address, dns.name.from_text(name), dns.rdatatype.from_text(kind))
            return (name, kind), {rdata.to_text().lower() for rdata in found}

        told = await asyncio.gather(*(ask(name, kind) for name in names for kind in COMPARED))
        return {key: data for key, data in told if data}

    async def ask(self, address: str, name: dns.name.Name, kind: RdataType) -> set[Rdata]:
        """The data of a name and type, of type ANY all of the name's."""
        query = dns.message.make_query(name, kind, flags=0)
        try:
            answer = await dns.asyncquery.tcp(query, address, timeout=SECONDS, port=self.port)
        except (OSError, EOFError, dns.exception.DNSException) as error:
            raise Unreachable(f"{self.host} port {self.port} does not answer: {words(error)}") from None
        if answer.rcode() not in (Rcode.NOERROR, Rcode.NXDOMAIN):
            raise Refused(f"the server does not tell its records ({dns.rcode.to_text(answer.rcode())})")
        sets = [each for each in answer.answer if each.name == name and kind in (each.rdtype, RdataType.ANY)]
        return {rdata for rrset in sets for rdata in rrset}

    def unreachable(self, error: BaseException) -> Unreachable:
        return Unreachable(f"{self.host} port {self.port} cannot be reached: {words(error)}")

    def silent(self) -> Unreachable:
        return Unreachable(f"{self.host} port {self.port} does not answer within {SECONDS:.0f} s")


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
