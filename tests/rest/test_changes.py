"""What a write leaves behind: the fence raised, a change row without secrets, a notification after the
COMMIT.
"""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import httpx
import pytest


@pytest.fixture
async def heard(pool: asyncpg.Pool) -> AsyncIterator[asyncio.Queue[str]]:
    queue: asyncio.Queue[str] = asyncio.Queue()
    async with pool.acquire() as connection:
        await connection.add_listener("ipam_change", lambda *args: queue.put_nowait(args[-1]))
        yield queue
        await connection.reset()


async def fence(pool: asyncpg.Pool) -> int:
    found: int = await pool.fetchval("select fence from subnet")
    return found


BELOW = [
    ("pools", {"start_ip": "10.0.0.100", "end_ip": "10.0.0.110"}, {"end_ip": "10.0.0.120"}),
    ("excludes", {"start_ip": "10.0.0.10", "end_ip": "10.0.0.11"}, {"end_ip": "10.0.0.12"}),
    ("reservations", {"ip": "10.0.0.20", "mac": "02:00:00:00:00:20"}, {"ip": "10.0.0.21"}),
    ("options", {"code": 15, "payload": {"string": "a.example"}}, {"payload": {"string": "b.example"}}),
]


@pytest.mark.parametrize(("family", "body", "patch"), BELOW)
async def test_every_write_below_a_subnet_raises_its_fence_and_tells(
    admin: httpx.AsyncClient,
    make: Any,
    subnet: dict[str, Any],
    pool: asyncpg.Pool,
    heard: asyncio.Queue[str],
    family: str,
    body: dict[str, Any],
    patch: dict[str, Any],
) -> None:
    no = await pool.fetchval("select no from subnet")
    start = await fence(pool)
    made = await make(f"/subnets/{subnet['id']}/{family}", **body)
    changed = (await admin.patch(f"/{family}/{made['id']}", json=patch)).json()
    await admin.delete(f"/{family}/{made['id']}")
    assert await fence(pool) == start + 3
    assert [await asyncio.wait_for(heard.get(), 5) for _ in range(3)] == [str(no)] * 3
    rows = await pool.fetch("select * from change where object_id = $1 order by no", made["id"])
    assert [(row["action"], row["before"], row["after"]) for row in rows] == [
        ("created", None, made),
        ("updated", made, changed),
        ("deleted", changed, None),
    ]
    assert {row["subnet_no"] for row in rows} == {no}
    assert {row["object_type"] for row in rows} == {family.removesuffix("s")}


@pytest.mark.parametrize("scope", ["pool", "reservation"])
async def test_options_below_a_subnets_children_raise_its_fence(
    admin: httpx.AsyncClient, make: Any, subnet: dict[str, Any], pool: asyncpg.Pool, scope: str
) -> None:
    bodies = {"pool": BELOW[0][1], "reservation": BELOW[2][1]}
    parent = await make(f"/subnets/{subnet['id']}/{scope}s", **bodies[scope])
    start = await fence(pool)
    option = await make(f"/{scope}s/{parent['id']}/options", code=15, payload={"string": "x.example"})
    await admin.patch(f"/options/{option['id']}", json={"always_send": True})
    await admin.delete(f"/options/{option['id']}")
    assert await fence(pool) == start + 3


async def test_what_concerns_everybody_names_no_subnet(
    admin: httpx.AsyncClient, make: Any, pool: asyncpg.Pool, heard: asyncio.Queue[str]
) -> None:
    await make("/global-options", code=15, payload={"string": "x.example"})
    kind = await make("/client-classes", name="phones", vendor_class="phone")
    await make(f"/client-classes/{kind['id']}/options", code=15, payload={"string": "x.example"})
    await make("/trusted-relays", cidr="10.0.0.0/8")
    assert [await asyncio.wait_for(heard.get(), 5) for _ in range(4)] == [""] * 4


async def test_a_subnets_own_changes_name_it(
    admin: httpx.AsyncClient, make: Any, subnet: dict[str, Any], pool: asyncpg.Pool, heard: asyncio.Queue[str]
) -> None:
    start = await fence(pool)
    no = await pool.fetchval("select no from subnet")
    await admin.patch(f"/subnets/{subnet['id']}", json={"dhcp_enabled": False})
    assert await fence(pool) == start + 1
    await admin.delete(f"/subnets/{subnet['id']}")
    other = await make("/subnets", prefix_id=subnet["prefix_id"], cidr="10.0.7.0/24")
    assert [await asyncio.wait_for(heard.get(), 5) for _ in range(3)] == [str(no), str(no), str(no + 1)]
    assert await pool.fetchval("select subnet_no from change where object_id = $1", other["id"]) == no + 1


async def test_a_cascade_records_every_object(
    admin: httpx.AsyncClient, make: Any, subnet: dict[str, Any], pool: asyncpg.Pool, heard: asyncio.Queue[str]
) -> None:
    pool_ = await make(f"/subnets/{subnet['id']}/pools", start_ip="10.0.0.100", end_ip="10.0.0.110")
    option = await make(f"/pools/{pool_['id']}/options", code=15, payload={"string": "x.example"})
    await admin.delete(f"/prefixes/{subnet['prefix_id']}?cascade=true")
    rows = await pool.fetch("select * from change where action = 'deleted' order by no")
    assert [(row["object_type"], row["before"]["id"]) for row in rows] == [
        ("option", option["id"]),
        ("pool", pool_["id"]),
        ("subnet", subnet["id"]),
        ("prefix", subnet["prefix_id"]),
    ]
    assert len({row["subnet_no"] for row in rows[:3]}) == 1


async def test_a_change_says_who_and_from_where(connect: Any, make: Any, pool: asyncpg.Pool) -> None:
    token = await make("/tokens", name="importer", role="admin")
    client = connect(token["token"], peer="192.0.2.7", x_request_id="job-7")
    await client.post("/prefixes", json={"cidr": "10.0.0.0/8"})
    row = await pool.fetchrow("select * from change where object_type = 'prefix'")
    assert (str(row["token_id"]), row["token_name"]) == (token["id"], "importer")
    assert (str(row["remote_address"]), row["request_id"]) == ("192.0.2.7", "job-7")


async def test_a_refused_write_leaves_nothing(
    admin: httpx.AsyncClient, subnet: dict[str, Any], pool: asyncpg.Pool
) -> None:
    start, changes = await fence(pool), await pool.fetchval("select count(*) from change")
    path = f"/subnets/{subnet['id']}/reservations"
    await admin.post(path, json={"ip": "10.0.0.1", "mac": "02:00:00:00:00:01"})
    await admin.post(path, json={"ip": "10.0.1.1", "mac": "02:00:00:00:00:01"})
    assert (await fence(pool), await pool.fetchval("select count(*) from change")) == (start, changes)
