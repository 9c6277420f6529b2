"""Generator that fills a migrated database as a server and its clients would have left it, by sets, thousands of rows a
statement.

`fill_leases` writes active leases of a storm's clients. Each row and its `granted` event equal
those of the server's own statement (ipam_core/db/sql/dhcp_lease.sql), so that the audit, the feed
and renewals treat them alike. It can also write rows as a RELEASE leaves them, with that event; the
partitions of their `granted` events count as dropped. Addresses come from the pools that are open
to everybody, as hashed pools give them (scattered) or lowest first. A storm takes the result as
`held`.

`fill_plan` writes many subnets with a pool, options and reservations each, beside whatever plan is there.
"""

import itertools
import random
import struct
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network
from math import gcd
from typing import Literal

import asyncpg

from dhcp_fast.bench.generator.result import RECORD
from dhcp_fast.bench.generator.template import Features
from ipam_core.db.connect import connect
from ipam_core.errors import IpamError

Progress = Callable[[int], None]

LOOPBACK = IPv4Address("127.0.0.1")
LARGE = IPv4Network("32.0.0.0/3")
LENGTH = 21
LAST_RELAY = IPv4Address("127.0.0.2")
STATEMENT = 50_000
MANY = 100_000
FOUND = struct.Struct("!I4sI")
GOLDEN = 0.6180339887

# Addresses that no pool allocates, and addresses that have a lease; then the gaps between them.
MAKE_VACANT = """
create temp table vacant as
with open_pool as (
  select p.no, p.subnet_no, s.tenant_no, s.cidr, s.gateway, p.start_ip::inet as low, p.end_ip::inet as high
  from pool p join subnet s on s.no = p.subnet_no join tenant t on t.no = s.tenant_no
  where t.is_default and p.class_no is null and family(p.start_ip) = 4
    and ($1::integer[] is null or s.no = any($1))
), held as (
  select p.no, x.start_ip::inet as low, x.end_ip::inet as high from open_pool p join exclude x using (subnet_no)
  union all select p.no, r.ip, r.ip from open_pool p join reservation r using (subnet_no) where r.ip is not null
  union all select p.no, a.ip, a.ip from open_pool p join assignment a using (subnet_no)
  union all select no, gateway, gateway from open_pool where gateway is not null
  union all select no, e, e from open_pool, lateral (
    values (host(network(cidr))::inet), (host(broadcast(cidr))::inet)) as edge (e) where masklen(cidr) <= 30
  union all select p.no, l.address, l.address
    from open_pool p join address_in_use l on l.tenant_no = p.tenant_no and l.address between p.low and p.high
  union all select p.no, l.address, l.address
    from open_pool p join lease l on l.tenant_no = p.tenant_no and l.address between p.low and p.high
  union all select no, high + 1, high + 1 from open_pool
), gap as (
  select p.subnet_no,
    greatest(p.low, 1 + max(h.high) over (partition by p.no order by h.low, h.high
      rows between unbounded preceding and 1 preceding)) as first,
    least(h.low, p.high + 1) as past
  from held h join open_pool p using (no) where h.high >= p.low and h.low <= p.high + 1
)
select subnet_no, first, past - first as size,
  (sum(past - first) over (order by subnet_no, first) - (past - first))::bigint as before
from gap where past > first"""

# The client numbers $1 to $2, counted from the first one of the fill; `place` is among all vacant addresses. The state
# $12 is active or released; a lease that was released ended when it was.
GRANT = """
with granted as (
  select $3::bigint + n as client, v.subnet_no, v.first + (p.place - v.before) as address,
    decode('02' || lpad(to_hex($4::integer), 2, '0') || lpad(to_hex($3::bigint + n), 8, '0'), 'hex') as mac,
    now() - make_interval(secs => $7::double precision) as at
  from generate_series($1::bigint, $2::bigint) as n,
    lateral (select n * $5::bigint % $6::bigint as place) as p,
    lateral (select * from vacant where before <= p.place order by before desc limit 1) as v
  order by n
), won as (
  insert into lease (
    tenant_no, address, prefix_length, subnet_no, state, granted_at, renewed_at, expires_at, reuse_at, version,
    hw_type, hw_address, client_id, client_key, hostname, relay, circuit_id)
  select s.tenant_no, g.address, 32, g.subnet_no, $12::text::"char", g.at, g.at,
    g.at + make_interval(secs => case $12 when 'a' then s.lease_time_seconds else 0 end),
    g.at + make_interval(secs => case $12 when 'a' then s.lease_time_seconds + s.reuse_margin_seconds else 0 end),
    nextval('lease_version'), 1, g.mac,
    case when $8::boolean then '\\x01'::bytea || g.mac end, case when $8 and s.match_client_id
      then '\\x0201'::bytea || g.mac else '\\x0101'::bytea || g.mac end,
    case when $9::boolean then 'host-' || lpad(to_hex(g.client), 8, '0') end, $10::inet, $11::bytea
  from granted g join subnet s on s.no = g.subnet_no
  order by g.client
  returning *
), history as (
  insert into lease_event (
    at, xid, version, granted_at, expires_at, reuse_at, tenant_no, subnet_no, prefix_length, ia_type,
    hw_type, kind, state, address, client_key, hw_address, client_id, hostname, relay, circuit_id)
  select granted_at, pg_current_xact_id(), version, granted_at, expires_at, reuse_at, tenant_no, subnet_no,
    prefix_length, ia_type, hw_type, case $12 when 'a' then 'g' else $12::"char" end, state, address, client_key,
    hw_address, client_id, hostname, relay, circuit_id
  from won
)
select string_agg(substr(hw_address, 3) || substr(inet_send(address), 5)
  || int4send(extract(epoch from expires_at - renewed_at)::integer), ''::bytea order by version)
from won"""

ADD_SUBNETS = """
with made as (
  insert into subnet (id, tenant_no, prefix_no, cidr, gateway, cache_threshold)
  select gen_random_uuid(), $1, $2, set_masklen(($3::inet + (n << (32 - $4::integer))), $4)::cidr,
    $3::inet + (n << (32 - $4)) + 1, $8
  from generate_series($5::bigint, $6::bigint) as n returning no, cidr
), pools as (
  insert into pool (id, subnet_no, name, start_ip, end_ip)
  select gen_random_uuid(), no, 'open', host(network(cidr))::inet + 16, host(broadcast(cidr))::inet - 1 from made
), names as (
  insert into dhcp_option (id, tenant_no, subnet_no, code, payload)
  select gen_random_uuid(), $1, no, 15, jsonb_build_object('string', 'net' || no || '.example.test') from made
)
insert into reservation (id, subnet_no, ip, mac, hostname)
select gen_random_uuid(), no, host(network(cidr))::inet + 32 + r,
  ('02:fe' || regexp_replace(lpad(to_hex(no::bigint << 12 | r), 8, '0'), '(..)', ':\\1', 'g'))::macaddr,
  case when r % 2 = 0 then 'reserved-' || no || '-' || r end
from made, generate_series(0, $7::integer - 1) as r"""

ADD_OPTIONS = """
insert into dhcp_option (id, tenant_no, reservation_no, code, payload)
select gen_random_uuid(), $1, r.no, 42, '{"addresses": ["192.0.2.123"]}'
from reservation r join subnet s on s.no = r.subnet_no where s.prefix_no = $2 and r.no % 100 = 0"""

NAME_RELAY = """
update subnet set relay_addresses = $2 where no = (select max(no) from subnet where prefix_no = $1)"""

INDEXES = """
select indexrelid::regclass::text, replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') from pg_index
where indrelid in ('lease'::regclass, 'lease_event'::regclass)"""


@dataclass(eq=False)
class PoolsTooSmall(IpamError):
    """the open pools have {vacant:,} vacant addresses, {wanted:,} leases were asked for"""

    vacant: int
    wanted: int


def silent(_done: int) -> None:
    """Ignore progress."""


async def fill_leases(
    dsn: str,
    *,
    seed: int,
    count: int,
    first_client: int = 0,
    subnets: Sequence[int] | None = None,
    features: Features | None = None,
    scattered: bool = True,
    order: Literal["granting", "random"] = "granting",
    age_seconds: float = 0.0,
    server_id: IPv4Address = LOOPBACK,
    log_every: int = 1,
    state: Literal["active", "released"] = "active",
    progress: Progress = silent,
) -> bytes:
    """Return leases of a storm's clients from `first_client` on, as its log would contain them:
    all, or one in `log_every`.

    `subnets`: numbers of those of the default tenant whose pools are used, None: all.
    `age_seconds`: how long ago they were granted, less than a day. `order`: of the returned
    records; the rows are in the order of granting. No server may run meanwhile: large fills take
    the indexes away. `progress` is called with the number of leases written.
    """
    features = features or Features()
    connection = await connect(dsn)
    try:
        await connection.execute("set jit = off")
        vacant = await find_vacant(connection, subnets)
        if vacant < count:
            raise PoolsTooSmall(vacant, count)
        log = bytearray()
        async with unindexed(connection, count):
            for first in range(0, count, STATEMENT):
                last = min(first + STATEMENT, count) - 1
                stride = stride_over(vacant) if scattered else 1
                found = await connection.fetchval(
                    GRANT, first, last, first_client, seed, stride, vacant, age_seconds,
                    features.client_id, features.hostname, features.giaddr, features.circuit_id, state[:1],
                )  # fmt: skip
                log += records(found, server_id, -first % log_every, log_every)
                progress(last + 1)
        await tidy(connection)
    finally:
        await connection.close()
    return shuffled(log, seed) if order == "random" else bytes(log)


async def tidy(connection: asyncpg.Connection) -> None:
    """Tidy the tables as autovacuum would leave them."""
    await connection.execute("vacuum (analyze) lease")
    await connection.execute("vacuum (analyze) lease_event")


async def find_vacant(connection: asyncpg.Connection, subnets: Sequence[int] | None) -> int:
    """Create the temporary table `vacant`, runs of addresses in order; return how many they are."""
    await connection.execute(MAKE_VACANT, subnets)
    await connection.execute("create index on vacant (before); analyze vacant")
    return int(await connection.fetchval("select coalesce(sum(size), 0)::bigint from vacant"))


def stride_over(size: int) -> int:
    """Return a step that visits each of `size` places once, far from the one before; products stay below 2^63."""
    stride = max(1, min(int(size * GOLDEN), 1 << 30))
    while gcd(stride, size) != 1:
        stride += 1
    return stride


@asynccontextmanager
async def unindexed(connection: asyncpg.Connection, count: int) -> AsyncIterator[None]:
    """Remove the indexes while many rows are written, and build them afterwards at a third of the cost."""
    if count < MANY:
        yield
        return
    found = [tuple(row) for row in await connection.fetch(INDEXES)]
    await connection.execute("alter table lease drop constraint lease_pkey")
    for name, _ in found:
        await connection.execute(f"drop index if exists {name}")  # the key's went with its constraint
    try:
        yield
    finally:
        await connection.execute("set maintenance_work_mem = '512MB'")
        for _, definition in found:
            await connection.execute(definition)
        await connection.execute(
            "alter table lease add constraint lease_pkey primary key using index lease_pkey"
        )


def records(found: bytes, server_id: IPv4Address, first: int = 0, step: int = 1) -> bytes:
    """Return client, address, seconds in network order as records of a storm's log: the `first` one and on."""
    server = server_id.packed
    chosen = itertools.islice(FOUND.iter_unpack(found), first, None, step)
    return b"".join(RECORD.pack(client, address, server, seconds) for client, address, seconds in chosen)


def shuffled(log: bytearray, seed: int) -> bytes:
    parts = [log[at : at + RECORD.size] for at in range(0, len(log), RECORD.size)]
    random.Random(seed).shuffle(parts)  # noqa: S311 - an order, not a secret
    return b"".join(parts)


async def fill_plan(
    dsn: str,
    *,
    subnets: int = 10_000,
    reservations_per_subnet: int = 100,
    length: int = LENGTH,
    cache_threshold: float = 0.25,
    progress: Progress = silent,
) -> list[IPv4Network]:
    """Return the networks of `subnets` new subnets from 32.0.0.0 on, each of prefix length `length`.

    Each has a gateway, an option of its own, and a pool of all but its first sixteen addresses. Its
    reservations are inside the pool: every second one has a host name, one in a hundred an option.
    LAST_RELAY is the relay address of the last one. `progress` is called with the number of subnets
    written.
    """
    connection = await connect(dsn)
    try:
        async with connection.transaction():
            tenant = await connection.fetchval("select no from tenant where is_default")
            prefix = await connection.fetchval(
                "insert into prefix (id, tenant_no, cidr) values (gen_random_uuid(), $1, $2) returning no",
                tenant,
                LARGE,
            )
            step = max(1, STATEMENT // max(reservations_per_subnet, 50))
            for first in range(0, subnets, step):
                last = min(first + step, subnets) - 1
                await connection.execute(
                    ADD_SUBNETS, tenant, prefix, LARGE.network_address, length, first, last,
                    reservations_per_subnet, cache_threshold,
                )  # fmt: skip
                progress(last + 1)
            await connection.execute(ADD_OPTIONS, tenant, prefix)
            await connection.execute(NAME_RELAY, prefix, [LAST_RELAY])
        await connection.execute("vacuum (analyze) reservation")
        await connection.execute("analyze subnet, pool, dhcp_option")
    finally:
        await connection.close()
    size = 1 << (32 - length)
    return [IPv4Network((int(LARGE.network_address) + n * size, length)) for n in range(subnets)]
