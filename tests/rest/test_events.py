"""Events: the list for everybody, a tenant's own for those of one tenant; old ones are forgotten."""

from __future__ import annotations

from typing import Any

import asyncpg
import httpx
import pytest

from ipam_core.services import events

HIGH, EXHAUSTED = "pool.utilization_high", "pool.exhausted"


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
    assert [event["type"] for event in found] == recorded[::-1]
    assert found[1]["data"] == {"used": 20}
    assert found[1]["tenant_id"] == tenant["id"]
    assert found[0]["tenant_id"] is None
    assert found[0]["at"] == found[0]["created_at"]


async def test_filters(admin: httpx.AsyncClient, recorded: list[str], tenant: dict[str, Any]) -> None:
    newest = (await listed(admin))[0]["at"]
    assert [e["type"] for e in await listed(admin, type=HIGH)] == [HIGH]
    assert [e["type"] for e in await listed(admin, tenant_id=tenant["id"])] == [EXHAUSTED]
    assert len(await listed(admin, since="2020-01-01T00:00:00Z", until="2999-01-01T00:00:00Z")) == 3
    assert await listed(admin, until="2020-01-01T00:00:00Z") == []
    assert newest in {event["at"] for event in await listed(admin, since=newest)}


async def test_a_type_that_does_not_exist_is_refused(admin: httpx.AsyncClient, refused: Any) -> None:
    details = refused(await admin.get("/events", params={"type": "pool.half"}), 422, "validation_error")
    assert details["field"] == "type"


async def test_pages(admin: httpx.AsyncClient, recorded: list[str]) -> None:
    types, cursor = [], None
    while True:
        params = {"limit": "1"} | ({"cursor": cursor} if cursor else {})
        page = (await admin.get("/events", params=params)).json()
        types += [event["type"] for event in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert types == recorded[::-1]


async def test_a_token_of_one_tenant_sees_its_own(
    make: Any, connect: Any, recorded: list[str], tenant: dict[str, Any]
) -> None:
    token = await make("/tokens", name="theirs", role="viewer", tenant_id=tenant["id"])
    assert [event["type"] for event in await listed(connect(token["token"]))] == [EXHAUSTED]


async def test_old_events_are_forgotten(
    admin: httpx.AsyncClient, pool: asyncpg.Pool, recorded: list[str]
) -> None:
    async with pool.acquire() as connection:
        await connection.execute(
            "update event set at = now() - interval '91 days' where type = $1", EXHAUSTED
        )
        await events.forget_old(connection)
    assert [event["type"] for event in await listed(admin)] == ["node.down", HIGH]
