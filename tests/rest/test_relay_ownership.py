"""Whose packets a relay brings: entries, links, and what is told of them (decisions: Ownership of packets)."""

from ipaddress import ip_address, ip_network
from typing import Any

import asyncpg
import httpx
import pytest
from litestar import Litestar

from api.app import create_app
from api.http.gate import Gate
from dhcp_fast.explain import explain as explain_packet
from ipam_core.services.relay_check import find_unbound, summary
from ipam_core.services.trusted_relays import KEPT_SOURCES, note_sources
from ipam_core.settings import Settings

MAC = "02:00:00:00:00:01"
NETWORK = ip_address("10.75.0.0")


@pytest.fixture
def app(pool: asyncpg.Pool, settings: Settings, routes: Litestar) -> Gate:
    return create_app(settings, pool, explain_packet, routes=routes)


@pytest.fixture
async def tenants(make: Any, connect: Any) -> dict[str, Any]:
    """Two tenants beside the default one, each with the prefix and the subnet 10.75.0.0/24, and the clients of their
    admins."""
    found = {}
    for name, pool in (("a", 200), ("b", 100)):
        tenant = await make("/tenants", name=name)
        prefix = await make("/prefixes", cidr="10.75.0.0/24", tenant_id=tenant["id"])
        subnet = await make("/subnets", prefix_id=prefix["id"], cidr="10.75.0.0/24", gateway="10.75.0.1")
        await make(f"/subnets/{subnet['id']}/pools", start_ip=f"10.75.0.{pool}", end_ip=f"10.75.0.{pool + 9}")
        token = await make("/tokens", name=name, role="admin", tenant_id=tenant["id"])
        found[name] = {"id": tenant["id"], "subnet": subnet, "client": connect(token["token"])}
    return found


async def explain(client: httpx.AsyncClient, **question: Any) -> dict[str, Any]:
    answer = await client.post("/dhcp/explain", json={"relay": "10.75.0.1", "mac": MAC} | question)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


# --- entries


async def test_a_network_is_trusted_once_over_all_tenants(
    make: Any, admin: Any, refused: Any, tenants: Any
) -> None:
    entry = await make("/trusted-relays", cidr="10.75.0.0/24", tenant_id=tenants["a"]["id"])
    for body in ({"tenant_id": tenants["b"]["id"]}, {}):
        answer = await admin.post("/trusted-relays", json={"cidr": "10.75.0.0/24"} | body)
        details = refused(answer, 409, "conflict")
        assert (details["field"], details["conflicts_with"]["id"]) == ("cidr", entry["id"])
        assert "10.75.0.0/24 is already trusted for the tenant a" in answer.json()["error"]["message"]
    other = await make("/trusted-relays", cidr="10.75.0.1/32", tenant_id=tenants["b"]["id"])
    refused(
        await admin.patch(f"/trusted-relays/{other['id']}", json={"cidr": "10.75.0.0/24"}), 409, "conflict"
    )
    again = await admin.patch(f"/trusted-relays/{entry['id']}", json={"cidr": "10.75.0.0/24"})
    assert again.status_code == 200


@pytest.mark.parametrize(
    ("body", "field", "reason"),
    [
        ({"sources": ["2001:db8::/64"]}, "sources[0]", "use IPv4"),
        ({"sources": ["10.0.0.1/8"]}, "sources[0]", "host bits"),
        ({"sources": ["10.0.0.0/24"] * 65}, "sources", "64"),
        ({"client_vss": True}, "client_vss", "set vss"),
        ({"vss": 1}, "vss", "bool"),
        ({"sources_seen": []}, "sources_seen", "no such field"),
    ],
)
async def test_what_an_entry_may_not_say(
    body: dict[str, Any], field: str, reason: str, admin: Any, refused: Any
) -> None:
    answer = await admin.post("/trusted-relays", json={"cidr": "10.75.0.0/24"} | body)
    details = refused(answer, 422, "validation_error")
    assert details["field"] == field
    assert reason in details["reason"]


async def test_an_entry_shows_the_sources_seen_and_keeps_its_tag(
    make: Any, admin: Any, pool: asyncpg.Pool
) -> None:
    entry = await make(
        "/trusted-relays", cidr="10.75.0.0/24", sources=["10.0.0.0/30", "10.1.0.1/32"], vss=True
    )
    assert (entry["sources"], entry["sources_seen"]) == (["10.0.0.0/30", "10.1.0.1/32"], [])
    item = f"/trusted-relays/{entry['id']}"
    tag = (await admin.get(item)).headers["etag"]
    no = await pool.fetchval("select no from trusted_relay")
    async with pool.acquire() as connection:
        for first in range(0, 80, 8):
            await note_sources(connection, [(no, NETWORK + first + n) for n in range(8)])
        await note_sources(connection, [(no, ip_address("10.9.9.9")), (no + 1, ip_address("10.9.9.8"))])
    found = await admin.get(item)
    assert len(found.json()["sources_seen"]) == KEPT_SOURCES
    assert found.json()["sources_seen"][0] == "10.9.9.9"
    changed = await admin.patch(item, json={"sources": []}, headers={"If-Match": tag})
    assert (changed.status_code, changed.json()["sources"]) == (200, [])


# --- links


async def test_a_link_belongs_to_one_tenant(make: Any, admin: Any, refused: Any, tenants: Any) -> None:
    items = {name: f"/subnets/{tenants[name]['subnet']['id']}" for name in tenants}
    assert (await admin.patch(items["a"], json={"interface": "eth1"})).status_code == 200
    answer = await admin.patch(items["b"], json={"interface": "eth1"})
    assert refused(answer, 409, "conflict")["field"] == "interface"
    assert "eth1 is bound to 10.75.0.0/24 of the tenant a" in answer.json()["error"]["message"]
    prefix = await make("/prefixes", cidr="10.76.0.0/16", tenant_id=tenants["b"]["id"])
    body = {"prefix_id": prefix["id"], "cidr": "10.76.0.0/24", "interface": "eth1"}
    refused(await admin.post("/subnets", json=body), 409, "conflict")
    operation = {"op": "create", "path": "/subnets", "body": body}
    refused(await admin.post("/bulk", json={"operations": [operation]}), 409, "conflict")
    own = await make("/prefixes", cidr="10.76.0.0/16", tenant_id=tenants["a"]["id"])
    await make("/subnets", prefix_id=own["id"], cidr="10.76.0.0/24", interface="eth1")
    assert (await admin.patch(items["b"], json={"interface": "eth2"})).status_code == 200


# --- explain


async def test_explain_says_why_a_tenant_was_chosen(make: Any, admin: Any, tenants: Any) -> None:
    """The finding itself: without an entry of its own no tenant has the relay, whoever drew the network first."""
    entry = await make("/trusted-relays", cidr="10.75.0.0/16")
    found = await explain(admin)
    assert (found["outcome"], found["drop_reason"]) == ("dropped", "no_subnet")
    assert (found["tenant"]["name"], found["tenant"]["chosen_by"]) == ("default", "relay")
    assert "10.75.0.0/16, which has no tenant" in found["tenant"]["reason"]
    assert found["relay"] == {"address": "10.75.0.1", "trusted": True, "trusted_relay_id": entry["id"]}
    bound = await make("/trusted-relays", cidr="10.75.0.1/32", tenant_id=tenants["b"]["id"])
    found = await explain(admin)
    assert (found["tenant"]["id"], found["tenant"]["chosen_by"]) == (tenants["b"]["id"], "relay")
    assert "10.75.0.1/32, which belongs to the tenant" in found["tenant"]["reason"]
    assert found["relay"]["trusted_relay_id"] == bound["id"]
    assert ip_address(found["address"]) < NETWORK + 110
    renewal = await explain(admin, message="renew", ciaddr="10.75.0.150")
    assert (renewal["tenant"]["name"], renewal["tenant"]["chosen_by"]) == ("b", "reachable")


async def test_explain_follows_virtual_networks_where_the_entry_allows_them(
    make: Any, admin: Any, tenants: Any
) -> None:
    entry = await make("/trusted-relays", cidr="10.75.0.0/24")
    named = {"options": [{"code": 221, "payload": {"hex": "0062"}}]}
    for vss, client, expected in ((False, False, "default"), (True, False, "default"), (True, True, "b")):
        body = {"vss": vss, "client_vss": client}
        assert (await admin.patch(f"/trusted-relays/{entry['id']}", json=body)).status_code == 200
        found = await explain(admin, **named)
        assert found["tenant"]["name"] == expected
    assert found["tenant"]["chosen_by"] == "client_network"


async def test_explain_drops_packets_of_other_sources(
    make: Any, admin: Any, refused: Any, tenants: Any
) -> None:
    await make("/trusted-relays", cidr="10.75.0.0/24", tenant_id=tenants["b"]["id"], sources=["10.80.0.0/30"])
    assert (await explain(admin))["outcome"] == "offer"
    assert (await explain(admin, source="10.80.0.2"))["outcome"] == "offer"
    assert (await explain(admin, source="10.75.0.1"))["drop_reason"] == "untrusted_source"
    question = {"interface": "eth0", "mac": MAC, "source": "10.0.0.1"}
    assert (
        refused(await admin.post("/dhcp/explain", json=question), 422, "validation_error")["field"]
        == "source"
    )


async def test_explain_tells_a_tenant_nothing_of_the_relays_of_others(make: Any, tenants: Any) -> None:
    """The answer is the same whether another tenant has an entry for the relay, the default one has, or nobody."""
    client = tenants["a"]["client"]
    relay6 = {"link_address": "2001:db8::1", "relay": "2001:db8::1", "duid": "00030001020000000001"}

    async def ask() -> list[Any]:
        found6 = await client.post("/dhcp6/explain", json=relay6)
        assert found6.status_code == 200, found6.text
        questions = ({}, {"message": "renew", "ciaddr": "10.75.0.150"}, {"link_selection": "10.75.0.9"})
        return [found6.json(), *[await explain(client, **question) for question in questions]]

    before = await ask()
    assert before[1]["drop_reason"] == "untrusted_relay"
    assert before[1]["relay"] == {"address": "10.75.0.1", "trusted": False, "trusted_relay_id": None}
    await make("/trusted-relays", cidr="10.0.0.0/8")
    await make("/trusted-relays", cidr="2001:db8::/32", vss=True)
    assert await ask() == before
    await make("/trusted-relays", cidr="10.75.0.1/32", tenant_id=tenants["b"]["id"])
    await make("/trusted-relays", cidr="2001:db8::1/128", tenant_id=tenants["b"]["id"])
    assert await ask() == before
    # Of its own relays it learns all.
    await make("/trusted-relays", cidr="10.75.0.0/24", tenant_id=tenants["a"]["id"])
    own = await explain(client, relay="10.75.0.2")
    assert (own["tenant"]["name"], own["outcome"]) == ("a", "offer")


# --- what an operator who upgrades has to bind

LEASE = """
insert into lease (granted_at, renewed_at, expires_at, reuse_at, version, tenant_no, subnet_no, prefix_length, state,
                   address, client_key, hw_type, hw_address, relay, relay_info)
select now(), now(), now() + interval '1 hour', now(), nextval('lease_version'), tenant_no, no, 32, 'a',
       $2::inet, '\\x0101020000000001', 1, '\\x020000000001', $3::inet, $4
from subnet where id = $1::text::uuid"""


async def unbound(pool: asyncpg.Pool, *networks: Any) -> list[Any]:
    async with pool.acquire() as connection:
        return await find_unbound(connection, networks)


async def test_relays_that_served_by_containment_are_listed_until_they_are_bound(
    make: Any, admin: Any, tenants: Any, pool: asyncpg.Pool
) -> None:
    assert await unbound(pool) == []  # no relay is trusted at all
    await make("/trusted-relays", cidr="10.0.0.0/8")
    found = await unbound(pool)
    assert [(each.place, each.tenant) for each in found] == [("10.75.0.1/32", "a"), ("10.75.0.1/32", "b")]
    assert found[1].bind == f"ipam create trusted-relays cidr=10.75.0.1/32 tenant_id={tenants['b']['id']}"
    assert "10.75.0.1/32 (tenant a), 10.75.0.1/32 (tenant b)" in summary(found)[0]
    subnet = tenants["b"]["subnet"]["id"]
    await pool.execute(LEASE, subnet, "10.75.0.105", "10.99.0.7", None)
    found = await unbound(pool)
    assert (found[0].place, found[0].tenant) == ("10.99.0.7", "b")
    assert "1 active leases" in found[0].why
    await make("/trusted-relays", cidr="10.99.0.7/32", tenant_id=tenants["b"]["id"])
    await make("/trusted-relays", cidr="10.75.0.1/32", tenant_id=tenants["b"]["id"])
    assert [(each.place, each.tenant) for each in await unbound(pool)] == [("10.75.0.1/32", "a")]
    await admin.patch(f"/subnets/{tenants['a']['subnet']['id']}", json={"dhcp_enabled": False})
    assert await unbound(pool) == []
    assert summary([]) == []


async def test_networks_of_the_setting_are_looked_at_too(make: Any, tenants: Any, pool: asyncpg.Pool) -> None:
    assert len(await unbound(pool, ip_network("10.75.0.0/16"))) == 2
    prefix = await make("/prefixes", cidr="10.75.0.0/24")
    await make(
        "/subnets", prefix_id=prefix["id"], cidr="10.75.0.0/24"
    )  # the default tenant's, whose relay it was before
    assert await unbound(pool, ip_network("10.75.0.0/16")) == []


async def test_an_entry_of_the_same_network_makes_room_and_virtual_networks_are_told(
    make: Any, tenants: Any, pool: asyncpg.Pool
) -> None:
    await make("/trusted-relays", cidr="10.75.0.1/32")
    (first, second) = await unbound(pool)
    assert first.bind.startswith("ipam delete trusted-relays 10.75.0.1/32; ipam create trusted-relays")
    assert second.tenant == "b"
    network = bytes((1, 2, 3, 3, 151, 2, 0, 98))
    await pool.execute(LEASE, tenants["b"]["subnet"]["id"], "10.75.0.105", "10.75.0.1", network)
    assert "vss=true" in (await unbound(pool))[0].bind


async def test_links_in_a_tenants_range_are_listed(
    make: Any, admin: Any, tenants: Any, pool: asyncpg.Pool
) -> None:
    await pool.execute(
        "insert into node (id, name, role, version, state, interfaces, started_at, heartbeat_at)"
        " values (gen_random_uuid(), 'n', 'dhcp', '1', 'ready', '{\"eth1\": [\"10.75.0.2\"]}', now(), now())"
    )
    assert [(each.place, each.tenant) for each in await unbound(pool)] == [("eth1", "a"), ("eth1", "b")]
    await admin.patch(f"/subnets/{tenants['b']['subnet']['id']}", json={"interface": "eth1"})
    assert await unbound(pool) == []
