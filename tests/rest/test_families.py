"""What is peculiar to a family: definitions that options are read by, webhooks, nodes, relays, reservations of
leases, the dashboard.
"""

from datetime import datetime, timedelta
from ipaddress import ip_address
from typing import Any

import asyncpg
import httpx

from ipam_core.db import queries
from ipam_core.model.ids import new_id
from ipam_core.services.unknown_relays import note_unknown
from ipam_core.services.webhooks import MOST_TESTS

PIN = {"code": 224, "name": "pin", "kind": "uint16"}


async def test_a_definition_gives_payloads_their_shape(
    admin: httpx.AsyncClient, make: Any, subnet: dict[str, Any], refused: Any
) -> None:
    path = f"/subnets/{subnet['id']}/options"
    body = {"code": 224, "payload": {"value": 4711}}
    assert refused(await admin.post(path, json=body), 422, "validation_error")["field"] == "payload"
    definition = await make("/option-definitions", **PIN)
    option = await make(path, **body)
    too_large = await admin.patch(f"/options/{option['id']}", json={"payload": {"value": 70000}})
    assert refused(too_large, 422, "validation_error")["field"] == "payload.value"
    item = f"/option-definitions/{definition['id']}"
    for patch in ({"kind": "uint8"}, {"array": True}, {"code": 225}, {"family": 6}, {"vendor_space": "X"}):
        details = refused(await admin.patch(item, json=patch), 409, "conflict")
        assert details["children"] == {"options": 1}
    assert (await admin.patch(item, json={"name": "door-pin"})).status_code == 200
    for query in ("", "?cascade=true"):
        refused(await admin.delete(item + query), 409, "conflict")
    assert (await admin.patch(f"/options/{option['id']}", json={"payload": None})).status_code == 422
    await admin.delete(f"/options/{option['id']}")
    await make(path, code=224, payload={"hex": "1267"})  # octets need no definition
    assert (await admin.patch(item, json={"kind": "uint8"})).status_code == 200
    assert (await admin.delete(item)).status_code == 204


async def test_definitions_of_sub_options_are_used_by_their_vendors_options(
    admin: httpx.AsyncClient, make: Any, subnet: dict[str, Any], refused: Any
) -> None:
    phone = await make("/option-definitions", code=1, name="vlan", kind="uint16", vendor_space="phone")
    modem = await make("/option-definitions", code=1, name="mode", kind="uint8", vendor_space="4491")
    free = await make("/option-definitions", code=2, name="free", kind="uint8", vendor_space="phone")
    path = f"/subnets/{subnet['id']}/options"
    sub = {"code": 1, "value": 100}
    await make(path, code=43, vendor_class="phone", payload={"suboptions": [sub]})
    await make(path, code=125, payload={"suboptions": [{"enterprise": 4491, **sub}]})
    for used in (phone, modem):
        refused(await admin.delete(f"/option-definitions/{used['id']}"), 409, "conflict")
    assert (await admin.delete(f"/option-definitions/{free['id']}")).status_code == 204


async def test_what_is_stored_must_fit_a_new_definition(
    admin: httpx.AsyncClient, make: Any, subnet: dict[str, Any], refused: Any
) -> None:
    text = {"suboptions": [{"code": 3, "string": "x"}]}
    await make(f"/subnets/{subnet['id']}/options", code=43, vendor_class="phone", payload=text)
    body = {"code": 3, "name": "three", "vendor_space": "phone"}
    answer = await admin.post("/option-definitions", json=body | {"kind": "uint16"})
    assert refused(answer, 409, "conflict")["field"] == "kind"
    await make("/option-definitions", **body, kind="string")


async def test_bad_definitions_are_refused_by_field(admin: httpx.AsyncClient, refused: Any) -> None:
    for body, field in (
        ({"kind": "float"}, "kind"),
        ({"kind": "string", "array": True}, "array"),
        ({"code": 6}, "code"),
        ({"code": 53}, "code"),
        ({"code": 255}, "code"),
        ({"code": 300, "vendor_space": "x"}, "code"),
        ({"code": 3, "family": 6}, "code"),
        ({"family": 5}, "family"),
        ({"name": ""}, "name"),
    ):
        answer = await admin.post("/option-definitions", json=PIN | body)
        assert refused(answer, 422, "validation_error")["field"] == field, body
    await admin.post("/option-definitions", json=PIN)
    for body in (PIN | {"name": "other"}, PIN | {"code": 225}):
        assert refused(await admin.post("/option-definitions", json=body), 409, "conflict")["conflicts_with"]


URL = "https://hooks.example/x"


async def test_a_webhooks_own_secret_is_made_and_shown_once(
    admin: httpx.AsyncClient, make: Any, pool: asyncpg.Pool
) -> None:
    key = {"idempotency-key": "w"}
    first = await admin.post("/webhooks", json={"url": URL}, headers=key)
    secret = first.json()["secret"]
    assert secret.startswith("whsec_")
    again = await admin.post("/webhooks", json={"url": URL}, headers=key)
    assert again.json() == first.json()
    read = (await admin.get(f"/webhooks/{first.json()['id']}")).json()
    assert read == {name: value for name, value in first.json().items() if name != "secret"}
    for table in ("webhook", "change", "idempotency"):
        rows = await pool.fetch(f"select t::text as row from {table} t")
        assert not [row for row in rows if secret in row["row"] or secret.encode().hex() in row["row"]]


async def test_bad_webhooks_are_refused_by_field(admin: httpx.AsyncClient, refused: Any) -> None:
    for body, field in (
        ({}, "url"),
        ({"url": "hooks.example"}, "url"),
        ({"url": "https://user:pass@hooks.example/"}, "url"),
        ({"url": "http://[::1"}, "url"),
        ({"url": URL, "events": ["lease.given"]}, "events[0]"),
        ({"url": URL, "secret": "whsec_c2hvcnQ="}, "secret"),
        ({"url": URL, "secret": "c2VjcmV0" * 4}, "secret"),
        ({"url": URL, "secret": None}, "secret"),
    ):
        answer = await admin.post("/webhooks", json=body)
        assert refused(answer, 422, "validation_error")["field"] == field, body


async def test_tests_are_bounded(
    admin: httpx.AsyncClient, make: Any, pool: asyncpg.Pool, refused: Any
) -> None:
    """Each receiver by itself; other deliveries and old tests do not count."""
    hook = await make("/webhooks", url=URL)
    paths = [f"/webhooks/{hook['id']}/test", f"/webhooks/{(await make('/webhooks', url=URL))['id']}/test"]
    chat = await make("/notifications", name="noc", kind="slack", url=URL)
    paths.append(f"/notifications/{chat['id']}/test")
    for path in paths:
        for _ in range(MOST_TESTS):
            assert (await admin.post(path)).status_code == 201
    await pool.execute("update webhook_delivery set created_at = now() - interval '2 minutes'")
    for path in paths:
        answer = await admin.post(path)
        refused(answer, 429, "rate_limited")
        assert 0 < int(answer.headers["retry-after"]) <= 180
    await pool.execute("update webhook_delivery set created_at = now() - interval '5 minutes 1 second'")
    await pool.execute("update webhook_delivery set event = 'lease.granted' where no % 2 = 0")
    for path in paths:
        assert (await admin.post(path)).status_code == 201


async def test_a_test_is_a_delivery_that_can_be_made_again(
    admin: httpx.AsyncClient, make: Any, pool: asyncpg.Pool, refused: Any
) -> None:
    hook = await make("/webhooks", url=URL)
    sent = await admin.post(f"/webhooks/{hook['id']}/test")
    assert sent.status_code == 201, sent.text
    delivery = sent.json()
    assert sent.headers["location"] == f"/api/v1/deliveries/{delivery['id']}"
    assert (delivery["event"], delivery["state"]) == ("webhook.ping", "pending")
    assert delivery["payload"]["type"] == "webhook.ping"
    assert delivery["payload"]["data"] == {"webhook_id": hook["id"]}
    listed = (await admin.get(f"/webhooks/{hook['id']}/deliveries", params={"state": "pending"})).json()
    assert listed["items"] == [delivery]
    again = f"/deliveries/{delivery['id']}/redeliver"
    assert refused(await admin.post(again), 409, "conflict")["state"] == "pending"
    for state in ("delivered", "failed", "dead"):
        await pool.execute("update webhook_delivery set state = $1, attempts = 9", state)
        answer = await admin.post(again)
        assert (answer.status_code, answer.json()["state"], answer.json()["attempts"]) == (200, "pending", 0)
    await pool.execute("update webhook_delivery set state = 'dead'")
    await admin.patch(f"/webhooks/{hook['id']}", json={"enabled": False})
    refused(await admin.post(again), 409, "conflict")
    refused(await admin.post(f"/webhooks/{hook['id']}/test"), 409, "conflict")
    refused(await admin.post("/webhooks/x/test"), 404, "not_found")
    refused(await admin.post("/deliveries/x/redeliver"), 404, "not_found")
    assert (await admin.delete(f"/webhooks/{hook['id']}")).status_code == 204
    refused(await admin.get(f"/deliveries/{delivery['id']}"), 404, "not_found")


NODE = """
insert into node (id, name, role, version, state, heartbeat_at)
values (gen_random_uuid(), $1, 'dhcp', '1', $2, now() - $3::text::interval) returning id
"""


async def test_a_silent_node_is_down_and_only_a_live_one_drains(
    admin: httpx.AsyncClient, make: Any, connect: Any, pool: asyncpg.Pool, refused: Any
) -> None:
    ids = {
        name: str(await pool.fetchval(NODE, name, state, silent))
        for name, state, silent in (
            ("ready", "ready", "1 s"), ("dead", "ready", "31 s"), ("gone", "stopped", "1 day"),
        )
    }  # fmt: skip
    states = {node["name"]: node["state"] for node in (await admin.get("/nodes")).json()["items"]}
    assert states == {"ready": "ready", "dead": "down", "gone": "stopped"}
    down = (await admin.get("/nodes", params={"state": "down"})).json()["items"]
    assert [node["name"] for node in down] == ["dead"]
    for _ in range(2):
        drained = await admin.post(f"/nodes/{ids['ready']}/drain?force=true")
        assert (drained.status_code, drained.json()["state"]) == (200, "draining")
    assert await pool.fetchval("select drain from node where name = 'ready'")
    for name, state in (("dead", "down"), ("gone", "stopped")):
        details = refused(await admin.post(f"/nodes/{ids[name]}/drain"), 409, "conflict")
        assert details["state"] == state
    tenant = await make("/tenants", name="guest")
    token = await make("/tokens", name="g", role="operator", tenant_id=tenant["id"])
    guest = connect(token["token"])
    assert (await guest.get("/nodes")).json()["items"] == []
    refused(await guest.post(f"/nodes/{ids['ready']}/drain"), 404, "not_found")


async def test_a_node_that_is_no_more_can_be_forgotten(
    admin: httpx.AsyncClient, make: Any, connect: Any, pool: asyncpg.Pool, refused: Any
) -> None:
    tenant = await make("/tenants", name="guest")
    token = await make("/tokens", name="g", role="admin", tenant_id=tenant["id"])
    for name, state, silent in (("dead", "ready", "31 s"), ("gone", "stopped", "1 s")):
        id_ = await pool.fetchval(NODE, name, state, silent)
        refused(await connect(token["token"]).delete(f"/nodes/{id_}"), 404, "not_found")
        assert (await admin.delete(f"/nodes/{id_}")).status_code == 204
    living = await pool.fetchval(NODE, "ready", "ready", "1 s")
    assert refused(await admin.delete(f"/nodes/{living}"), 409, "conflict")["state"] == "ready"
    assert [node["name"] for node in (await admin.get("/nodes")).json()["items"]] == ["ready"]


async def test_a_server_that_was_asked_to_drain_drains_until_it_stops(
    admin: httpx.AsyncClient, pool: asyncpg.Pool
) -> None:
    """Its heartbeats go on meanwhile; under the same name a new process starts afresh."""
    beats = queries.load("dhcp_node")
    async with pool.acquire() as connection:
        for _ in range(2):
            row = await beats.claim_node(connection, id=new_id(), name="a", role="dhcp", version="1")
            node = (await admin.get("/nodes")).json()["items"][0]
            assert node["state"] == "starting"
            assert (await admin.post(f"/nodes/{node['id']}/drain?force=true")).is_success
            for said, state in (("ready", "draining"), ("degraded", "draining"), ("stopped", "stopped")):
                await beats.beat_node(
                    connection, no=row["no"], started_at=row["started_at"], state=said, detail=""
                )
                assert (await admin.get(f"/nodes/{node['id']}")).json()["state"] == state


async def test_a_tenant_goes_with_all_that_is_its_own(
    admin: httpx.AsyncClient, make: Any, refused: Any, pool: asyncpg.Pool
) -> None:
    tenant = await make("/tenants", name="acme")
    own = {"tenant_id": tenant["id"]}
    await make("/option-definitions", **PIN, **own)
    await make("/global-options", code=224, payload={"value": 1}, **own)
    server = await make("/dns-servers", name="ns", adapter="embedded", **own)
    zone = await make("/dns-zones", name="example.org", dns_server_id=server["id"], **own)
    await make(f"/dns-zones/{zone['id']}/records", name="www", type="A", data="192.0.2.1")
    hook = await make("/webhooks", url=URL, **own)
    await admin.post(f"/webhooks/{hook['id']}/test")
    item = f"/tenants/{tenant['id']}"
    families = {"options", "option_definitions", "dns_servers", "dns_zones", "webhooks"}
    details = refused(await admin.delete(item), 409, "conflict")
    assert details["children"] == dict.fromkeys(families, 1)
    assert (await admin.delete(item + "?cascade=true")).status_code == 204
    gone = await pool.fetch("select object_type from change where action = 'deleted'")
    singular = {family.removesuffix("s") for family in families}
    assert {row["object_type"] for row in gone} == singular | {"tenant", "dns_record"}


async def test_unknown_relays_are_counted_until_they_are_trusted(
    admin: httpx.AsyncClient, make: Any, pool: asyncpg.Pool
) -> None:
    first, second = ip_address("10.1.0.1"), ip_address("2001:db8::1")
    async with pool.acquire() as connection:
        await note_unknown(connection, [(first, 3), (second, 1), (first, 2)])
        await note_unknown(connection, [(first, 5)])
        await note_unknown(connection, [])
    found = (await admin.get("/trusted-relays/unknown", params={"limit": 1})).json()
    assert [(row["address"], row["count"]) for row in found["items"]] == [("10.1.0.1", 10)]
    assert found["items"][0]["first_seen_at"] <= found["items"][0]["last_seen_at"]
    rest = await admin.get("/trusted-relays/unknown", params={"cursor": found["next_cursor"]})
    assert [row["id"] for row in rest.json()["items"]] == ["2001:db8::1"]
    assert rest.json()["next_cursor"] is None
    await make("/trusted-relays", cidr="10.0.0.0/8")
    left = (await admin.get("/trusted-relays/unknown")).json()["items"]
    assert [row["address"] for row in left] == ["2001:db8::1"]


LEASE = """
insert into lease (granted_at, renewed_at, expires_at, reuse_at, version, tenant_no, subnet_no, prefix_length, state,
                   address, client_key, hw_type, hw_address, client_id, hostname)
select now(), now(), now() + $3::text::interval, now(), nextval('lease_version'), tenant_no, no, 32, $2::"char", $1,
       $4::bytea, 1, '\\x020000000001'::bytea, $5::bytea, $6
from subnet where cidr >> $1::inet
"""
BY_MAC, BY_CLIENT = bytes.fromhex("0101020000000001"), bytes.fromhex("020061")


async def lease(admin: httpx.AsyncClient, pool: asyncpg.Pool, ip: str, *values: Any) -> str:
    await pool.execute(LEASE, ip_address(ip), *values)
    return str((await admin.get("/leases", params={"ip": ip})).json()["items"][0]["id"])


async def test_a_lease_becomes_a_reservation(
    admin: httpx.AsyncClient, subnet: dict[str, Any], pool: asyncpg.Pool, refused: Any
) -> None:
    id_ = await lease(admin, pool, "10.0.0.100", "a", "1 hour", BY_MAC, None, "phone")
    made = await admin.post(f"/leases/{id_}/reserve", headers={"idempotency-key": "r"})
    assert made.status_code == 201, made.text
    found = made.json()
    assert (found["ip"], found["mac"], found["client_id"]) == ("10.0.0.100", "02:00:00:00:00:01", None)
    assert (found["hostname"], found["subnet_id"]) == ("phone", subnet["id"])
    assert made.headers["location"] == f"/api/v1/reservations/{found['id']}"
    again = await admin.post(f"/leases/{id_}/reserve", headers={"idempotency-key": "r"})
    assert again.content == made.content
    refused(await admin.post(f"/leases/{id_}/reserve"), 409, "conflict")
    id_ = await lease(admin, pool, "10.0.0.101", "a", "1 hour", BY_CLIENT, b"\0a", "not a name")
    made = await admin.post(f"/leases/{id_}/reserve", json={"hostname": "tv", "description": "d"})
    found = made.json()
    assert (found["mac"], found["client_id"], found["hostname"]) == (None, "00:61", "tv")
    for number, state, lasts in ((102, "r", "1 hour"), (103, "a", "-1 hour"), (104, "d", "1 hour")):
        id_ = await lease(admin, pool, f"10.0.0.{number}", state, lasts, BY_MAC, None, None)
        assert refused(await admin.post(f"/leases/{id_}/reserve"), 409, "conflict")["state"]
    refused(await admin.post("/leases/x/reserve"), 404, "not_found")
    bad = await admin.post(f"/leases/{id_}/reserve", json={"ip": "10.0.0.1"})
    assert refused(bad, 422, "validation_error")["field"] == "ip"


async def test_the_dashboard_tells_how_much_there_is(
    admin: httpx.AsyncClient, make: Any, connect: Any, subnet: dict[str, Any], pool: asyncpg.Pool
) -> None:
    await make(f"/subnets/{subnet['id']}/pools", name="p", start_ip="10.0.0.100", end_ip="10.0.0.109")
    await make(f"/subnets/{subnet['id']}/reservations", ip="10.0.0.20", mac="02:00:00:00:00:20")
    await make("/assignments", ip="10.0.0.30", hostname="x")
    await pool.execute(NODE, "here", "ready", "1 s")
    await pool.execute(
        "insert into usage (subnet_no, pool_no, fence, first, last, total, excluded, reserved, assigned, taken,"
        " leased, open) select subnet_no, no, 1, start_ip, end_ip, 10, 0, 0, 0, 0, 9, 9 from pool"
        " union all select no, 0, 1, '10.0.0.1', '10.0.0.254', 254, 0, 1, 1, 2, 9, 9 from subnet"
    )
    shown = (await admin.get("/dashboard")).json()
    assert (shown["managed_ips"], shown["managed_ips_limit"]) == (2, 1000)
    counts = {"tenants": 1, "prefixes": 1, "subnets": 1, "pools": 1, "reservations": 1, "assignments": 1}
    assert shown["counts"] == counts | {"dns_zones": 0, "active_leases": 9}
    assert [(full["name"], full["utilisation"]) for full in shown["pools_near_full"]] == [("p", 0.9)]
    assert [node["name"] for node in shown["nodes"]] == ["here"]
    recent = [change["object_type"] for change in shown["recent"]]
    assert recent == ["assignment", "reservation", "pool", "subnet", "prefix"]
    assert datetime.fromisoformat(shown["recent"][0]["at"]) > datetime.fromisoformat(
        subnet["created_at"]
    ) - timedelta(seconds=1)
    tenant = await make("/tenants", name="guest")
    token = await make("/tokens", name="g", role="viewer", tenant_id=tenant["id"])
    theirs = (await connect(token["token"]).get("/dashboard")).json()
    assert set(theirs["counts"].values()) == {0, 1}
    assert theirs["counts"]["tenants"] == 1
    assert (theirs["pools_near_full"], theirs["nodes"], theirs["recent"]) == ([], [], [])
