"""Pools of prefixes that are delegated whole (RFC 8415 section 6.3), and what must not overlap them."""

import asyncio
import json
from typing import Any

import asyncpg
import httpx
import pytest

DELEGATION = {"prefix": "2001:db8:f00::/48", "delegated_length": 56}


@pytest.fixture
async def subnet6(make: Any) -> dict[str, Any]:
    prefix = await make("/prefixes", cidr="2001:db8::/32")
    found: dict[str, Any] = await make("/subnets", prefix_id=prefix["id"], cidr="2001:db8:1::/64")
    return found


async def test_a_delegation_pool_lies_outside_of_its_subnet(
    admin: httpx.AsyncClient, subnet6: dict[str, Any], make: Any
) -> None:
    path = f"/subnets/{subnet6['id']}/pools"
    made = await make(path, **DELEGATION, excluded_prefix="2001:db8:f00:ff::/64")
    assert (made["prefix"], made["delegated_length"]) == ("2001:db8:f00::/48", 56)
    assert (made["start_ip"], made["end_ip"]) == (None, None)
    assert made["excluded_prefix"] == "2001:db8:f00:ff::/64"
    found = (await admin.get(path, params={"family": "6", "prefix": "2001:db8:f00::/48"})).json()["items"]
    assert [pool["id"] for pool in found] == [made["id"]]
    changed = await admin.patch(
        f"/pools/{made['id']}", json={"excluded_prefix": None, "delegated_length": 60}
    )
    assert changed.json()["delegated_length"] == 60
    await make(path, start_ip="2001:db8:1::100", end_ip="2001:db8:1::1ff")


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"prefix": "2001:db8:f00::/48"}, "delegated_length"),
        ({"prefix": "2001:db8:f00::/48", "delegated_length": 40}, "delegated_length"),
        ({**DELEGATION, "start_ip": "2001:db8:1::1"}, "start_ip"),
        ({"prefix": "10.0.0.0/8", "delegated_length": 24}, "prefix"),
        ({"prefix": "fe80::/16", "delegated_length": 64}, "prefix"),
        ({**DELEGATION, "excluded_prefix": "2001:db8:f00:100::/64"}, "excluded_prefix"),
        ({**DELEGATION, "excluded_prefix": "2001:db8:f00::/56"}, "excluded_prefix"),
        (
            {"start_ip": "2001:db8:1::1", "end_ip": "2001:db8:1::9", "delegated_length": 64},
            "delegated_length",
        ),
        ({"start_ip": "2001:db8:1::1"}, "end_ip"),
        ({}, "start_ip"),
    ],
)
async def test_what_is_no_pool_is_refused(
    admin: httpx.AsyncClient, subnet6: dict[str, Any], fields: dict[str, Any], field: str, refused: Any
) -> None:
    answer = await admin.post(f"/subnets/{subnet6['id']}/pools", json=fields)
    assert refused(answer, 422, "validation_error")["field"] == field


async def test_a_prefix_is_delegated_in_ipv6_alone(
    admin: httpx.AsyncClient, subnet: dict[str, Any], refused: Any
) -> None:
    answer = await admin.post(f"/subnets/{subnet['id']}/pools", json=DELEGATION)
    assert refused(answer, 422, "validation_error")["field"] == "prefix"


@pytest.mark.parametrize("prefix", ["2001:db8::/40", "2001:db8:1::/64"])
async def test_a_delegation_pool_overlaps_no_subnet(
    admin: httpx.AsyncClient, subnet6: dict[str, Any], prefix: str, refused: Any
) -> None:
    body = {"prefix": prefix, "delegated_length": 64}
    details = refused(await admin.post(f"/subnets/{subnet6['id']}/pools", json=body), 409, "conflict")
    assert details["field"] == "prefix"
    assert details["conflicts_with"]["id"] == subnet6["id"]


async def test_delegation_pools_of_a_tenant_do_not_overlap(
    admin: httpx.AsyncClient, subnet6: dict[str, Any], make: Any, refused: Any
) -> None:
    """Also where they are of different subnets; and no subnet is made over one."""
    first = await make(f"/subnets/{subnet6['id']}/pools", **DELEGATION)
    other = await make("/subnets", prefix_id=subnet6["prefix_id"], cidr="2001:db8:2::/64")
    for home in (subnet6, other):
        body = {"prefix": "2001:db8:f00:8000::/49", "delegated_length": 64}
        details = refused(await admin.post(f"/subnets/{home['id']}/pools", json=body), 409, "conflict")
        assert details["conflicts_with"]["id"] == first["id"]
    body = {"prefix_id": subnet6["prefix_id"], "cidr": "2001:db8:f00:1::/64"}
    details = refused(await admin.post("/subnets", json=body), 409, "conflict")
    assert details["conflicts_with"]["id"] == first["id"]


@pytest.fixture
async def other6(make: Any, subnet6: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = await make("/subnets", prefix_id=subnet6["prefix_id"], cidr="2001:db8:2::/64")
    return found


def reserved(prefix: str, last: int = 1) -> dict[str, str]:
    return {"prefix": prefix, "duid": f"0003000102000000{last:04x}"}


RELATIONS = ["2001:db8:f00:10::/60", "2001:db8:f00::/40", "2001:db8:f00::/48"]
"""Inside the delegation pool, around it, and itself."""


@pytest.mark.parametrize("prefix", RELATIONS)
async def test_what_another_subnet_reserves_is_in_no_delegation_pool(
    admin: httpx.AsyncClient,
    subnet6: dict[str, Any],
    other6: dict[str, Any],
    make: Any,
    refused: Any,
    prefix: str,
) -> None:
    """Whichever is there first; a subnet may reserve prefixes of its own pool."""
    pools, elsewhere = f"/subnets/{subnet6['id']}/pools", f"/subnets/{other6['id']}/reservations"
    pool = await make(pools, **DELEGATION)
    details = refused(await admin.post(elsewhere, json=reserved(prefix)), 409, "conflict")
    assert (details["field"], details["conflicts_with"]["id"]) == ("prefix", pool["id"])
    own = await make(f"/subnets/{subnet6['id']}/reservations", **reserved(prefix))
    assert (await admin.delete(f"/reservations/{own['id']}")).status_code == 204
    assert (await admin.delete(f"/pools/{pool['id']}")).status_code == 204
    first = await make(elsewhere, **reserved(prefix))
    details = refused(await admin.post(pools, json=DELEGATION), 409, "conflict")
    assert (details["field"], details["conflicts_with"]["id"]) == ("prefix", first["id"])
    smaller = await make(pools, prefix="2001:db8:e00::/48", delegated_length=56)
    grown = await admin.patch(f"/pools/{smaller['id']}", json=DELEGATION)
    assert refused(grown, 409, "conflict")["conflicts_with"]["id"] == first["id"]


@pytest.mark.parametrize("prefix", RELATIONS)
async def test_a_prefix_is_reserved_once_in_a_tenant(
    admin: httpx.AsyncClient,
    subnet6: dict[str, Any],
    other6: dict[str, Any],
    make: Any,
    refused: Any,
    prefix: str,
) -> None:
    first = await make(f"/subnets/{subnet6['id']}/reservations", **reserved("2001:db8:f00::/48"))
    path = f"/subnets/{other6['id']}/reservations"
    details = refused(await admin.post(path, json=reserved(prefix, 2)), 409, "conflict")
    assert (details["field"], details["conflicts_with"]["id"]) == ("prefix", first["id"])
    second = await make(path, **reserved("2001:db8:e00::/48", 2))
    moved = await admin.patch(f"/reservations/{second['id']}", json={"prefix": prefix})
    assert refused(moved, 409, "conflict")["conflicts_with"]["id"] == first["id"]
    stranger = await make("/tenants", name="another")
    away = await make("/prefixes", cidr="2001:db8::/32", tenant_id=stranger["id"])
    theirs = await make("/subnets", prefix_id=away["id"], cidr="2001:db8:2::/64")
    await make(f"/subnets/{theirs['id']}/reservations", **reserved(prefix))


async def test_a_reserved_prefix_overlaps_no_other_subnet(
    admin: httpx.AsyncClient, subnet6: dict[str, Any], other6: dict[str, Any], make: Any, refused: Any
) -> None:
    """Where the pools of addresses lie; and no subnet is made, moved or grown over one."""
    path = f"/subnets/{subnet6['id']}/reservations"
    for prefix in ("2001:db8:2::/64", "2001:db8:2::/48", "2001:db8:2:0:8000::/68"):
        details = refused(await admin.post(path, json=reserved(prefix)), 409, "conflict")
        assert (details["field"], details["conflicts_with"]["id"]) == ("prefix", other6["id"])
    first = await make(path, **reserved("2001:db8:3::/48"))
    body = {"prefix_id": subnet6["prefix_id"], "cidr": "2001:db8:3:1::/64"}
    made = await admin.post("/subnets", json=body)
    moved = await admin.patch(f"/subnets/{other6['id']}", json={"cidr": "2001:db8:2::/47"})
    for answer in (made, moved):
        details = refused(answer, 409, "conflict")
        assert (details["field"], details["conflicts_with"]["id"]) == ("cidr", first["id"])
    operations = [
        {"op": "create", "path": path, "body": reserved("2001:db8:4::/48", 2)},
        {"op": "create", "path": "/subnets", "body": body | {"cidr": "2001:db8:4::/64"}},
    ]
    answer = await admin.post("/bulk", json={"operations": operations})
    assert refused(answer, 409, "conflict")["index"] == 1


async def test_of_many_that_overlap_one_is_made(
    admin: httpx.AsyncClient, subnet6: dict[str, Any], make: Any, pool: asyncpg.Pool
) -> None:
    """Pools, reserved prefixes and subnets of one address space, all at once and each below another subnet."""
    homes = [
        await make("/subnets", prefix_id=subnet6["prefix_id"], cidr=f"2001:db8:a:{n:x}::/64")
        for n in range(12)
    ]
    wide = {"prefix_id": subnet6["prefix_id"], "cidr": "2001:db8:f00::/64"}
    pools = [admin.post(f"/subnets/{home['id']}/pools", json=DELEGATION) for home in homes[:6]]
    reservations = [
        admin.post(f"/subnets/{home['id']}/reservations", json=reserved("2001:db8:f00::/52"))
        for home in homes[6:]
    ]
    answers = await asyncio.gather(
        *pools, *reservations, *(admin.post("/subnets", json=wide) for _ in range(3))
    )
    assert sorted(answer.status_code for answer in answers) == [201] + [409] * 14


@pytest.mark.parametrize("length", [60, 52])
async def test_the_database_itself_keeps_delegations_apart(
    subnet6: dict[str, Any], other6: dict[str, Any], make: Any, pool: asyncpg.Pool, length: int
) -> None:
    """Whoever writes the rows."""
    await make(f"/subnets/{subnet6['id']}/pools", **DELEGATION)
    insert = (
        "insert into reservation (id, subnet_no, prefix, duid)"
        " select gen_random_uuid(), no, $2::text::cidr, '\\x0001' from subnet where id = $1"
    )
    with pytest.raises(asyncpg.ExclusionViolationError) as refusal:
        await pool.execute(insert, other6["id"], f"2001:db8:f00::/{length}")
    assert refusal.value.constraint_name == "reservation_delegation_overlap"


async def test_a_subnet_among_many_looks_at_few_rows(make: Any, pool: asyncpg.Pool) -> None:
    """Neither at all subnets nor at all reservations, though the session planned when there were none."""
    await make("/prefixes", cidr="2001:db8::/32")
    many = (
        "insert into subnet (id, tenant_no, prefix_no, cidr) select gen_random_uuid(), tenant_no, no,"
        " ('2001:db8:2:' || to_hex(n) || '::/64')::cidr from prefix, generate_series($1::int, $2) n"
    )
    async with pool.acquire() as connection:
        for first in range(0, 1000, 100):
            await connection.execute(many, first, first + 99)
        plan = json.loads(await connection.fetchval("explain (analyze, format json) " + many, 1000, 1009))
    assert plan[0]["Plan"]["Shared Hit Blocks"] < 1000


async def test_a_delegation_pool_takes_no_address_from_the_next_free_one(
    admin: httpx.AsyncClient, subnet6: dict[str, Any], make: Any
) -> None:
    await make(f"/subnets/{subnet6['id']}/pools", **DELEGATION)
    free = (await admin.get(f"/subnets/{subnet6['id']}/free")).json()
    assert free["items"][0]["ip"] == "2001:db8:1::1"
    reserved = await make(f"/subnets/{subnet6['id']}/reservations", duid="00030001020000000001")
    assert reserved["ip"] == "2001:db8:1::1"


@pytest.mark.parametrize(
    ("fields", "fits"),
    [
        ({"prefix": "2001:db8:f00::/40", "delegated_length": 64}, True),
        ({"prefix": "2001:db8:f00::/40", "delegated_length": 65}, False),
        ({"start_ip": "2001:db8:1::1", "end_ip": "2001:db8:1::100:0"}, True),
        ({"start_ip": "2001:db8:1::1", "end_ip": "2001:db8:1::100:1"}, False),
    ],
)
async def test_a_sequential_pool_is_one_whose_lowest_free_the_servers_know(
    admin: httpx.AsyncClient, subnet6: dict[str, Any], refused: Any, fields: dict[str, Any], fits: bool
) -> None:
    path = f"/subnets/{subnet6['id']}/pools"
    answer = await admin.post(path, json=fields | {"allocation": "sequential"})
    if fits:
        assert answer.status_code == 201
        return
    assert refused(answer, 422, "validation_error")["field"] == "allocation"
    made = await admin.post(path, json=fields)
    assert made.status_code == 201
    changed = await admin.patch(f"/pools/{made.json()['id']}", json={"allocation": "sequential"})
    assert refused(changed, 422, "validation_error")["field"] == "allocation"
