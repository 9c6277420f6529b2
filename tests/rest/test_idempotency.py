"""Idempotency-Key: what is sent twice happens once, and the second answer is the first."""

import asyncio
from typing import Any

import asyncpg
import httpx
import pytest

# The first request holds its key and waits for the subnet; locks of other tests' databases do not count.
BLOCKED = """
select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"""
KEY = {"idempotency-key": "import-1"}
BODY = {"cidr": "10.0.0.0/8", "description": "x"}


def without_request_headers(answer: httpx.Response) -> dict[str, str]:
    own = {"x-request-id", "idempotency-replayed"}
    return {name: value for name, value in answer.headers.items() if name not in own}


async def test_a_replay_is_the_first_answer(admin: httpx.AsyncClient) -> None:
    first = await admin.post("/prefixes", json=BODY, headers=KEY)
    again = await admin.post("/prefixes", json=BODY, headers=KEY)
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.content == first.content
    assert again.headers["idempotency-replayed"] == "true"
    assert "idempotency-replayed" not in first.headers
    assert without_request_headers(again) == without_request_headers(first)
    assert len((await admin.get("/prefixes")).json()["items"]) == 1


async def test_members_in_another_order_are_the_same_body(admin: httpx.AsyncClient) -> None:
    headers = KEY | {"content-type": "application/json"}
    await admin.post("/prefixes", json=BODY, headers=KEY)
    again = await admin.post(
        "/prefixes", content=b'{ "description":"x",\n "cidr":"10.0.0.0\\/8"}', headers=headers
    )
    assert again.headers["idempotency-replayed"] == "true"


async def test_another_body_is_refused_and_another_path_or_token_is_another_request(
    admin: httpx.AsyncClient, make: Any, connect: Any, refused: Any
) -> None:
    await admin.post("/prefixes", json=BODY, headers=KEY)
    other = await admin.post("/prefixes", json=BODY | {"cidr": "172.16.0.0/12"}, headers=KEY)
    refused(other, 422, "idempotency_key_reused")
    assert (await admin.post("/trusted-relays", json=BODY, headers=KEY)).status_code == 201
    second = connect((await make("/tokens", name="second", role="admin"))["token"])
    refused(await second.post("/prefixes", json=BODY, headers=KEY), 409, "conflict")


@pytest.mark.parametrize(
    ("path", "body", "status", "code"),
    [
        ("/prefixes", {"cidr": "10.1.0.0/16"}, 409, "conflict"),
        ("/prefixes", {"cidr": "10.1.0.1/16"}, 422, "validation_error"),
        ("/subnets", {"prefix_id": "x", "cidr": "10.1.0.0/16"}, 404, "not_found"),
    ],
)
async def test_refusals_are_kept_too(
    admin: httpx.AsyncClient, make: Any, path: str, body: Any, status: int, code: str, pool: asyncpg.Pool
) -> None:
    in_the_way = await make("/prefixes", **BODY)
    first = await admin.post(path, json=body, headers=KEY)
    assert (first.status_code, first.json()["error"]["code"]) == (status, code)
    await admin.delete(f"/prefixes/{in_the_way['id']}")
    again = await admin.post(path, json=body, headers=KEY)
    assert (again.status_code, again.content) == (status, first.content)
    assert again.headers["idempotency-replayed"] == "true"


async def test_a_forbidden_request_is_not_kept(
    admin: httpx.AsyncClient, make: Any, connect: Any, pool: asyncpg.Pool, refused: Any
) -> None:
    made = await make("/tokens", name="x", role="viewer")
    client = connect(made["token"])
    refused(await client.post("/prefixes", json=BODY, headers=KEY), 403, "forbidden")
    assert await pool.fetchval("select count(*) from idempotency") == 0


async def test_many_at_once_make_one_object(admin: httpx.AsyncClient, subnet: dict[str, Any]) -> None:
    path = f"/subnets/{subnet['id']}/reservations"
    body = {"mac": "02:00:00:00:00:01"}
    answers = await asyncio.gather(*(admin.post(path, json=body, headers=KEY) for _ in range(20)))
    codes = [
        answer.status_code if answer.status_code == 201 else answer.json()["error"]["code"]
        for answer in answers
    ]
    assert set(codes) <= {201, "idempotency_in_progress"}
    assert 201 in codes
    made = [answer.json()["ip"] for answer in answers if answer.status_code == 201]
    assert len(set(made)) == 1
    assert (await admin.post(path, json=body, headers=KEY)).json()["ip"] == made[0]
    assert len((await admin.get(path)).json()["items"]) == 1


async def test_a_request_that_still_runs_is_said_so(
    admin: httpx.AsyncClient, pool: asyncpg.Pool, subnet: dict[str, Any], refused: Any
) -> None:
    path = f"/subnets/{subnet['id']}/reservations"
    body = {"mac": "02:00:00:00:00:01"}
    async with pool.acquire() as connection, connection.transaction():
        await connection.execute("select from subnet for update")
        first = asyncio.create_task(admin.post(path, json=body, headers=KEY))
        while not await pool.fetchval(BLOCKED):  # noqa: ASYNC110 - PostgreSQL tells nobody of its locks
            await asyncio.sleep(0.01)
        refused(await admin.post(path, json=body, headers=KEY), 409, "idempotency_in_progress")
    assert (await first).status_code == 201
    assert (await admin.post(path, json=body, headers=KEY)).headers["idempotency-replayed"] == "true"


async def test_a_day_later_the_key_is_new(admin: httpx.AsyncClient, pool: asyncpg.Pool, refused: Any) -> None:
    await admin.post("/prefixes", json=BODY, headers=KEY)
    await pool.execute("update idempotency set created_at = now() - interval '24 hours'")
    refused(await admin.post("/prefixes", json=BODY, headers=KEY), 409, "conflict")


async def test_a_replayed_token_shows_its_secret_and_only_its_maker_can_read_it(
    admin: httpx.AsyncClient, pool: asyncpg.Pool
) -> None:
    body = {"name": "x", "role": "viewer"}
    first = await admin.post("/tokens", json=body, headers=KEY)
    again = await admin.post("/tokens", json=body, headers=KEY)
    assert again.json() == first.json()
    assert first.json()["token"].startswith("ipam_live_")
    kept = await pool.fetchrow("select key, body from idempotency")
    assert first.json()["token"].encode() not in kept["body"]
    assert kept["key"] != KEY["idempotency-key"]
    rotated = f"/tokens/{first.json()['id']}/rotate"
    once, twice = await admin.post(rotated, headers=KEY), await admin.post(rotated, headers=KEY)
    assert once.json()["token"] == twice.json()["token"] != first.json()["token"]


async def test_a_kept_refusal_of_a_rotation_is_replayed(admin: httpx.AsyncClient, refused: Any) -> None:
    """The id is no id, and the refusal comes back as an answer, not as an error."""
    refused(await admin.post("/tokens/00/rotate", headers=KEY), 404, "not_found")
    again = await admin.post("/tokens/00/rotate", headers=KEY)
    assert (again.status_code, again.headers["idempotency-replayed"]) == (404, "true")


@pytest.mark.parametrize("key", ["", "x" * 256, "a\tb"])
async def test_keys_are_short_and_printable(admin: httpx.AsyncClient, key: str, refused: Any) -> None:
    answer = await admin.post("/prefixes", json=BODY, headers={"idempotency-key": key})
    assert refused(answer, 422, "validation_error")["field"] == "Idempotency-Key"
