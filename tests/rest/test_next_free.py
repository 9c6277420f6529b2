"""The next free address: what it skips, in which order it looks, and that nobody gets another's."""

import asyncio
from datetime import timedelta
from ipaddress import ip_address, ip_network
from typing import Any

import asyncpg
import httpx
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as chosen
from hypothesis import strategies as st

from ipam_core.db import queries
from ipam_core.services.free import usable_ends

FREE = queries.load("free")
LEASE = """
insert into lease (granted_at, renewed_at, expires_at, reuse_at, version, tenant_no, subnet_no, prefix_length, state,
                   address, client_key)
select now(), now(), now(), now() + $2::interval, 1, tenant_no, no, masklen($1::inet), $3::"char", $1, '\\x0101'
from subnet where cidr >> $1::inet
"""


def mac(number: int) -> str:
    return f"02:00:00:00:{number // 256:02x}:{number % 256:02x}"


async def test_it_skips_all_that_is_never_offered(
    admin: httpx.AsyncClient, subnet: dict[str, Any], make: Any, pool: asyncpg.Pool
) -> None:
    below = f"/subnets/{subnet['id']}"
    await make(f"{below}/excludes", start_ip="10.0.0.2", end_ip="10.0.0.5")
    await make(f"{below}/reservations", ip="10.0.0.6", mac=mac(1))
    await make("/assignments", ip="10.0.0.7", hostname="x")
    await pool.execute(LEASE, ip_address("10.0.0.8"), timedelta(minutes=1), "a")
    await pool.execute(LEASE, ip_address("10.0.0.9"), timedelta(minutes=1), "d")
    await pool.execute(LEASE, ip_address("10.0.0.10"), timedelta(0), "r")
    await make(f"{below}/pools", start_ip="10.0.0.11", end_ip="10.0.0.254")
    found = [(await make(f"{below}/reservations", mac=mac(n)))["ip"] for n in range(2, 5)]
    # 10.0.0.10 was released; after it only addresses of the pool are left.
    assert found == ["10.0.0.10", "10.0.0.11", "10.0.0.12"]
    assert (await make("/assignments", hostname="y", subnet_id=subnet["id"]))["ip"] == "10.0.0.13"


async def test_fifty_callers_get_fifty_addresses(admin: httpx.AsyncClient, subnet: dict[str, Any]) -> None:
    path = f"/subnets/{subnet['id']}/reservations"
    answers = await asyncio.gather(*(admin.post(path, json={"mac": mac(n)}) for n in range(50)))
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.json()["ip"] for answer in answers}) == 50


async def test_a_full_subnet_says_so(
    admin: httpx.AsyncClient, subnet: dict[str, Any], make: Any, refused: Any
) -> None:
    small = await make("/subnets", prefix_id=subnet["prefix_id"], cidr="10.0.4.0/29", gateway="10.0.4.6")
    path = f"/subnets/{small['id']}/reservations"
    assert [(await make(path, mac=mac(n)))["ip"] for n in range(5)] == [f"10.0.4.{n}" for n in range(1, 6)]
    details = refused(await admin.post(path, json={"mac": mac(9)}), 409, "conflict")
    assert details == {"field": "ip", "subnet_id": small["id"]}


@pytest.mark.parametrize(
    ("cidr", "expected"),
    [
        ("2001:db8::/64", ["2001:db8::1", "2001:db8::2"]),
        ("2001:db8::/126", ["2001:db8::1", "2001:db8::2"]),
        ("255.255.255.252/30", ["255.255.255.253", "255.255.255.254"]),
        ("255.255.255.254/31", ["255.255.255.254", "255.255.255.255"]),
        ("0.0.0.0/30", ["0.0.0.1", "0.0.0.2"]),
    ],
)
async def test_edges_of_the_address_space(make: Any, cidr: str, expected: list[str]) -> None:
    prefix = await make("/prefixes", cidr=cidr)
    small = await make("/subnets", prefix_id=prefix["id"], cidr=cidr)
    key = "duid" if ":" in cidr else "mac"
    made = [await make(f"/subnets/{small['id']}/reservations", **{key: mac(n)}) for n in range(2)]
    assert [one["ip"] for one in made] == expected


RANGES = st.lists(st.tuples(st.integers(0, 31), st.integers(0, 6)), max_size=9)


@chosen(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ranges=RANGES, single=st.sets(st.integers(0, 31), max_size=6), gateway=st.none() | st.integers(1, 30))
async def test_it_is_the_lowest_address_that_a_naive_count_finds(
    pool: asyncpg.Pool, ranges: list[tuple[int, int]], single: set[int], gateway: int | None
) -> None:
    """Against a set of all addresses of a /27; ranges may touch, nest and stand at the edges."""
    cidr = ip_network("10.0.0.0/27")
    first, last = usable_ends(cidr)
    taken = {n for start, length in ranges for n in range(start, min(start + length, 31) + 1)} | single
    async with pool.acquire() as connection:
        transaction = connection.transaction()
        await transaction.start()
        await connection.execute("alter table exclude drop constraint exclude_overlap")
        await connection.execute(
            "with p as (insert into prefix (id, tenant_no, cidr) select gen_random_uuid(), no, $1 from tenant"
            " returning *) insert into subnet (id, tenant_no, prefix_no, cidr)"
            " select gen_random_uuid(), tenant_no, no, cidr from p",
            cidr,
        )
        subnet = await connection.fetchrow("select no, tenant_no from subnet")
        await connection.executemany(
            "insert into exclude (id, subnet_no, start_ip, end_ip) values (gen_random_uuid(), $1, $2, $3)",
            [(subnet["no"], cidr[start], cidr[min(start + length, 31)]) for start, length in ranges],
        )
        await connection.executemany(
            "insert into assignment (id, subnet_no, ip, hostname) values (gen_random_uuid(), $1, $2, 'x')",
            [(subnet["no"], cidr[n]) for n in single],
        )
        found = await FREE.next_free_address(
            connection,
            tenant_no=subnet["tenant_no"],
            subnet_no=subnet["no"],
            first=first,
            last=last,
            gateway=None if gateway is None else cidr[gateway],
            outside_pools=True,
        )
        await transaction.rollback()
    free = [cidr[n] for n in range(1, 31) if n not in taken | {gateway}]
    assert found == (free[0] if free else None)
