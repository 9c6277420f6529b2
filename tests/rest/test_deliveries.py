"""Deliveries to all webhooks as one list: by state and webhook, a tenant's own, in pages and as CSV."""

import csv
import io
from typing import Any, NamedTuple

import asyncpg
import httpx
import pytest

from ipam_core.services.webhooks import DELIVERIES, MOST_REDELIVERIES

DELIVERED = """
insert into webhook_delivery (id, webhook_no, event, payload, state, attempts, last_error)
select gen_random_uuid(), no, 'pool.exhausted', '{}', $2::text, 9, 'refused'
from webhook, generate_series(1, $3::integer) where id = $1::uuid"""


AGED = """
alter table change disable trigger change_append_only;
update change set at = at - interval '{}' where object_type = 'delivery';
alter table change enable trigger change_append_only"""


class Hooks(NamedTuple):
    """Webhooks, by id: one of all tenants, with three deliveries that are dead, and one of a tenant, with two."""

    everybodys: str
    guests: str
    tenant: str


@pytest.fixture
async def hooks(make: Any, pool: asyncpg.Pool) -> Hooks:
    tenant = (await make("/tenants", name="guest"))["id"]
    everybodys = (await make("/webhooks", url="https://hooks.example/secret/1"))["id"]
    guests = (await make("/webhooks", url="https://hooks.example/2", tenant_id=tenant))["id"]
    for hook, dead in ((everybodys, 3), (guests, 2)):
        await pool.execute(DELIVERED, hook, "delivered", 4)
        await pool.execute(DELIVERED, hook, "dead", dead)
    return Hooks(everybodys, guests, tenant)


async def listed(client: httpx.AsyncClient, **query: Any) -> list[tuple[str, str]]:
    """Webhook and state of each."""
    answer = await client.get("/deliveries", params=query)
    assert answer.status_code == 200, answer.text
    return [(each["webhook_id"], each["state"]) for each in answer.json()["items"]]


async def test_what_is_dead_is_one_list(admin: httpx.AsyncClient, hooks: Hooks, refused: Any) -> None:
    dead = [(hooks.everybodys, "dead")] * 3 + [(hooks.guests, "dead")] * 2
    assert await listed(admin, state="dead") == dead
    assert await listed(admin, state="dead", webhook_id=hooks.guests) == dead[3:]
    assert await listed(admin, state="dead", tenant_id=hooks.tenant) == dead[3:]
    assert len(await listed(admin)) == 13
    assert await listed(admin, event="subnet.created") == []
    refused(await admin.get("/deliveries", params={"state": "lost"}), 422, "validation_error")
    refused(await admin.get("/deliveries", params={"url": "x"}), 422, "validation_error")


async def test_a_tenant_sees_its_own(make: Any, connect: Any, hooks: Hooks) -> None:
    for role in ("admin", "operator", "viewer"):
        token = await make("/tokens", name=role, role=role, tenant_id=hooks.tenant)
        guest = connect(token["token"])
        assert await listed(guest, state="dead") == [(hooks.guests, "dead")] * 2
        assert await listed(guest, webhook_id=hooks.everybodys) == []


async def test_pages_and_csv_hold_the_same(admin: httpx.AsyncClient, hooks: Hooks) -> None:
    query, found = {"state": "dead", "limit": "2"}, []
    while True:
        page = (await admin.get("/deliveries", params=query)).json()
        found += [each["id"] for each in page["items"]]
        if page["next_cursor"] is None:
            break
        query["cursor"] = page["next_cursor"]
    assert len(set(found)) == len(found) == 5
    answer = await admin.get("/deliveries", params={"state": "dead"}, headers={"accept": "text/csv"})
    rows = list(csv.DictReader(io.StringIO(answer.text, newline="")))
    assert [row["id"] for row in rows] == found
    assert {row["webhook_id"] for row in rows} == {hooks.everybodys, hooks.guests}


async def test_one_is_sent_again_and_leaves_the_list(
    admin: httpx.AsyncClient, hooks: Hooks, refused: Any
) -> None:
    page = (await admin.get("/deliveries", params={"state": "dead", "webhook_id": hooks.guests})).json()
    item = f"/deliveries/{page['items'][0]['id']}"
    assert (await admin.get(item)).json() == page["items"][0]
    assert (await admin.post(f"{item}/redeliver")).json()["state"] == "pending"
    assert await listed(admin, state="dead", webhook_id=hooks.guests) == [(hooks.guests, "dead")]
    refused(await admin.post(f"{item}/redeliver"), 409, "conflict")


async def test_redeliveries_are_bounded(
    admin: httpx.AsyncClient, make: Any, pool: asyncpg.Pool, refused: Any
) -> None:
    """Each receiver by itself, over all of its deliveries; refused and old ones do not count."""
    hook = await make("/webhooks", url="https://hooks.example/1")
    chat = await make("/notifications", name="noc", kind="slack", url="https://hooks.example/2")
    for receiver, path in (
        ("webhook", f"/webhooks/{hook['id']}"),
        ("notification", f"/notifications/{chat['id']}"),
    ):
        sent = [(await admin.post(f"{path}/test")).json()["id"] for _ in range(2)]
        for at in range(MOST_REDELIVERIES[receiver]):
            await pool.execute("update webhook_delivery set state = 'dead'")
            assert (await admin.post(f"/deliveries/{sent[at % 2]}/redeliver")).status_code == 200
        await pool.execute(AGED.format("2 minutes"))
        await pool.execute("update webhook_delivery set state = 'dead'")
        answer = await admin.post(f"/deliveries/{sent[0]}/redeliver")
        refused(answer, 429, "rate_limited")
        assert 0 < int(answer.headers["retry-after"]) <= 180
        assert f"redeliveries of this {receiver}" in answer.json()["error"]["message"]
        await pool.execute(AGED.format("3 minutes 1 second"))
        assert (await admin.post(f"/deliveries/{sent[0]}/redeliver")).status_code == 200


async def test_few_that_are_dead_are_found_among_many(pool: asyncpg.Pool, hooks: Hooks) -> None:
    await pool.execute(DELIVERED, hooks.everybodys, "delivered", 20_000)
    await pool.execute("analyze webhook_delivery")
    text = f"{DELIVERIES.list_view} where webhook_delivery.state = $1 order by webhook_delivery.no limit 51"
    async with pool.acquire() as connection:
        plan = await (await connection.prepare(text)).explain("dead")
    assert "webhook_delivery_by_state" in str(plan)
