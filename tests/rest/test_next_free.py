"""The next free address: what it skips, in which order it looks, and that nobody gets another's."""

import asyncio
import random
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


@pytest.mark.parametrize("kind", ["reservation", "assignment", "both"])
async def test_fifty_callers_get_fifty_addresses(
    kind: str, admin: httpx.AsyncClient, subnet: dict[str, Any]
) -> None:
    def ask(number: int) -> Any:
        if kind == "reservation" or (kind == "both" and number % 2):
            return admin.post(f"/subnets/{subnet['id']}/reservations", json={"mac": mac(number)})
        return admin.post("/assignments", json={"hostname": f"host-{number}", "subnet_id": subnet["id"]})

    answers = await asyncio.gather(*(ask(number) for number in range(50)))
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
        found = await FREE.next_free_outside(
            connection,
            tenant_no=subnet["tenant_no"],
            subnet_no=subnet["no"],
            first=first,
            last=last,
            gateway=None if gateway is None else cidr[gateway],
        )
        await transaction.rollback()
    free = [cidr[n] for n in range(1, 31) if n not in taken | {gateway}]
    assert found == (free[0] if free else None)


class Naive:
    """What stands in a /23, as sets of host numbers; pools last."""

    def __init__(self) -> None:
        self.hosts: dict[int, str] = {}
        self.excludes: dict[tuple[int, int], str] = {}
        self.pools: dict[tuple[int, int], str] = {}
        self.leased: set[int] = set()
        self.gateway = 1

    def lowest(self) -> int:
        taken = set(self.hosts) | self.leased | {self.gateway}
        for low, high in self.excludes:
            taken |= set(range(low, high + 1))
        pooled = {n for low, high in self.pools for n in range(low, high + 1)}
        usable = [n for n in range(1, 511) if n not in taken]
        return min([n for n in usable if n not in pooled] or usable)


@pytest.mark.parametrize("seed", range(3))
async def test_it_stays_the_lowest_whatever_comes_and_goes(
    admin: httpx.AsyncClient, make: Any, pool: asyncpg.Pool, seed: int
) -> None:
    """The mark from which the search begins must never pass an address that is free, however it became so."""
    chance, naive, cidr = random.Random(seed), Naive(), ip_network("10.0.0.0/23")
    prefix = await make("/prefixes", cidr="10.0.0.0/16")
    subnet = await make("/subnets", prefix_id=prefix["id"], cidr=str(cidr), gateway=str(cidr[1]))
    below = f"/subnets/{subnet['id']}"

    async def add(kind: str, held: dict[tuple[int, int], str], n: int) -> None:
        low, high = n, min(510, n + chance.randrange(80))
        if all(high < start or end < low for start, end in held):
            body = {"start_ip": str(cidr[low]), "end_ip": str(cidr[high])}
            answer = await admin.post(f"{below}/{kind}", json=body)
            if answer.status_code == 201:  # an exclude over a reservation is refused
                held[low, high] = answer.json()["id"]

    async def drop(kind: str, held: dict[Any, str]) -> None:
        if held:
            key = chance.choice(sorted(held))
            assert (await admin.delete(f"/{kind}/{held.pop(key)}")).status_code == 204

    count = 0
    for step in range(90):
        match chance.randrange(12):
            case 0:
                await add("excludes", naive.excludes, chance.randrange(1, 500))
            case 1:
                await drop("excludes", naive.excludes)
            case 2:
                await add("pools", naive.pools, chance.randrange(1, 500))
            case 3:
                await drop("pools", naive.pools)
            case 4 | 5:
                await drop("reservations", naive.hosts)
            case 6:
                n = chance.randrange(1, 511)
                naive.leased ^= {n}
                age = timedelta(hours=1 if n in naive.leased else 0)
                await pool.execute(
                    f"{LEASE} on conflict (tenant_no, address) do update set reuse_at = now() + $2",
                    cidr[n],
                    age,
                    "a",
                )
            case 7:
                free = [n for n in range(1, 20) if n not in naive.hosts]
                answer = await admin.patch(below, json={"gateway": str(cidr[free[-1]])})
                assert answer.status_code == 200, answer.text
                naive.gateway = free[-1]
            case 8:
                await pool.execute("update subnet set fence = fence + 1")
            case _:
                for _ in range(chance.choice([1, 2, 40])):
                    expected, count = naive.lowest(), count + 1
                    made = await make(f"{below}/reservations", mac=mac(count))
                    assert made["ip"] == str(cidr[expected]), step
                    naive.hosts[expected] = made["id"]
    free = (await admin.get(f"{below}/free?count=3")).json()["items"]
    assert free[0]["ip"] == str(cidr[naive.lowest()])


async def test_the_search_goes_on_where_it_ended(
    admin: httpx.AsyncClient, subnet: dict[str, Any], make: Any, pool: asyncpg.Pool
) -> None:
    wide = await make("/subnets", prefix_id=subnet["prefix_id"], cidr="10.0.16.0/22")
    await pool.execute(
        "insert into assignment (id, subnet_no, ip, hostname)"
        " select gen_random_uuid(), no, '10.0.16.0'::inet + n, 'x' from subnet, generate_series(1, 900) n"
        " where cidr = '10.0.16.0/22'"
    )
    path = f"/subnets/{wide['id']}/reservations"
    assert (await make(path, mac=mac(1)))["ip"] == "10.0.19.133"
    marked = "select free_from from subnet where cidr = '10.0.16.0/22'"
    assert await pool.fetchval(marked) == ip_address("10.0.19.133")
    made = [await make(path, mac=mac(n)) for n in range(2, 4)]
    assert [one["ip"] for one in made] == ["10.0.19.134", "10.0.19.135"]
    await pool.execute("delete from assignment where ip = '10.0.17.7'")
    assert await pool.fetchval(marked) == ip_address("10.0.17.7")
    assert (await make(path, mac=mac(4)))["ip"] == "10.0.17.7"
    assert (await make(path, mac=mac(5)))["ip"] == "10.0.19.136"
