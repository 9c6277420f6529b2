"""The audit trail: every write, with who, from where and what; nobody rewrites it."""

from typing import Any

import asyncpg
import httpx
import pytest

from ipam_core.services import audit
from ipam_core.services.entity import scans


async def entries(client: httpx.AsyncClient, **params: Any) -> list[dict[str, Any]]:
    answer = await client.get("/audit", params=params)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["items"]
    return found


async def test_a_write_is_told_with_who_from_where_and_what(
    admin: httpx.AsyncClient, connect: Any, make: Any
) -> None:
    token = await make("/tokens", name="importer", role="admin")
    client = connect(token["token"], peer="192.0.2.7", x_request_id="job-7")
    made = (await client.post("/prefixes", json={"cidr": "10.0.0.0/8", "description": "a"})).json()
    changed = (await client.patch(f"/prefixes/{made['id']}", json={"description": "b"})).json()
    await client.delete(f"/prefixes/{made['id']}")
    found = await entries(admin, object_id=made["id"])
    assert [(entry["action"], entry["before"], entry["after"]) for entry in found] == [
        ("deleted", changed, None),
        ("updated", made, changed),
        ("created", None, made),
    ]
    for entry in found:
        assert (entry["token_id"], entry["token_name"]) == (token["id"], "importer")
        assert (entry["remote_address"], entry["request_id"]) == ("192.0.2.7", "job-7")
        assert (entry["object_type"], entry["tenant_id"]) == ("prefix", made["tenant_id"])
        assert (await admin.get(f"/audit/{entry['id']}")).json() == entry


async def test_filters_find_what_they_mean(
    admin: httpx.AsyncClient, connect: Any, make: Any, subnet: dict[str, Any]
) -> None:
    token = await make("/tokens", name="importer", role="admin")
    client = connect(token["token"], peer="192.0.2.7", x_request_id="job-7")
    path = f"/subnets/{subnet['id']}/pools"
    pool = (
        await client.post(path, json={"start_ip": "10.0.0.9", "end_ip": "10.0.0.9", "name": "attic"})
    ).json()
    at = (await entries(admin, object_id=pool["id"]))[0]["at"]
    for params in (
        {"object_type": "pool"},
        {"object_type": "pool", "action": "created"},
        {"token_id": token["id"]},
        {"token_name": "importer"},
        {"remote_address": "192.0.2.7"},
        {"request_id": "job-7"},
        {"subnet_id": subnet["id"], "object_type": "pool"},
        {"tenant_id": subnet["tenant_id"], "q": "ATTIC"},
        {"since": at, "object_type": "pool"},
        {"until": "2999-01-01T00:00:00Z", "object_type": "pool"},
    ):
        assert [entry["object_id"] for entry in await entries(admin, **params)] == [pool["id"]], params
    for params in (
        {"object_type": "exclude"},
        {"object_type": "pool", "action": "deleted"},
        {"token_id": subnet["id"]},
        {"since": "2999-01-01T00:00:00Z"},
        {"until": at, "object_type": "pool"},
    ):
        assert await entries(admin, **params) == [], params


async def test_bad_filters_and_ids_are_refused(admin: httpx.AsyncClient, refused: Any) -> None:
    for name, text in (
        ("action", "made"), ("since", "yesterday"), ("remote_address", "x"), ("cursor", "W10"),
        ("cursor", "WyJ4Il0"), ("who", "x"),
    ):  # fmt: skip
        answer = await admin.get("/audit", params={name: text})
        assert refused(answer, 422, "validation_error")["field"] == name
    for id_ in ("x", "0", "99999999", "9" * 30, "-1"):
        refused(await admin.get(f"/audit/{id_}"), 404, "not_found")


@pytest.mark.parametrize("hasty", [False, True])
async def test_pages_hold_every_entry_once_however_short_they_are(
    admin: httpx.AsyncClient, make: Any, monkeypatch: pytest.MonkeyPatch, hasty: bool
) -> None:
    """Hasty: each page may look at one window only, as if the second were over."""
    if hasty:
        monkeypatch.setattr(scans, "SCAN_SECONDS", 0.0)
        monkeypatch.setattr(audit, "FIRST_STEP", 2)
    made = [(await make("/trusted-relays", cidr=f"10.0.{n}.0/24"))["id"] for n in range(7)]
    for limit in (1, 3, 50):
        found: list[str] = []
        params: dict[str, Any] = {"limit": limit, "object_type": "trusted_relay"}
        while True:
            page = (await admin.get("/audit", params=params)).json()
            found += [entry["object_id"] for entry in page["items"]]
            if page["next_cursor"] is None:
                break
            params["cursor"] = page["next_cursor"]
            await make("/tenants", name=f"{limit}-{params['cursor']}")
        assert found == made[::-1], limit


async def test_who_is_limited_to_a_tenant_sees_that_tenants_entries(
    admin: httpx.AsyncClient, make: Any, connect: Any, subnet: dict[str, Any], refused: Any
) -> None:
    tenant = await make("/tenants", name="guest")
    token = await make("/tokens", name="g", role="admin", tenant_id=tenant["id"])
    guest = connect(token["token"])
    await guest.post("/prefixes", json={"cidr": "10.0.0.0/16"})
    assert {entry["tenant_id"] for entry in await entries(guest)} == {tenant["id"]}
    theirs = (await entries(admin, object_id=subnet["id"]))[0]
    refused(await guest.get(f"/audit/{theirs['id']}"), 404, "not_found")


async def test_a_released_lease_is_told_of(
    admin: httpx.AsyncClient, subnet: dict[str, Any], pool: asyncpg.Pool
) -> None:
    await pool.execute(
        "insert into lease (granted_at, renewed_at, expires_at, reuse_at, version, tenant_no, subnet_no,"
        " prefix_length, state, address, client_key)"
        " select now(), now(), now() + interval '1 hour', now(), nextval('lease_version'), tenant_no, no, 32, 'a',"
        " '10.0.0.100', '\\x0101020000000001' from subnet"
    )
    lease = (await admin.get("/leases")).json()["items"][0]
    released = (await admin.post(f"/leases/{lease['id']}/release")).json()
    entry = (await entries(admin, object_id=lease["id"]))[0]
    assert (entry["object_type"], entry["action"]) == ("lease", "updated")
    assert (entry["before"], entry["after"]) == (lease, released)
    assert (entry["token_name"], entry["tenant_id"]) == ("root", subnet["tenant_id"])
    await admin.post(f"/leases/{lease['id']}/release")
    assert len(await entries(admin, object_id=lease["id"])) == 1


@pytest.mark.own_database  # it drops a day of the history
async def test_history_cannot_be_rewritten(admin: httpx.AsyncClient, make: Any, pool: asyncpg.Pool) -> None:
    await make("/prefixes", cidr="10.0.0.0/8")
    await pool.execute(
        "insert into lease_event (at, xid, version, granted_at, expires_at, reuse_at, tenant_no, subnet_no,"
        " prefix_length, ia_type, kind, state, address, client_key)"
        " values (now(), pg_current_xact_id(), 2, now(), now(), now(), 1, 1, 32, 0, 'g', 'a', '10.0.0.1', '')"
    )
    day = await pool.fetchval("select tableoid::regclass::text from lease_event")
    for table in ("change", "lease_event", day):
        for statement in (f"update {table} set tenant_no = 7", f"delete from {table}", f"truncate {table}"):
            if statement == f"truncate {day}":
                continue  # that is how a day is forgotten, and so is dropping it
            with pytest.raises(asyncpg.InsufficientPrivilegeError, match="append-only"):
                await pool.execute(statement)
    before = await pool.fetchval("select count(*) from change")
    assert before > 1
    await pool.execute(f"drop table {day}")
    assert await pool.fetchval("select count(*) from lease_event") == 0
