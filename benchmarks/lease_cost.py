"""Cost of a leased row for PostgreSQL: with each index, the history, and each setting taken away by turns.

    python -m benchmarks.lease_cost              # each index, and the history
    python -m benchmarks.lease_cost --forms      # rows and indexes in other forms
    python -m benchmarks.lease_cost --settings   # each setting, on a database that holds a million leases

The very statements of the server, through one session. Each variant has a database (or a cluster)
of its own, and every batch goes to all of them before the next one, so that disturbances affect all
alike. The figure is the median of the differences, batch by batch. Processor time is the backend's,
by /proc/<pid>/schedstat.
"""

import argparse
import asyncio
import contextlib
import random
import shutil
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any, NamedTuple

import asyncpg

from dhcp_fast.bench.servers import bench_plan
from dhcp_fast.database.leases.lease_session import SESSION
from ipam_core.db import queries
from ipam_core.db.embedded import server
from ipam_core.db.embedded.server import EmbeddedPostgres
from ipam_core.db.migrate import migrate
from ipam_core.settings import Settings

FOLDER = Path("/var/tmp")  # noqa: S108 - a fresh folder below it, by mkdtemp
FIRST = int(bench_plan.POOL[0])
LAST = 4_000_000
KEPT = "select"
SKIPPED = 20  # first batches, which fill caches
SHORT_EVENTS = "events without what only people read"
NO_HISTORY = ("from won w\n)", "from won w where false\n)")
LEASE = queries.load("dhcp_lease")

SETTINGS = {
    "as the embedded server has them": {},
    "max_wal_size = 256MB": {"max_wal_size": "256MB"},
    "shared_buffers = 1GB": {"shared_buffers": "1GB"},
    "wal_compression = pglz": {"wal_compression": "pglz"},
    "wal_init_zero = on": {"wal_init_zero": "on"},
}
FILL = """
with written as (
  insert into lease (tenant_no, address, prefix_length, subnet_no, state, granted_at, renewed_at, expires_at, reuse_at,
    version, hw_type, hw_address, client_key, hostname)
  select t.no, $1::inet + 2 * n, 32, s.no, 'a', now(), now(), now() + interval '1 day', now() + interval '1 day',
    nextval('lease_version'), 1, decode('03be' || lpad(to_hex(n), 8, '0'), 'hex'),
    decode('010103be' || lpad(to_hex(n), 8, '0'), 'hex'), 'held-' || n
  from tenant t, subnet s, generate_series(0, $2::bigint - 1) n returning *)
insert into lease_event (at, xid, version, granted_at, expires_at, reuse_at, tenant_no, subnet_no, prefix_length,
  ia_type, hw_type, kind, state, address, client_key, hw_address, hostname)
select now(), pg_current_xact_id(), version, granted_at, expires_at, reuse_at, tenant_no, subnet_no, prefix_length,
  ia_type, hw_type, 'g', 'a', address, client_key, hw_address, hostname from written"""
# Alternatives that were tried: the statements that set them up in a database of their own.
FORMS = {
    "hardware indexed of all": """
        drop index lease_by_other_hardware; create index on lease (hw_address)""",
    "no index by client key": "drop index lease_by_client_key",
    "the client key by hash": """
        drop index lease_by_client_key; create index on lease using hash (client_key)""",
    "the client key in a GIN with a list of what is new": """
        drop index lease_by_client_key; create index on lease using gin ((array[client_key]))
        with (fastupdate = on, gin_pending_list_limit = 1000000)""",
    "a number as the key": """
        alter table lease drop constraint lease_pkey;
        alter table lease add column number bigint generated always as (address - '0.0.0.0'::inet) stored;
        create unique index lease_pkey on lease (tenant_no, number)""",
    "pages filled to the brim": "alter table lease set (fillfactor = 100)",
    "today's history by address alone": """
        drop index lease_event_by_address; create index on lease_event (address)""",
    "today's history by address in Bloom filters": """
        drop index lease_event_by_address, lease_event_by_at;
        create index on lease_event using brin (at, address inet_bloom_ops) with (pages_per_range = 32)""",
}
# The event's client key contains the identity already.
NARROW = [
    ("w.hw_address,\n    w.client_id, w.duid, w.hostname, w.relay", "null, null, null, null, null"),
    ("w.circuit_id", "null"),
]
INDEXES = """
select indexrelid::regclass::text from pg_index
where indrelid in ('lease'::regclass, 'lease_event'::regclass) and not indisprimary order by 1"""

Batch = list[tuple[Any, ...]]


class Variant(NamedTuple):
    """A session on a database that differs in one thing, and the statement that it runs."""

    name: str
    connection: asyncpg.Connection
    statement: Any


def processor_ns(pid: int) -> int:
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0])


def batches(rows: int, size: int, *, odd: bool) -> Iterator[Batch]:
    """Yield rows of lease_request in the order of their keys, for clients one after the other at random addresses.

    `odd` addresses only, where the even ones are held.
    """
    step = 2 if odd else 1
    numbers = random.Random(1).sample(range(LAST // step), rows)  # noqa: S311 - no secret
    for start in range(0, rows - size + 1, size):
        chosen = sorted(numbers[start : start + size])
        yield [operation(FIRST + step * number + odd, start + at) for at, number in enumerate(chosen)]


def operation(address: int, client: int) -> tuple[Any, ...]:
    mac = b"\x02\xbe" + client.to_bytes(4, "big")
    relay, circuit = IPv4Address("127.0.0.1"), b"bench/01"
    fixed = (
        1,
        b"b",
        86_400,
        10,
        100,
        0,
        1,
        mac,
        None,
        b"\x01\x01" + mac,
        f"host-{client:08x}",
        relay,
        circuit,
        None,
        None,
        None,
        None,
    )
    return (1, IPv4Address(address), 1, *fixed)


async def spent(variant: Variant, rows: Batch) -> tuple[float, float]:
    """Return processor time a row in microseconds, and the statement's time in milliseconds."""
    pid = variant.connection.get_server_pid()
    before, started = processor_ns(pid), time.perf_counter()
    won = await variant.statement.fetch(rows, 1, [1], [1 << 40])
    elapsed = time.perf_counter() - started
    if len(won) != len(rows):
        raise RuntimeError(f"{variant.name}: {len(won)} of {len(rows)} rows were written")
    return (processor_ns(pid) - before) / 1000 / len(rows), elapsed * 1000


async def by_turns(variants: list[Variant], work: Iterator[Batch]) -> None:
    """Run and print. The first variant is what the others are compared with."""
    measured: list[list[tuple[float, float]]] = [[] for _ in variants]
    for rows in work:
        for variant, found in zip(variants, measured, strict=True):
            found.append(await spent(variant, rows))
    base = [cost for cost, _ in measured[0][SKIPPED:]]
    print("| variant | µs a row | difference | p99 of a statement, ms |\n|---|---|---|---|")
    for variant, found in zip(variants, measured, strict=True):
        costs, times = [cost for cost, _ in found[SKIPPED:]], sorted(ms for _, ms in found[SKIPPED:])
        difference = statistics.median(cost - other for cost, other in zip(costs, base, strict=True))
        p99 = times[len(times) * 99 // 100]
        print(f"| {variant.name} | {statistics.median(costs):.1f} | {difference:+.1f} | {p99:.1f} |")


@contextlib.contextmanager
def cluster(folder: Path, changes: dict[str, str]) -> Iterator[str]:
    """Provide an embedded PostgreSQL with some settings changed, migrated and planned; its DSN."""
    usual = dict(server.SETTINGS)
    server.SETTINGS.update(changes)
    postgres = EmbeddedPostgres(folder, Settings().postgres_user)
    try:
        migrate(postgres.start())
        yield server.superuser_dsn(folder)  # it makes databases
    finally:
        postgres.stop()
        server.SETTINGS.clear()
        server.SETTINGS.update(usual)


async def session(dsn: str, **other: str) -> asyncpg.Connection:
    return await asyncpg.connect(dsn, server_settings=SESSION, **other)


def changes(indexes: list[str], forms: bool) -> dict[str, str]:
    if forms:
        return FORMS | {SHORT_EVENTS: KEPT}
    every = {f"without {index}": f"drop index {index}" for index in indexes}
    return every | {"without all of these indexes": f"drop index {', '.join(indexes)}"}


def short_events() -> str:
    """Return the statement with less in its events."""
    head, mark, history = LEASE.grant_leases.sql.partition("), history as (")
    for column, nothing in NARROW:
        history = history.replace(column, nothing)
    return f"{head}{mark}{history}"


@contextlib.asynccontextmanager
async def schemas(dsn: str, *, forms: bool) -> AsyncIterator[list[Variant]]:
    """Provide a database for each variant: as it is twice (what differs between them is noise), without history, and
    without each index or in other ways."""
    await bench_plan.insert(dsn)
    owner = await asyncpg.connect(dsn)
    indexes = [row[0] for row in await owner.fetch(INDEXES)]
    name = await owner.fetchval("select current_database()")
    await owner.close()
    admin = await asyncpg.connect(dsn, database="postgres")
    bare = LEASE.grant_leases.sql.replace(*NO_HISTORY)
    kinds = {"as it is": KEPT, "as it is, again": KEPT, "without history": KEPT} | changes(indexes, forms)
    made = []
    for number, (title, change) in enumerate(kinds.items()):
        await admin.execute(f"create database cost_{number} template {name}")
        connection = await session(dsn, database=f"cost_{number}")
        await connection.execute(change)
        query = {"without history": bare, SHORT_EVENTS: short_events()}.get(title, LEASE.grant_leases.sql)
        made.append(Variant(title, connection, await connection.prepare(query)))
    await admin.execute("checkpoint")
    yield made
    for variant in made:
        await variant.connection.close()
    await admin.close()


async def filled(name: str, dsn: str, held: int) -> Variant:
    await bench_plan.insert(dsn)
    connection = await asyncpg.connect(dsn)
    await connection.execute(FILL, IPv4Address(FIRST), held)
    await connection.execute("checkpoint")
    await connection.close()
    connection = await session(dsn)
    return Variant(name, connection, await connection.prepare(LEASE.grant_leases.sql))


async def measure_schemas(folder: Path, wanted: argparse.Namespace) -> None:
    with cluster(folder / "data", {}) as dsn:
        async with schemas(dsn, forms=wanted.forms) as variants:
            await by_turns(variants, batches(wanted.rows, wanted.batch, odd=False))


async def measure_settings(folder: Path, wanted: argparse.Namespace) -> None:
    with contextlib.ExitStack() as stack:
        variants = [
            await filled(name, stack.enter_context(cluster(folder / str(number), changes)), wanted.held)
            for number, (name, changes) in enumerate(SETTINGS.items())
        ]
        await by_turns(variants, batches(wanted.rows, wanted.batch, odd=True))
        for variant in variants:
            await variant.connection.close()


def main() -> None:
    parser = argparse.ArgumentParser(description="What a leased row costs PostgreSQL.")
    parser.add_argument("--forms", action="store_true", help="compare other forms of rows and indexes")
    parser.add_argument("--settings", action="store_true", help="compare settings instead of indexes")
    parser.add_argument("--rows", type=int, default=40_000, help="leases granted to each variant")
    parser.add_argument("--batch", type=int, default=256, help="leases a statement")
    parser.add_argument("--held", type=int, default=1_000_000, help="leases held before, with --settings")
    wanted = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="ipam-cost-", dir=FOLDER))
    folder.chmod(0o711)
    try:
        asyncio.run((measure_settings if wanted.settings else measure_schemas)(folder, wanted))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
