"""Draining and undraining nodes: the last ready DHCP server of a family stays (decisions: Draining)."""

import asyncio
from typing import Any

import asyncpg
import httpx
import pytest

from ipam_core.db import queries
from ipam_core.model.ids import new_id

NODE = """
insert into node (id, name, role, version, state, heartbeat_at)
values (gen_random_uuid(), $1, $2, '1', $3, now() - $4::text::interval) returning id::text"""
BEATS = queries.load("dhcp_node")


@pytest.fixture
async def operator(make: Any, connect: Any) -> httpx.AsyncClient:
    client: httpx.AsyncClient = connect((await make("/tokens", name="o", role="operator"))["token"])
    return client


async def put(
    pool: asyncpg.Pool, name: str, role: str = "dhcp", state: str = "ready", silent: str = "1 s"
) -> str:
    found: str = await pool.fetchval(NODE, name, role, state, silent)
    return found


async def drain(client: httpx.AsyncClient, id_: str, query: str = "") -> httpx.Response:
    return await client.post(f"/nodes/{id_}/drain{query}")


@pytest.mark.parametrize("role", ["dhcp", "dhcp6"])
async def test_the_last_ready_server_needs_an_admin_and_force(
    admin: httpx.AsyncClient, operator: httpx.AsyncClient, pool: asyncpg.Pool, refused: Any, role: str
) -> None:
    last = await put(pool, "last", role)
    await put(pool, "starting", role, "starting")
    await put(pool, "degraded", role, "degraded")
    await put(pool, "silent", role, "ready", "31 s")
    await put(pool, "gone", role, "stopped")
    await put(pool, "other family", "dhcp6" if role == "dhcp" else "dhcp")
    for client, query in ((operator, ""), (operator, "?force=true"), (admin, ""), (admin, "?force=false")):
        answer = await drain(client, last, query)
        details = refused(answer, 409, "conflict")
        assert (details["role"], details["state"], details["last_ready"]) == (role, "ready", True)
        assert "force=true" in answer.text
    assert (await admin.get(f"/nodes/{last}")).json()["state"] == "ready"
    assert refused(await drain(admin, last, "?force=maybe"), 422, "validation_error")["field"] == "force"
    drained = await drain(admin, last, "?force=true")
    assert (drained.status_code, drained.json()["state"]) == (200, "draining")
    assert (await drain(operator, last)).status_code == 200  # asked again, it is no more the last ready one


@pytest.mark.parametrize("state", ["starting", "degraded"])
async def test_the_only_server_needs_force_before_it_is_ready_too(
    admin: httpx.AsyncClient, operator: httpx.AsyncClient, pool: asyncpg.Pool, refused: Any, state: str
) -> None:
    """Or an operator would only have to wait for its next start."""
    only = await put(pool, "only", state=state)
    for client, query in ((operator, "?force=true"), (admin, "")):
        assert refused(await drain(client, only, query), 409, "conflict")["state"] == state
    assert (await drain(admin, only, "?force=true")).status_code == 200


async def test_an_operator_drains_one_of_two(
    operator: httpx.AsyncClient, pool: asyncpg.Pool, refused: Any
) -> None:
    one, two = await put(pool, "one"), await put(pool, "two")
    assert (await drain(operator, one)).json()["state"] == "draining"
    refused(await drain(operator, two), 409, "conflict")
    assert (await operator.post(f"/nodes/{one}/undrain")).json()["state"] == "starting"
    refused(await drain(operator, two), 409, "conflict")  # until it says that it is ready
    await pool.execute("update node set state = 'ready'")
    assert (await drain(operator, two)).status_code == 200


async def test_of_two_drained_at_once_one_stays(operator: httpx.AsyncClient, pool: asyncpg.Pool) -> None:
    for _ in range(5):
        await pool.execute("delete from node")
        ids = [await put(pool, name) for name in ("one", "two", "three")]
        answers = await asyncio.gather(*(drain(operator, id_) for id_ in ids))
        assert sorted(answer.status_code for answer in answers) == [200, 200, 409]


async def test_the_last_worker_needs_an_admin(
    admin: httpx.AsyncClient, operator: httpx.AsyncClient, pool: asyncpg.Pool, refused: Any
) -> None:
    worker = await put(pool, "worker", "worker")
    refused(await drain(operator, worker), 409, "conflict")
    assert (await drain(admin, worker)).status_code == 200


async def test_what_runs_can_be_brought_back(
    operator: httpx.AsyncClient, make: Any, connect: Any, pool: asyncpg.Pool, refused: Any
) -> None:
    """A drained process beats on as stopped; one that ended does not come back, and its name is free at once."""
    await put(pool, "other")
    async with pool.acquire() as connection:
        claimed = await BEATS.claim_node(connection, id=new_id(), name="a", role="dhcp", version="1")
        of = {"no": claimed["no"], "started_at": claimed["started_at"]}
        id_ = str(await connection.fetchval("select id from node where no = $1", claimed["no"]))
        item = f"/nodes/{id_}"
        await drain(operator, id_)
        assert await BEATS.beat_drained(connection, **of, detail="drained") is True
        assert (await operator.get(item)).json()["state"] == "stopped"
        assert (await drain(operator, id_)).json()["state"] == "stopped"
        taken = {"id": new_id(), "name": "a", "role": "dhcp", "version": "1"}
        assert await BEATS.claim_node(connection, **taken) is None
        refused(
            await connect((await make("/tokens", name="a", role="admin"))["token"]).delete(item),
            409,
            "conflict",
        )
        for _ in range(2):
            undrained = await operator.post(f"{item}/undrain")
            assert (undrained.status_code, undrained.json()["state"]) == (200, "starting")
        assert await BEATS.beat_drained(connection, **of, detail="drained") is False
        assert (await operator.get(item)).json()["state"] == "starting"
        await BEATS.beat_node(connection, **of, state="ready", detail="")
        assert (await operator.post(f"{item}/undrain")).json()["state"] == "ready"
        await drain(operator, id_)
        await BEATS.beat_drained(connection, **of, detail="drained")
        await BEATS.beat_node(connection, **of, state="stopped", detail="")
        assert refused(await operator.post(f"{item}/undrain"), 409, "conflict")["state"] == "stopped"
        assert await BEATS.claim_node(connection, **taken) is not None
    silent = await put(pool, "dead", "dhcp", "stopped", "31 s")
    await pool.execute("update node set drain = true where name = 'dead'")
    refused(await operator.post(f"/nodes/{silent}/undrain"), 409, "conflict")
    down = await put(pool, "down", "dhcp", "ready", "31 s")
    assert refused(await operator.post(f"/nodes/{down}/undrain"), 409, "conflict")["state"] == "down"


async def test_viewers_and_tenants_do_neither(
    make: Any, connect: Any, pool: asyncpg.Pool, refused: Any
) -> None:
    ids = [await put(pool, name) for name in ("one", "two")]
    viewer = connect((await make("/tokens", name="v", role="viewer"))["token"])
    tenant = await make("/tenants", name="guest")
    guest = connect((await make("/tokens", name="g", role="admin", tenant_id=tenant["id"]))["token"])
    for act in ("drain", "drain?force=true", "undrain"):
        refused(await viewer.post(f"/nodes/{ids[0]}/{act}"), 403, "forbidden")
        refused(await guest.post(f"/nodes/{ids[0]}/{act}"), 404, "not_found")
