"""Events of the three logs in one list: for everybody what he may see; old ones of the third are forgotten."""

from __future__ import annotations

from typing import Any

import asyncpg
import httpx
import pytest

from ipam_core.model.actor import Actor
from ipam_core.services import event_list, events

HIGH, EXHAUSTED = "pool.utilization_high", "pool.exhausted"
ALERTS = f"{HIGH},{EXHAUSTED},node.*"


@pytest.fixture
async def tenant(make: Any) -> dict[str, Any]:
    made: dict[str, Any] = await make("/tenants", name="other")
    return made


@pytest.fixture
async def recorded(pool: asyncpg.Pool, tenant: dict[str, Any]) -> list[str]:
    """Three events: of the default tenant, of another one, of none. Their types."""
    async with pool.acquire() as connection:
        numbers = {row["name"]: row["no"] for row in await connection.fetch("select name, no from tenant")}
        await events.record(connection, HIGH, {"used": 18}, numbers["default"])
        await events.record(connection, EXHAUSTED, {"used": 20}, numbers["other"])
        await events.record(connection, "node.down", {"name": "a"}, None)
    return [HIGH, EXHAUSTED, "node.down"]


async def listed(client: httpx.AsyncClient, **params: Any) -> list[dict[str, Any]]:
    answer = await client.get("/events", params=params)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["items"]
    return found


async def test_events_are_listed_newest_first(
    admin: httpx.AsyncClient, recorded: list[str], tenant: dict[str, Any]
) -> None:
    found = await listed(admin)
    assert [event["type"] for event in found] == [*recorded[::-1], "tenant.created", "token.created"]
    assert found[1]["data"] == {"used": 20}
    assert found[1]["tenant_id"] == tenant["id"]
    assert found[0]["tenant_id"] is None
    assert found[0]["timestamp"] == found[0]["created_at"]
    made = found[3]
    assert made["data"]["after"] == tenant
    assert (made["data"]["object_id"], made["data"]["token_name"]) == (tenant["id"], "root")


async def test_filters(admin: httpx.AsyncClient, recorded: list[str], tenant: dict[str, Any]) -> None:
    newest = (await listed(admin))[0]["timestamp"]
    assert [e["type"] for e in await listed(admin, type=HIGH)] == [HIGH]
    assert [e["type"] for e in await listed(admin, tenant_id=tenant["id"])] == [EXHAUSTED]
    span = {"since": "2020-01-01T00:00:00Z", "until": "2999-01-01T00:00:00Z"}
    assert [e["type"] for e in await listed(admin, type=ALERTS, **span)] == recorded[::-1]
    assert await listed(admin, until="2020-01-01T00:00:00Z") == []
    assert newest in {event["timestamp"] for event in await listed(admin, since=newest)}


async def test_a_type_that_does_not_exist_is_refused(admin: httpx.AsyncClient, refused: Any) -> None:
    details = refused(await admin.get("/events", params={"type": "pool.half"}), 422, "validation_error")
    assert details == {"field": "type", "reason": "there is no event pool.half"}


async def all_pages(client: httpx.AsyncClient, **params: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    while True:
        answer = await client.get("/events", params={**params, **cursor})
        assert answer.status_code == 200, answer.text
        found += answer.json()["items"]
        if answer.json()["next_cursor"] is None:
            return found
        cursor = {"cursor": answer.json()["next_cursor"]}


@pytest.mark.parametrize("limit", ["1", "4", "1000"])
async def test_pages(admin: httpx.AsyncClient, pool: asyncpg.Pool, recorded: list[str], limit: str) -> None:
    """Also of what happened in one moment, in several logs."""
    operations = [{"op": "create", "path": "/tenants", "body": {"name": f"t{n}"}} for n in range(10)]
    assert (await admin.post("/bulk", json={"operations": operations})).status_code == 200
    await pool.execute("update event set at = (select max(at) from change)")
    found = await all_pages(admin, limit=limit)
    types = [*recorded[::-1], *["tenant.created"] * 11, "token.created"]
    assert [event["type"] for event in found] == types
    names = [event["data"]["after"]["name"] for event in found[3:13]]
    assert names == [f"t{n}" for n in range(9, -1, -1)]
    assert len({event["id"] for event in found}) == 15


async def test_leases_are_among_them(admin: httpx.AsyncClient, pool: asyncpg.Pool, subnet: Any) -> None:
    """Renewals only for who asks for them."""
    for kind, version in (("g", 2), ("n", 4), ("r", 6)):
        await pool.execute(
            "insert into lease_event (at, xid, version, granted_at, expires_at, reuse_at, tenant_no, subnet_no,"
            " prefix_length, ia_type, kind, state, address, client_key)"
            " select now(), pg_current_xact_id(), $1, now(), now(), now(), tenant_no, no, 32, 0, $2, 'a', '10.0.0.5',"
            " 'x' from subnet",
            version,
            kind,
        )
    found = await listed(admin, limit="2")
    assert [event["type"] for event in found] == ["lease.released", "lease.granted"]
    assert (found[0]["data"]["ip"], found[0]["data"]["subnet_id"]) == ("10.0.0.5", subnet["id"])
    assert found[0]["data"]["version"] == 6
    renewed = [e["type"] for e in await listed(admin, type="lease.*")]
    assert renewed == ["lease.released", "lease.renewed", "lease.granted"]
    history = (await admin.get("/lease-events")).json()["items"][0]
    told = {name: value for name, value in found[0]["data"].items() if name != "version"}
    assert {name: history[name] for name in told} == told


async def test_a_token_of_one_tenant_sees_its_own(
    make: Any, connect: Any, recorded: list[str], tenant: dict[str, Any]
) -> None:
    """Who is no admin sees neither who changed an object nor the object, and nothing of tokens."""
    viewer = await make("/tokens", name="theirs", role="viewer", tenant_id=tenant["id"])
    await make("/prefixes", cidr="10.0.0.0/16", tenant_id=tenant["id"])
    admin = await make("/tokens", name="own", role="admin", tenant_id=tenant["id"])
    found = await listed(connect(viewer["token"]))
    assert [event["type"] for event in found] == ["prefix.created", EXHAUSTED]
    assert set(found[0]["data"]) == {"object_type", "object_id", "subnet_id", "action"}
    assert await listed(connect(viewer["token"]), type="token.*") == []
    told = [event["type"] for event in await listed(connect(admin["token"]))]
    assert told == ["token.created", "prefix.created", "token.created", EXHAUSTED]


async def test_old_events_are_forgotten(
    admin: httpx.AsyncClient, pool: asyncpg.Pool, recorded: list[str]
) -> None:
    async with pool.acquire() as connection:
        await connection.execute(
            "update event set at = now() - interval '91 days' where type = $1", EXHAUSTED
        )
        await events.forget_old(connection)
    assert [event["type"] for event in await listed(admin, type=ALERTS)] == ["node.down", HIGH]


async def test_an_empty_service_has_an_empty_list(pool: asyncpg.Pool) -> None:
    async with pool.acquire() as connection:
        page = await event_list.find(connection, Actor(role="admin"), {})
    assert (page.items, page.next_cursor) == ([], None)
