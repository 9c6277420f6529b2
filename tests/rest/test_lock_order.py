"""Writers of the plan take their locks in one order: whatever is written beside whatever, nobody waits in a circle."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import asyncpg
import httpx
import pytest

from ipam_core.settings import Settings

DEADLOCKS = "select deadlocks from pg_stat_database where datname = current_database()"


@pytest.fixture(params=[0, 100_000], ids=["without a limit", "with a limit"])
def settings(request: pytest.FixtureRequest) -> Settings:
    return Settings(rate_limit=0, token_rate_limit=0, managed_address_limit=request.param)


@pytest.fixture
async def no_deadlock(pool: asyncpg.Pool) -> AsyncIterator[None]:
    """PostgreSQL counts those that it has to part."""
    before = await deadlocks(pool)
    yield
    assert await deadlocks(pool) == before


async def deadlocks(pool: asyncpg.Pool) -> int:
    """A session tells what it has counted now and then, or when it is asked to."""
    async with AsyncExitStack() as stack:
        for _ in range(pool.get_size()):
            session = await stack.enter_async_context(pool.acquire())
            await session.execute("select pg_stat_force_next_flush()")
    return int(await pool.fetchval(DEADLOCKS))


async def test_deadlocks_are_counted(pool: asyncpg.Pool) -> None:
    """So that the others of this file show something."""
    before = await deadlocks(pool)

    async def both(first: int, second: int) -> None:
        async with pool.acquire() as session, session.transaction():
            await session.execute("select pg_advisory_xact_lock($1)", first)
            await asyncio.sleep(0.2)
            await session.execute("select pg_advisory_xact_lock($1)", second)

    with pytest.raises(asyncpg.DeadlockDetectedError):
        await asyncio.gather(both(1, 2), both(2, 1))
    assert await deadlocks(pool) == before + 1


def mac(number: int) -> str:
    return (0x02_00_00_00_00_00 + number).to_bytes(6, "big").hex(":")


@pytest.fixture
async def subnets(make: Any) -> list[dict[str, Any]]:
    """Twenty subnets with a pool each."""
    prefix = await make("/prefixes", cidr="10.0.0.0/16")
    made = [await make("/subnets", prefix_id=prefix["id"], cidr=f"10.0.{n}.0/24") for n in range(20)]
    for n, subnet in enumerate(made):
        await make(f"/subnets/{subnet['id']}/pools", start_ip=f"10.0.{n}.100", end_ip=f"10.0.{n}.250")
    return made


def creates(subnets: list[dict[str, Any]], batch: int) -> dict[str, Any]:
    """A reservation in each subnet, half of them in the pool."""
    return {
        "operations": [
            {
                "op": "create",
                "path": f"/subnets/{subnet['id']}/reservations",
                "body": {
                    "mac": mac(1000 * batch + at),
                    "ip": subnet["cidr"].replace("0/24", str(batch + 100 * (at % 2))),
                },
            }
            for at, subnet in enumerate(subnets)
        ]
    }


@pytest.mark.usefixtures("no_deadlock")
async def test_bulks_in_both_orders_beside_single_writes(
    admin: httpx.AsyncClient, subnets: list[dict[str, Any]]
) -> None:
    bulks = [admin.post("/bulk", json=creates(subnets if n % 2 else subnets[::-1], 10 + n)) for n in range(6)]
    singles = [
        admin.post(f"/subnets/{subnets[n % 20]['id']}/reservations", json={"mac": mac(100_000 + n)})
        for n in range(40)
    ]
    assigned = [
        admin.post("/assignments", json={"ip": f"10.0.{n}.{60 + m}", "hostname": "x"})
        for n in range(20)
        for m in range(2)
    ]
    answers = await asyncio.gather(*bulks, *singles, *assigned)
    assert [answer.status_code for answer in answers] == [200] * 6 + [201] * 80


@pytest.mark.usefixtures("no_deadlock")
async def test_bulks_that_name_the_same_in_every_way(
    admin: httpx.AsyncClient, subnets: list[dict[str, Any]], make: Any
) -> None:
    """By path, by an object below, by an address, by what a body refers to; each also backwards."""
    classes = [await make("/client-classes", name=f"c{n}", vendor_class=f"c{n}") for n in range(3)]
    prefixes = [await make("/prefixes", cidr=f"10.{n}.0.0/16") for n in (1, 2, 3)]
    pools = [
        await make(f"/subnets/{subnets[n]['id']}/pools", start_ip=f"10.0.{n}.2", end_ip=f"10.0.{n}.9")
        for n in range(3)
    ]
    options = [
        await make(f"/client-classes/{each['id']}/options", code=15, payload={"string": "x"})
        for each in classes
    ]

    def operations(batch: int) -> list[dict[str, Any]]:
        made = []
        for n in range(3):
            made += [
                update(f"/client-classes/{classes[n]['id']}", description=f"{batch}"),
                update(f"/pools/{pools[n]['id']}", class_id=classes[(n + batch) % 3]["id"]),
                update(f"/subnets/{subnets[n]['id']}", name=f"{batch}"),
                update(f"/prefixes/{prefixes[n]['id']}", description=f"{batch}"),
                update(f"/options/{options[n]['id']}", payload={"string": f"{batch}"}),
                create(f"/prefixes/{prefixes[n]['id']}/next-subnet", prefix_length=24),
                create("/assignments", ip=f"10.0.{n}.{20 + batch}", hostname="x"),
                create("/option-definitions", code=200 + batch, name=f"d{n}-{batch}", kind="string")
                if n == 0
                else create(f"/subnets/{subnets[n]['id']}/options", code=15, vendor_class=f"{batch}", payload=TEXT),
            ]  # fmt: skip
        return made if batch % 2 else made[::-1]

    bulks = [admin.post("/bulk", json={"operations": operations(batch)}) for batch in range(6)]
    singles = [
        admin.patch(f"/client-classes/{each['id']}", json={"priority": n})
        for n in range(4)
        for each in classes
    ]
    more = [
        admin.post(f"/prefixes/{each['id']}/next-subnet", json={"prefix_length": 24})
        for each in prefixes
        for _ in range(4)
    ]
    answers = await asyncio.gather(*bulks, *singles, *more)
    assert {answer.status_code for answer in answers} <= {200, 201}, [each.text for each in answers]


TEXT = {"string": "x"}


def create(path: str, **body: Any) -> dict[str, Any]:
    return {"op": "create", "path": path, "body": body}


def update(path: str, **body: Any) -> dict[str, Any]:
    return {"op": "update", "path": path, "body": body}


@pytest.mark.usefixtures("no_deadlock")
async def test_overlaps_and_cascades_at_once(
    admin: httpx.AsyncClient, make: Any, subnets: list[dict[str, Any]]
) -> None:
    """Of equal networks one is made, and what is deleted with all below it lets nobody wait in a circle."""
    tenants = [await make("/tenants", name=f"t{n}") for n in range(3)]
    inside = []
    for n, tenant in enumerate(tenants):
        prefix = await make("/prefixes", cidr="10.0.0.0/16", tenant_id=tenant["id"])
        inside.append(await make("/subnets", prefix_id=prefix["id"], cidr=f"10.0.{n}.0/24"))
    same = [admin.post("/prefixes", json={"cidr": "10.9.0.0/16"}) for _ in range(8)]
    wide = {"prefix_id": subnets[0]["prefix_id"], "cidr": "10.0.64.0/24"}
    twice = [admin.post("/subnets", json=wide) for _ in range(8)]
    below = [
        admin.post(f"/subnets/{subnet['id']}/reservations", json={"mac": mac(n)})
        for n in range(5)
        for subnet in inside
    ]
    gone = [admin.delete(f"/tenants/{tenant['id']}?cascade=true") for tenant in tenants]
    answers = await asyncio.gather(*same, *twice, *below, *gone)
    codes = [answer.status_code for answer in answers]
    assert sorted(codes[:8]) == sorted(codes[8:16]) == [201] + [409] * 7
    assert set(codes[16:31]) <= {201, 404, 409}
    assert codes[31:] == [204] * 3


@pytest.mark.own_database  # it makes a function
async def test_who_finds_others_in_the_way_hears_so(
    admin: httpx.AsyncClient, subnets: list[dict[str, Any]], pool: asyncpg.Pool, refused: Any
) -> None:
    """A write that is parted from another by the database again and again: not the database is away."""
    await pool.execute(
        "create function lose() returns trigger language plpgsql as"
        " $$ begin raise exception using errcode = '40P01', message = 'deadlock detected'; end $$;"
        "create trigger lose before insert on reservation execute function lose()"
    )
    answer = await admin.post(f"/subnets/{subnets[0]['id']}/reservations", json={"mac": mac(1)})
    refused(answer, 503, "unavailable")
    said = answer.json()["error"]["message"]
    assert said == "Others were writing the same at this moment and nothing was changed: try again"
    assert answer.headers["retry-after"] == "1"
