"""Cost of samples of utilization and the dashboard on a large site.

    python -m benchmarks.figures                 # 10,000 subnets, 20,000 pools, 1,000,000 leases, 100,000 reservations
    python -m benchmarks.figures --subnets 1000

It starts a PostgreSQL of its own. Samples: the first one, then samples after a change of a tenth,
of nothing and of everything. Then come hours of samples after changes of everything, which are
thinned out, and graphs of some subnets. The dashboard is queried as by the API, and so is the
refresh of its figures.
"""

import argparse
import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import asyncpg

from dhcp_fast.bench.servers.databases import LONG_CYCLE, migrated_postgres, scratch
from ipam_core.db.connect import connect
from ipam_core.model.actor import Actor
from ipam_core.services import dashboard, usage, usage_history
from ipam_core.services.usage_history import LEVELS

ANYBODY = Actor(role="admin")
ADDRESSES = 100  # a subnet: so many leases
RESERVED = 10
HOURS = 6  # of samples in which all has changed
SAMPLES = 12 * HOURS

PLAN = """
insert into prefix (id, tenant_no, cidr) values (gen_random_uuid(), 1, '10.0.0.0/8');
insert into subnet (id, tenant_no, prefix_no, cidr)
select gen_random_uuid(), 1, (select no from prefix), set_masklen('10.0.0.0'::inet + n * 256, 24)::cidr
from generate_series(0, {subnets} - 1) n;
insert into pool (id, subnet_no, start_ip, end_ip)
select gen_random_uuid(), no, host(cidr)::inet + 20 + 100 * half, host(cidr)::inet + 119 + 100 * half
from subnet, generate_series(0, 1) half;
insert into reservation (id, subnet_no, ip, mac)
select gen_random_uuid(), no, host(cidr)::inet + 1 + n, ('0200' || lpad(to_hex(no * 16 + n), 8, '0'))::macaddr
from subnet, generate_series(1, {reserved}) n;
insert into lease (granted_at, renewed_at, expires_at, reuse_at, version, tenant_no, subnet_no, prefix_length, state,
  address, client_key)
select now(), now(), now() + '1 day', now() + '1 day', nextval('lease_version'), 1, no, 32, 'a',
  host(cidr)::inet + 20 + 2 * n, '\\x0101'::bytea || int4send(no) || int2send(n::smallint)
from subnet, generate_series(0, {addresses} - 1) n"""
CHANGE = "update usage set leased = leased + 1, open = open + 1"
# The next sample is another five minutes' one: the last one lies further back, by less each time.
LATER = "update usage_history_state set sampled_at = sampled_at - interval '5 minutes'"
AGE = "update usage_history set at = at - $1 * interval '1 day' where at > now() - interval '10 minutes'"
COPY = """
insert into usage_history (at, subnet_no, pool_no, leased, total, used, peak)
select date_bin('5 minutes', now(), '2000-01-01 00:00Z') - interval '3 days' + $1 * interval '5 minutes', subnet_no,
  pool_no, leased + $1, total, taken + open + $1, taken + open + $1 from usage"""
SIZE = "select pg_total_relation_size('usage_history') / greatest(count(*), 1) from usage_history"


async def timed(work: Callable[[], Awaitable[Any]], times: int = 1) -> tuple[float, float]:
    """Return milliseconds: the median, and the worst."""
    took = []
    for _ in range(times):
        began = time.perf_counter()
        await work()
        took.append(1000 * (time.perf_counter() - began))
    return statistics.median(took), max(took)


def row(what: str, found: tuple[float, float]) -> None:
    print(f"| {what} | {found[0]:.1f} | {found[1]:.1f} |", flush=True)


async def count_all(connection: asyncpg.Connection) -> None:
    while await usage.refresh(connection):
        pass


async def sampled(connection: asyncpg.Connection, changes: str, days: int) -> None:
    await connection.execute(changes)
    await connection.execute(AGE, days)
    await connection.execute(LATER)
    began = time.perf_counter()
    made = await usage_history.take_sample(connection)
    took = 1000 * (time.perf_counter() - began)
    row(f"a sample, {made} rows", (took, took))


async def measure(dsn: str, subnets: int) -> None:
    connection = await connect(dsn)
    await connection.execute("set jit = off")
    sizes = {"subnets": subnets, "reserved": RESERVED, "addresses": ADDRESSES}
    await connection.execute(PLAN.format(**sizes), timeout=3600)
    await connection.execute("vacuum analyze", timeout=3600)
    print(
        f"{subnets} subnets, {2 * subnets} pools, {subnets * ADDRESSES} leases, {subnets * RESERVED} reservations\n"
    )
    print("| what | median ms | worst ms |\n|---|---|---|")
    row("all counted for the first time", await timed(lambda: count_all(connection)))
    await connection.execute("vacuum analyze usage")
    row("a refresh, nothing new", await timed(lambda: usage.refresh(connection), 20))
    row("the dashboard", await timed(lambda: dashboard.read(connection, ANYBODY), 50))
    row("the first sample", await timed(lambda: usage_history.take_sample(connection)))
    for days, changes in enumerate((CHANGE + " where subnet_no % 10 = 0", "select 1", CHANGE)):
        await sampled(connection, changes, 30 - days)
    await thin(connection)
    await graph(connection)
    await connection.close()


async def thin(connection: asyncpg.Connection) -> None:
    """Thin the history; each moment is a transaction."""
    for n in range(SAMPLES):
        await connection.execute(COPY, n)
    await connection.execute("vacuum analyze usage_history")
    print(f"| octets a row, indexes too | {await connection.fetchval(SIZE)} | |")

    async def once() -> None:
        assert await usage_history.thin(connection, LEVELS[0])

    row("a moment thinned out to hours", await timed(once, SAMPLES - 1))


async def graph(connection: asyncpg.Connection) -> None:
    found = await connection.fetch("select id from subnet order by random() limit 100")
    ids = iter([str(each["id"]) for each in found])
    since = await connection.fetchval("select now() - $1::interval", timedelta(days=4))

    async def once() -> None:
        query = {"since": since.isoformat()}
        told = await usage_history.of_subnet(connection, ANYBODY, next(ids), query)
        assert told.items

    row("the graph of a subnet", await timed(once, 100))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--subnets", type=int, default=10_000)
    told = parser.parse_args()
    with scratch() as folder, migrated_postgres(folder, LONG_CYCLE) as (_, dsn):
        asyncio.run(measure(dsn, told.subnets))


if __name__ == "__main__":
    main()
