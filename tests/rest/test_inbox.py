"""What wants a person, in one read: what the lists would tell, as far as the token may see it."""

from typing import Any

import asyncpg
import httpx
import pytest

TROUBLES = """
insert into unknown_relay (address, count, first_seen_at, last_seen_at)
  values ('192.0.2.77', 3, now(), now()), ('192.0.2.78', 1, now(), now());
insert into ddns_update (id, tenant_no, action, ip, fqdn, state)
  select gen_random_uuid(), no, 'add', '10.0.0.9', name || '.example', state
  from tenant, unnest(array['conflict', 'conflict', 'pending']) state;
insert into webhook (id, tenant_no, url, secret)
  select gen_random_uuid(), no, 'https://' || name || '.example/path', '' from tenant;
insert into webhook_delivery (id, webhook_no, event, payload, state)
  select gen_random_uuid(), no, 'webhook.ping', '{}', state from webhook, unnest(array['dead', 'failed']) state;
insert into lease (tenant_no, subnet_no, address, prefix_length, state, version, granted_at, renewed_at, expires_at,
  reuse_at, client_key, hw_type, hw_address)
  select no, 1, '10.0.0.9', 32, 'd', 1, now(), now(), now() + '1 day', now() + '1 day', '\\x01', 1, '\\x020000000001'
  from tenant"""


@pytest.fixture
async def guest(make: Any, connect: Any, pool: asyncpg.Pool) -> httpx.AsyncClient:
    """A viewer of another tenant; both have everything that may want a person."""
    tenant = await make("/tenants", name="guest")
    token = await make("/tokens", name="g", role="viewer", tenant_id=tenant["id"])
    await pool.execute(TROUBLES)
    client: httpx.AsyncClient = connect(token["token"])
    return client


async def read(client: httpx.AsyncClient, **query: Any) -> dict[str, Any]:
    answer = await client.get("/dashboard/inbox", params=query)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def listed(client: httpx.AsyncClient, path: str, **query: Any) -> dict[str, Any]:
    found: dict[str, Any] = (await client.get(path, params=query)).json()
    return found


async def test_it_is_what_the_lists_tell(admin: httpx.AsyncClient, guest: httpx.AsyncClient) -> None:
    for client in (admin, guest):
        for limit in (1, 50):
            told = await read(client, limit=limit)
            for delivery in told["dead_deliveries"]["items"]:
                del delivery["url"]
            assert told == {
                "unknown_relays": await listed(client, "/trusted-relays/unknown", limit=limit),
                "ddns_conflicts": await listed(client, "/ddns-updates", limit=limit, state="conflict"),
                "dead_deliveries": await listed(client, "/deliveries", limit=limit, state="dead"),
                "declined_leases": await listed(client, "/leases", limit=limit, state="declined"),
                "lagging_secondaries": [],
            }
    pages = {name: page for name, page in (await read(admin)).items() if name != "lagging_secondaries"}
    counts = {name: len(page["items"]) for name, page in pages.items()}
    assert counts == {"unknown_relays": 2, "ddns_conflicts": 4, "dead_deliveries": 2, "declined_leases": 2}


async def test_a_tenant_sees_its_own(admin: httpx.AsyncClient, guest: httpx.AsyncClient) -> None:
    theirs = await read(guest)
    counts = {name: len(page["items"]) for name, page in theirs.items() if name != "lagging_secondaries"}
    assert counts == {"unknown_relays": 0, "ddns_conflicts": 2, "dead_deliveries": 1, "declined_leases": 1}
    (tenant,) = [each for each in (await listed(admin, "/tenants"))["items"] if each["name"] == "guest"]
    narrowed = await read(admin, tenant_id=tenant["id"])
    assert narrowed["ddns_conflicts"] == theirs["ddns_conflicts"]
    assert len(narrowed["unknown_relays"]["items"]) == 2  # relays are no tenant's


async def test_only_admins_see_the_whole_address_of_a_webhook(
    admin: httpx.AsyncClient, guest: httpx.AsyncClient
) -> None:
    assert [each["url"] for each in (await read(guest))["dead_deliveries"]["items"]] == [
        "https://guest.example/"
    ]
    whole = {each["url"] for each in (await read(admin))["dead_deliveries"]["items"]}
    assert whole == {"https://default.example/path", "https://guest.example/path"}


@pytest.mark.parametrize("name", ["cursor", "state"])
async def test_it_has_no_other_parameters(admin: httpx.AsyncClient, name: str) -> None:
    answer = await admin.get("/dashboard/inbox", params={name: "x"})
    assert (answer.status_code, answer.json()["error"]["details"]["field"]) == (422, name)
