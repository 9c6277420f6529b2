"""The limit as it nears: told once when 80 and 95 percent are passed, and again when it fell below meanwhile."""

import asyncio
from typing import Any

import asyncpg
import httpx
import pytest

from ipam_core.services import managed_limit
from ipam_core.settings import Settings


@pytest.fixture
def settings() -> Settings:
    return Settings(rate_limit=0, token_rate_limit=0, managed_address_limit=20)


async def told(admin: httpx.AsyncClient) -> list[tuple[int, int, int]]:
    items = (await admin.get("/events", params={"type": "license.threshold"})).json()["items"]
    assert all(item["tenant_id"] is None for item in items)
    names = ("percent", "managed_ips", "managed_ips_limit")
    return [tuple(item["data"][name] for name in names) for item in items[::-1]]  # type: ignore[misc]


async def look(pool: asyncpg.Pool) -> None:
    """As every API process does now and then, several at once."""

    async def one() -> None:
        async with pool.acquire() as session:
            await managed_limit.tell_thresholds(session, 20)

    await asyncio.gather(*(one() for _ in range(4)))


async def test_thresholds_are_told_once(
    admin: httpx.AsyncClient, subnet: dict[str, Any], make: Any, pool: asyncpg.Pool
) -> None:
    path = f"/subnets/{subnet['id']}/reservations"
    made = [await make(path, mac=f"02:00:00:00:00:{n:02x}") for n in range(15)]
    await look(pool)
    assert await told(admin) == []
    made.append(await make("/assignments", hostname="x", subnet_id=subnet["id"]))
    await look(pool)
    await look(pool)
    assert await told(admin) == [(80, 16, 20)]
    made += [await make(path, mac=f"02:00:00:00:01:{n:02x}") for n in range(4)]
    await look(pool)
    assert await told(admin) == [(80, 16, 20), (95, 20, 20)]
    for one in made[:4]:
        assert (await admin.delete(f"/reservations/{one['id']}")).status_code == 204
    await look(pool)
    made += [await make(path, mac=f"02:00:00:00:02:{n:02x}") for n in range(3)]
    await look(pool)
    assert await told(admin) == [(80, 16, 20), (95, 20, 20), (95, 19, 20)]


async def test_both_are_told_at_once_and_again_after_all_is_gone(
    admin: httpx.AsyncClient, subnet: dict[str, Any], pool: asyncpg.Pool
) -> None:
    operations = [
        {
            "op": "create",
            "path": f"/subnets/{subnet['id']}/reservations",
            "body": {"mac": f"02:00:00:00:00:{n:02x}"},
        }
        for n in range(20)
    ]
    for _ in range(2):
        assert (await admin.post("/bulk", json={"operations": operations})).status_code == 200
        await look(pool)
        await pool.execute("delete from reservation")
        await look(pool)
    assert await told(admin) == [(80, 20, 20), (95, 20, 20)] * 2


async def test_without_a_cap_nothing_is_told(pool: asyncpg.Pool, subnet: dict[str, Any]) -> None:
    async with pool.acquire() as session:
        await managed_limit.tell_thresholds(session, 0)
    assert await pool.fetchval("select count(*) from event") == 0


async def test_a_bulk_beyond_the_cap_names_the_first_without_room(
    admin: httpx.AsyncClient, subnet: dict[str, Any], pool: asyncpg.Pool, refused: Any
) -> None:
    path = f"/subnets/{subnet['id']}/reservations"
    creates = [{"op": "create", "path": path, "body": {"mac": f"02:00:00:00:00:{n:02x}"}} for n in range(23)]
    exclude = {"op": "create", "path": f"/subnets/{subnet['id']}/excludes"} | {
        "body": {"start_ip": "10.0.0.200", "end_ip": "10.0.0.201"}
    }
    answer = await admin.post("/bulk", json={"operations": [exclude, *creates]})
    assert refused(answer, 402, "license_limit") == {"managed_ips_limit": 20, "index": 21}
    assert await pool.fetchval("select count(*) from reservation") == 0
    for number in (20, 1):
        answer = await admin.post("/bulk", json={"operations": [exclude, *creates[:number]]})
        exclude = {"op": "update", "path": f"/subnets/{subnet['id']}", "body": {}}
    assert refused(answer, 409, "conflict")["index"] == 1
    more = [{"op": "create", "path": path, "body": {"mac": "02:00:00:00:09:01"}}]
    answer = await admin.post("/bulk", json={"operations": more})
    assert refused(answer, 402, "license_limit")["index"] == 0
    one = (await admin.get("/reservations")).json()["items"][0]
    more.append({"op": "delete", "path": f"/reservations/{one['id']}"})
    assert (await admin.post("/bulk", json={"operations": more})).status_code == 200


async def test_the_count_is_folded(subnet: dict[str, Any], make: Any, pool: asyncpg.Pool) -> None:
    """The sum stays right and short, whoever writes."""
    await pool.execute(
        "insert into assignment (id, subnet_no, ip, hostname)"
        " select gen_random_uuid(), no, '10.0.0.2'::inet + n, 'h' from subnet, generate_series(0, 9) n"
    )
    for n in range(200):
        await pool.execute("insert into managed_change values ($1)", 1 - 2 * (n % 2))
    await make(f"/subnets/{subnet['id']}/reservations", mac="02:00:00:00:00:01")
    assert await pool.fetchrow("select count(*), sum(delta) from managed_change") == (1, 11)


async def test_a_tenant_counts_its_own(
    admin: httpx.AsyncClient, subnet: dict[str, Any], make: Any, connect: Any
) -> None:
    await make(f"/subnets/{subnet['id']}/reservations", mac="02:00:00:00:00:01")
    tenant = await make("/tenants", name="other")
    client = connect((await make("/tokens", name="t", role="admin", tenant_id=tenant["id"]))["token"])
    prefix = (await client.post("/prefixes", json={"cidr": "10.0.0.0/16"})).json()
    body = {"prefix_id": prefix["id"], "cidr": "10.0.0.0/24"}
    own = (await client.post("/subnets", json=body)).json()
    for n in range(2):
        await client.post("/assignments", json={"hostname": f"h{n}", "subnet_id": own["id"]})
    assert (await client.get("/dashboard")).json()["managed_ips"] == 2
    assert (await admin.get("/dashboard")).json()["managed_ips"] == 3


async def test_what_has_no_address_does_not_count(
    admin: httpx.AsyncClient, subnet: dict[str, Any], make: Any, refused: Any
) -> None:
    """Nor does what holds in a whole tenant; an address that is given later does."""
    path = f"/subnets/{subnet['id']}/reservations"
    profile = await make(path, ip=None, mac="02:00:00:00:02:01")
    for n in range(20):
        await make(path, mac=f"02:00:00:00:00:{n:02x}")
    item = f"/reservations/{profile['id']}"
    refused(await admin.patch(item, json={"ip": "10.0.0.77"}), 402, "license_limit")
    assert (await admin.get(item)).json()["ip"] is None
    await make(path, ip=None, mac="02:00:00:00:02:02")
    await make("/reservations", mac="02:00:00:00:02:02")
    refused(await admin.post(path, json={"mac": "02:00:00:00:02:03"}), 402, "license_limit")
