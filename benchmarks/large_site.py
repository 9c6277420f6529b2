"""Cost of the engine itself on a large site, beside a small one: neither PostgreSQL nor clients take part.

    python -m benchmarks.large_site                     # 10,000,000 leases, 10,000 subnets, 1,000,000 reservations
    python -m benchmarks.large_site --leases 1000000 --rounds 5

Two servers read their plans from databases of their own, get their leases in the form of
PostgreSQL's COPY, and are driven by hand, by turns: new clients, their requests, renewals of random
leases. Packets come over loopback, 64 a system call; statements have 256 operations, and the
answers to them are made up (benchmarks/common_path.py). Counted is the processor time of receiving,
deciding, encoding and learning, the kernel's part included.
"""

import argparse
import asyncio
import random
import statistics
import struct
import time
from collections.abc import Callable, Iterator
from ipaddress import IPv4Address

from benchmarks.common_path import (
    BATCH,
    CLOCK,
    DAY,
    STATEMENT,
    Clients,
    Path,
    read_server,
    runs,
)
from dhcp_fast.bench.generator import filling
from dhcp_fast.bench.servers import bench_plan
from dhcp_fast.bench.servers.databases import migrated_postgres, scratch
from dhcp_fast.database.leases.lease_writer import STATEMENTS
from dhcp_fast.engine.batch import take_batch
from dhcp_fast.engine.engine import Engine
from dhcp_fast.engine.lease_preload import BriefReader, mark_leases, open_pools, reserve
from dhcp_fast.packets import message4
from dhcp_fast.packets.message4 import MessageType, Option
from dhcp_fast.pg.copy_out import CopyOut
from dhcp_fast.pg.copy_tuples import HEADER

SMALL = 10_000
SHARES = ("receive and decide", "encode", "learn")
KINDS = ("DISCOVER", "REQUEST", "renewal")
PACKETS = 4096
CHUNK = 2000
FIRST_FREE = 140  # behind gateway and reservations
MOST_RESERVED, MOST_LEASED = 100, 1700  # a subnet
SUBNET_SIZE = 1 << (32 - filling.LENGTH)
SPREAD = 7919
# tenant_no, address, state, version, reuse_at and client_key, each behind its length (dhcp_feed.sql, copy_brief).
ROW = struct.Struct("!hiiiBBBBIicIqIqI2s6s")


class Site:
    """Addresses by the number of a lease; with `subnets` all over these, else in plan.py's pool."""

    def __init__(self, leases: int, subnets: int = 0) -> None:
        self.leases = leases
        self.subnets = subnets

    def address(self, number: int) -> int:
        if not self.subnets:
            return int(bench_plan.POOL[0]) + 3 * number
        return self.link(number) + FIRST_FREE + number // self.subnets

    def link(self, number: int) -> int:
        return int(filling.LARGE.network_address) + number % self.subnets * SUBNET_SIZE

    def link_of(self, address: int) -> int:
        return address & -SUBNET_SIZE


class Some(Clients):
    """Clients of a site; the relay gives the subnet of each."""

    def __init__(self, site: Site) -> None:
        super().__init__()
        self.site = site

    def renew_held(self, number: int) -> bytes:
        address = IPv4Address(self.site.address(number))
        return self.packet(number, MessageType.REQUEST, ciaddr=address, relayed=True)

    def relay_agent(self, number: int, ciaddr: IPv4Address) -> Option:
        if not self.site.subnets:
            return super().relay_agent(number, ciaddr)
        link = self.site.link_of(int(ciaddr)) if int(ciaddr) else self.site.link(number * SPREAD)
        return message4.relay_agent(b"bench/01", IPv4Address(link))


class Driven(Path):
    """A server with a site's leases; `next_client` is the first one that nobody has seen."""

    def __init__(self, dsn: str, site: Site) -> None:
        super().__init__(*asyncio.run(read_server(dsn)))
        self.site = site
        self.clients = self.some = Some(site)
        self.wait(0)  # the leases run by the made up clock, and only what runs is taken
        fill(self.engine, site)
        self.next_client = site.leases
        self.chosen = random.Random(1)  # noqa: S311 - no secret

    def turn(self, packets: int) -> list[dict[str, float]]:
        """Return microseconds a packet, by its kind and by what was done."""
        new = range(self.next_client, self.next_client + packets)
        self.next_client += packets
        held = self.chosen.sample(range(self.site.leases), packets)
        work = ((self.some.discover, list(new)), (self.some.select, list(new)), (self.some.renew_held, held))
        return [self.spent(say, numbers) for say, numbers in work]

    def spent(self, say: Callable[[int], bytes], numbers: list[int]) -> dict[str, float]:
        total = dict.fromkeys(SHARES, 0)
        for place in runs(range(len(numbers)), STATEMENT):
            some = [numbers[at] for at in place]
            for few in runs(range(len(some)), BATCH):
                total["receive and decide"] += self.deliver(say, some[few.start : few.stop])
            encoded, learned = self.write_timed()
            total["encode"] += encoded
            total["learn"] += learned
            self.receive()
        return {name: spent / 1000 / len(numbers) for name, spent in total.items()}

    def deliver(self, say: Callable[[int], bytes], numbers: list[int]) -> int:
        self.keep_fresh()
        for number in numbers:
            self.client.sendto(say(number), self.socket.address)
        began = time.thread_time_ns()
        self.engine.receive(self.place)
        return time.thread_time_ns() - began

    def write_timed(self) -> tuple[int, int]:
        """Return the nanoseconds of the statements' way out, and of their answers' way in."""
        encoded = learned = 0
        for number, name in enumerate(STATEMENTS):
            began = time.thread_time_ns()
            while (batch := take_batch(self.engine, number, STATEMENT)) is not None:
                batch.encode(self.encoder, name.encode(), 1)
                encoded += time.thread_time_ns() - began
                self.answers.reset()
                answer = self.answer(batch)
                began = time.thread_time_ns()
                assert self.answers.feed(answer)
                assert batch.committed(self.answers) == []
                learned += time.thread_time_ns() - began
                began = time.thread_time_ns()
        return encoded, learned


def fill(engine: Engine, site: Site) -> None:
    """Fill the cache with the leases, in no order."""
    reserve(engine, site.leases)
    source, reader = CopyOut(), BriefReader(engine, True)
    order = list(range(site.leases))
    random.Random(2).shuffle(order)  # noqa: S311 - no secret
    for piece in (HEADER, *rows(site, order), b"\xff\xff"):
        data = b"d" + struct.pack("!i", 4 + len(piece)) + piece
        source.buffer()[: len(data)] = data
        source.received(len(data))
        reader.read(source)
    mark_leases(engine, 1)
    open_pools(engine)


def rows(site: Site, order: list[int]) -> Iterator[bytes]:
    for at in range(0, len(order), CHUNK):
        yield b"".join(row(site, number) for number in order[at : at + CHUNK])


def row(site: Site, number: int) -> bytes:
    key = b"\x02\x00" + number.to_bytes(4, "big")
    inet = (2, 32, 0, 4, site.address(number))
    return ROW.pack(6, 4, 1, 8, *inet, 1, b"a", 8, 1, 8, CLOCK + 20 * DAY, 8, b"\x01\x01", key)


async def make_large(dsn: str, subnets: int, reservations: int) -> None:
    await bench_plan.insert(dsn, cache_threshold=0.0)
    each = reservations // subnets
    await filling.fill_plan(dsn, subnets=subnets, reservations_per_subnet=each, cache_threshold=0.0)


def compare(small: Driven, large: Driven, packets: int, rounds: int) -> None:
    """Compare the middle round of each, and the middle of their ratios round by round."""
    measured = [(small.turn(packets), large.turn(packets)) for _ in range(rounds + 1)][1:]
    for site in (small, large):
        assert site.engine.counters()["drops"] == {}, site.engine.counters()
    print("| packet | small site µs | large site µs | times |", *(f"{name} +µs |" for name in SHARES))
    print("|---" * (4 + len(SHARES)) + "|")
    for place, kind in enumerate(KINDS):
        show(kind, [(one[place], many[place]) for one, many in measured])
    show("both of an exchange", [(exchange(one), exchange(many)) for one, many in measured])


def exchange(turn: list[dict[str, float]]) -> dict[str, float]:
    """Return what the DISCOVER and the REQUEST of a new client cost together."""
    return {name: turn[0][name] + turn[1][name] for name in SHARES}


def show(kind: str, pairs: list[tuple[dict[str, float], dict[str, float]]]) -> None:
    one, many = (statistics.median(sum(pair[side].values()) for pair in pairs) for side in (0, 1))
    times = statistics.median(sum(many.values()) / sum(one.values()) for one, many in pairs)
    more = (statistics.median(many[name] - one[name] for one, many in pairs) for name in SHARES)
    print(f"| {kind} | {one:.2f} | {many:.2f} | {times:.2f} |", *(f"{value:+.2f} |" for value in more))


def main() -> None:
    parser = argparse.ArgumentParser(
        description="What the engine spends on a large site, beside a small one."
    )
    parser.add_argument("--leases", type=int, default=10_000_000)
    parser.add_argument("--subnets", type=int, default=10_000)
    parser.add_argument("--reservations", type=int, default=1_000_000)
    parser.add_argument("--packets", type=int, default=PACKETS, help="of a kind, a round")
    parser.add_argument("--rounds", type=int, default=11)
    wanted = parser.parse_args()
    if wanted.reservations > MOST_RESERVED * wanted.subnets or wanted.leases > MOST_LEASED * wanted.subnets:
        parser.error(
            f"a subnet has room for {MOST_RESERVED} reservations and {MOST_LEASED:,} leases: more --subnets"
        )
    with scratch() as folder, migrated_postgres(folder) as (_, dsn):
        asyncio.run(bench_plan.insert(dsn, cache_threshold=0.0))
        small = Driven(dsn, Site(min(SMALL, wanted.leases)))
    with scratch() as folder, migrated_postgres(folder) as (_, dsn):
        asyncio.run(make_large(dsn, wanted.subnets, wanted.reservations))
        large = Driven(dsn, Site(wanted.leases, wanted.subnets))
    compare(small, large, wanted.packets, wanted.rounds)


if __name__ == "__main__":
    main()
