"""Data of a server of dynamic updates: the whole zone by a transfer (RFC 5936), else the names that are asked for."""

import asyncio
from collections.abc import Callable, Collection
from typing import Any

import dns.exception
import dns.message
import dns.name
import dns.rcode
import dns.rdatatype
import dns.tsig
import dns.xfr
from dns.rcode import Rcode
from dns.rdata import Rdata
from dns.rdatatype import RdataType

from ipam_core.outbound.dns_stream import SECONDS, DnsPeer, Stream
from ipam_core.workers.adapters import COMPARED, Found, Refused, speaking

TRANSFER_SECONDS, TRANSFER_SECONDS_OF_TENANT = 120.0, 30.0
QUESTIONS_AT_ONCE = 20
# Of a transfer: octets, and records that are kept. A server that a tenant chose gets less of our memory.
MOST, MOST_OF_TENANT = (256 << 20, 2_000_000), (32 << 20, 200_000)
UNREADABLE = "the answer cannot be read"

Records = dict[tuple[str, str], set[str]]
Keys = dict[dns.name.Name, dns.tsig.Key]


class Place:
    """A server, asked over TCP. All raise UpdateError."""

    def __init__(self, peer: DnsPeer) -> None:
        self.peer = peer

    async def send(self, message: dns.message.Message) -> dns.message.Message:
        """Return the answer, its signature checked if the message has one. Raises dnspython's errors too."""
        octets = await self.exchange(lambda: message.to_wire(prepend_length=True))
        answer = await self.peer.parsed(octets, reader_for(message))
        if not message.is_response(answer):
            raise Refused(f"{UNREADABLE}: it answers another query")
        return answer

    async def exchange(self, message: Callable[[], bytes]) -> bytes:
        async with speaking():
            return await self.peer.exchange(message)

    async def read(self, zone: str, names: Collection[str], keys: Keys | None = None) -> Found:
        try:
            return Found(await self.transfer(zone, keys), complete=True)
        except dns.exception.DNSException:
            return Found(await self.look_up(names), complete=False)

    async def transfer(self, zone: str, keys: Keys | None) -> Records:
        """Return the zone's records. Raises DNSException where the server gives no transfer."""
        query = dns.message.make_query(f"{zone}.", RdataType.AXFR)
        if keys:
            query.use_tsig(keys)
        most_octets, most_records = MOST_OF_TENANT if self.peer.reach.of_tenant else MOST
        copy = Copy(query.question[0].name, most_records)
        seconds = TRANSFER_SECONDS_OF_TENANT if self.peer.reach.of_tenant else TRANSFER_SECONDS
        async with speaking(), self.peer.opened(seconds, large=True) as stream:
            stream.writer.write(query.to_wire(prepend_length=True))
            await receive(self.peer, stream, query, dns.xfr.Inbound(copy), most_octets)  # type: ignore[arg-type]  # it asks no more of a zone
        return copy.records

    async def look_up(self, names: Collection[str]) -> Records:
        """Return what the server says of the names. The first question that fails ends them all. Raises UpdateError."""
        questions = iter([(name, kind) for name in names for kind in COMPARED])
        told: Records = {}

        async def ask_on() -> None:
            for name, kind in questions:
                found = await self.ask(dns.name.from_text(name), dns.rdatatype.from_text(kind))
                if found:
                    told[name, kind] = {rdata.to_text().lower() for rdata in found}

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(QUESTIONS_AT_ONCE):
                    group.create_task(ask_on())
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from None
        return told

    async def ask(self, name: dns.name.Name, kind: RdataType) -> set[Rdata]:
        """Return the data of a name and type, of type ANY all of the name's."""
        try:
            answer = await self.send(dns.message.make_query(name, kind, flags=0))
        except dns.exception.DNSException:
            raise Refused(UNREADABLE) from None
        if answer.rcode() not in (Rcode.NOERROR, Rcode.NXDOMAIN):
            raise Refused(f"the server does not return its records ({dns.rcode.to_text(answer.rcode())})")
        sets = [each for each in answer.answer if each.name == name and kind in (each.rdtype, RdataType.ANY)]
        return {rdata for rrset in sets for rdata in rrset}


class Copy:
    """Zone for dnspython's Inbound to fill; of each record that is compared the text is kept."""

    def __init__(self, origin: dns.name.Name, most: int) -> None:
        self.origin = origin
        self.records: Records = {}
        self.left = most

    def origin_information(self) -> tuple[dns.name.Name, bool, dns.name.Name]:
        return self.origin, False, self.origin

    def writer(self, _replacement: bool) -> "Copy":
        return self

    def add(self, name: dns.name.Name, rdataset: Any) -> None:
        """Raise Refused for more than the limit."""
        kind = dns.rdatatype.to_text(rdataset.rdtype)
        if kind not in COMPARED:
            return
        self.left -= len(rdataset)
        if self.left < 0:
            raise Refused("the zone has more records than the comparison allows")
        texts = {rdata.to_text().lower() for rdata in rdataset}
        self.records.setdefault((name.to_text().lower(), kind), set()).update(texts)

    def replace(self, name: dns.name.Name, rdataset: Any) -> None:
        """Replace the zone; the closing SOA is not compared."""

    def commit(self) -> None:
        """Commit nothing: all is kept already."""

    rollback = commit


async def receive(
    peer: DnsPeer, stream: Stream, query: dns.message.Message, inbound: dns.xfr.Inbound, most: int
) -> None:
    """Take the messages of a transfer, each in a thread. Raises DNSException, OSError, EOFError, Refused."""
    context: Any = None
    is_first = True

    def take(octets: bytes) -> tuple[bool, Any]:
        message = dns.message.from_wire(
            octets,
            keyring=query.keyring,
            request_mac=query.mac or b"",
            xfr=True,
            tsig_ctx=context,
            multi=True,
            one_rr_per_rrset=False,
        )
        if not query.is_response(message, xfr_continuation=not is_first):
            raise Refused(f"{UNREADABLE}: it answers another query")
        return inbound.process_message(message), message.tsig_ctx

    is_done = False
    while not is_done:
        octets = await next_message(stream)
        most -= len(octets)
        if most < 0:
            raise Refused("the zone is larger than the comparison allows")
        is_done, context = await peer.parsed_beside(octets, take)
        is_first = False


async def next_message(stream: Stream) -> bytes:
    """Raise dnspython's Timeout where the server pauses for too long."""
    try:
        async with asyncio.timeout(SECONDS):
            return await stream.receive()
    except TimeoutError:
        raise dns.exception.Timeout from None


def reader_for(message: dns.message.Message) -> Callable[[bytes], dns.message.Message]:
    keyring, mac = message.keyring, message.mac or b""
    return lambda octets: dns.message.from_wire(octets, keyring=keyring, request_mac=mac)
