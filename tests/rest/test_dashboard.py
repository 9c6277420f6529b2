"""The dashboard: what runs full, how fast servers are, what waits, what went wrong."""

from typing import Any

import asyncpg
import httpx
import pytest

from ipam_core.services import dashboard
from ipam_core.services.events import record

USED = """
insert into usage (subnet_no, pool_no, fence, first, last, total, excluded, reserved, assigned, taken, leased, open)
select subnet_no, no, 1, start_ip, end_ip, 100, 0, 0, 0, 0, $2::integer, $2::integer from pool where name = $1"""
NODE = """
insert into node (id, name, role, version, state, heartbeat_at, packets_per_second, acks_per_second, commit_p50_ms,
  commit_p99_ms)
values (gen_random_uuid(), $1, $2, '1', $3, now() - $4::text::interval, $5, $6, $7, $8)"""
UPDATE = """
insert into ddns_update (id, tenant_no, action, ip, fqdn, state, created_at, next_attempt_at)
select gen_random_uuid(), $1::integer, 'add', '10.0.0.1', 'a.example', $2, now() - $3::text::interval,
  now() - $3::text::interval
from generate_series(1, $4::integer)"""
HOOK = """
insert into webhook (id, tenant_no, url, secret) values (gen_random_uuid(), $1::integer, 'https://x.example', '')
returning no"""
DELIVERY = """
insert into webhook_delivery (id, webhook_no, event, payload, state, created_at)
values (gen_random_uuid(), $1::integer, 'webhook.ping', '{}', $2, now() - $3::text::interval)"""


@pytest.fixture
async def guest(make: Any, connect: Any) -> httpx.AsyncClient:
    """A viewer of another tenant, which is number 2."""
    tenant = await make("/tenants", name="guest")
    token = await make("/tokens", name="g", role="viewer", tenant_id=tenant["id"])
    client: httpx.AsyncClient = connect(token["token"])
    return client


async def shown(client: httpx.AsyncClient) -> dict[str, Any]:
    answer = await client.get("/dashboard")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def test_the_most_used_pools_come_first(
    admin: httpx.AsyncClient, guest: httpx.AsyncClient, make: Any, subnet: dict[str, Any], pool: asyncpg.Pool
) -> None:
    for n, used in enumerate((10, 95, 0, 80, *[20] * 8)):
        await make(
            f"/subnets/{subnet['id']}/pools",
            name=f"p{n}",
            start_ip=f"10.0.0.{10 + n}",
            end_ip=f"10.0.0.{10 + n}",
        )
        await pool.execute(USED, f"p{n}", used)
    told = await shown(admin)
    top = [(full["name"], full["utilisation"]) for full in told["top_pools"]]
    assert top == [("p1", 0.95), ("p3", 0.8), *((f"p{n}", 0.2) for n in range(4, 12))]
    assert [full["name"] for full in told["pools_near_full"]] == ["p1", "p3"]
    assert (await shown(guest))["top_pools"] == []


async def test_traffic_is_of_the_servers_that_live(
    admin: httpx.AsyncClient, guest: httpx.AsyncClient, pool: asyncpg.Pool
) -> None:
    for values in (
        ("a", "dhcp", "ready", "1 s", 100.25, 40.0, 1.5, 9.0),
        ("b", "dhcp", "degraded", "2 s", 50.0, 20.0, 2.5, 4.0),
        ("c", "dhcp", "ready", "5 min", 1e6, 1e6, 99.0, 99.0),
        ("d", "dhcp", "stopped", "1 s", 1e6, 1e6, 99.0, 99.0),
        ("e", "dhcp6", "starting", "1 s", None, None, None, None),
        ("f", "worker", "ready", "1 s", None, None, None, None),
    ):
        await pool.execute(NODE, *values)
    told = await shown(admin)
    assert told["traffic"] == [
        {
            "family": "dhcp4",
            "servers": 2,
            "packets_per_second": 150.3,
            "acks_per_second": 60.0,
            "commit_p50_ms": 2.5,
            "commit_p99_ms": 9.0,
        },
        {"family": "dhcp6", "servers": 1}
        | dict.fromkeys(("packets_per_second", "acks_per_second", "commit_p50_ms", "commit_p99_ms")),
    ]
    node = next(node for node in told["nodes"] if node["name"] == "a")
    assert (node["packets_per_second"], node["commit_p99_ms"]) == (100.25, 9.0)
    theirs = await shown(guest)
    assert (theirs["traffic"], theirs["nodes"]) == ([], [])


async def test_what_waits_is_counted_up_to_a_bound(
    admin: httpx.AsyncClient, guest: httpx.AsyncClient, pool: asyncpg.Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing = {"waiting": 0, "oldest_at": None}
    assert (await shown(admin))["outbox"] == {"ddns_updates": nothing, "webhook_deliveries": nothing}
    for values in (
        (1, "pending", "1 hour", 3),
        (2, "retrying", "2 hours", 2),
        (1, "failed", "9 hours", 1),
        (1, "applied", "9 hours", 1),
    ):
        await pool.execute(UPDATE, *values)
    for tenant_no, state, age in ((None, "pending", "1 min"), (2, "failed", "1 day"), (2, "dead", "9 days")):
        await pool.execute(DELIVERY, await pool.fetchval(HOOK, tenant_no), state, age)
    told, theirs = (await shown(admin))["outbox"], (await shown(guest))["outbox"]
    assert (told["ddns_updates"]["waiting"], theirs["ddns_updates"]["waiting"]) == (5, 2)
    assert told["ddns_updates"]["oldest_at"] == theirs["ddns_updates"]["oldest_at"]
    assert (told["webhook_deliveries"]["waiting"], theirs["webhook_deliveries"]["waiting"]) == (2, 1)
    assert told["webhook_deliveries"]["oldest_at"] == theirs["webhook_deliveries"]["oldest_at"]
    monkeypatch.setattr(dashboard, "MOST_COUNTED", 4)
    bounded = (await shown(admin))["outbox"]["ddns_updates"]
    assert bounded == {"waiting": 4, "oldest_at": told["ddns_updates"]["oldest_at"]}


async def test_problems_are_the_latest_events_that_want_somebody(
    admin: httpx.AsyncClient, guest: httpx.AsyncClient, pool: asyncpg.Pool
) -> None:
    async with pool.acquire() as connection:
        for type_, data, tenant_no in (
            ("pool.exhausted", {"name": "p"}, 2),
            ("webhook.ping", {}, 1),
            ("license.threshold", {"percent": 80}, None),
            *[("node.down", {"name": f"n{n}"}, None) for n in range(9)],
        ):
            await record(connection, type_, data, tenant_no)
    told = (await shown(admin))["problems"]
    assert [event["type"] for event in told] == ["node.down"] * 9 + ["license.threshold"]
    assert told[0]["data"] == {"name": "n8"}
    (theirs,) = (await shown(guest))["problems"]
    assert (theirs["type"], theirs["data"]) == ("pool.exhausted", {"name": "p"})


LARGE = """
insert into prefix (id, tenant_no, cidr) values (gen_random_uuid(), 1, '10.0.0.0/8');
insert into subnet (id, tenant_no, prefix_no, cidr)
select gen_random_uuid(), 1, (select no from prefix), set_masklen('10.0.0.0'::inet + n * 256, 24)::cidr
from generate_series(0, 999) n;
insert into pool (id, subnet_no, start_ip, end_ip)
select gen_random_uuid(), no, host(cidr)::inet + 10 + 100 * half, host(cidr)::inet + 100 + 100 * half
from subnet, generate_series(0, 1) half;
insert into usage (subnet_no, pool_no, fence, first, last, total, excluded, reserved, assigned, taken, leased, open)
select no, 0, 1, '10.0.0.1', '10.0.0.254', 254, 0, 0, 0, 0, no % 200, no % 200 from subnet
union all select subnet_no, no, 1, start_ip, end_ip, 91, 0, 0, 0, 0, no % 90, no % 90 from pool;
analyze"""


async def test_it_does_not_read_leases(admin: httpx.AsyncClient, pool: asyncpg.Pool) -> None:
    """benchmarks/figures.py says how long it takes on a large site."""
    await pool.execute(LARGE)
    told = await shown(admin)
    assert told["counts"]["subnets"] == 1000
    assert told["counts"]["active_leases"] == sum(n % 200 for n in range(1, 1001))
    assert len(told["top_pools"]) == 10
    for name in dashboard.SQL.available_queries:
        query = getattr(dashboard.SQL, name)
        if not name.endswith("_cursor"):
            async with pool.acquire() as connection:
                values = [None] * len((await connection.prepare(query.sql)).get_parameters())
                plan = await connection.fetch("explain " + query.sql, *values)
            assert " on lease" not in "\n".join(row[0] for row in plan), name
