"""Reservations without an address, and reservations without a subnet, which hold in all subnets of a tenant."""

from typing import Any

import asyncpg
import httpx
import pytest

from ipam_core.services import managed_limit

MAC, OTHER = "02:00:00:00:00:01", "02:00:00:00:00:02"
IDENTITIES = {
    "mac": MAC,
    "duid": "00:03:00:01:02:00:00:00:00:01",
    "client_id": "01:02:03",
    "circuit_id": "eth0/1",
    "remote_id": "line-7",
    "subscriber_id": "smith",
}


def in_bulk(*operations: dict[str, Any]) -> dict[str, Any]:
    return {"operations": list(operations)}


async def managed(pool: asyncpg.Pool) -> int:
    async with pool.acquire() as connection:
        return await managed_limit.count(connection)


# --- without an address


async def test_null_makes_a_profile(
    admin: httpx.AsyncClient, subnet: dict[str, Any], make: Any, pool: asyncpg.Pool
) -> None:
    """It does not count toward the managed address limit until it has an address, and no more when it has lost it."""
    path = f"/subnets/{subnet['id']}/reservations"
    profile = await make(path, ip=None, mac=MAC, hostname="printer")
    assert (profile["ip"], profile["hostname"], profile["subnet_id"]) == (None, "printer", subnet["id"])
    assert await managed(pool) == 0
    item = f"/reservations/{profile['id']}"
    assert (await admin.patch(item, json={"hostname": "plotter"})).json()["ip"] is None
    assert (await admin.patch(item, json={"ip": "10.0.0.20"})).json()["ip"] == "10.0.0.20"
    assert await managed(pool) == 1
    assert (await admin.patch(item, json={"ip": None})).json()["ip"] is None
    assert await managed(pool) == 0
    assert (await make(path, ip="10.0.0.20", mac=OTHER))["ip"] == "10.0.0.20"
    assert await managed(pool) == 1
    assert (await admin.delete(item)).status_code == 204
    assert await managed(pool) == 1


async def test_the_identities_of_profiles_are_unique_too(
    admin: httpx.AsyncClient, subnet: dict[str, Any], make: Any, refused: Any
) -> None:
    path = f"/subnets/{subnet['id']}/reservations"
    profile = await make(path, ip=None, mac=MAC)
    details = refused(await admin.post(path, json={"mac": MAC}), 409, "conflict")
    assert details["conflicts_with"]["id"] == profile["id"]


# --- without a subnet


@pytest.mark.parametrize("name", IDENTITIES)
async def test_one_an_identity_and_tenant(
    name: str, admin: httpx.AsyncClient, make: Any, refused: Any
) -> None:
    told = {name: IDENTITIES[name]}
    made = await make("/reservations", **told, hostname="anywhere")
    tenant = next(iter((await admin.get("/tenants")).json()["items"]))
    assert (made["subnet_id"], made["tenant_id"], made["ip"]) == (None, tenant["id"], None)
    details = refused(await admin.post("/reservations", json=told), 409, "conflict")
    assert (details["field"], details["conflicts_with"]["id"]) == (name, made["id"])
    acme = await make("/tenants", name="acme")
    assert (await make("/reservations", **told, tenant_id=acme["id"]))["tenant_id"] == acme["id"]
    assert (await admin.get(f"/reservations/{made['id']}")).json() == made
    assert len((await admin.get("/reservations", params=told)).json()["items"]) == 2
    mine = await admin.get("/reservations", params=told | {"tenant_id": acme["id"]})
    assert [each["tenant_id"] for each in mine.json()["items"]] == [acme["id"]]


async def test_a_subnet_may_reserve_for_the_same_client(make: Any, subnet: dict[str, Any]) -> None:
    await make("/reservations", mac=MAC)
    await make(f"/subnets/{subnet['id']}/reservations", mac=MAC)


async def test_its_life(admin: httpx.AsyncClient, make: Any, refused: Any, pool: asyncpg.Pool) -> None:
    """Changed, given options and a class, refused an address, deleted with all that hangs on it; each told of."""
    given = await make("/client-classes", name="kiosks", vendor_class="kiosk")
    made = await make("/reservations", mac=MAC, class_id=given["id"])
    item = f"/reservations/{made['id']}"
    assert (await admin.patch(item, json={"hostname": "x", "duid": IDENTITIES["duid"]})).status_code == 200
    for name, value in (("ip", "10.0.0.9"), ("prefix", "2001:db8:1::/48")):
        details = refused(await admin.patch(item, json={name: value}), 422, "validation_error")
        assert details["field"] == name
        body = {"mac": OTHER, name: value}
        assert refused(await admin.post("/reservations", json=body), 422, "validation_error")["field"] == name
    refused(await admin.patch(item, json={"mac": None, "duid": None}), 422, "validation_error")
    for family in (4, 6):
        option = await make(f"{item}/options", family=family, code=200, payload={"hex": "01"})
        assert option["family"] == family
        assert (
            await admin.patch(f"/options/{option['id']}", json={"payload": {"hex": "02"}})
        ).status_code == 200
    refused(await admin.delete(f"/client-classes/{given['id']}"), 409, "conflict")
    assert refused(await admin.delete(item), 409, "conflict")["children"] == {"options": 2}
    assert (await admin.delete(f"{item}?cascade=true")).status_code == 204
    rows = await pool.fetch(
        "select action, subnet_no from change where object_id = $1 order by no", made["id"]
    )
    assert [(row["action"], row["subnet_no"]) for row in rows] == [
        ("created", None), ("updated", None), ("deleted", None)
    ]  # fmt: skip
    assert await managed(pool) == 0


async def test_the_body_may_name_a_subnet(
    admin: httpx.AsyncClient, make: Any, subnet: dict[str, Any], refused: Any
) -> None:
    made = await make("/reservations", subnet_id=subnet["id"], mac=MAC, ip="10.0.0.20")
    assert (made["subnet_id"], made["tenant_id"], made["ip"]) == (subnet["id"], None, "10.0.0.20")
    gone = {"subnet_id": "0190b0a2-7d5e-7cc3-98c4-dc0c0c07398f", "mac": OTHER}
    refused(await admin.post("/reservations", json=gone), 404, "not_found")
    refused(
        await admin.patch(f"/reservations/{made['id']}", json={"subnet_id": None}), 422, "validation_error"
    )


async def test_in_bulk(admin: httpx.AsyncClient, subnet: dict[str, Any]) -> None:
    path = f"/subnets/{subnet['id']}/reservations"
    answer = await admin.post(
        "/bulk",
        json=in_bulk(
            {"op": "create", "path": "/reservations", "body": {"mac": MAC}, "ref": "everywhere"},
            {"op": "create", "path": path, "body": {"mac": MAC, "ip": None}, "ref": "profile"},
            {"op": "update", "path": "/reservations/$everywhere", "body": {"hostname": "x"}},
            {
                "op": "create",
                "path": "/reservations/$everywhere/options",
                "body": {"code": 200, "payload": {"hex": "01"}},
            },
        ),
    )
    assert answer.status_code == 200, answer.text
    results = answer.json()["results"]
    assert [each["status"] for each in results] == [201, 201, 200, 201]
    item = f"/reservations/{results[0]['body']['id']}"
    gone = in_bulk({"op": "delete", "path": f"{item}?cascade=true"})
    assert (await admin.post("/bulk", json=gone)).status_code == 200
    assert (await admin.get(item)).status_code == 404


async def test_a_tenant_with_its_reservations(admin: httpx.AsyncClient, make: Any, refused: Any) -> None:
    acme = await make("/tenants", name="acme")
    made = await make("/reservations", mac=MAC, tenant_id=acme["id"])
    item = f"/tenants/{acme['id']}"
    assert refused(await admin.delete(item), 409, "conflict")["children"] == {"reservations": 1}
    assert (await admin.delete(f"{item}?cascade=true")).status_code == 204
    assert (await admin.get(f"/reservations/{made['id']}")).status_code == 404


async def test_search_finds_it(admin: httpx.AsyncClient, make: Any) -> None:
    made = await make("/reservations", mac=MAC, hostname="kiosk-1")
    hits = (await admin.get("/search", params={"q": "kiosk-1"})).json()["items"]
    assert [(hit["type"], hit["id"], hit["subnet_id"]) for hit in hits] == [("reservation", made["id"], None)]


async def test_other_tenants_do_not_see_it(make: Any, connect: Any, refused: Any) -> None:
    made = await make("/reservations", mac=MAC)
    acme = await make("/tenants", name="acme")
    token = await make("/tokens", name="guest", role="admin", tenant_id=acme["id"])
    guest: httpx.AsyncClient = connect(token["token"])
    item = f"/reservations/{made['id']}"
    for method in ("GET", "PATCH", "DELETE"):
        answer = await guest.request(method, item, json={} if method == "PATCH" else None)
        refused(answer, 404, "not_found")
    option = {"code": 15, "payload": {"string": "x"}}
    refused(await guest.post(f"{item}/options", json=option), 404, "not_found")
    assert (await guest.get("/reservations")).json()["items"] == []
