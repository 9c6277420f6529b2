"""The address plan of one test, written as rows, and what the tables say afterwards.

Rows, not API calls, so that these tests stand on the schema and the DHCP server alone. A change is written as
the API writes it: the subnet's fence first, then the rows, a `change` row and the notification, in one
transaction. Each subnet 10.N.0.0/24 is chosen by the relay 127.0.N.1, which a test can be.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from ipaddress import IPv4Address, IPv4Network, ip_address, ip_network
from typing import Any, Self

import asyncpg

from dhcp_fast.bench.servers.bench_plan import add
from ipam_core.model.ids import new_id

ADD_DEFAULT_TENANT = """
insert into tenant (id, name, is_default) values ($1, 'default', true)
on conflict (name) do update set is_default = true returning no"""
ADD_TENANT = "insert into tenant (id, name) values (gen_random_uuid(), $1) returning no"
# Whoever sends from the loopback interface is this tenant's relay, until the next test's tenant takes its place.
BIND_RELAYS = """
with before as (delete from trusted_relay where description = 'of the test')
insert into trusted_relay (id, tenant_no, cidr, description)
select gen_random_uuid(), $1, cidr, 'of the test' from unnest('{127.0.0.0/8, ::1/128}'::cidr[]) as cidr"""
RAISE_FENCE = "update subnet set fence = fence + 1 where no = $1"
RECORD = """
insert into change (tenant_no, subnet_no, object_type, object_id, action)
values ($1, $2, $3, $4, 'updated')"""
WAIT_SECONDS = 10.0


class Subnet:
    """A /24 and the relay that stands in front of it."""

    def __init__(self, site: Site, no: int, number: int, network: IPv4Network) -> None:
        self.site = site
        self.no = no
        self.network = network
        self.relay = IPv4Address(f"127.0.{number}.1")

    def address(self, last: int) -> IPv4Address:
        return self.network[last]

    async def pool(self, first: int, last: int, **fields: Any) -> int:
        start, end = self.address(first), self.address(last)
        return await add(
            self.site.connection, "pool", subnet_no=self.no, start_ip=start, end_ip=end, **fields
        )

    async def exclude(self, first: int, last: int) -> int:
        start, end = self.address(first), self.address(last)
        return await add(self.site.connection, "exclude", subnet_no=self.no, start_ip=start, end_ip=end)

    async def reserve(self, last: int, **identity: Any) -> int:
        return await add(
            self.site.connection, "reservation", subnet_no=self.no, ip=self.address(last), **identity
        )

    async def option(self, code: int, payload: dict[str, Any], **fields: Any) -> int:
        return await self.site.option(code, payload, subnet_no=self.no, **fields)

    async def set(self, **fields: Any) -> None:
        """Change columns of the subnet, without telling anybody."""
        for column, value in fields.items():
            await self.site.connection.execute(
                f"update subnet set {column} = $2 where no = $1", self.no, value
            )

    @asynccontextmanager
    async def change(self, object_type: str = "subnet", *, tell: bool = True) -> AsyncIterator[None]:
        """What is written inside is one change of this subnet, as the API makes one."""
        async with self.site.connection.transaction():
            await self.site.connection.execute(RAISE_FENCE, self.no)
            yield
            await self.site.record(self.no, object_type)
            if tell:
                await self.site.connection.execute("select pg_notify('ipam_change', $1)", str(self.no))


class Site:
    """One tenant's plan and its lease tables, over one connection."""

    def __init__(
        self,
        connection: asyncpg.Connection,
        tenant_no: int,
        prefix_no: int,
        numbers: Iterator[int] | None = None,
    ) -> None:
        self.connection = connection
        self.tenant_no = tenant_no
        self.prefix_no = prefix_no
        self.numbers = numbers

    @classmethod
    async def create(
        cls, connection: asyncpg.Connection, numbers: Iterator[int] | None = None, cidr: str = "10.0.0.0/8"
    ) -> Self:
        """Of the default tenant; where tests share a server (shared.py), one of its own with all relays, and `numbers`
        are those of its subnets."""
        tenant_no = await connection.fetchval(ADD_DEFAULT_TENANT, new_id())
        if numbers is not None:
            tenant_no = await connection.fetchval(ADD_TENANT, f"test-{new_id()}")
            await connection.execute(BIND_RELAYS, tenant_no)
        prefix_no = await add(connection, "prefix", tenant_no=tenant_no, cidr=ip_network(cidr))
        return cls(connection, tenant_no, prefix_no, numbers)

    def number(self, wanted: int) -> int:
        """That of a subnet: where tests share a server, one that none of them has had."""
        return wanted if self.numbers is None else next(self.numbers)

    async def subnet(self, number: int = 5, **fields: Any) -> Subnet:
        """10.N.0.0/24; every renewal is a write unless the test says otherwise."""
        number = self.number(number)
        told = {
            "tenant_no": self.tenant_no,
            "prefix_no": self.prefix_no,
            "cidr": IPv4Network(f"10.{number}.0.0/24"),
            "gateway": IPv4Address(f"10.{number}.0.1"),
            "relay_addresses": [IPv4Address(f"127.0.{number}.1")],
            "lease_time_seconds": 600,
            "cache_threshold": 0.0,
        }
        fields = told | fields
        return Subnet(self, await add(self.connection, "subnet", **fields), number, fields["cidr"])

    async def direct_subnet(self, **fields: Any) -> Subnet:
        """127.5.0.0/24: what a server sends by unicast to its clients stays on the loopback interface."""
        return await self.subnet(cidr=IPv4Network("127.5.0.0/24"), gateway=None, **fields)

    async def client_class(self, name: str, **fields: Any) -> int:
        return await add(self.connection, "client_class", tenant_no=self.tenant_no, name=name, **fields)

    async def option(self, code: int, payload: dict[str, Any], **fields: Any) -> int:
        return await add(
            self.connection, "dhcp_option", tenant_no=self.tenant_no, code=code, payload=payload, **fields
        )

    async def record(self, subnet_no: int | None, object_type: str) -> None:
        await self.connection.execute(RECORD, self.tenant_no, subnet_no, object_type, str(new_id()))

    async def lease(self, address: Any) -> dict[str, Any]:
        """The row of an address; empty when there is none."""
        row = await self.connection.fetchrow(
            "select *, xmin::text as written_by from lease where tenant_no = $1 and address = $2",
            self.tenant_no,
            IPv4Address(address),
        )
        return dict(row or {})

    async def events(self, address: Any) -> list[dict[str, Any]]:
        """The address's history in the order of its versions."""
        rows = await self.connection.fetch(
            "select * from lease_event where tenant_no = $1 and address = $2 order by version",
            self.tenant_no,
            ip_address(str(address)),
        )
        return [dict(row) for row in rows]

    async def count(self, table: str) -> int:
        """How many rows the tenant has there."""
        counted = f"select count(*) from {table} where tenant_no = $1"
        return int(await self.connection.fetchval(counted, self.tenant_no))

    async def put_lease(self, address: Any, mac: bytes, subnet_no: int, **fields: Any) -> int:
        """A row as a server would have left it; times are seconds from now. Its version."""
        ages = {"granted_at": -60.0, "renewed_at": -60.0, "expires_at": 600.0, "reuse_at": 610.0}
        columns: dict[str, Any] = {
            "tenant_no": self.tenant_no,
            "address": ip_address(str(address)),
            "subnet_no": subnet_no,
            "prefix_length": 32,
            "state": "a",
            "hw_type": 1,
            "hw_address": mac,
            "client_key": b"\x01\x01" + mac,
        } | {name: value for name, value in fields.items() if name not in ages}
        ages |= {name: value for name, value in fields.items() if name in ages}
        times = ", ".join(f"now() + make_interval(secs => {age})" for age in ages.values())
        places = ", ".join(f"${place}" for place in range(1, len(columns) + 1))
        return int(
            await self.connection.fetchval(
                f"insert into lease ({', '.join(columns)}, {', '.join(ages)}, version)"
                f" values ({places}, {times}, nextval('lease_version')) returning version",
                *columns.values(),
            )
        )


async def until(what: str, holds: Callable[[], Any | Awaitable[Any]]) -> Any:
    """Wait, within bounds, until `holds` gives something true; that."""
    deadline = asyncio.get_running_loop().time() + WAIT_SECONDS
    while True:
        found = holds()
        if isinstance(found, Awaitable):
            found = await found
        if found:
            return found
        assert asyncio.get_running_loop().time() < deadline, f"never {what}"
        await asyncio.sleep(0.02)
