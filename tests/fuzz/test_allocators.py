"""The allocator's structures against models that are a set or a dict.

Invariant: after any sequence of calls a bitmap is the set of what was added and not removed; the lease table holds the
newest version of every address ever learned, however far it grew; a pool offers each address that it permits once
before it offers any again, and none that it does not.
"""

import struct
from collections.abc import Iterator
from ipaddress import IPv4Address
from random import Random

import pytest
from fuzz.engine import CLOCK, FIELDS, NETWORK, RELAY, SECOND, SUBNET, TENANT, Bench
from oracle import packets as say
from oracle.message4 import Message, parse_reply

from dhcp_fast.engine.engine import Engine, boot_clock
from dhcp_fast.engine.lease_rows import RowReader
from dhcp_fast.plan.pool_row import PoolRow
from dhcp_fast.structures.bitmap import Numbers

SEED = 31
SIZES = [1, 2, 63, 64, 65, 127, 4095, 4096, 4097, 64**3 - 1, 64**3, 64**3 + 1]


@pytest.fixture
def bench() -> Iterator[Bench]:
    bench = Bench()
    yield bench
    bench.close()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("full", [False, True])
def test_a_bitmap_is_a_set(size: int, full: bool) -> None:
    rng = Random(SEED + size)
    numbers, model = Numbers(size, full), set(range(size)) if full else set()
    for _ in range(600 if size < 5000 else 100):
        change(numbers, model, size, rng)
        assert len(numbers) == len(model)
        start = rng.choice((0, size - 1, size, rng.randrange(size)))
        assert numbers.next(start) == following(model, start, size)
        assert (start in numbers) == (start in model)


def following(model: set[int], start: int, size: int) -> int:
    """The first of the model from there on; a full one is not looked through for it."""
    if len(model) < size // 2:
        return min((n for n in model if n >= start), default=-1)
    return next((n for n in range(start, size) if n in model), -1)


def change(numbers: Numbers, model: set[int], size: int, rng: Random) -> None:
    number = rng.choice((0, size - 1, rng.randrange(size), rng.randrange(size)))
    what = rng.randrange(8)
    if what < 4:
        numbers.add(number)
        model.add(number)
    elif what < 7:
        numbers.remove(number)
        model.discard(number)
    else:
        last = number + rng.randrange(200)
        numbers.remove_range(number, last)
        model -= set(range(number, last + 1))


@pytest.mark.parametrize("beyond", [64, 65, 2**32, 2**63, 2**64 - 1])
def test_numbers_beyond_a_bitmap_change_nothing(beyond: int) -> None:
    numbers = Numbers(64, True)
    numbers.add(beyond)
    numbers.remove(beyond)
    numbers.remove_range(beyond, beyond)
    assert (len(numbers), beyond in numbers, numbers.next(beyond)) == (64, False, -1)


HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)


def lease_row(address: int, version: int, state: bytes, ends: int, client: int) -> bytes:
    values = (
        struct.pack("!i", TENANT),
        struct.pack("!i", SUBNET),
        bytes((2, 32, 0, 4)) + struct.pack("!I", address),
        state,
        *(struct.pack("!q", value) for value in (version, ends - 60 * SECOND, ends, ends + SECOND)),
        struct.pack("!bq", 2, client),
    )
    body = b"".join(struct.pack("!i", len(value)) + value for value in values)
    return struct.pack("!h", 20) + body + b"\xff" * 4 * 9 + (struct.pack("!i", 1) + b"\0") * 2


def test_the_lease_table_keeps_the_newest_of_each_address(fuzz_count: int) -> None:
    """Past its first buckets and its first chunk of 65,536; in between leases run out and the wheel turns."""
    rng, engine, model = Random(SEED), Engine((1, 1)), {}
    reader = RowReader(engine)
    reader.feed(HEADER)
    now = boot_clock()
    engine.set_clock(CLOCK, now, now)
    for number in range(max(fuzz_count, 5000) * 2):
        address = NETWORK + rng.randrange(90_000)
        version, state, ends = rng.randrange(1, 1 << 40), rng.choice((b"a", b"a", b"r", b"d")), end(rng)
        reader.feed(lease_row(address, version, state, ends, rng.randrange(500)))
        if version > model.get(address, (0,))[0]:
            model[address] = version, state.decode(), ends // SECOND
        if number % 5000 == 0:
            engine.set_clock(CLOCK + number * SECOND // 10, now, now)
            while engine.tick():
                pass
    for address, (version, state, ends) in model.items():
        lease = engine.lease(TENANT, address)
        assert lease is not None
        assert (lease["version"], lease["state"], lease["expires"]) == (version, state, ends)
    assert engine.counters()["leases_known"] == len(model)


def end(rng: Random) -> int:
    """Past, soon, beyond the wheel's two hours, or never."""
    return CLOCK + SECOND * rng.choice((-86400, -1, rng.randrange(10_000), rng.randrange(100_000), 2**30))


@pytest.mark.parametrize("sequential", [False, True])
def test_a_pool_offers_every_address_once_before_any_twice(bench: Bench, sequential: bool) -> None:
    first, last = NETWORK + 60, NETWORK + 460
    forbidden = [(NETWORK, NETWORK + 61), (NETWORK + 100, NETWORK + 229), (NETWORK + 460, NETWORK + 9999)]
    bench.plan(FIELDS | {"pools": [PoolRow(1, first, last, sequential=sequential)], "forbidden": forbidden})
    permitted = {n for n in range(first, last + 1) if not any(low <= n <= high for low, high in forbidden)}
    offered = [offer(bench, number) for number in range(len(permitted))]
    assert sorted(offered) == sorted(permitted)
    assert not sequential or offered == sorted(offered)
    again = [offer(bench, number) for number in range(1000, 1000 + 50)]
    assert again == offered[:50]
    assert bench.engine.counters()["offers_taken_back"] == 50


def offer(bench: Bench, number: int) -> int:
    mac = bytes((2, 2)) + number.to_bytes(4, "big")
    bench.take([say.discover(mac).with_relay(IPv4Address(RELAY)).relay_port().bytes()])
    reply = parse_reply(bench.client.recv(2048))
    assert isinstance(reply, Message)
    return int(reply.yiaddr)
