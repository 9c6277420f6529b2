"""Tokens: shown once, listed without secrets, rotated, revoked; the last admin stays."""

import asyncio
from typing import Any

import asyncpg
import httpx
import pytest

from api.http.auth import CACHE_SECONDS
from ipam_core.model.token import hash_secret


async def test_a_token_shows_its_secret_once_and_the_database_never_has_it(
    admin: httpx.AsyncClient, make: Any, pool: asyncpg.Pool
) -> None:
    made = await make("/tokens", name="x", role="operator", allowed_cidrs=["10.0.0.0/8"])
    secret = made.pop("token")
    assert made["prefix"] == secret[: len(made["prefix"])]
    assert (await admin.get(f"/tokens/{made['id']}")).json() == made
    assert made in (await admin.get("/tokens")).json()["items"]
    assert await pool.fetchval("select secret_hash from token where name = 'x'") == hash_secret(secret)
    for table in ("token", "change", "idempotency"):
        rows = await pool.fetch(f"select t::text as row from {table} t")
        assert not [row for row in rows if secret in row["row"]]


async def test_every_token_knows_itself(admin: httpx.AsyncClient, make: Any, connect: Any) -> None:
    made = await make("/tokens", name="x", role="viewer")
    client = connect(made["token"])
    own = (await client.get("/tokens/self")).json()
    assert own["last_used_at"] is not None
    del made["token"], made["last_used_at"], own["last_used_at"]
    assert own == made
    changed = (await admin.patch(f"/tokens/{made['id']}", json={"name": "y"})).json()
    assert changed["name"] == "y"


async def test_a_rotated_token_has_a_new_secret_and_the_old_is_void(
    admin: httpx.AsyncClient, make: Any, connect: Any, refused: Any
) -> None:
    old = await make("/tokens", name="x", role="viewer")
    assert (await connect(old["token"]).get("/prefixes")).status_code == 200
    rotated = await admin.post(f"/tokens/{old['id']}/rotate")
    assert rotated.status_code == 201
    assert rotated.headers["location"] == f"/api/v1/tokens/{old['id']}"
    assert rotated.json()["token"] != old["token"]
    refused(await connect(old["token"]).get("/prefixes"), 401, "unauthorized")
    assert (await connect(rotated.json()["token"]).get("/prefixes")).status_code == 200
    refused(await admin.post("/tokens/x/rotate"), 404, "not_found")


async def test_a_revoked_token_is_gone_and_remembered(
    admin: httpx.AsyncClient, make: Any, pool: asyncpg.Pool, refused: Any
) -> None:
    made = await make("/tokens", name="x", role="viewer")
    assert (await admin.delete(f"/tokens/{made['id']}")).status_code == 204
    refused(await admin.get(f"/tokens/{made['id']}"), 404, "not_found")
    refused(await admin.delete(f"/tokens/{made['id']}"), 404, "not_found")
    assert made["id"] not in [item["id"] for item in (await admin.get("/tokens")).json()["items"]]
    assert await pool.fetchval("select revoked_at is not null from token where name = 'x'")


LESSER = [{"role": "viewer"}, {"expires_at": "2100-01-01T00:00:00Z"}]


async def test_the_last_admin_cannot_go(admin: httpx.AsyncClient, make: Any, refused: Any) -> None:
    own = (await admin.get("/tokens/self")).json()
    tenant = await make("/tenants", name="t")
    await make("/tokens", name="of-a-tenant", role="admin", tenant_id=tenant["id"])
    await make("/tokens", name="for-a-time", role="admin", expires_at="2100-01-01T00:00:00Z")
    refused(await admin.delete(f"/tokens/{own['id']}"), 409, "conflict")
    for patch in LESSER:
        refused(await admin.patch(f"/tokens/{own['id']}", json=patch), 409, "conflict")
    assert (await admin.patch(f"/tokens/{own['id']}", json={"name": "boss"})).status_code == 200
    await make("/tokens", name="second", role="admin")
    assert (await admin.delete(f"/tokens/{own['id']}")).status_code == 204


async def test_two_admins_cannot_revoke_each_other(admin: httpx.AsyncClient, make: Any, connect: Any) -> None:
    second = await make("/tokens", name="second", role="admin")
    own = (await admin.get("/tokens/self")).json()
    other = connect(second["token"])
    await other.get("/tokens/self")
    pair = await asyncio.gather(admin.delete(f"/tokens/{second['id']}"), other.delete(f"/tokens/{own['id']}"))
    assert sorted(answer.status_code for answer in pair) in ([204, 409], [204, 401])


async def test_of_two_first_tokens_one_is_made(connect: Any) -> None:
    body = {"name": "root", "role": "admin"}
    answers = await asyncio.gather(*(connect().post("/tokens", json=body) for _ in range(8)))
    assert sorted(answer.status_code for answer in answers) == [201] + [401] * 7


@pytest.mark.parametrize("role", ["admin", "operator"])
async def test_a_role_that_changes_counts_within_a_second(
    admin: httpx.AsyncClient, make: Any, connect: Any, role: str, refused: Any
) -> None:
    made = await make("/tokens", name="x", role=role)
    client = connect(made["token"])
    assert (await client.post("/leases/x/release")).status_code == 404
    await admin.patch(f"/tokens/{made['id']}", json={"role": "viewer"})
    await asyncio.sleep(CACHE_SECONDS)
    refused(await client.post("/leases/x/release"), 403, "forbidden")


async def test_a_token_that_has_expired_gets_no_new_secret(
    admin: httpx.AsyncClient, make: Any, refused: Any
) -> None:
    made = await make("/tokens", name="x", role="viewer")
    item = f"/tokens/{made['id']}"
    await admin.patch(item, json={"expires_at": "2021-01-01T00:00:00Z"})
    answer = await admin.post(f"{item}/rotate")
    refused(answer, 409, "conflict")
    assert "set a later expires_at first" in answer.json()["error"]["message"]
    await admin.patch(item, json={"expires_at": None})
    assert (await admin.post(f"{item}/rotate")).status_code == 201


@pytest.mark.parametrize("moment", ["2020-01-01T00:00:00Z", "1970-01-01T00:00:00+14:00"])
async def test_no_token_is_dead_at_birth(admin: httpx.AsyncClient, refused: Any, moment: str) -> None:
    body = {"name": "x", "role": "viewer", "expires_at": moment}
    details = refused(await admin.post("/tokens", json=body), 422, "validation_error")
    assert details["field"] == "expires_at"
    bulk = {"operations": [{"op": "create", "path": "/tokens", "body": body}]}
    assert (await admin.post("/bulk", json=bulk)).status_code == 422
