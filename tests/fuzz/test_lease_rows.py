"""Lease rows from COPY streams into the cache, whatever the pieces and whatever the octets.

Invariant: a stream that PostgreSQL could send is read alike in any pieces and shows in the cache as it was written;
any other octets raise ValueError or wait for more, and never touch memory that is not theirs (the sanitizer build runs
this file too).
"""

import struct
from ipaddress import IPv4Address, IPv6Address
from random import Random

import asyncpg
import pytest
from fuzz.engine import pieces

from dhcp_fast.engine.engine import Engine
from dhcp_fast.engine.lease_rows import RowReader

SEED = 90
KEY = (1, 2)
HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
TRAILER = b"\xff\xff"
SECOND = 1_000_000

# tenant_no subnet_no address state version renewed_at expires_at reuse_at client_key hw_type hw_address client_id
# duid hostname relay circuit_id remote_id fqdn_flags holds_class holds_options, as dhcp_feed.sql selects them.
Row = list[bytes | None]
ADDRESS, STATE, VERSION, REUSE, HW_TYPE, RELAY, FQDN_FLAGS, HOLDS_CLASS, HOLDS_OPTIONS = (
    2,
    3,
    4,
    7,
    9,
    14,
    17,
    18,
    19,
)


def inet(address: IPv4Address | IPv6Address) -> bytes:
    family = 2 if address.version == 4 else 3
    return bytes((family, address.max_prefixlen, 0, len(address.packed))) + address.packed


def row(rng: Random, address: IPv4Address | IPv6Address | None = None) -> Row:
    address = address or IPv4Address(rng.getrandbits(32))
    renewed = rng.randrange(1 << 50)
    times = (renewed, renewed + 600 * SECOND, renewed + 610 * SECOND)
    return [
        struct.pack("!i", rng.randrange(1, 9)),
        struct.pack("!i", rng.randrange(1, 9)),
        inet(address),
        rng.choice((b"a", b"r", b"x", b"v", b"d")),
        struct.pack("!q", rng.randrange(1, 1 << 40)),
        *(struct.pack("!q", time) for time in times),
        rng.randbytes(rng.choice((8, 40, 258))),
        rng.choice((None, b"\0\1")),
        rng.choice((None, b"", rng.randbytes(6))),
        rng.choice((None, rng.randbytes(20))),
        rng.choice((None, rng.randbytes(14))),
        rng.choice((None, b"host")),
        rng.choice((None, inet(IPv4Address(1)), inet(IPv6Address(1)))),
        rng.choice((None, b"", b"eth0")),
        rng.choice((None, rng.randbytes(8))),
        rng.choice((None, b"\0\5")),
        rng.choice((b"\0", b"\1")),
        rng.choice((b"\0", b"\1")),
    ]


def encode(fields: Row) -> bytes:
    parts = (b"\xff" * 4 if value is None else struct.pack("!i", len(value)) + value for value in fields)
    return struct.pack("!h", len(fields)) + b"".join(parts)


def stream(rows: list[Row]) -> bytes:
    return HEADER + b"".join(map(encode, rows)) + TRAILER


def read(data: bytes, rng: Random, engine: Engine | None = None) -> RowReader:
    reader = RowReader(engine or Engine(KEY))
    for piece in pieces(data, rng):
        reader.feed(piece)
    return reader


def test_rows_are_read_alike_in_any_pieces() -> None:
    rng = Random(SEED)
    rows = [row(rng) for _ in range(200)]
    for _ in range(10):
        engine = Engine(KEY)
        assert read(stream(rows), rng, engine).count == len(rows)
        assert all(shown(engine, fields) for fields in rows)


def shown(engine: Engine, fields: Row) -> bool:
    """The cache has the row, or a newer one of the same address."""
    tenant, _, address, state, version = (value or b"" for value in fields[:5])
    found = engine.lease(int.from_bytes(tenant, "big"), int.from_bytes(address[4:], "big"))
    assert found is not None
    newer: bool = found["version"] > int.from_bytes(version, "big")
    return newer or found["state"] == state.decode()


def test_rows_of_ipv6_are_taken() -> None:
    rng = Random(SEED)
    rows = [row(rng, IPv6Address(rng.getrandbits(128))) for _ in range(50)]
    engine = Engine(KEY)
    assert read(stream(rows), rng, engine).count == engine.counters()["leases_known"] == 50


def test_mutated_streams_are_refused_or_read(fuzz_count: int) -> None:
    """Every octet of a stream is fair game: lengths, counts, NULLs in columns that have none."""
    rng, engine, refused = Random(SEED), Engine(KEY), 0
    whole = stream([row(rng) for _ in range(4)])
    count = fuzz_count
    for _ in range(count):
        data = bytearray(whole)
        for _ in range(rng.randint(1, 4)):
            data[rng.randrange(len(data))] = rng.choice(
                (0, 1, 2, 4, 7, 8, 20, 127, 128, 255, rng.randrange(256))
            )
        try:
            read(bytes(data), rng, engine)
        except ValueError:
            refused += 1
    assert count // 4 < refused < count


LENGTHS: dict[int, set[int | None]] = {
    **{0: {4}, 1: {4}, ADDRESS: {8, 20}, STATE: {1}, VERSION: {8}, 5: {8}, 6: {8}, REUSE: {8}},
    **{HW_TYPE: {None, 2}, RELAY: {None, 8, 20}, FQDN_FLAGS: {None, 2}, HOLDS_CLASS: {1}, HOLDS_OPTIONS: {1}},
}


@pytest.mark.parametrize("column", range(20))
@pytest.mark.parametrize("length", [None, 0, 1, 2, 3, 4, 7, 8, 9, 19, 20, 21, 258])
def test_field_shorter_or_longer_than_its_type(column: int, length: int | None) -> None:
    """STATE, VERSION and the times were read whatever their length, and NULL as an address in memory."""
    rng = Random(SEED)
    fields = row(rng)
    fields[column] = None if length is None else rng.randbytes(length)
    lawful = LENGTHS.get(column)
    if column == 8:
        lawful = set(range(259))
    if lawful is None or length in lawful:
        assert read(stream([fields]), rng).count == 1
    else:
        with pytest.raises(ValueError, match="another shape"):
            read(stream([fields]), rng)


def test_field_that_claims_to_be_longer_than_any_column() -> None:
    """Its length was cut to 16 bits, and the rest of the stream awaited for ever."""
    data = HEADER + struct.pack("!hi", 20, 1 << 20)
    with pytest.raises(ValueError, match="another shape"):
        read(data, Random(SEED))


@pytest.mark.parametrize("damage", [0, 5, 10, 14, 18])
def test_stream_that_is_no_copy_stream(damage: int) -> None:
    data = bytearray(stream([]))
    data[damage] ^= 0xFF
    with pytest.raises(ValueError, match="something else"):
        read(bytes(data), Random(SEED))


@pytest.mark.parametrize("last", [2**63 - 1, -(2**63), -1, 0])
def test_times_at_the_end_of_their_range(last: int) -> None:
    """PostgreSQL's infinity overflowed when it was rounded up to a second."""
    rng, engine = Random(SEED), Engine(KEY)
    fields = row(rng)
    fields[5:8] = [struct.pack("!q", last)] * 3
    read(stream([fields]), rng, engine)
    found = engine.lease(
        int.from_bytes(fields[0] or b"", "big"), int.from_bytes((fields[2] or b"")[4:], "big")
    )
    assert found is not None
    assert found["reuse"] == found["expires"] == (2**32 - 1 if last > 0 else 0)


async def test_what_postgresql_sends_is_read(pool: asyncpg.Pool) -> None:
    """The stream that this file makes up is PostgreSQL's own."""
    reader = RowReader(Engine(KEY))
    query = """select 1, 2, '10.0.0.1'::inet, 'a'::"char", 7::bigint, now(), now(), now(), '\\x01'::bytea, 1::smallint,
      null::bytea, null::bytea, null::bytea, 'h'::text, '10.0.0.2'::inet, null::bytea, null::bytea,
      5::smallint, false, true
      from generate_series(1, 10)"""
    async with pool.acquire() as connection:
        await connection.copy_from_query(query, output=reader.take, format="binary")
    assert reader.count == 10
