"""Addresses that the API gives to machines, beside grants of the DHCP servers that are on their way: the lease table
decides, and nobody gets what another has (engine rule 25)."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable
from datetime import timedelta
from ipaddress import IPv4Address
from typing import Any

import asyncpg
import httpx
import pytest
from engine.site import until
from engine.statements import Operation, write

from ipam_core.services import retention

HELD = "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
TAKEN = """
select lease.address from lease where state = 'a' and expires_at > now()
  and (exists (select from assignment where ip = lease.address)
    or exists (select from reservation where ip = lease.address))
"""


@pytest.fixture
async def full(make: Any) -> dict[str, Any]:
    """A subnet in which every address is a pool's."""
    prefix = await make("/prefixes", cidr="10.0.0.0/16")
    subnet = await make("/subnets", prefix_id=prefix["id"], cidr="10.0.0.0/24", gateway="10.0.0.1")
    pool = await make(f"/subnets/{subnet['id']}/pools", start_ip="10.0.0.2", end_ip="10.0.0.254")
    return {"id": subnet["id"], "pool": pool["id"]}


@pytest.fixture
async def server(pool: asyncpg.Pool) -> AsyncIterator[asyncpg.Connection]:
    async with pool.acquire() as session:
        yield session


async def bind(pool: asyncpg.Pool, host: int, client: int = 1) -> Operation:
    """As a server would send it that has read the plan just now."""
    place = await pool.fetchrow("select no, tenant_no, fence from subnet")
    mac = bytes((2, 0, 0, 1, client >> 8, client & 255))
    return Operation(place["tenant_no"], IPv4Address(f"10.0.0.{host}"), place["no"], place["fence"], "b", mac)


async def blocked(pool: asyncpg.Pool, sessions: int = 1) -> None:
    """Until so many wait for a lock."""

    async def waiting() -> bool:
        return bool(await pool.fetchval(HELD) >= sessions)

    await until("blocked", waiting)


def mac(number: int) -> str:
    return f"02:00:00:00:{number >> 8:02x}:{number & 255:02x}"


def ask(
    client: httpx.AsyncClient, subnet: dict[str, Any], kind: str, **fields: Any
) -> Awaitable[httpx.Response]:
    if kind == "reservation":
        return client.post(f"/subnets/{subnet['id']}/reservations", json={"mac": mac(1)} | fields)
    if kind == "assignment":
        return client.post("/assignments", json={"hostname": "x", "subnet_id": subnet["id"]} | fields)
    path = f"/subnets/{subnet['id']}/reservations"
    return client.post(
        "/bulk", json={"operations": [{"op": "create", "path": path, "body": {"mac": mac(1)}}]}
    )


def ip_of(answer: httpx.Response) -> str:
    body = answer.json()
    found: str = body["results"][0]["body"]["ip"] if "results" in body else body["ip"]
    return found


KINDS = ["reservation", "assignment", "bulk"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("end", ["commit", "rollback"])
async def test_the_next_free_waits_for_a_grant_on_its_way(
    admin: httpx.AsyncClient,
    full: dict[str, Any],
    pool: asyncpg.Pool,
    server: asyncpg.Connection,
    kind: str,
    end: str,
) -> None:
    await server.execute("begin")
    assert await write(server, [await bind(pool, 2)])
    asked = asyncio.ensure_future(ask(admin, full, kind))
    await blocked(pool)
    await server.execute(end)
    answer = await asked
    assert answer.is_success, answer.text
    assert ip_of(answer) == ("10.0.0.3" if end == "commit" else "10.0.0.2")
    assert await pool.fetch(TAKEN) == []


async def test_an_assignment_that_waited_for_a_grant_is_refused(
    admin: httpx.AsyncClient,
    full: dict[str, Any],
    pool: asyncpg.Pool,
    server: asyncpg.Connection,
    refused: Any,
) -> None:
    await server.execute("begin")
    assert await write(server, [await bind(pool, 9)])
    asked = asyncio.ensure_future(ask(admin, full, "assignment", ip="10.0.0.9"))
    await blocked(pool)
    await server.execute("commit")
    details = refused(await asked, 409, "conflict")
    lease = (await admin.get("/leases")).json()["items"][0]
    assert details == {
        "field": "ip",
        "conflicts_with": {"type": "lease", "id": lease["id"], "ip": "10.0.0.9"},
    }
    assert (await admin.post(f"/leases/{lease['id']}/release")).status_code == 200
    assert (await ask(admin, full, "assignment", ip="10.0.0.9")).status_code == 201


async def test_a_reservation_of_a_held_address_is_accepted(
    admin: httpx.AsyncClient, full: dict[str, Any], pool: asyncpg.Pool, server: asyncpg.Connection
) -> None:
    """The holder is revoked at its next renewal."""
    assert await write(server, [await bind(pool, 9)])
    before = await pool.fetchrow("select version, state, reuse_at, claimed from lease")
    assert (await ask(admin, full, "reservation", ip="10.0.0.9")).status_code == 201
    assert await pool.fetchrow("select version, state, reuse_at, claimed from lease") == before


async def test_an_address_in_quarantine_may_be_assigned_but_is_never_the_next(
    admin: httpx.AsyncClient, full: dict[str, Any], pool: asyncpg.Pool, server: asyncpg.Connection
) -> None:
    """A machine uses it without a lease; who assigns it says which."""
    operation = await bind(pool, 2)
    assert await write(server, [operation.but(operation="q", margin=600)])
    assert ip_of(await ask(admin, full, "assignment")) == "10.0.0.3"
    assert (await ask(admin, full, "assignment", ip="10.0.0.2")).status_code == 201


@pytest.mark.parametrize("kind", KINDS)
async def test_a_grant_that_waited_for_a_claim_loses(
    admin: httpx.AsyncClient, full: dict[str, Any], pool: asyncpg.Pool, server: asyncpg.Connection, kind: str
) -> None:
    """The write is held up at its very end, where it counts under the limit."""
    operation = await bind(pool, 2)
    async with pool.acquire() as holder:
        await holder.execute("begin")
        await holder.execute("select pg_advisory_xact_lock(hashtext('managed_ip_cap'))")
        asked = asyncio.ensure_future(ask(admin, full, kind))
        await blocked(pool)
        granted = asyncio.create_task(write(server, [operation]))
        await blocked(pool, 2)
        await holder.execute("commit")
    assert ip_of(await asked) == "10.0.0.2"
    assert await granted == []
    assert await pool.fetch(TAKEN) == []


async def test_fifty_next_free_ones_beside_grants(
    admin: httpx.AsyncClient, full: dict[str, Any], pool: asyncpg.Pool
) -> None:
    """Grants are decided by servers that may not have heard of any of it."""
    chance = random.Random(7)
    operations = [await bind(pool, host, host) for host in range(2, 90)]
    chance.shuffle(operations)

    async def grant(some: list[Operation]) -> list[Any]:
        async with pool.acquire() as session:
            return await write(session, some)

    async def make(number: int) -> str:
        answer = await ask(
            admin, full, KINDS[number % 2], **({"mac": mac(number)} if number % 2 == 0 else {})
        )
        assert answer.status_code == 201, answer.text
        return ip_of(answer)

    writes = [make(number) for number in range(50)]
    grants = [grant(operations[n : n + 4]) for n in range(0, len(operations), 4)]
    mixed: list[Any] = [*writes, *grants]
    chance.shuffle(mixed)
    await asyncio.gather(*mixed)
    assert await pool.fetch(TAKEN) == []
    assert (
        await pool.fetchval(
            "select count(distinct ip) from (select ip from reservation union all select ip from assignment) a"
        )
        == 50
    )


async def test_an_address_withdrawn_from_a_pool_lately_is_claimed_too(
    admin: httpx.AsyncClient, full: dict[str, Any], pool: asyncpg.Pool, server: asyncpg.Connection
) -> None:
    """A server that has not heard of the pool's end may be giving it away just now."""
    operation = await bind(pool, 9)
    assert (await admin.delete(f"/pools/{full['pool']}")).status_code == 204
    await server.execute("begin")
    held = operation.but(fence=operation.fence + 1)
    assert await write(server, [held])
    asked = asyncio.ensure_future(ask(admin, full, "assignment", ip="10.0.0.9"))
    await blocked(pool)
    await server.execute("commit")
    assert (await asked).status_code == 409


async def test_claims_are_no_leases_and_go(
    admin: httpx.AsyncClient, full: dict[str, Any], pool: asyncpg.Pool, server: asyncpg.Connection
) -> None:
    made = [ip_of(await ask(admin, full, "assignment")) for _ in range(3)]
    assert await pool.fetchval("select count(*) from lease") == 3
    assert (await admin.get("/leases")).json()["items"] == []
    hits = (await admin.get("/search", params={"q": made[0]})).json()["items"]
    assert {hit["type"] for hit in hits} >= {"assignment"}
    assert "lease" not in {hit["type"] for hit in hits}
    forget = retention.SQL.forget_claims
    await forget(server)
    assert await pool.fetchval("select count(*) from lease") == 3
    await pool.execute("update address_claim set at = at - $1::interval", timedelta(hours=2))
    await pool.execute(
        "update lease set state = 'a', client_key = '\\x0102' where address = $1", IPv4Address(made[1])
    )
    await forget(server)
    left = [str(row["address"]) for row in await pool.fetch("select address from lease")]
    assert left == [made[1]]


async def test_what_no_server_can_give_leaves_no_mark(
    admin: httpx.AsyncClient, make: Any, subnet: dict[str, Any], pool: asyncpg.Pool
) -> None:
    """A site's import of static addresses writes nothing into the lease table."""
    await make(f"/subnets/{subnet['id']}/reservations", ip="10.0.0.20", mac=mac(1))
    await make("/assignments", ip="10.0.0.21", hostname="x")
    assert await pool.fetchval("select count(*) from lease") == 0
