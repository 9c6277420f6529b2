"""Utilisation: figures against a naive count; leases counted from their history, each exactly once."""

import re
from ipaddress import ip_address
from typing import Any

import asyncpg
import httpx
import pytest
from lease_year import YEAR

from ipam_core.services import usage

GRANT = """
with won as (
  insert into lease as l (granted_at, renewed_at, expires_at, reuse_at, version, tenant_no, subnet_no, prefix_length,
                          state, address, client_key)
  select now(), now(), now() + '1 hour', now() + '1 hour', nextval('lease_version'), tenant_no, no, 32, 'a', $1,
         '\\x0101'
  from subnet where cidr >> $1::inet
  on conflict (tenant_no, address) do update set renewed_at = now(), version = nextval('lease_version'), state = 'a',
    granted_at = case when l.state = 'a' then l.granted_at else now() end
  returning *
)
insert into lease_event (at, xid, version, granted_at, expires_at, reuse_at, tenant_no, subnet_no, prefix_length,
                         ia_type, kind, state, address, client_key)
select now(), pg_current_xact_id(), version, granted_at, expires_at, reuse_at, tenant_no, subnet_no, 32, 0, 'g', 'a',
       address, client_key
from won
"""
QUARANTINE = """
insert into lease_event (at, xid, version, granted_at, expires_at, reuse_at, tenant_no, subnet_no, prefix_length,
                         ia_type, kind, state, address, client_key)
select now(), pg_current_xact_id(), nextval('lease_version'), now(), now(), now() + '1 day', tenant_no, no, 32, 0, 'd',
       'd', $1, '\\x00'
from subnet where cidr >> $1::inet
"""
DELEGATE = """
with won as (
  insert into lease (granted_at, renewed_at, expires_at, reuse_at, version, tenant_no, subnet_no, prefix_length,
                     ia_type, state, address, client_key)
  select now(), now(), now() + '1 hour', now() + '1 hour', nextval('lease_version'), tenant_no, no, 56, 25, 'a', $1,
         '\\x0202'
  from subnet where family(cidr) = 6
  returning *
)
insert into lease_event (at, xid, version, granted_at, expires_at, reuse_at, tenant_no, subnet_no, prefix_length,
                         ia_type, kind, state, address, client_key)
select now(), pg_current_xact_id(), version, granted_at, expires_at, reuse_at, tenant_no, subnet_no, 56, 25, 'g', 'a',
       address, client_key
from won
"""
PARTS = ("excluded", "reserved", "assigned", "leased", "gateway", "in_use", "edges", "free")
COUNTS = ("total", "excluded", "reserved", "assigned", "leased", "free")


@pytest.fixture
def figures(admin: httpx.AsyncClient) -> Any:
    async def ask(path: str) -> list[int]:
        answer = (await admin.get(f"{path}/utilisation")).json()
        used = answer["total"] - answer["free"]
        if "allocated" not in answer:
            assert answer["utilisation"] == round(used / answer["total"], 6)
        parts = sum(answer.get(name, 0) for name in PARTS)
        assert answer["total"] == parts - answer["overlap"]
        for name in {"total", "excluded", "free", "allocated"} & set(answer):
            assert answer[f"{name}_exact"] == str(answer[name])
        return [answer[name] for name in COUNTS]

    return ask


@pytest.fixture
def refresh(pool: asyncpg.Pool) -> Any:
    async def run() -> bool:
        async with pool.acquire() as connection:
            return await usage.refresh(connection)

    return run


async def test_a_list_of_subnets_shows_how_full_they_were(
    admin: httpx.AsyncClient, subnet: dict[str, Any], make: Any, refresh: Any
) -> None:
    below = f"/subnets/{subnet['id']}"
    row = (await admin.get("/subnets")).json()["items"][0]
    assert (row["utilisation"], row["as_of"]) == (None, None)
    before = (await admin.get(below)).headers["etag"]
    await make(f"{below}/excludes", start_ip="10.0.0.2", end_ip="10.0.0.100")
    await refresh()
    row, told = (
        (await admin.get("/subnets")).json()["items"][0],
        (await admin.get(f"{below}/utilisation")).json(),
    )
    assert (row["utilisation"], row["as_of"]) == (told["utilisation"], told["as_of"])
    assert row["utilisation"] == 0.393701
    assert (await admin.get(below)).headers["etag"] == before
    table = (await admin.get("/subnets", headers={"accept": "text/csv"})).text.splitlines()
    assert table[0].endswith("utilisation,as_of")
    assert f"0.393701,{row['as_of']}" in table[1]


@pytest.mark.parametrize(
    ("prefix", "subnets", "share"),
    [
        ("10.0.0.0/8", ("10.1.0.0/16", "10.2.0.0/15"), 0.011719),
        ("10.0.0.0/8", ("10.128.0.0/15",), 0.007812),
        ("172.16.0.0/30", ("172.16.0.0/32", "172.16.0.1/32", "172.16.0.2/31"), 1.0),
        ("2001:db8::/32", ("2001:db8:8000::/33", "2001:db8::/64"), 0.5),
        ("fd00::/8", (), 0.0),
    ],
)
async def test_a_list_of_prefixes_shows_what_of_them_lies_in_subnets(
    admin: httpx.AsyncClient, make: Any, prefix: str, subnets: tuple[str, ...], share: float
) -> None:
    made = await make("/prefixes", cidr=prefix)
    for cidr in subnets:
        await make("/subnets", prefix_id=made["id"], cidr=cidr)
    (row,) = (await admin.get("/prefixes", params={"cidr": prefix})).json()["items"]
    told = (await admin.get(f"/prefixes/{made['id']}/utilisation")).json()
    assert row["utilisation"] == told["utilisation"] == share
    assert "utilisation" not in (await admin.get(f"/prefixes/{made['id']}")).json()


async def test_figures_of_the_plan_are_right_at_once(
    admin: httpx.AsyncClient, subnet: dict[str, Any], make: Any, figures: Any, refresh: Any
) -> None:
    below, prefix = f"/subnets/{subnet['id']}", f"/prefixes/{subnet['prefix_id']}"
    assert await figures(below) == [254, 0, 0, 0, 0, 253]  # the gateway is nobody's
    dynamic = f"/pools/{(await make(f'{below}/pools', start_ip='10.0.0.100', end_ip='10.0.0.119'))['id']}"
    await make(f"{below}/excludes", start_ip="10.0.0.0", end_ip="10.0.0.9")  # over the edge and the gateway
    await make(f"{below}/excludes", start_ip="10.0.0.110", end_ip="10.0.0.139")
    await make("/assignments", ip="10.0.0.5", hostname="inside-an-exclude")
    await make("/assignments", ip="10.0.0.50", hostname="x")
    await make(f"{below}/reservations", ip="10.0.0.101", mac="02:00:00:00:00:01")
    for _ in range(2):  # counted by the reader, then by the refresher
        assert await figures(below) == [254, 39, 1, 2, 0, 254 - 39 - 1 - 1]
        assert await figures(dynamic) == [20, 10, 1, 0, 0, 9]
        assert await figures(prefix) == [65536, 39, 1, 2, 0, 65536 - 256 + 213]
        assert await refresh() is False
    reservation = await make(f"{below}/reservations", ip="10.0.0.60", mac="02:00:00:00:00:02")
    assert (await figures(below))[2] == 2
    await admin.delete(f"/reservations/{reservation['id']}")
    assert (await figures(below))[2] == 1


async def test_the_parts_sum_up_to_the_total(
    admin: httpx.AsyncClient, make: Any, refresh: Any, pool: asyncpg.Pool
) -> None:
    """The gateway of a /31 is in a figure of its own, and an address that is two things is told as such."""
    prefix = await make("/prefixes", cidr="10.9.0.0/16")
    subnet = await make("/subnets", prefix_id=prefix["id"], cidr="10.9.0.0/31", gateway="10.9.0.0")
    wide = await make("/subnets", prefix_id=prefix["id"], cidr="10.9.1.0/24", gateway="10.9.1.1")
    whole, below = f"/subnets/{wide['id']}", f"/subnets/{subnet['id']}"
    inside = await make(f"{whole}/pools", start_ip="10.9.1.1", end_ip="10.9.1.20")
    await make("/assignments", ip="10.9.0.1", hostname="other-end")
    await make(f"{whole}/excludes", start_ip="10.9.1.100", end_ip="10.9.1.109")
    await make("/assignments", ip="10.9.1.105", hostname="excluded-too")
    await make(f"{whole}/reservations", ip="10.9.1.10", mac="02:00:00:00:00:01")
    await pool.execute(GRANT, ip_address("10.9.1.10"))
    await pool.execute(GRANT, ip_address("10.9.1.11"))
    for _ in range(2):
        await refresh()
        parts = {
            path: {
                name: count
                for name, count in (await admin.get(f"{path}/utilisation")).json().items()
                if name in (*PARTS, "overlap", "total") and count
            }
            for path in (below, f"/pools/{inside['id']}", whole, f"/prefixes/{prefix['id']}")
        }
        assert list(parts.values()) == [
            {"total": 2, "assigned": 1, "gateway": 1},
            {"total": 20, "reserved": 1, "leased": 2, "gateway": 1, "overlap": 1, "free": 17},
            {
                "total": 254,
                "excluded": 10,
                "reserved": 1,
                "assigned": 1,
                "leased": 2,
                "gateway": 1,
                "overlap": 2,
                "free": 254 - 13,
            },
            {
                "total": 65536,
                "excluded": 10,
                "reserved": 1,
                "assigned": 2,
                "leased": 2,
                "gateway": 2,
                "edges": 2,
                "overlap": 2,
                "free": 65536 - 2 - 256 + 241,
            },
        ]


async def test_leases_are_counted_from_their_history_exactly_once(
    admin: httpx.AsyncClient,
    subnet: dict[str, Any],
    make: Any,
    pool: asyncpg.Pool,
    figures: Any,
    refresh: Any,
) -> None:
    below = f"/subnets/{subnet['id']}"
    dynamic = f"/pools/{(await make(f'{below}/pools', start_ip='10.0.0.100', end_ip='10.0.0.119'))['id']}"
    await make(f"{below}/reservations", ip="10.0.0.20", mac="02:00:00:00:00:01")
    await pool.execute(GRANT, ip_address("10.0.0.100"))
    await refresh()  # counted from the table of leases
    assert [(await figures(path))[4:] for path in (below, dynamic)] == [[1, 251], [1, 19]]

    async with pool.acquire() as late:
        unfinished = late.transaction()
        await unfinished.start()
        await late.execute(GRANT, ip_address("10.0.0.101"))
        for ip in (
            "10.0.0.20",
            "10.0.0.100",
            "10.0.0.102",
            "10.0.0.103",
        ):  # of a reservation; renewed; two new
            await pool.execute(GRANT, ip_address(ip))
        for _ in range(2):
            await refresh()
            assert [(await figures(path))[4:] for path in (below, dynamic)] == [[4, 249], [3, 17]]
        await unfinished.commit()
    lease = (await admin.get("/leases", params={"ip": "10.0.0.102"})).json()["items"][0]
    assert (await admin.post(f"/leases/{lease['id']}/release")).status_code == 200
    await pool.execute(GRANT, ip_address("10.0.0.104"))
    for _ in range(2):
        await refresh()
        assert [(await figures(path))[4:] for path in (below, dynamic)] == [[5, 248], [4, 16]]
    await pool.execute(QUARANTINE, ip_address("10.0.0.105"))  # never leased, so it is no lease that ended
    await refresh()
    assert [(await figures(path))[4:] for path in (below, dynamic)] == [[5, 248], [4, 16]]
    await pool.execute("delete from usage")
    await refresh()
    assert [(await figures(path))[4:] for path in (below, dynamic)] == [[5, 248], [4, 16]]


async def test_one_refreshes_at_a_time_and_not_too_often(
    admin: httpx.AsyncClient, subnet: dict[str, Any], pool: asyncpg.Pool
) -> None:
    path = f"/subnets/{subnet['id']}/utilisation"
    assert (await admin.get(path)).json()["as_of"] is None
    async with pool.acquire() as one, pool.acquire() as two:
        async with one.transaction():
            assert await usage.SQL.try_refresh(one)
            await usage.refresh(two)
        assert (await admin.get(path)).json()["as_of"] is None
        await usage.refresh(two)
        first = (await admin.get(path)).json()["as_of"]
        await usage.refresh(one, if_older=3600)
        assert (await admin.get(path)).json()["as_of"] == first is not None


async def test_ipv6_is_not_enumerated(make: Any, figures: Any, refresh: Any) -> None:
    prefix = await make("/prefixes", cidr="2001:db8::/32")
    subnet = await make("/subnets", prefix_id=prefix["id"], cidr="2001:db8:ffff::/64")
    below = f"/subnets/{subnet['id']}"
    pool = await make(
        f"{below}/pools", start_ip="2001:db8:ffff::", end_ip="2001:db8:ffff:0:ffff:ffff:ffff:ffff"
    )
    await make(f"{below}/excludes", start_ip="2001:db8:ffff::", end_ip="2001:db8:ffff:0:7fff:ffff:ffff:ffff")
    for _ in range(2):
        for path in (below, f"/pools/{pool['id']}"):
            assert await figures(path) == [2**64, 2**63, 0, 0, 0, 2**63]
        assert (await figures(f"/prefixes/{prefix['id']}"))[-1] == 2**96 - 2**63
        await refresh()


async def test_a_delegation_pool_counts_prefixes(
    admin: httpx.AsyncClient, make: Any, figures: Any, refresh: Any, pool: asyncpg.Pool
) -> None:
    """Its reserved prefix is in use whether it is leased or not."""
    prefix = await make("/prefixes", cidr="2001:db8::/32")
    below = f"/subnets/{(await make('/subnets', prefix_id=prefix['id'], cidr='2001:db8:ffff::/64'))['id']}"
    made = await make(f"{below}/pools", prefix="2001:db8:f00::/48", delegated_length=56)
    path = f"/pools/{made['id']}"
    await make(f"{below}/reservations", prefix="2001:db8:f00:100::/56", duid="00030001020000000001")
    for _ in range(2):  # counted by the reader, then by the refresher
        assert await figures(path) == [256, 0, 1, 0, 0, 255]
        await refresh()
    for first in ("2001:db8:f00:100::", "2001:db8:f00:200::"):
        await pool.execute(DELEGATE, ip_address(first))
    for begins_anew in (False, True):  # from the events, then from the leases
        await refresh()
        assert await figures(path) == [256, 0, 1, 0, 2, 254]
        if not begins_anew:
            await pool.execute("delete from usage")
    assert (await figures(below))[4] == 0
    (shown,) = (await admin.get("/dashboard")).json()["top_pools"]
    assert (shown["prefix"], shown["start_ip"]) == ("2001:db8:f00::/48", None)


async def test_what_is_deleted_is_forgotten(
    admin: httpx.AsyncClient, subnet: dict[str, Any], pool: asyncpg.Pool, refresh: Any
) -> None:
    await refresh()
    assert await pool.fetchval("select count(*) from usage") == 1
    assert (await admin.delete(f"/subnets/{subnet['id']}")).status_code == 204
    await refresh()
    assert await pool.fetchval("select count(*) from usage") == 0


async def test_a_refresh_opens_a_few_days_of_the_history(pool: asyncpg.Pool) -> None:
    """Its bounds are values that the planner knows, and so are the days that they leave out."""
    async with pool.acquire() as connection:
        await connection.execute(YEAR)
        await usage.refresh(connection)
        cursor: Any = await usage.SQL.read_cursor(connection)
        async with connection.transaction():
            await usage.SQL.plan_for_values(connection)
            types = "(timestamptz, timestamptz)"
            await connection.execute(f"prepare added {types} as {usage.SQL.add_lease_events.sql}")
            values = f"('{cursor['since'].isoformat()}', '{cursor['until'].isoformat()}')"
            plan = "\n".join(row[0] for row in await connection.fetch(f"explain execute added {values}"))
        assert 1 <= len(set(re.findall(r"lease_event_\d{8}\b", plan))) <= 3
