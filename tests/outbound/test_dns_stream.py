"""DNS servers over TCP that are silent, trickle, never end a transfer or answer what takes long to parse."""

import asyncio
import struct
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import dns.exception
import dns.message
import dns.name
import dns.rcode
import dns.rdatatype
import dns.rrset
import dns.tsig
import pytest
from outbound.hostile import Latency
from workers.site import LOOPBACK

from ipam_core.outbound import dns_stream, name_work
from ipam_core.outbound.dns_stream import DnsPeer
from ipam_core.outbound.guard import Guard, Reach
from ipam_core.workers.adapters import Refused, Unreachable, reading
from ipam_core.workers.adapters.reading import Place

ZONE = "lab.example"
SOA = "ns.lab.example. h.lab.example. 1 2 3 4 5"
REACH = Reach(1, of_tenant=True)
KEYS = {dns.name.from_text("k."): dns.tsig.Key("k.", "c2VjcmV0LW9mLXRoZS1rZXk=")}
BUSIEST = 0.5

Send = Callable[[bytes], Awaitable[None]]
Answer = Callable[[dns.message.Message, Send], Awaitable[None]]


@asynccontextmanager
async def serving(answer: Answer) -> AsyncIterator[Place]:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async def send(data: bytes) -> None:
            writer.write(data)
            await writer.drain()

        try:
            size = int.from_bytes(await reader.readexactly(2), "big")
            await answer(dns.message.from_wire(await reader.readexactly(size), keyring=KEYS), send)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        yield Place(DnsPeer(Guard([LOOPBACK]), REACH, "127.0.0.1", port))


def framed(octets: bytes) -> bytes:
    return len(octets).to_bytes(2, "big") + octets


def reply(query: dns.message.Message, *rrsets: dns.rrset.RRset) -> bytes:
    made = dns.message.make_response(query)
    made.answer = list(rrsets)
    return framed(made.to_wire(max_size=65535))


def soa() -> dns.rrset.RRset:
    return dns.rrset.from_text(f"{ZONE}.", 600, "IN", "SOA", SOA)


def addresses(first: int, count: int = 2000) -> dns.rrset.RRset:
    texts = [f"10.{n >> 16 & 255}.{n >> 8 & 255}.{n & 255}" for n in range(first, first + count)]
    return dns.rrset.from_text_list(f"h{first}.{ZONE}.", 600, "IN", "A", texts)


def pointers(query: dns.message.Message) -> bytes:
    """Records whose names are chains of pointers, each a label longer than the one before."""
    head = struct.pack(">HHHHHH", query.id, 0x8400, 1, 3000, 0, 0)
    question = query.question[0].name.to_wire() + struct.pack(">HH", 6, 1)
    body, last = b"", 12
    for number in range(3000):
        name = (
            b"\x01a" + struct.pack(">H", 0xC000 | last) if number < 10 else struct.pack(">H", 0xC000 | last)
        )
        last = len(head) + len(question) + len(body) if number < 10 else last
        body += name + struct.pack(">HHIH", 1, 1, 0, 4) + b"\x0a\0\0\1"
    return framed(head + question + body)


async def test_a_transfer() -> None:
    async def answer(query: dns.message.Message, send: Send) -> None:
        await send(reply(query, soa(), addresses(0, 2)) + reply(query, addresses(70000, 1), soa()))

    async with serving(answer) as place:
        found = await place.read(ZONE, ())
    assert found.complete
    assert found.records == {
        (f"h0.{ZONE}.", "A"): {"10.0.0.0", "10.0.0.1"},
        (f"h70000.{ZONE}.", "A"): {"10.1.17.112"},
    }


@pytest.mark.parametrize(
    ("octets", "records", "said"), [(20_000, 10_000_000, "larger than"), (1 << 30, 2000, "more records than")]
)
async def test_a_transfer_that_does_not_end(
    octets: int, records: int, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MOST_OF_TENANT", (octets, records))

    async def answer(query: dns.message.Message, send: Send) -> None:
        again = reply(query, addresses(0, 200))
        await send(reply(query, soa()))
        while True:
            await send(again)

    async with serving(answer) as place:
        with pytest.raises(Refused, match=said):
            await place.read(ZONE, ())


async def test_a_transfer_of_nothing_but_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each in time, and the whole never done."""
    monkeypatch.setattr(reading, "TRANSFER_SECONDS_OF_TENANT", 0.5)

    async def answer(query: dns.message.Message, send: Send) -> None:
        await send(reply(query, soa()))
        while True:
            await send(reply(query, addresses(0, 1)))
            await asyncio.sleep(0.02)

    began = time.monotonic()
    async with serving(answer) as place:
        with pytest.raises(Unreachable, match="does not answer within"):
            await place.read(ZONE, ())
    assert time.monotonic() - began < 10


async def test_a_pause_in_a_transfer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then the names are asked for one by one, as where there is no transfer."""
    monkeypatch.setattr(reading, "SECONDS", 0.2)

    async def answer(query: dns.message.Message, send: Send) -> None:
        if query.question[0].rdtype == dns.rdatatype.AXFR:
            await send(reply(query, soa()))
            await asyncio.sleep(20)
        await send(reply(query, addresses(0, 1)))

    async with serving(answer) as place:
        found = await place.read(ZONE, {f"h0.{ZONE}."})
    assert not found.complete
    assert found.records == {(f"h0.{ZONE}.", "A"): {"10.0.0.0"}}


@pytest.mark.parametrize("pieces", [[], [b"\xff"], [b"\xff\xff" + b"x" * 100] * 9])
async def test_a_server_that_is_silent_or_trickles(
    pieces: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dns_stream, "SECONDS", 0.4)

    async def answer(_query: dns.message.Message, send: Send) -> None:
        for piece in pieces:
            await send(piece)
            await asyncio.sleep(0.1)
        await asyncio.sleep(20)

    async with serving(answer) as place:
        with pytest.raises(Unreachable, match="does not answer within 0 s"):
            await place.send(dns.message.make_query(f"{ZONE}.", "SOA"))


async def test_a_server_that_ends_the_conversation() -> None:
    async def answer(_query: dns.message.Message, send: Send) -> None:
        await send(b"\xff\xffshort")

    async with serving(answer) as place:
        with pytest.raises(Unreachable, match="closed the connection"):
            await place.send(dns.message.make_query(f"{ZONE}.", "SOA"))


async def test_what_takes_long_to_parse_is_parsed_beside_the_loop() -> None:
    async def answer(query: dns.message.Message, send: Send) -> None:
        await send(pointers(query))

    async with serving(answer) as place, Latency() as latency:
        await place.send(dns.message.make_query(f"{ZONE}.", "SOA"))
    assert latency.busiest < BUSIEST


def long_names(query: dns.message.Message, size: int) -> bytes:
    """Records of which each is a pointer to 126 labels."""
    head = query.to_wire()[:2] + struct.pack(">HHHHH", 0x8400, 1, 0, 0, 0)
    body = query.question[0].name.to_wire() + struct.pack(">HH", 6, 1)
    pointer = struct.pack(">H", 0xC000 | len(head) + len(body))
    body += b"\x01a" * 126 + b"\0" + struct.pack(">HHIH", 1, 1, 0, 4) + b"\x0a\0\0\1"
    record = pointer + struct.pack(">HHIH", 2, 1, 0, 2) + pointer
    count = (size - len(head) - len(body)) // len(record)
    return head[:6] + struct.pack(">H", count + 1) + head[8:] + body + record * count


@pytest.mark.parametrize("size", [1000, 4096, 65535])
async def test_names_that_take_long_to_read(size: int) -> None:
    """dnspython takes 0.3, 1 and 20 seconds for them. A transfer that is none is followed by questions."""

    async def answer(query: dns.message.Message, send: Send) -> None:
        await send(framed(long_names(query, size)))

    async with serving(answer) as place, Latency() as latency:
        before = time.process_time()
        with pytest.raises(dns.exception.FormError, match="take too long to read"):
            await place.send(dns.message.make_query(f"{ZONE}.", "SOA"))
        with pytest.raises(Refused, match="cannot be read"):
            await place.read(ZONE, [f"www.{ZONE}."])
        took = time.process_time() - before
    assert took < 0.2
    assert latency.busiest < BUSIEST


@pytest.mark.parametrize("kind", ["IN PTR", "IN NS", "IN MX 10"])
def test_messages_of_a_zones_own_names_are_read(kind: str) -> None:
    """Of the longest names that zones have, below ip6.arpa, as many as a message holds."""
    query = dns.message.make_query("8.b.d.0.1.0.0.2.ip6.arpa.", "AXFR")
    made = dns.message.make_response(query)
    owners = (f"{'.'.join(f'{n:06x}')}.{'0.' * 18}8.b.d.0.1.0.0.2.ip6.arpa." for n in range(2000))
    made.answer = [
        dns.rrset.from_text(each, 60, *kind.split()[:2], f"{kind[6:]} h.x.example.".strip())
        for each in owners
    ]
    octets = made.to_wire(max_size=65535)
    name_work.check(octets)
    assert len(octets) > 40_000


async def test_the_first_question_that_fails_ends_the_others() -> None:
    """Nothing goes on in the background for a caller who has been told already."""
    asked: list[str] = []

    async def answer(query: dns.message.Message, send: Send) -> None:
        asked.append(str(query.question[0].name))
        made = dns.message.make_response(query)
        made.set_rcode(dns.rcode.REFUSED)
        await send(framed(made.to_wire()))

    async with serving(answer) as place:
        with pytest.raises(Refused, match="REFUSED"):
            await place.look_up([f"h{n}.{ZONE}." for n in range(500)])
        told = len(asked)
        await asyncio.sleep(0.3)
        assert len(asked) <= told + reading.QUESTIONS_AT_ONCE < 100


def test_pointers_that_go_round() -> None:
    assert name_work.work(bytes(12) + b"\xc0\x0e\xc0\x0c" * 100) == 0
    assert name_work.work(b"\xff") == 0


async def test_large_answers_of_a_tenant_are_read_two_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of another one do not wait for them."""
    busy, ended = [0, 0], threading.Event()

    def slow(octets: bytes) -> None:
        busy[0] += 1
        busy[1] = max(busy)
        ended.wait(10)
        busy[0] -= 1

    guard = Guard([LOOPBACK])
    many = [DnsPeer(guard, REACH, "192.0.2.1", 53).parsed(bytes(5000), slow) for _ in range(40)]
    reading = asyncio.gather(*many)
    await asyncio.sleep(0.1)
    other = DnsPeer(guard, Reach(2, of_tenant=True), "192.0.2.1", 53)
    assert await asyncio.wait_for(other.parsed(bytes(5000), len), 2) == 5000
    assert busy[1] == 2
    ended.set()
    await reading


async def test_an_answer_to_another_question_and_one_without_the_signature() -> None:
    async def other(query: dns.message.Message, send: Send) -> None:
        query.id ^= 1
        await send(reply(query))

    async with serving(other) as place:
        with pytest.raises(Refused, match="it answers another query"):
            await place.send(dns.message.make_query(f"{ZONE}.", "SOA"))

    async def unsigned(query: dns.message.Message, send: Send) -> None:
        plain = dns.message.make_query(query.question[0].name, "SOA", id=query.id)
        await send(reply(plain))

    message: Any = dns.message.make_query(f"{ZONE}.", "SOA")
    message.use_tsig(KEYS)
    async with serving(unsigned) as place:
        with pytest.raises(dns.exception.DNSException, match="requires a TSIG"):
            await place.send(message)
