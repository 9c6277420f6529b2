"""DNS servers over TCP that are silent, trickle, never end a transfer or answer what takes long to parse."""

import asyncio
import struct
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import dns.exception
import dns.message
import dns.name
import dns.rdatatype
import dns.rrset
import dns.tsig
import pytest
from outbound.hostile import Latency
from workers.site import LOOPBACK

from ipam_core.outbound import dns_stream
from ipam_core.outbound.dns_stream import DnsPeer
from ipam_core.outbound.guard import Guard, Reach
from ipam_core.workers.adapters import Refused, Unreachable, reading
from ipam_core.workers.adapters.reading import Place

ZONE = "lab.example"
SOA = "ns.lab.example. h.lab.example. 1 2 3 4 5"
REACH = Reach(1, of_tenant=True)
KEYS = {dns.name.from_text("k."): dns.tsig.Key("k.", "c2VjcmV0LW9mLXRoZS1rZXk=")}
LONGEST = 0.5

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
        with pytest.raises(Unreachable, match="ends the conversation"):
            await place.send(dns.message.make_query(f"{ZONE}.", "SOA"))


async def test_what_takes_long_to_parse_is_parsed_beside_the_loop() -> None:
    async def answer(query: dns.message.Message, send: Send) -> None:
        await send(pointers(query))

    async with serving(answer) as place, Latency() as latency:
        await place.send(dns.message.make_query(f"{ZONE}.", "SOA"))
    assert latency.longest < LONGEST


async def test_an_answer_to_another_question_and_one_without_the_signature() -> None:
    async def other(query: dns.message.Message, send: Send) -> None:
        query.id ^= 1
        await send(reply(query))

    async with serving(other) as place:
        with pytest.raises(Refused, match="to another question"):
            await place.send(dns.message.make_query(f"{ZONE}.", "SOA"))

    async def unsigned(query: dns.message.Message, send: Send) -> None:
        plain = dns.message.make_query(query.question[0].name, "SOA", id=query.id)
        await send(reply(plain))

    message: Any = dns.message.make_query(f"{ZONE}.", "SOA")
    message.use_tsig(KEYS)
    async with serving(unsigned) as place:
        with pytest.raises(dns.exception.DNSException, match="requires a TSIG"):
            await place.send(message)
