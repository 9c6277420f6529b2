"""The DUID of the DHCPv6 servers through the API: who may set it, to what, and when."""

from typing import Any

import asyncpg
import httpx
import pytest

OLD = "00:01:00:01:2a:3b:4c:5d:02:00:00:00:00:01"
PATH = "/server-duid"
LEASE = (
    "insert into lease (tenant_no, address, subnet_no, state, version, client_key, prefix_length, ia_type, iaid,"
    " granted_at, renewed_at, expires_at, reuse_at)"
    " select tenant.no, '2001:db8::5', subnet.no, 'a', nextval('lease_version'), '\\x02', 128, 1, 1,"
    " now(), now(), now() + interval '1 hour', now() + interval '1 hour' from tenant, subnet where tenant.is_default"
)


async def test_it_is_set_and_goes_back(admin: httpx.AsyncClient) -> None:
    first = (await admin.get(PATH)).json()
    assert (first["is_set"], first["duid"][:6]) == (False, "00:04:")
    changed = await admin.patch(PATH, json={"duid": OLD.replace(":", "").upper()})
    assert changed.status_code == 200, changed.text
    assert (changed.json()["duid"], changed.json()["is_set"]) == (OLD, True)
    found = await admin.get(PATH)
    assert (found.json(), found.headers["etag"]) == (changed.json(), changed.headers["etag"])
    audit = (await admin.get("/audit", params={"object_type": "server_duid"})).json()["items"]
    assert [(each["action"], each["before"]["duid"], each["after"]["duid"]) for each in audit] == [
        ("updated", first["duid"], OLD)
    ]
    again = await admin.patch(PATH, json={"duid": OLD})
    assert again.json() == changed.json(), "what is so already is no change"
    stale = await admin.patch(PATH, json={"duid": None}, headers={"if-match": '"x"'})
    assert stale.status_code == 412
    back = (await admin.patch(PATH, json={"duid": None})).json()
    assert (back["duid"], back["is_set"]) == (first["duid"], False)


@pytest.mark.parametrize(
    ("duid", "words"),
    [
        ("00:01", "3 to 130"),
        ("00" * 131, "3 to 130"),
        ("00:00:01", "type"),
        ("00:03:00:00:00:00", "zeros"),
        ("00:01:00:01:2a:3b:4c:5d", "9 octets"),
        ("00:02:00:00:09:bf", "7 octets"),
        ("00:03:00:01", "type"),
        ("00:04:00:01:02:03", "18 octets"),
        ("00:04" + ":01" * 17, "UUID"),
        ("no hex", "hex"),
        (7, "must be a string"),
        ("", "hex"),
    ],
)
async def test_what_is_no_duid(admin: httpx.AsyncClient, refused: Any, duid: Any, words: str) -> None:
    details = refused(await admin.patch(PATH, json={"duid": duid}), 422, "validation_error")
    assert details["field"] == "duid"
    assert words in details["reason"]


async def test_the_field_is_needed(admin: httpx.AsyncClient, refused: Any) -> None:
    assert refused(await admin.patch(PATH, json={}), 422, "validation_error")["field"] == "duid"
    refused(await admin.patch(f"{PATH}?forec=true", json={"duid": OLD}), 422, "validation_error")


async def test_an_admin_of_all_tenants_sets_it(
    admin: httpx.AsyncClient, make: Any, connect: Any, refused: Any
) -> None:
    tenant = await make("/tenants", name="guest")
    for fields in ({"role": "admin", "tenant_id": tenant["id"]}, {"role": "operator"}, {"role": "viewer"}):
        client = connect((await make("/tokens", name=str(fields), **fields))["token"])
        assert (await client.get(PATH)).json()["is_set"] is False
        refused(await client.patch(f"{PATH}?force=true", json={"duid": OLD}), 403, "forbidden")


async def test_active_leases_keep_it(
    admin: httpx.AsyncClient, make: Any, pool: asyncpg.Pool, refused: Any
) -> None:
    """Their clients renew at the server that they know; with force they wait until they rebind."""
    prefix = await make("/prefixes", cidr="2001:db8::/32")
    await make("/subnets", prefix_id=prefix["id"], cidr="2001:db8::/64")
    await pool.execute(LEASE)
    details = refused(await admin.patch(PATH, json={"duid": OLD}), 409, "conflict")
    assert details == {"active_leases": 1}
    own = (await admin.get(PATH)).json()["duid"]
    assert (await admin.patch(PATH, json={"duid": own})).json()["is_set"], (
        "the same DUID, kept: nobody notices"
    )
    forced = await admin.patch(f"{PATH}?force=true", json={"duid": OLD})
    assert forced.json()["duid"] == OLD
    await pool.execute("update lease set expires_at = now() - interval '1 second'")
    assert (await admin.patch(PATH, json={"duid": None})).status_code == 200, (
        "a lease that is over holds nothing"
    )
