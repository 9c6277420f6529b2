"""The demonstration plan: into an empty database, and into no other."""

import asyncio

import asyncpg

from ipam_core.model.ids import new_id
from ipam_core.services import demo


async def test_an_empty_database_gets_one_of_each_in_either_family(pool: asyncpg.Pool) -> None:
    async with pool.acquire() as connection:
        assert await demo.fill(connection)
        for table, count in {
            "subnet": 2,
            "pool": 3,
            "exclude": 1,
            "reservation": 2,
            "trusted_relay": 2,
            "client_class": 1,
            "dns_zone": 3,
            "dns_record": 5,
        }.items():
            assert await connection.fetchval(f"select count(*) from {table}") == count, table
        options = dict(await connection.fetch("select code, payload from dhcp_option"))
        assert options.keys() == {6, 15, 42, 23, 24}
        assert options[15] == {"string": "demo.example"}
        assert await connection.fetchval("select count(*) from change") == 26


async def test_two_at_once_fill_it_once(pool: asyncpg.Pool) -> None:
    async with pool.acquire() as first, pool.acquire() as second:
        assert sorted(await asyncio.gather(demo.fill(first), demo.fill(second))) == [False, True]


async def test_somebodys_plan_is_left_alone(pool: asyncpg.Pool) -> None:
    async with pool.acquire() as connection:
        await connection.execute(
            "insert into prefix (id, tenant_no, cidr) select $1, no, '192.0.2.0/24' from tenant", new_id()
        )
        assert not await demo.fill(connection)
        assert await connection.fetchval("select count(*) from subnet") == 0
