"""Infinite lease times in the API: 4294967295 in subnets, null where a lease ends (decisions: Lease times)."""

from collections.abc import Callable
from typing import Any

import asyncpg
import httpx
import pytest

from ipam_core.model.lifetimes import FIELDS, INFINITE, LONGEST

PUT = """
insert into lease (tenant_no, subnet_no, address, prefix_length, ia_type, preferred_lifetime, state, version,
  granted_at, renewed_at, expires_at, reuse_at, client_key, hw_type, hw_address)
select tenant_no, no, $1, 32, 0, -1, 'a', nextval('lease_version'), now(), now(), 'infinity', 'infinity',
  '\\x0101'::bytea || $2, 1, $2 from subnet where cidr >>= $1"""
NOTE = """
insert into lease_event (at, xid, version, granted_at, expires_at, reuse_at, tenant_no, subnet_no, prefix_length,
  ia_type, kind, state, address, client_key, hw_type, hw_address)
select now(), pg_current_xact_id(), version, granted_at, expires_at, reuse_at, tenant_no, subnet_no, prefix_length,
  ia_type, 'g', 'a', address, client_key, hw_type, hw_address from lease where address = $1"""
LATER = "2200-01-01T00:00:00Z"
HARDWARE = bytes.fromhex("020000000001")


async def test_every_lifetime_may_be_infinite(subnet: dict[str, Any], admin: httpx.AsyncClient) -> None:
    """As given, in the answer, in a list and in the audit trail; and finite again."""
    path = f"/subnets/{subnet['id']}"
    answer = await admin.patch(path, json=dict.fromkeys(FIELDS, INFINITE))
    assert answer.status_code == 200, answer.text
    for shown in (
        answer.json(),
        (await admin.get(path)).json(),
        (await admin.get("/subnets")).json()["items"][0],
    ):
        assert {name: shown[name] for name in FIELDS} == dict.fromkeys(FIELDS, INFINITE)
    trail = (await admin.get("/audit", params={"object_id": subnet["id"]})).json()["items"][0]
    assert trail["after"]["lease_time_seconds"] == INFINITE
    again = await admin.patch(path, json=dict.fromkeys(FIELDS) | {"lease_time_seconds": 3600})
    assert again.json()["lease_time_seconds"] == 3600
    assert again.json()["min_lease_time_seconds"] is None


@pytest.mark.parametrize("seconds", [LONGEST + 1, INFINITE - 1])
@pytest.mark.parametrize("name", FIELDS)
async def test_what_is_longer_than_any_that_ends(
    name: str, seconds: int, subnet: dict[str, Any], admin: httpx.AsyncClient
) -> None:
    longest = {"lease_time_seconds": INFINITE, "max_lease_time_seconds": INFINITE}
    answer = await admin.patch(f"/subnets/{subnet['id']}", json=longest | {name: seconds})
    assert answer.status_code == 422
    assert answer.json()["error"]["details"]["field"] == name
    assert "4294967295 for an infinite lease time" in answer.json()["error"]["message"]


@pytest.mark.parametrize("seconds", [INFINITE + 1, -1, 0])
async def test_what_is_no_lifetime(seconds: int, subnet: dict[str, Any], admin: httpx.AsyncClient) -> None:
    answer = await admin.patch(f"/subnets/{subnet['id']}", json={"lease_time_seconds": seconds})
    assert answer.status_code == 422


async def test_a_lease_that_never_ends(
    subnet: dict[str, Any], make: Callable[..., Any], admin: httpx.AsyncClient, pool: asyncpg.Pool
) -> None:
    """Null where it ends, in every view; no moment is behind its end."""
    await pool.execute(PUT, "10.0.0.150", HARDWARE)
    await pool.execute(NOTE, "10.0.0.150")
    found = (await admin.get("/leases", params={"ip": "10.0.0.150"})).json()["items"]
    assert [(lease["state"], lease["expires_at"]) for lease in found] == [("active", None)]
    assert found[0]["preferred_lifetime_seconds"] == INFINITE
    assert (await admin.get(f"/leases/{found[0]['id']}")).json()["expires_at"] is None
    before = await admin.get("/leases", params={"expires_before": "9999-12-31T23:59:59Z"})
    after = await admin.get("/leases", params={"expires_after": "9999-12-31T23:59:59Z"})
    assert (before.json()["items"], len(after.json()["items"])) == ([], 1)
    events = (await admin.get("/lease-events", params={"ip": "10.0.0.150"})).json()["items"]
    assert [event["expires_at"] for event in events] == [None]
    held = await admin.get("/lease-events", params={"ip": "10.0.0.150", "at": LATER})
    assert len(held.json()["items"]) == 1
    table = await admin.get("/leases", headers={"accept": "text/csv"})
    assert "9999" not in table.text
    released = await admin.post(f"/leases/{found[0]['id']}/release")
    assert released.status_code in (200, 204), released.text
