"""Duration of queries to a long lease history, cost of closed days, and delay of writers by retention.

    python -m benchmarks.history                        # 2,000,000 events in 60 days
    python -m benchmarks.history --rows 20000000        # the size that is promised; 10 GB on the disk, some ten minutes

It starts a PostgreSQL of its own and fills a partition per day up to today. Each client keeps an
address for a week and has an event every eight hours: the first of a week is a grant, the others
are renewals, for twelve hours. Two queries of the API are measured, each for random moments and
clients over all days: the holder of an address at a moment, and the addresses of a client. Cold:
PostgreSQL has just begun, and the kernel has none of its files in memory. Then days are indexed and
old ones deleted beside a writer, which writes an event per transaction and reports its waits.
"""

import argparse
import asyncio
import contextlib
import logging
import os
import random
import statistics
import time
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, date, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any, NamedTuple

import asyncpg
import structlog

from dhcp_fast.bench.servers.databases import LONG_CYCLE, migrated_postgres, scratch
from ipam_core.db.connect import connect
from ipam_core.db.embedded.server import EmbeddedPostgres
from ipam_core.db.lease_days import INDEXES, close_days
from ipam_core.db.lease_retention import forget_days
from ipam_core.model.actor import Actor
from ipam_core.services import lease_events

EVENTS_A_DAY = 3  # of a client
WEEK = 7
FIRST_ADDRESS = int(IPv4Address("10.0.0.0"))
SHIFT = 104_729
ANYBODY = Actor(role="admin")
GIGABYTE = 1 << 30

FILL = """
insert into lease_event (
  at, xid, version, granted_at, expires_at, reuse_at, tenant_no, subnet_no, node_no, prefix_length, ia_type, hw_type,
  kind, state, address, client_key, hw_address, client_id, hostname, relay, circuit_id)
select at, pg_current_xact_id(), 2 * ($1::bigint * $2 + n), at, at + '12 hours', at + '12 hours', 1, 1, 1, 32, 0, 1,
  case when $1 % 7 = 0 and n < $3::bigint then 'g' else 'n' end::"char", 'a',
  '10.0.0.0'::inet + (n % $3 + ($1 / 7) * 104729) % $3, '\\x0101'::bytea || mac, mac, '\\x01'::bytea || mac,
  'host-' || n % $3, '10.255.0.1', 'ge-0/0/1'
from generate_series(0::bigint, $2::bigint - 1) n
cross join lateral (select decode(lpad(to_hex(n % $3), 12, '0'), 'hex') as mac,
  $4::timestamptz + (n::float8 / $2) * ($5::timestamptz - $4) as at) as made
order by n"""
WRITE = """
insert into lease_event (at, xid, version, granted_at, expires_at, reuse_at, tenant_no, subnet_no, prefix_length,
  ia_type, kind, state, address, client_key, hw_address)
values (now(), pg_current_xact_id(), nextval('lease_version'), now(), now() + '12 hours', now() + '12 hours', 1, 1, 32,
  0, 'n', 'a', '10.0.0.1', '\\x0101', '\\x020000000001')"""
SIZES = """
select coalesce(sum(pg_relation_size(child.oid)), 0)::bigint as heap,
  coalesce(sum((select sum(pg_relation_size(indexrelid)) from pg_index where indrelid = child.oid
    and indexrelid in (select inhrelid from pg_inherits))), 0)::bigint as shared,
  coalesce(sum((select sum(pg_relation_size(indexrelid)) from pg_index where indrelid = child.oid
    and indexrelid not in (select inhrelid from pg_inherits))), 0)::bigint as closed
from pg_inherits join pg_class child on child.oid = inhrelid where inhparent = 'lease_event'::regclass"""
OLDEST_XID = "select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as low"


class Site(NamedTuple):
    """Day 0 is the first one; the last is today, whose events are all before `now`."""

    rows: int
    days: int
    now: datetime

    @property
    def a_day(self) -> int:
        return self.rows // self.days

    @property
    def clients(self) -> int:
        return max(1, self.a_day // EVENTS_A_DAY)

    def date(self, day: int) -> date:
        return self.now.date() - timedelta(days=self.days - 1 - day)

    def begins(self, day: int) -> datetime:
        found = self.date(day)
        return datetime(found.year, found.month, found.day, tzinfo=UTC)

    def ends(self, day: int) -> datetime:
        return self.now if day == self.days - 1 else self.begins(day + 1)

    def holder(self, number: int, at: datetime) -> int:
        """Return the client whose week it is at an address."""
        day = (at - self.begins(0)).days
        return (number - day // WEEK * SHIFT) % self.clients


def mac(client: int) -> str:
    return client.to_bytes(6, "big").hex(":")


# --- the history


async def fill(dsn: str, site: Site) -> None:
    connection = await connect(dsn)
    try:
        await connection.execute("set synchronous_commit = off")
        for day in range(site.days):
            await connection.execute("select make_lease_event_partition($1)", site.date(day))
            await connection.execute(
                FILL, day, site.a_day, site.clients, site.begins(day), site.ends(day), timeout=3600
            )
        await connection.execute("vacuum analyze lease_event", timeout=3600)
    finally:
        await connection.close()


class Times(NamedTuple):
    median: float
    p99: float
    worst: float


def times(seconds: list[float]) -> Times:
    ordered = sorted(1000 * each for each in seconds)
    return Times(statistics.median(ordered), ordered[int(0.99 * (len(ordered) - 1))], ordered[-1])


async def ask(dsn: str, questions: list[tuple[dict[str, str], int]]) -> list[float]:
    """Return seconds of each; every answer is checked. `questions`: with the client that must be in the answer."""
    connection = await connect(dsn, server_settings={"jit": "off"})
    took = []
    try:
        for query, client in questions:
            began = time.perf_counter()
            page = await lease_events.find(connection, ANYBODY, query)
            took.append(time.perf_counter() - began)
            assert page.items, query
            assert {event.mac for event in page.items} == {mac(client)}, (query, page.items)
    finally:
        await connection.close()
    return took


def holders(site: Site, chosen: random.Random, count: int) -> list[tuple[dict[str, str], int]]:
    """Ask for the holders of an address at a time. Each was held all the time, but before its client's first event of
    the first day."""
    found = []
    for _ in range(count):
        number = chosen.randrange(site.clients)
        at = site.begins(1) + (site.now - site.begins(1)) * chosen.random()
        day = (at - site.begins(0)).days
        if day % WEEK == 0:  # on the day of change the old holder's lease may still run
            at = at + timedelta(days=1) if day + 1 < site.days - 1 else at - timedelta(days=1)
        address = str(IPv4Address(FIRST_ADDRESS + number))
        found.append(({"ip": address, "at": at.isoformat()}, site.holder(number, at)))
    return found


def whereabouts(site: Site, chosen: random.Random, count: int) -> list[tuple[dict[str, str], int]]:
    """Return where was this client? The newest page."""
    clients = [chosen.randrange(site.clients) for _ in range(count)]
    return [({"mac": mac(client)}, client) for client in clients]


def whereabouts_then(site: Site, chosen: random.Random, count: int) -> list[tuple[dict[str, str], int]]:
    """Return where was this client on a day?"""
    found = []
    for client in (chosen.randrange(site.clients) for _ in range(count)):
        day = chosen.randrange(site.days - 2)
        span = {"since": site.begins(day).isoformat(), "until": site.begins(day + 1).isoformat()}
        found.append(({"mac": mac(client), **span}, client))
    return found


QUESTIONS = {
    "who held this address then": holders,
    "where was this client lately": whereabouts,
    "where was this client that day": whereabouts_then,
}


# --- warm and cold


def forget_files(folder: Path) -> None:
    """Drop the files from the kernel's cache; their data must be on the disk before."""
    os.sync()
    for path in folder.rglob("*"):
        if path.is_file():
            with contextlib.suppress(OSError), path.open("rb") as file:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def begin_anew(server: EmbeddedPostgres) -> str:
    """Return a PostgreSQL that has read nothing yet, and its DSN."""
    server.stop()
    forget_files(server.data.cluster)
    return server.start()


# --- beside a writer


@contextlib.asynccontextmanager
async def writing(dsn: str) -> AsyncIterator["Writer"]:
    writer = Writer(await connect(dsn), await connect(dsn))
    work = [asyncio.create_task(writer.write()), asyncio.create_task(writer.watch())]
    try:
        yield writer
    finally:
        writer.over = True
        await asyncio.gather(*work)
        await writer.connection.close()
        await writer.other.close()


class Writer:
    """Writer of leases. `waits`: seconds of each write; `held`: for how long a transaction held back readers of the
    log, at most."""

    def __init__(self, connection: asyncpg.Connection, other: asyncpg.Connection) -> None:
        self.connection = connection
        self.other = other
        self.waits: list[float] = []
        self.held = 0.0
        self.over = False

    async def write(self) -> None:
        while not self.over:
            began = time.perf_counter()
            await self.connection.execute(WRITE)
            self.waits.append(time.perf_counter() - began)
            await asyncio.sleep(0.001)

    async def watch(self) -> None:
        low, since = 0, time.perf_counter()
        while not self.over:
            now = (await self.other.fetchrow(OLDEST_XID))["low"]
            if now != low:
                low, since = now, time.perf_counter()
            self.held = max(self.held, time.perf_counter() - since)
            await asyncio.sleep(0.005)


class Beside(NamedTuple):
    what: str
    seconds: float
    writes: int
    waits: Times
    held: float


async def beside_writer(dsn: str, what: str, work: Any) -> Beside:
    connection = await connect(dsn)
    try:
        async with writing(dsn) as writer:
            began = time.perf_counter()
            await work(connection)
            seconds = time.perf_counter() - began
    finally:
        await connection.close()
    return Beside(what, seconds, len(writer.waits), times(writer.waits), 1000 * writer.held)


async def nothing(_connection: asyncpg.Connection) -> None:
    await asyncio.sleep(5)


# --- the report


def row(*cells: object) -> None:
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def head(*names: str) -> None:
    print()
    row(*names)
    row(*["---"] * len(names))


def milliseconds(found: Times) -> Iterator[str]:
    return (f"{each:.2f}" for each in found)


async def asked(dsn: str, site: Site, count: int, state: str, wanted: tuple[str, ...]) -> None:
    chosen = random.Random(1)  # noqa: S311 - no secret
    for what in wanted:
        row(what, state, *milliseconds(times(await ask(dsn, QUESTIONS[what](site, chosen, count)))))


async def sizes(dsn: str) -> dict[str, int]:
    connection = await connect(dsn)
    try:
        return dict(await connection.fetchrow(SIZES))
    finally:
        await connection.close()


async def close_all(connection: asyncpg.Connection) -> None:
    assert await close_days(connection)


def measure(server: EmbeddedPostgres, dsn: str, site: Site, count: int) -> None:
    began = time.perf_counter()
    asyncio.run(fill(dsn, site))
    heap = asyncio.run(sizes(dsn))["heap"]
    print(f"{site.rows} events of {site.clients} clients in {site.days} days: {heap / GIGABYTE:.1f} GB, "
          f"filled in {time.perf_counter() - began:.0f} s")  # fmt: skip
    first, lately, day = QUESTIONS
    head("question", "days", "median ms", "p99 ms", "worst ms")
    asyncio.run(asked(dsn, site, max(2, count // 20), "without indexes, warm", (first, day)))
    told = [asyncio.run(beside_writer(dsn, "nothing", nothing))]
    told.append(asyncio.run(beside_writer(dsn, "indexes of days that are over", close_all)))
    asyncio.run(asked(dsn, site, count, "indexed, first time", (first, lately, day)))
    asyncio.run(asked(dsn, site, count, "indexed, warm", (first, lately, day)))
    for what in QUESTIONS:
        dsn = begin_anew(server)
        asyncio.run(asked(dsn, site, count, "indexed, cold", (what,)))
    found = asyncio.run(sizes(dsn))
    told.append(
        asyncio.run(
            beside_writer(dsn, "half of the days forgotten", lambda c: forget_days(c, site.days // 2))
        )
    )
    head(
        "beside a writer", "took s", "writes", "median ms", "p99 ms", "longest ms", "log held back at most ms"
    )
    for beside in told:
        row(
            beside.what,
            f"{beside.seconds:.1f}",
            beside.writes,
            *milliseconds(beside.waits),
            f"{beside.held:.0f}",
        )
    head("", "GB", "octets an event")
    for what, size in zip(
        ("events", "indexes of every day", f"{', '.join(INDEXES)}"), found.values(), strict=True
    ):
        row(what, f"{size / GIGABYTE:.2f}", f"{size / site.rows:.0f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--days", type=int, default=60)
    parser.add_argument("--questions", type=int, default=200)
    told = parser.parse_args()
    if told.days < 10 or told.rows < 100 * told.days:
        parser.error("it takes 10 days and 100 events a day")
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    site = Site(told.rows, told.days, datetime.now(UTC))
    with scratch() as folder, migrated_postgres(folder, LONG_CYCLE) as (server, dsn):
        measure(server, dsn, site, told.questions)


if __name__ == "__main__":
    main()
