"""Samples during a long run, of the server's processes and of PostgreSQL's statistics.

Row counts and HOT updates come from PostgreSQL's own statistics (pg_stat_user_tables); a session
reports them with a delay of up to a second. Bloat is measured where the extension pgstattuple is
available, else estimated from dead rows and the sizes of table and indexes.
"""

import asyncpg
import msgspec

from dhcp_fast.bench.report.figures import Fact
from dhcp_fast.bench.servers.processes import memory
from dhcp_fast.bench.servers.servers import Server
from ipam_core.db.connect import connect

LEASES = """
select n_tup_upd as updates, n_tup_hot_upd as hot, n_dead_tup as dead, n_live_tup as live,
  pg_table_size(relid) as table_size, pg_indexes_size(relid) as index_size
from pg_stat_user_tables where relname = 'lease'"""

HISTORY = """
select coalesce(sum(pg_total_relation_size(inhrelid)), 0)::bigint
from pg_inherits where inhparent = 'lease_event'::regclass"""

OFFERED = "select exists (select from pg_available_extensions where name = 'pgstattuple')"

# Free space and dead rows of the table in percent; an index's leaves are full or not.
BLOAT = """
select 'lease' as relation, approx_free_percent + dead_tuple_percent as percent from pgstattuple_approx('lease')
union all select indexrelid::regclass::text, 100 - avg_leaf_density
from pg_index, pgstatindex(indexrelid::regclass) where indrelid = 'lease'::regclass"""


class Table(msgspec.Struct, frozen=True):
    """The lease table since its beginning; sizes in octets."""

    updates: int
    hot: int
    dead: int
    live: int
    table_size: int
    index_size: int


async def look_at_leases(dsn: str) -> Table:
    connection = await connect(dsn)
    try:
        return Table(**await connection.fetchrow(LEASES))
    finally:
        await connection.close()


async def sample(server: Server, dsn: str) -> dict[str, Fact]:
    """Return memory by owner, and sizes, in MiB; dead rows in thousands of the live ones."""
    connection = await connect(dsn)
    try:
        table = Table(**await connection.fetchrow(LEASES))
        history = await connection.fetchval(HISTORY)
    finally:
        await connection.close()
    found: dict[str, Fact] = {
        "table_mib": mib(table.table_size),
        "indexes_mib": mib(table.index_size),
        "history_mib": mib(history),
        "dead_rows": table.dead,
        "live_rows": table.live,
    }
    for owner, roots in server.processes().items():
        found |= {f"{owner}_{kind}_mib": mib(octets) for kind, octets in memory(roots).items()}
    return found


async def bloat(dsn: str) -> dict[str, Fact]:
    """Return the percentage of the lease table and of its indexes that is empty; empty without pgstattuple."""
    connection = await connect(dsn)
    try:
        if not await connection.fetchval(OFFERED):
            return {}
        await connection.execute("create extension if not exists pgstattuple")
        rows: list[asyncpg.Record] = await connection.fetch(BLOAT)
    finally:
        await connection.close()
    return {f"unused_percent_of_{row['relation']}": round(row["percent"], 1) for row in rows}


def mib(octets: int) -> float:
    return round(octets / (1 << 20), 2)


def growth(samples: list[dict[str, Fact]], name: str) -> float:
    """Return the mean of the last third less the mean of the middle third: growth after caches had long been full."""
    values = [float(one[name]) for one in samples]
    third = max(len(values) // 3, 1)
    last, middle = values[-third:], values[-2 * third : -third] or values[:1]
    return round(sum(last) / len(last) - sum(middle) / len(middle), 2)
