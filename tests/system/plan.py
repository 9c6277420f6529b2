"""The address plan that the system tests serve, written as rows, and what the lease table says afterwards.

One subnet 192.0.2.0/24 with a pool, options of every shape and a reservation for one MAC: rows, not API calls,
so that these tests stand on the schema and the DHCP server alone. Lease writes are made visible by
`cache_threshold = 0`: every renewal must reach the database. A change is made as the API makes one: the subnet's
fence, the rows and the notification in one transaction.
"""

import asyncio
import json
import time
from collections.abc import Callable
from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from typing import Any

import asyncpg
from system.clients.lease import Lease

ROUTER = IPv4Address("192.0.2.1")
DNS = (IPv4Address("192.0.2.53"), IPv4Address("192.0.2.54"))
POOL = (IPv4Address("192.0.2.100"), IPv4Address("192.0.2.199"))
LEASE_SECONDS = 600
RENEW_SECONDS = 2  # short: dhclient and networkd renew at T1 and cannot be asked to
DOMAIN = "example.test"
SEARCH = ("example.test", "lab.example.test")
NTP = (IPv4Address("192.0.2.123"),)
MTU = 1400
ROUTES = frozenset(
    {(IPv4Network("0.0.0.0/0"), ROUTER), (IPv4Network("198.18.0.0/15"), IPv4Address("192.0.2.9"))}
)
OPTIONS: dict[int, dict[str, Any]] = {
    6: {"addresses": list(map(str, DNS))},
    15: {"string": DOMAIN},
    26: {"value": MTU},
    42: {"addresses": list(map(str, NTP))},
    119: {"names": list(SEARCH)},
    121: {"routes": [{"destination": str(to), "router": str(via)} for to, via in sorted(ROUTES)]},
}
RESERVED_MAC = "02:00:00:00:00:2a"
RESERVED = IPv4Interface("192.0.2.42/24")
RESERVED_NAME = "reserved"
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
values (gen_random_uuid(), $1, $2::inet, $3::text::macaddr, $4)
"""
OPTION = """
insert into dhcp_option (id, tenant_no, subnet_no, family, code, payload)
values (gen_random_uuid(), $1, $2, 4, $3, $4::text::jsonb)
"""
TRUST = "insert into trusted_relay (id, cidr) values (gen_random_uuid(), $1::text::cidr)"
RAISE_FENCE = "update subnet set fence = fence + 1 returning no"
MOVE = "update reservation set ip = $1::inet where mac = $2::text::macaddr"
NOTIFY = "select pg_notify('ipam_change', $1)"
LEASE = """
select state::text, hw_address, client_id, hostname, host(relay) as relay, circuit_id, granted_at, renewed_at
from lease where address = $1
"""


def write(dsn: str, trusted_relay: str | None = None, **subnet: Any) -> None:
    """Put the plan into an empty, migrated database; `trusted_relay` is a CIDR, `subnet` columns that differ."""

    async def insert(connection: Any) -> None:
        async with connection.transaction():
            row = await connection.fetchrow(SUBNET, ROUTER, LEASE_SECONDS, RENEW_SECONDS)
            await connection.execute(POOL_ROW, row["no"], *POOL)
            await connection.execute(RESERVATION, row["no"], RESERVED.ip, RESERVED_MAC, RESERVED_NAME)
            for code, payload in OPTIONS.items():
                await connection.execute(OPTION, row["tenant_no"], row["no"], code, json.dumps(payload))
            for column, value in subnet.items():
                await connection.execute(f"update subnet set {column} = $1", value)
            if trusted_relay:
                await connection.execute(TRUST, trusted_relay)

    connected(dsn, insert)


def change(dsn: str, statement: str, *arguments: Any) -> None:
    """Execute one statement as a change of the subnet."""

    async def execute(connection: Any) -> None:
        async with connection.transaction():
            no = await connection.fetchval(RAISE_FENCE)
            await connection.execute(statement, *arguments)
            await connection.execute(NOTIFY, str(no))

    connected(dsn, execute)


def move_reservation(dsn: str, to: IPv4Address) -> None:
    change(dsn, MOVE, to, RESERVED_MAC)


def check_by_ping(dsn: str) -> None:
    """For servers that start afterwards."""

    async def update(connection: Any) -> None:
        await connection.execute("update subnet set ping_check = true")

    connected(dsn, update)


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


def assert_served(lease: Lease, server_id: IPv4Address, *addresses: IPv4Address) -> None:
    """The client tells everything that the plan says, and an address of the pool unless one is named."""
    if addresses:
        assert lease.address.ip in addresses
    else:
        assert POOL[0] <= lease.address.ip <= POOL[1]
    assert lease.address.network.prefixlen == 24
    assert lease.server_id == server_id
    assert lease.lease_seconds == LEASE_SECONDS
    assert lease.routers == (ROUTER,)
    assert lease.dns == DNS
    assert lease.domain == DOMAIN
    assert lease.search == SEARCH
    assert lease.ntp == NTP
    assert lease.mtu == MTU
    assert lease.routes == ROUTES


def connected(dsn: str, work: Callable[[Any], Any]) -> Any:
    async def run() -> Any:
        connection = await asyncpg.connect(dsn)
        try:
            return await work(connection)
        finally:
            await connection.close()

    return asyncio.run(run())
