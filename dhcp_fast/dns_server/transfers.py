"""Zone transfers out: AXFR (RFC 5936) from the zone in memory, IXFR (RFC 1995) by the deltas of the database.

All messages of an AXFR are made at once, so that they have one serial. Each contains the question;
the owners of its records are pointers to its name. IXFR from a serial that is no longer known, or
while the database is away, is answered as AXFR.
"""

import asyncio
import contextlib
import struct
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Iterator, Mapping
from typing import Any
from weakref import WeakValueDictionary

import asyncpg
import dns.exception
import dns.name
import dns.rcode
import dns.rdatatype
import structlog

from dhcp_fast.dns.zone_image import ZoneImage
from dhcp_fast.dns_server import rendering, zone_loader
from dhcp_fast.dns_server.secondaries import NOBODY, Secondaries
from dhcp_fast.dns_server.tsig import Signature
from ipam_core.db import queries
from ipam_core.db.connect import create_pool
from ipam_core.db.outage import FAILED, reason
from ipam_core.dns.names import APEX
from ipam_core.model.values import Address, Network
from ipam_core.processes.connections import network_of

SQL = queries.load("dns_image")

AXFR, IXFR = int(dns.rdatatype.AXFR), int(dns.rdatatype.IXFR)
AT_ONCE = 8  # whole zones that are held as messages
OF_ONE = 2  # of these, by one network
ROOM = 60000  # octets of records in a message
MOST_DELTAS = 1000
SESSIONS = 2
SECONDS = 10.0
HEADER = 12
ONE_AUTHORITY = b"\0\0\0\1"  # and no answer
RECORD = struct.Struct("!HHIH")  # type, class, TTL and size
RESPONSE, AUTHORITATIVE = 0x8000, 0x0400
TO_QUESTION = b"\xc0\x0c"

FULL, INCREMENTAL, CURRENT, REFUSED, NOT_OURS, MALFORMED = OUTCOMES = (
    "full", "incremental", "current", "refused", "not_ours", "malformed",
)  # fmt: skip

log = structlog.get_logger("dns")

Part = tuple[int, bytes]  # how many records, and their octets


def heard_by_nobody(_zone: bytes, _address: Address, _reason: str) -> None:
    """Ignore refusals: the default of `refused`."""


class Transfers:
    """Answers AXFR and IXFR; `close` at the end.

    `refused` is called with the zone, the address and the reason of a refusal.
    """

    def __init__(self, loader: zone_loader.ZoneLoader, secondaries: Secondaries, dsn: str) -> None:
        self.loader = loader
        self.secondaries = secondaries
        self.dsn = dsn
        self.sessions: asyncpg.Pool | None = None
        self.at_once = asyncio.Semaphore(AT_ONCE)
        self.turns: WeakValueDictionary[Network | None, asyncio.Semaphore] = WeakValueDictionary()
        self.counts: Counter[str] = Counter()
        self.refused: Callable[[bytes, Address, str], None] = heard_by_nobody

    async def respond(
        self, query: bytes, kind: int, address: Address, signature: Signature | None
    ) -> AsyncGenerator[bytes, None]:
        """Yield the messages, signed if the query was; its own signature is removed already."""
        question = self.question_of(query)
        image = self.loader.zones.zones.get(question[:-4].lower())
        refusal = self.refusal(image, address, signature)
        if image is None or refusal:
            yield signed(message(query, question, (0, b""), refusal), signature)
            return
        async with self.turn(address), self.at_once:
            parts = await self.parts(query, kind, image)
            for part in parts:
                yield signed(message(query, question, part), signature, len(parts) > 1)

    @contextlib.asynccontextmanager
    async def turn(self, address: Address) -> AsyncIterator[None]:
        """Take a turn. One network has two of the places, so that a client which reads slowly keeps no secondary
        waiting."""
        network = network_of(address)
        turns = self.turns.get(network) or asyncio.Semaphore(OF_ONE)
        self.turns[network] = turns
        async with turns:
            yield

    def question_of(self, query: bytes) -> bytes:
        """Return name, type and class as they came."""
        at = HEADER
        while query[at]:
            at += 1 + query[at]
        return query[HEADER : at + 5]

    def refusal(self, image: ZoneImage | None, address: Address, signature: Signature | None) -> int:
        """Return the code; 0: it may copy the zone."""
        if image is None:
            self.counts[NOT_OURS] += 1
            return int(dns.rcode.NOTAUTH)
        key = None if signature is None else signature.key.name
        if not self.secondaries.by_zone.get(image.name, NOBODY).admits(address, key):
            self.counts[REFUSED] += 1
            self.refused(image.name, address, "it has another key" if key else "it is not signed")
            log.info("zone transfer refused", zone=shown(image.name), address=str(address))
            return int(dns.rcode.REFUSED)
        return 0

    async def parts(self, query: bytes, kind: int, image: ZoneImage) -> list[Part]:
        """Return the messages' records, the SOA first and last."""
        soa = TO_QUESTION + image.soa()
        known = serial_of(query, len(self.question_of(query))) if kind == IXFR else None
        if known is not None and not is_older(known, image.serial):
            self.counts[CURRENT] += 1
            return [(1, soa)]
        steps = None if known is None else await self.changes(image, known)
        if steps is not None:
            self.counts[INCREMENTAL] += 1
            return list(packed([soa, *steps, soa]))
        self.counts[FULL] += 1
        first, *others = image.transfer() or [(0, b"")]
        return [(first[0] + 1, soa + first[1]), *others, (1, soa)]

    async def changes(self, image: ZoneImage, known: int) -> list[bytes] | None:
        """Return the records of the deltas from that serial on (RFC 1995 section 4); None: they are not known."""
        zone_no = next(no for no, name in self.loader.names.items() if name == image.name)
        serial, ttl = image.serial, image.soa()[4:8]
        try:
            async with asyncio.timeout(SECONDS), (await self.pool()).acquire() as connection:
                found = SQL.read_deltas(connection, zone_no=zone_no, at_most=MOST_DELTAS)
                rows = [row async for row in found]
            steps: list[bytes] = []
            for row in zone_loader.chain(newest(rows, serial), known, serial):
                steps += step(row, ttl)
                await asyncio.sleep(0)
        except FAILED as error:
            log.warning("sending a zone whole", zone=shown(image.name), error=reason(error))
            return None
        except zone_loader.Gap:
            return None
        return steps

    async def pool(self) -> asyncpg.Pool:
        if self.sessions is None:
            named = {"application_name": "ipam dns"}
            self.sessions = await create_pool(self.dsn, min_size=0, max_size=SESSIONS, server_settings=named)
        return self.sessions

    def close(self) -> None:
        if self.sessions is not None:
            self.sessions.terminate()


def newest(rows: list[Any], serial: int) -> list[Any]:
    """Return the rows, latest first, without those of serials that are not served yet."""
    at = next((at for at, row in enumerate(rows) if row["serial"] == serial), 0)
    return rows[at:]


def step(row: Mapping[str, Any], ttl: bytes) -> Iterator[bytes]:
    """Yield the old SOA, what is gone, the new SOA, what came."""
    seconds = int.from_bytes(ttl, "big")
    for soa, rrsets in ((row["previous_soa"], row["removed"]), (row["soa"], row["added"])):
        yield from records({"name": APEX, "type": "SOA", "ttl": seconds, "data": [soa]})
        for rrset in rrsets:
            yield from records(rrset)


def records(rrset: Mapping[str, Any]) -> Iterator[bytes]:
    """Yield each with its owner, which ends with a pointer to the question."""
    owner = rendering.owner_name(rrset["name"], b"") + TO_QUESTION
    for record in rendering.each_record(rrset["type"], rrset["ttl"], rrset["data"]):
        yield owner + record


def packed(found: Iterable[bytes]) -> Iterator[Part]:
    """Yield records in messages' worth."""
    count, octets = 0, bytearray()
    for record in found:
        if count and len(octets) + len(record) > ROOM:
            yield count, bytes(octets)
            count, octets = 0, bytearray()
        count += 1
        octets += record
    yield count, bytes(octets)


def message(query: bytes, question: bytes, part: Part, code: int = 0) -> bytes:
    """Return a response with these records. RD is repeated (RFC 5936 section 2.2.1)."""
    flags = RESPONSE | (0 if code else AUTHORITATIVE) | int.from_bytes(query[2:4], "big") & 0x0100 | code
    counts = b"\0\1" + part[0].to_bytes(2, "big") + bytes(4)
    return query[:2] + flags.to_bytes(2, "big") + counts + question + part[1]


def signed(data: bytes, signature: Signature | None, several: bool = False) -> bytes:
    return data if signature is None else signature.sign(data, several)


def serial_of(query: bytes, question: int) -> int | None:
    """Return the serial that the client has (RFC 1995 section 3), None if the query contains none.

    Only the record that contains it is read: dnspython needs half a minute for 64 KiB of others.
    """
    if query[6:10] != ONE_AUTHORITY:
        return None
    try:
        at = passed_name(query, HEADER + question)
        kind, *_ = RECORD.unpack_from(query, at)
        at = passed_name(query, passed_name(query, at + RECORD.size))
    except (dns.exception.DNSException, struct.error):
        return None
    told = query[at : at + 4]
    return int.from_bytes(told, "big") if kind == dns.rdatatype.SOA and len(told) == 4 else None


def passed_name(query: bytes, at: int) -> int:
    """Return where a name ends. Raises DNSException."""
    return at + dns.name.from_wire(query, at)[1]


def is_older(serial: int, than: int) -> bool:
    """Return whether it is older by the arithmetic of serials (RFC 1982)."""
    return 0 < (than - serial) % 2**32 < 2**31


def shown(name: bytes) -> str:
    return dns.name.from_wire(name, 0)[0].to_text(omit_final_dot=True)
