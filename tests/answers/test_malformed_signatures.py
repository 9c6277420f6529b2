"""A TSIG record without the form of RFC 8945 section 4.2 gets FORMERR, over UDP and TCP, and harms no neighbor."""

import asyncio
import contextlib
import socket
import struct
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import asyncpg
import dns.message
import dns.name
import dns.rcode
import pytest
from answers.images import responder
from answers.serving import Serving, add_zone, eventually, serving
from answers.test_answers import HERE
from answers.test_transfers import WIRE_ALGORITHM, WIRE_KEY, add_secondary, keyring

from dhcp_fast.wire.dns_message import look
from ipam_core import faults

TSIG, ANY, OPT, SIG, A = 250, 255, 41, 24, 1
QUESTION = dns.name.from_text("example.org.").to_wire() + struct.pack("!HH", 6, 1)
TIMES = struct.pack("!HIH", 0, 1, 300)
RDATA = WIRE_ALGORITHM + TIMES + struct.pack("!H", 32) + bytes(32) + struct.pack("!HHH", 7, 0, 0)


def record(
    rdata: bytes = RDATA,
    owner: bytes = WIRE_KEY,
    kind: int = TSIG,
    klass: int = ANY,
    ttl: int = 0,
    size: int = -1,
) -> bytes:
    return owner + struct.pack("!HHIH", kind, klass, ttl, len(rdata) if size < 0 else size) + rdata


def query(additional: bytes, count: int = 1, question: bytes = QUESTION, early: bytes = b"") -> bytes:
    """`early`: one record of the answer section."""
    counts = struct.pack("!HHHH", bool(question), bool(early), 0, count)
    return b"\x12\x34\0\0" + counts + question + early + additional


def with_mac(octets: int, said: int | None = None) -> bytes:
    head = WIRE_ALGORITHM + TIMES + struct.pack("!H", octets if said is None else said)
    return head + bytes(octets) + struct.pack("!HHH", 7, 0, 0)


BEHIND = 12 + len(QUESTION)
MALFORMED = {
    "no data": record(b""),
    "five octets": record(b"\0\0\0\0\0"),
    "length beyond the message": record(size=len(RDATA) + 1),
    "length beyond everything": record(size=65535),
    "an octet left over in the data": record(RDATA + b"\0"),
    "an octet left over behind it": record() + b"\0",
    "data that ends before the other data": record(RDATA[:-1]),
    "other data longer than the record": record(RDATA[:-2] + b"\0\7"),
    "MAC longer than the record": record(with_mac(32, 4000)),
    "MAC shorter than said": record(with_mac(31, 32)),
    "class IN": record(klass=1),
    "class NONE": record(klass=254),
    "TTL 1": record(ttl=1),
    "TTL 2^31": record(ttl=1 << 31),
    "name that points at itself": record(owner=struct.pack("!H", 0xC000 | BEHIND)),
    "name that points ahead": record(owner=struct.pack("!H", 0xC000 | BEHIND + 4)),
    "name that points behind the end": record(owner=b"\xff\xff"),
    "name that runs in a circle": record(owner=b"\1a" + struct.pack("!H", 0xC000 | BEHIND)),
    "name without an end": record(owner=b"\x3f" + bytes([97] * 63), rdata=b"", size=0),
    "name of 256 octets": record(owner=(b"\x3f" + b"a" * 63) * 3 + b"\x3e" + b"a" * 62 + b"\0"),
    "label of an unknown type": record(owner=b"\x41a\0"),
    "algorithm with a pointer": record(struct.pack("!H", 0xC000 | 12) + RDATA[len(WIRE_ALGORITHM) :]),
    "algorithm that points at itself": record(b"\xc0\xff" + RDATA[len(WIRE_ALGORITHM) :]),
    "algorithm without an end": record(b"\x3fabc"),
    "MAC of no octets by a known key": record(with_mac(0)),
    "MAC below half by a known key": record(with_mac(15)),
    "MAC too long by a known key": record(with_mac(33)),
    "an error in a query": record(RDATA[:-4] + b"\0\x10\0\0"),
    "an error in a query that is no code": record(RDATA[:-4] + b"\x10\0\0\0"),
    "an error in a query that is no code, by an unknown key": record(RDATA[:-4] + b"\xff\xff\0\0", b"\1x\0"),
}
PLACES = {
    "not the last": query(record() + record(b"", b"\0", OPT, 1232), 2),
    "two": query(record() + record(), 2),
    "in the answer section": query(b"", 0, early=record()),
    "behind a malformed OPT": query(record(b"\0\3\0\xff", b"\0", OPT, 1232) + record(), 2),
    "behind an OPT with a name": query(record(b"", b"\1a\0", OPT, 1232) + record(), 2),
    "behind two OPT": query(record(b"", b"\0", OPT, 1232) * 2 + record(), 3),
    "behind a record that is too long": query(record(b"\1\2", b"\0", A, 1, size=4000) + record(), 2),
    "behind a SIG(0) that is too long": query(record(b"", b"\0", SIG, ANY, size=400) + record(), 2),
    "without a question and a cookie": query(record(), question=b""),
    "more records than there are": query(record(), 2),
}
ALL = {name: query(data) for name, data in MALFORMED.items()} | PLACES


@pytest.mark.parametrize("name", [name for name in ALL if "known key" not in name and "error in" not in name])
def test_the_codec_finds_it(name: str) -> None:
    assert look(ALL[name])[0] == dns.rcode.FORMERR
    response = responder().answer_unsigned(ALL[name], HERE)
    assert response[3] & 15 == dns.rcode.FORMERR
    assert dns.message.from_wire(response).rcode() == dns.rcode.FORMERR


@contextlib.asynccontextmanager
async def signing(database: str, pool: asyncpg.Pool, folder: Path, rate: int = 0) -> AsyncIterator[Serving]:
    await add_zone(pool, "example.org", ("www", "A", "192.0.2.1"))
    await add_secondary(pool, folder)
    async with serving(database, folder, dns_response_rate=rate) as served:

        async def loaded() -> bool:
            return len(served.server.zones.zones) == 1

        await eventually(loaded)
        await served.server.secondaries.read.wait()
        yield served


async def test_every_form_gets_formerr_over_both_transports(
    database: str, pool: asyncpg.Pool, tmp_path: Path
) -> None:
    """Over TCP in one conversation, which goes on; nothing is caught as a fault of ours."""
    before = sum(faults.faults.counts.values())
    async with signing(database, pool, tmp_path) as served:
        reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
        with asking(served) as ask:
            for name, data in ALL.items():
                for response in (await ask(data), await exchange(reader, writer, data)):
                    assert response[:2] == data[:2], name
                    assert response[3] & 15 == dns.rcode.FORMERR, name
                    assert response[10:12] == b"\0\0" or "OPT" in name, name
        signed = signed_query()
        response = await exchange(reader, writer, signed.to_wire())
        assert dns.message.from_wire(response, keyring=keyring(), request_mac=signed.mac).had_tsig
        writer.close()
    assert sum(faults.faults.counts.values()) == before


def signed_query() -> Any:
    found = dns.message.make_query("example.org.", "SOA")
    found.use_tsig(keyring())
    found.to_wire()
    return found


async def exchange(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, data: bytes) -> bytes:
    writer.write(len(data).to_bytes(2, "big") + data)
    async with asyncio.timeout(5):
        return await reader.readexactly(int.from_bytes(await reader.readexactly(2), "big"))


@contextlib.contextmanager
def asking(served: Serving) -> Any:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.setblocking(False)
        sock.connect(("127.0.0.1", served.port))

        async def ask(data: bytes) -> bytes:
            loop = asyncio.get_running_loop()
            await loop.sock_sendall(sock, data)
            async with asyncio.timeout(5):
                return await loop.sock_recv(sock, 65535)

        yield ask


@pytest.mark.parametrize("name", ["no data", "five octets", "name that runs in a circle", "planted"])
async def test_neighbours_in_a_batch_are_answered(
    database: str, pool: asyncpg.Pool, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three bad queries, and right behind them signed ones, all in the socket before it is read. `planted`: a query
    that makes our own code fail gets SERVFAIL, and is counted."""
    bad = ALL.get(name) or query(record(owner=b"\7planted\0"))
    async with signing(database, pool, tmp_path) as served:
        plant(served, monkeypatch)
        counts = faults.faults.counts
        before = counts["dns query over UDP", "ZeroDivisionError"]
        with asking(served) as ask:
            good = [signed_query() for _ in range(20)]
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
                other.connect(("127.0.0.1", served.port))
                for _ in range(3):
                    other.send(bad)
                other.setblocking(False)
                for each in good:
                    other.send(each.to_wire())
                codes = [(await received(other))[3] & 15 for _ in range(23)]
            expected = dns.rcode.SERVFAIL if name == "planted" else dns.rcode.FORMERR
            assert sorted(codes) == [0] * 20 + [int(expected)] * 3
            assert (await ask(signed_query().to_wire()))[3] & 15 == 0
        planted = counts["dns query over UDP", "ZeroDivisionError"] - before
        assert planted == (3 if name == "planted" else 0)


def plant(served: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lookup of one key's name fails."""

    class Keys(dict[dns.name.Name, Any]):
        def get(self, name: dns.name.Name, default: Any = None) -> Any:
            if name == dns.name.from_text("planted."):
                raise ZeroDivisionError
            return super().get(name, default)

    keys = Keys(served.server.secondaries.keys)
    monkeypatch.setattr(served.server.secondaries, "keys_for", lambda _: keys)


async def received(sock: socket.socket) -> bytes:
    async with asyncio.timeout(5):
        return await asyncio.get_running_loop().sock_recv(sock, 65535)


async def test_a_fault_over_tcp_is_one_query_s(
    database: str, pool: asyncpg.Pool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with signing(database, pool, tmp_path) as served:
        plant(served, monkeypatch)
        reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
        response = await exchange(reader, writer, query(record(owner=b"\7planted\0")))
        assert dns.message.from_wire(response).rcode() == dns.rcode.SERVFAIL
        assert (await exchange(reader, writer, signed_query().to_wire()))[3] & 15 == 0
        writer.close()


async def test_a_cookie_without_a_question_may_be_signed(
    database: str, pool: asyncpg.Pool, tmp_path: Path
) -> None:
    """By a key that nobody knows: NOTAUTH and no question, where the first octets of the OPT record stood before."""
    cookie = record(b"\0\x0a\0\x08" + bytes(8), b"\0", OPT, 1232)
    data = query(cookie + record(owner=b"\5other\0"), 2, question=b"")
    async with signing(database, pool, tmp_path) as served:
        with asking(served) as ask:
            response = await ask(data)
    assert response[3] & 15 == dns.rcode.NOTAUTH
    assert response[4:12] == struct.pack("!HHHH", 0, 0, 0, 1)
    assert response[12:].startswith(b"\5other\0")


async def test_signed_queries_are_not_limited_with_their_network(
    database: str, pool: asyncpg.Pool, tmp_path: Path
) -> None:
    """Who signs by a key of ours is known; refusals are limited as all responses are."""
    async with signing(database, pool, tmp_path, rate=5) as served:
        with asking(served) as ask:
            for _ in range(60):
                signed = signed_query()
                assert dns.message.from_wire(
                    await ask(signed.to_wire()), keyring=keyring(), request_mac=signed.mac
                ).answer
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            sock.connect(("127.0.0.1", served.port))
            sock.setblocking(False)
            for _ in range(60):
                sock.send(query(record(owner=b"\5other\0")))
            await asyncio.sleep(0.3)
            answered = 0
            with contextlib.suppress(BlockingIOError):
                while sock.recv(65535):
                    answered += 1
        assert 0 < answered <= 20
