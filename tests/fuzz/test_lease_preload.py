"""Lease rows in brief out of COPY messages into the cache, whatever the pieces and whatever the octets.

Invariant: messages that PostgreSQL could send are read alike in any pieces and show in the cache as they were written;
any other octets raise ValueError or wait for more (the sanitizer build runs this file too).
"""

import struct
from collections.abc import Iterator
from ipaddress import IPv4Address
from random import Random

import pytest
from fuzz.engine import pieces
from fuzz.test_lease_rows import HEADER, KEY, TRAILER, Row, encode, inet

from dhcp_fast.engine.engine import Engine
from dhcp_fast.engine.lease_preload import BriefReader, reserve
from dhcp_fast.pg.copy_out import CopyOut

SEED = 91
READY = b"Z" + struct.pack("!i", 5) + b"I"


def row(rng: Random) -> Row:
    expires = rng.randrange(1 << 50)
    return [
        struct.pack("!i", rng.randrange(1, 9)),
        inet(IPv4Address(rng.getrandbits(32))),
        rng.choice((b"a", b"r", b"x", b"v", b"d")),
        *(struct.pack("!q", number) for number in (rng.randrange(1, 1 << 40), expires)),
        rng.randbytes(rng.choice((8, 40, 258))),
    ]


def message(kind: bytes, body: bytes) -> bytes:
    return kind + struct.pack("!i", 4 + len(body)) + body


def messages(rows: list[Row], rng: Random) -> bytes:
    """The stream cut into CopyData anywhere, among what else a server says."""
    data = HEADER + b"".join(map(encode, rows)) + TRAILER
    parts = [message(b"H", b"\1\0\7" + bytes(14))]
    for piece in pieces(data, rng):
        parts.append(message(b"d", bytes(piece)))
        if rng.random() < 0.1:
            parts.append(message(b"S", b"TimeZone\0UTC\0"))
    return b"".join([*parts, message(b"c", b""), message(b"C", b"COPY\0"), READY])


def feed(data: bytes, rng: Random, engine: Engine) -> Iterator[BriefReader]:
    reader, source = BriefReader(engine, first=False), CopyOut()
    for piece in pieces(data, rng):
        source.buffer()[: len(piece)] = piece
        source.received(len(piece))
        reader.read(source)
    assert source.error is None
    if source.ended:
        yield reader


def test_messages_are_read_alike_in_any_pieces() -> None:
    rng = Random(SEED)
    rows = [row(rng) for _ in range(300)]
    for _ in range(10):
        engine = Engine(KEY)
        (reader,) = feed(messages(rows, rng), rng, engine)
        assert reader.count == len(rows)
        for tenant, address, state, version, expires, *_ in rows:
            found = engine.lease(
                int.from_bytes(tenant or b"", "big"), int.from_bytes((address or b"")[4:], "big")
            )
            assert found is not None
            assert found["version"] == int.from_bytes(version or b"", "big")
            assert found["state"] == (state or b"").decode()
            assert found["expires"] == int.from_bytes(expires or b"", "big") // 1_000_000
            assert found["told"] is False


@pytest.mark.parametrize("room", [0, 100, 5000])
def test_rows_come_into_an_engine_that_knows_none(room: int) -> None:
    rng, engine, source = Random(SEED), Engine(KEY), CopyOut()
    reserve(engine, room)
    reader = BriefReader(engine, first=True)
    rows = [row(rng) for _ in range(3000)]
    for piece in pieces(messages(rows, rng), rng):
        source.buffer()[: len(piece)] = piece
        source.received(len(piece))
        reader.read(source)
    assert reader.count == engine.counters()["leases_known"] == 3000
    assert all(
        engine.lease(int.from_bytes(r[0] or b"", "big"), int.from_bytes((r[1] or b"")[4:], "big"))
        for r in rows
    )


def test_mutated_messages_are_refused_or_read(fuzz_count: int) -> None:
    rng, engine, refused = Random(SEED), Engine(KEY), 0
    whole = messages([row(rng) for _ in range(4)], rng)
    count = fuzz_count // 2
    for _ in range(count):
        data = bytearray(whole)
        for _ in range(rng.randint(1, 4)):
            data[rng.randrange(len(data))] = rng.choice((0, 1, 2, 4, 7, 8, 20, 127, 128, 255))
        try:
            list(feed(bytes(data), rng, engine))
        except (ValueError, AssertionError):
            refused += 1
    assert count // 10 < refused < count


def test_an_error_is_told() -> None:
    source = CopyOut()
    said = message(b"E", b"SERROR\0C42P01\0Mno such table\0\0") + READY
    source.buffer()[: len(said)] = said
    source.received(len(said))
    assert source.ended
    assert "no such table" in (source.error or "")


def test_a_message_that_never_ends_is_refused() -> None:
    source = CopyOut()
    for _ in range(4):
        fill(source)
    with pytest.raises(ValueError, match="longer than any"):
        fill(source)


def fill(source: CopyOut) -> None:
    room = source.buffer()
    room[:] = (b"d" + struct.pack("!i", 1 << 24)).ljust(len(room), b"x")
    source.received(len(room))
