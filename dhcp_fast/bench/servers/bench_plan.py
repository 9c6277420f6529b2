"""The address plan that a benchmark serves: large enough that every exchange of a run gets a fresh address.

A /10 with one open pool of four million addresses, a pool of a client class, reservations inside
and outside the pool, an exclude and the usual options. For tests of full pools: a subnet of any
size that is one pool but for its first two addresses. Written as SQL, in one transaction, before
the server starts.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from ipaddress import IPv4Address, IPv4Network
from typing import Any

import asyncpg

from ipam_core.db.connect import connect
from ipam_core.model.ids import new_id

PREFIX = IPv4Network("10.0.0.0/8")
SUBNET = IPv4Network("10.64.0.0/10")
RELAY = IPv4Address("127.0.0.1")
TRUSTED = IPv4Network("127.0.0.0/8")
POOL = (IPv4Address("10.64.1.0"), IPv4Address("10.127.239.255"))
CLASS_POOL = (IPv4Address("10.127.240.0"), IPv4Address("10.127.247.255"))
EXCLUDE = (IPv4Address("10.80.0.0"), IPv4Address("10.80.0.255"))
RESERVATIONS = 200
OPTIONS: dict[int, Any] = {
    6: {"addresses": ["10.64.0.2", "10.64.0.3"]},
    15: {"string": "example.test"},
    42: {"addresses": ["10.64.0.4"]},
}

# The pool's $3 addresses in $5 runs of like length; the first ones of each stay open, $4 in all.
MOST_RUNS = 50_000
EXCLUDE_BETWEEN = """
insert into exclude (id, subnet_no, start_ip, end_ip)
select gen_random_uuid(), $1, $2::inet + closed, $2::inet + past - 1
from generate_series(0, $5::bigint - 1) as n, lateral (
  select n * $3::bigint / $5 + (n + 1) * $4::bigint / $5 - n * $4 / $5 as closed, (n + 1) * $3 / $5 as past) as run
where closed < past"""


async def insert(dsn: str, *, cache_threshold: float = 0.25) -> None:
    """Insert the plan. `cache_threshold` 0 makes every renewal a write."""
    async with writing(dsn) as (connection, tenant):
        subnet = await insert_subnet(connection, tenant, SUBNET, cache_threshold)
        await insert_pools(connection, tenant, subnet)
        await insert_reservations(connection, subnet)
        await insert_options(connection, tenant, subnet)


async def insert_single(
    dsn: str, network: IPv4Network, *, sequential: bool = False, excluded: int = 0
) -> None:
    """Insert a subnet of the default tenant, all of it one pool: of `single_pool(network)`. So many of its addresses
    are `excluded`, all over the pool."""
    first, last = single_pool(network)
    allocation = "sequential" if sequential else "hashed"
    async with writing(dsn) as (connection, tenant):
        subnet = await insert_subnet(connection, tenant, network, 0.0)
        await insert_options(connection, tenant, subnet)
        await add(connection, "pool", subnet_no=subnet, start_ip=first, end_ip=last, allocation=allocation)
        if excluded:
            size = int(last) - int(first) + 1
            runs = min(size - excluded, MOST_RUNS)
            await connection.execute(EXCLUDE_BETWEEN, subnet, first, size, size - excluded, runs)


def single_pool(network: IPv4Network) -> tuple[IPv4Address, IPv4Address]:
    """Return all addresses between the gateway, which is the first one, and the broadcast address."""
    return network.network_address + 2, network.broadcast_address - 1


@asynccontextmanager
async def writing(dsn: str) -> AsyncIterator[tuple[asyncpg.Connection, int]]:
    """Provide a transaction and the default tenant; the storm's relay is trusted at its end."""
    connection = await connect(dsn)
    try:
        async with connection.transaction():
            yield connection, await connection.fetchval("select no from tenant where is_default")
            await add(connection, "trusted_relay", cidr=TRUSTED)
    finally:
        await connection.close()


async def insert_subnet(
    connection: asyncpg.Connection, tenant: int, cidr: IPv4Network, cache_threshold: float
) -> int:
    prefix = await add(connection, "prefix", tenant_no=tenant, cidr=PREFIX)
    return await add(
        connection,
        "subnet",
        tenant_no=tenant,
        prefix_no=prefix,
        cidr=cidr,
        gateway=cidr.network_address + 1,
        relay_addresses=[RELAY],
        cache_threshold=cache_threshold,
    )


async def insert_pools(connection: asyncpg.Connection, tenant: int, subnet: int) -> None:
    phones = await add(connection, "client_class", tenant_no=tenant, name="phones", vendor_class="phone")
    for name, (first, last), members in (("open", POOL, None), ("phones", CLASS_POOL, phones)):
        await add(
            connection, "pool", subnet_no=subnet, name=name, start_ip=first, end_ip=last, class_no=members
        )
    await add(connection, "exclude", subnet_no=subnet, start_ip=EXCLUDE[0], end_ip=EXCLUDE[1])


async def insert_reservations(connection: asyncpg.Connection, subnet: int) -> None:
    """Insert reservations, half of them inside the pool, half outside; for other clients than the storm's."""
    for number in range(RESERVATIONS):
        first = POOL[0] if number % 2 else IPv4Address("10.127.250.0")
        mac = (b"\x02\xff" + number.to_bytes(4, "big")).hex(":")
        await add(connection, "reservation", subnet_no=subnet, ip=first + 1000 + number, mac=mac)


async def insert_options(connection: asyncpg.Connection, tenant: int, subnet: int) -> None:
    for code, payload in OPTIONS.items():
        await add(connection, "dhcp_option", tenant_no=tenant, subnet_no=subnet, code=code, payload=payload)


async def add(connection: asyncpg.Connection, table: str, **columns: Any) -> int:
    """Insert one row with a fresh public id; its number. Names come from this module only."""
    names = ", ".join(["id", *columns])
    places = ", ".join(f"${place}" for place in range(1, len(columns) + 2))
    query = f"insert into {table} ({names}) values ({places}) returning no"  # noqa: S608 - no outside text
    number: int = await connection.fetchval(query, new_id(), *columns.values())
    return number
