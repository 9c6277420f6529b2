"""The address plan that the system tests serve, written as rows, and what the lease table says afterwards.

One subnet 192.0.2.0/24 with a pool, an option set and a reservation for one MAC: rows, not API calls, so
that these tests stand on the schema and the DHCP server alone. Lease writes are made visible by
`cache_threshold = 0`: every renewal must reach the database.
"""

import asyncio
import time
from collections.abc import Callable
from ipaddress import IPv4Address, IPv4Interface
from typing import Any

import asyncpg

ROUTER = IPv4Address("192.0.2.1")
DNS = (IPv4Address("192.0.2.53"), IPv4Address("192.0.2.54"))
POOL = (IPv4Address("192.0.2.100"), IPv4Address("192.0.2.199"))
LEASE_SECONDS = 600
RENEW_SECONDS = 4  # short: dhclient renews at its T1 and cannot be asked to
RESERVED_MAC = "02:00:00:00:00:2a"
RESERVED = IPv4Interface("192.0.2.42/24")
WAIT_SECONDS = 10.0

SUBNET = """
with
  tenant_row as (
    insert into tenant (id, name, is_default) values (gen_random_uuid(), 'default', true)
    on conflict (name) do update set is_default = true returning no),
  prefix_row as (
    insert into prefix (id, tenant_no, cidr)
    select gen_random_uuid(), no, '192.0.2.0/24' from tenant_row returning no, tenant_no)
insert into subnet (
  id, tenant_no, prefix_no, cidr, gateway, lease_time_seconds, renew_time_seconds, cache_threshold)
select gen_random_uuid(), tenant_no, no, '192.0.2.0/24', $1, $2, $3, 0 from prefix_row
returning no, tenant_no
"""
POOL_ROW = "insert into pool (id, subnet_no, start_ip, end_ip) values (gen_random_uuid(), $1, $2, $3)"
RESERVATION = """
insert into reservation (id, subnet_no, ip, mac, hostname)
values (gen_random_uuid(), $1, $2::inet, $3::text::macaddr, 'reserved')
"""
OPTION = """
insert into dhcp_option (id, tenant_no, subnet_no, family, code, payload)
values (gen_random_uuid(), $1, $2, 4, $3, $4::text::jsonb)
"""
TRUST = "insert into trusted_relay (id, cidr) values (gen_random_uuid(), $1::text::cidr)"
LEASE = """
select state::text, hw_address, client_id, host(relay) as relay, granted_at, renewed_at
from lease where address = $1
"""


def write(dsn: str, trusted_relay: str | None = None) -> None:
    """Put the plan into an empty, migrated database; `trusted_relay` is a CIDR."""

    async def insert(connection: Any) -> None:
        async with connection.transaction():
            row = await connection.fetchrow(SUBNET, ROUTER, LEASE_SECONDS, RENEW_SECONDS)
            await connection.execute(POOL_ROW, row["no"], *POOL)
            await connection.execute(RESERVATION, row["no"], RESERVED.ip, RESERVED_MAC)
            addresses = ", ".join(f'"{server}"' for server in DNS)
            await connection.execute(
                OPTION, row["tenant_no"], row["no"], 6, f'{{"addresses": [{addresses}]}}'
            )
            if trusted_relay:
                await connection.execute(TRUST, trusted_relay)

    connected(dsn, insert)


def lease(dsn: str, address: IPv4Address) -> dict[str, Any]:
    """The row of an address; empty when there is none."""

    async def read(connection: Any) -> dict[str, Any]:
        return dict(await connection.fetchrow(LEASE, address) or {})

    found: dict[str, Any] = connected(dsn, read)
    return found


def await_lease(
    dsn: str, address: IPv4Address, holds: Callable[[dict[str, Any]], bool], what: str
) -> dict[str, Any]:
    """The row as soon as `holds` is true of it."""
    deadline = time.monotonic() + WAIT_SECONDS
    while not holds(row := lease(dsn, address)):
        assert time.monotonic() < deadline, f"{address} was never {what}: {row}"
        time.sleep(0.1)
    return row


def connected(dsn: str, work: Callable[[Any], Any]) -> Any:
    async def run() -> Any:
        connection = await asyncpg.connect(dsn)
        try:
            return await work(connection)
        finally:
            await connection.close()

    return asyncio.run(run())
