"""What an actor may see of events is the same behind every door.

The doors are list, stream, deliveries, what a webhook receives, audit trail, dashboard and replays.
"""

import asyncio
from typing import Any, NamedTuple

import asyncpg
import httpx
import msgspec
import pytest
from rest.asking import Asked

from api.http.gate import Gate
from ipam_core.services import redaction
from ipam_core.workers.webhook_events import WebhookEvents

ROOT = ("root", "192.0.2.66", "root-request")
HOOK = "https://user-part.example:8443/T0/s3cr3t-path?key=k3y"
RESPONSE = "echo of ipam_live_secret"


class Site(NamedTuple):
    """Clients by tenant and role ("a admin", "all viewer"); ids of tenant a and of the webhooks."""

    clients: dict[str, httpx.AsyncClient]
    tokens: dict[str, str]
    tenant: str
    prefix: str
    hooks: dict[str, str]


@pytest.fixture
async def site(
    admin: httpx.AsyncClient, admin_token: str, make: Any, connect: Any, pool: asyncpg.Pool
) -> Site:
    """A tenant with a webhook of its own beside one of all tenants; root and the tenant's admin have each made a prefix
    and a token there, and all of it was delivered."""
    root = connect(admin_token, peer=ROOT[1], x_request_id=ROOT[2])
    tenant = (await make("/tenants", name="a"))["id"]
    tokens = {"all admin": admin_token}
    for scope, limits in (("all", {}), ("a", {"tenant_id": tenant})):
        for role in ("admin", "operator", "viewer"):
            made = await root.post("/tokens", json={"name": f"{scope} {role}", "role": role} | limits)
            tokens.setdefault(f"{scope} {role}", made.json()["token"])
    clients = {name: connect(token, peer="192.0.2.7", x_request_id="own") for name, token in tokens.items()}
    clients["all admin"] = root
    await WebhookEvents(pool).step()
    hooks = {}
    for name, body in (("all", {}), ("a", {"tenant_id": tenant})):
        hooks[name] = (await root.post("/webhooks", json={"url": HOOK} | body)).json()["id"]
    prefix = await root.post("/prefixes", json={"cidr": "10.0.0.0/16", "tenant_id": tenant})
    await clients["a admin"].post("/prefixes", json={"cidr": "10.1.0.0/16"})
    for client in (root, clients["a admin"]):
        await client.post("/tokens", json={"name": "lately-made", "role": "viewer", "tenant_id": tenant})
    assert await WebhookEvents(pool).step() is False
    await pool.execute(
        "update webhook_delivery set state = 'dead', response = $1, last_error = $2",
        RESPONSE,
        f"cannot connect to {HOOK}: refused",
    )
    return Site(clients, tokens, tenant, prefix.json()["id"], hooks)


def doors(site: Site) -> list[str]:
    return [
        "/events?type=*",
        "/deliveries",
        *(f"/webhooks/{hook}/deliveries" for hook in site.hooks.values()),
        "/webhooks",
        "/audit",
        f"/audit?object_id={site.prefix}",
        "/dashboard",
        "/dashboard/inbox",
        "/search?q=root",
        "/tokens",
        "/nodes",
    ]


async def everything(site: Site, client: httpx.AsyncClient) -> str:
    """All that a client reads by any door, as JSON and as CSV."""
    found = []
    for path in doors(site):
        for accept in ("application/json", "text/csv"):
            answer = await client.get(path, headers={"accept": accept})
            assert answer.status_code in (200, 403, 404), (path, answer.text)
            found.append(answer.text)
    for delivery in (await site.clients["all admin"].get("/deliveries")).json()["items"]:
        found.append((await client.get(f"/deliveries/{delivery['id']}")).text)
    for entry in (await site.clients["all admin"].get("/audit")).json()["items"]:
        found.append((await client.get(f"/audit/{entry['id']}")).text)
    return "\n".join(found)


async def streamed(app: Gate, token: str, seconds: float = 1.0) -> str:
    """What a stream from the beginning shows within some time."""
    found: list[bytes] = []

    async def send(message: Any) -> None:
        found.append(message.get("body", b""))

    headers = {"accept": "text/event-stream", "authorization": f"Bearer {token}"}
    asked = Asked("GET", "/events", query="since=2020-01-01T00:00:00Z&type=*", **headers)
    task = asyncio.ensure_future(app(asked.scope, asked.receive, send))
    await asyncio.sleep(seconds)
    asked.done.set()
    await asyncio.wait_for(task, 5)
    return b"".join(found).decode()


@pytest.mark.parametrize("role", ["admin", "operator", "viewer"])
async def test_a_tenant_reads_nothing_of_a_global_admin(site: Site, app: Gate, role: str) -> None:
    name = f"a {role}"
    read = await everything(site, site.clients[name]) + await streamed(app, site.tokens[name])
    assert "prefix.created" in read
    for fact in ROOT:
        assert f'"{fact}"' not in read.replace('""', '"')
    if role == "admin":
        assert '"a admin"' in read
        assert "192.0.2.7" in read


@pytest.mark.parametrize("name", ["all operator", "all viewer", "a operator", "a viewer"])
async def test_who_is_no_admin_reads_neither_tokens_nor_addresses_of_webhooks(
    site: Site, app: Gate, name: str
) -> None:
    read = await everything(site, site.clients[name]) + await streamed(app, site.tokens[name])
    assert "prefix.created" in read
    for secret in ("s3cr3t-path", "k3y", "token.", "token_name", "lately-made", RESPONSE):
        assert secret not in read, secret


async def test_an_admin_of_all_reads_everything(site: Site, app: Gate) -> None:
    read = await everything(site, site.clients["all admin"]) + await streamed(app, site.tokens["all admin"])
    for fact in (*ROOT, "s3cr3t-path", "token.created", RESPONSE):
        assert fact in read


async def test_what_a_webhook_receives_is_what_its_owner_may_see(site: Site, pool: asyncpg.Pool) -> None:
    rows = await pool.fetch(
        "select payload::text, tenant_no is null as whole from webhook_delivery"
        " join webhook on webhook.no = webhook_no where event = 'prefix.created'"
    )
    assert len(rows) == 4
    for row in rows:
        data = msgspec.json.decode(row["payload"])["data"]
        own = data["token_name"] == "a admin"
        assert own or (data["token_name"], data["remote_address"], data["request_id"]) == (
            ROOT if row["whole"] else (None, None, None)
        )
        assert data["after"]["cidr"] == ("10.1.0.0/16" if own else "10.0.0.0/16")
    assert sum("a admin" in row["payload"] for row in rows) == 2


async def test_urls_that_are_credentials_leave_in_no_event(
    site: Site, app: Gate, make: Any, admin: httpx.AsyncClient, pool: asyncpg.Pool
) -> None:
    """Neither to a webhook of all tenants nor to an admin's list or stream, also not in a delivery that an earlier
    version wrote; the object and the audit trail show an admin the whole."""
    made = await make("/notifications", name="chat", kind="slack", url=HOOK)
    assert (await admin.patch(f"/notifications/{made['id']}", json={"url": f"{HOOK}&x=1"})).status_code == 200
    phone = await make(
        "/notifications", name="phone", kind="ntfy", url="https://ntfy.sh", topic="s3cr3t-path"
    )
    assert (await admin.get(f"/notifications/{phone['id']}")).json()["topic"] == "s3cr3t-path"
    for role in ("viewer", "operator"):
        assert "s3cr3t-path" not in (await site.clients[f"all {role}"].get("/notifications")).text
    for hook in site.hooks.values():
        await admin.patch(f"/webhooks/{hook}", json={"description": "moved"})
    assert (await admin.delete(f"/notifications/{made['id']}")).status_code == 204
    assert await WebhookEvents(pool).step() is False
    rows = await pool.fetch("select event, payload::text from webhook_delivery")
    kinds = {"notification.created", "notification.updated", "notification.deleted", "webhook.updated"}
    assert kinds <= {row["event"] for row in rows}
    listed = (await admin.get("/events", params={"type": "notification.*,webhook.*"})).text
    stream = await streamed(app, site.tokens["all admin"])
    for told in (listed, stream, *(row["payload"] for row in rows)):
        assert "s3cr3t-path" not in told
        assert "k3y" not in told
    for told in (listed, stream):
        assert "notification.updated" in told
        assert "https://user-part.example:8443/" in told
    await pool.execute(
        "update webhook_delivery set payload = jsonb_set(payload, '{data,after,url}', $1::jsonb)"
        " where event = 'notification.updated'",
        HOOK,
    )
    assert "s3cr3t-path" not in (await admin.get("/deliveries")).text
    assert "s3cr3t-path" in (await admin.get("/audit", params={"object_id": made["id"]})).text


@pytest.mark.parametrize("name", ["all operator", "a operator"])
async def test_an_operator_neither_finds_nor_sends_deliveries_of_tokens(
    site: Site, refused: Any, name: str
) -> None:
    root, operator = site.clients["all admin"], site.clients[name]
    found = (await root.get("/deliveries", params={"event": "token.created"})).json()["items"]
    assert found
    for delivery in found:
        refused(await operator.get(f"/deliveries/{delivery['id']}"), 404, "not_found")
        refused(await operator.post(f"/deliveries/{delivery['id']}/redeliver"), 404, "not_found")
    assert (await operator.get("/deliveries", params={"event": "token.created"})).json()["items"] == []


async def test_an_operators_redelivery_answers_what_it_may_see(site: Site) -> None:
    root, operator = site.clients["all admin"], site.clients["a operator"]
    query = {"event": "prefix.created", "webhook_id": site.hooks["a"]}
    for delivery in (await root.get("/deliveries", params=query)).json()["items"]:
        sent = (await operator.post(f"/deliveries/{delivery['id']}/redeliver")).json()
        assert set(sent["payload"]["data"]) == {"tenant_id", *redaction.SHOWN_TO_ALL}
        assert sent["response"] is None
        assert sent["last_error"] == "cannot connect to https://user-part.example:8443/ refused"
        whole = (await root.get("/audit", params={"object_id": delivery["id"]})).json()["items"][0]
        assert whole["after"]["payload"]["data"]["after"]["tenant_id"] == site.tenant


async def test_filters_do_not_find_what_is_not_shown(site: Site) -> None:
    tenants = site.clients["a admin"]
    root_id = (await site.clients["all admin"].get("/tokens", params={"name": "root"})).json()["items"][0][
        "id"
    ]
    for query in (
        {"token_name": "root"},
        {"token_id": root_id},
        {"remote_address": ROOT[1]},
        {"request_id": ROOT[2]},
        {"q": "root"},
    ):
        assert (await tenants.get("/audit", params=query)).json()["items"] == [], query
    assert (await tenants.get("/audit", params={"token_name": "a admin"})).json()["items"]
    viewer = site.clients["a viewer"]
    assert (await viewer.get("/webhooks", params={"url": HOOK})).json()["items"] == []
    shown = "https://user-part.example:8443/"
    assert len((await viewer.get("/webhooks", params={"url": shown})).json()["items"]) == 1
    assert len((await tenants.get("/webhooks", params={"url": HOOK})).json()["items"]) == 1


async def test_a_replay_is_not_for_another_role(site: Site, refused: Any) -> None:
    """A key that was used as an admin would otherwise show an operator what an admin was shown."""
    root = site.clients["all admin"]
    made = (await root.post("/tokens", json={"name": "changing", "role": "admin"})).json()
    client = httpx.AsyncClient(
        transport=root._transport,
        base_url=root.base_url,
        headers={"authorization": f"Bearer {made['token']}", "idempotency-key": "k"},
    )
    first = await client.post(f"/webhooks/{site.hooks['a']}/test")
    assert first.status_code == 201
    assert (await client.post(f"/webhooks/{site.hooks['a']}/test")).content == first.content
    await root.patch(f"/tokens/{made['id']}", json={"role": "operator"})
    await asyncio.sleep(1.1)
    refused(await client.post(f"/webhooks/{site.hooks['a']}/test"), 422, "idempotency_key_reused")
