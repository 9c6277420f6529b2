"""Who may do what, by walking the router: every route has a row here, and every row is tried with every role.

A row says which roles pass. Passing means to get beyond the guard: the objects named do not exist, so it
ends in 404 or 422; refused is 403, whatever the body. Objects of another tenant are 404 for a token of
one tenant.
"""

from typing import Any

import httpx
import pytest
from litestar.routes import HTTPRoute

from api.http.gate import Gate
from ipam_core.model.families import PLAIN, WITH_SECRETS

READ = {"admin", "operator", "viewer"}
OPERATE = {"admin", "operator"}
ADMIN = {"admin"}

WRITTEN = [*PLAIN, *(family for family in WITH_SECRETS if family.name != "tokens")]
BELOW = ["/global-options"] + [
    family.path_below(parent, f"{{{parent.key}}}") for family in PLAIN for parent in family.parents
]

MATRIX: dict[tuple[str, str], set[str]] = {
    ("POST", "/prefixes/{prefix_id}/next-subnet"): ADMIN,
    ("GET", "/prefixes/{id}/map"): READ,
    ("GET", "/subnets/{id}/map"): READ,
    ("GET", "/subnets/{id}/free"): READ,
    ("GET", "/subnets/{id}/reverse-zones"): READ,
    ("GET", "/dns-zones/{id}/export"): READ,
    ("GET", "/dns-zones/{id}/secondaries"): READ,
    ("POST", "/dns-zones/{id}/import"): ADMIN,
    ("POST", "/dns-zones/{id}/check"): READ,
    ("POST", "/dns-zones/{id}/reconcile"): ADMIN,
    **{("GET", f"/{family}/{{id}}/utilisation"): READ for family in ("prefixes", "subnets", "pools")},
    **{("GET", f"/{family}/{{id}}/utilisation/history"): READ for family in ("subnets", "pools")},
    ("POST", "/bulk"): ADMIN,
    ("POST", "/netbox/import"): ADMIN,
    ("POST", "/netbox/export"): ADMIN,
    **{("POST", f"/{family.name}"): ADMIN for family in PLAIN if family.alone},
    ("GET", "/leases"): READ,
    ("GET", "/leases/{id}"): READ,
    ("POST", "/leases/{id}/release"): OPERATE,
    ("POST", "/leases/{id}/reserve"): ADMIN,
    ("POST", "/leases/{id}/reconfigure"): ADMIN,
    ("GET", "/lease-events"): READ,
    ("GET", "/audit"): ADMIN,
    ("GET", "/audit/{id}"): ADMIN,
    ("GET", "/nodes"): READ,
    ("GET", "/nodes/{id}"): READ,
    ("DELETE", "/nodes/{id}"): ADMIN,
    ("POST", "/nodes/{id}/drain"): OPERATE,
    ("POST", "/nodes/{id}/undrain"): OPERATE,
    ("GET", "/server-duid"): READ,
    ("PATCH", "/server-duid"): ADMIN,
    ("GET", "/dashboard"): READ,
    ("GET", "/dashboard/inbox"): READ,
    ("GET", "/trusted-relays/unknown"): READ,
    ("GET", "/client-classes/{id}/values"): READ,
    ("GET", "/events"): READ,
    ("GET", "/ddns-updates"): READ,
    ("GET", "/ddns-updates/{id}"): READ,
    ("POST", "/ddns-updates/{id}/retry"): OPERATE,
    ("POST", "/dns-servers/{id}/test"): OPERATE,
    ("POST", "/webhooks/{id}/test"): OPERATE,
    ("POST", "/notifications/{id}/test"): OPERATE,
    ("POST", "/webhooks/{id}/rotate"): ADMIN,
    ("GET", "/webhooks/{webhook_id}/deliveries"): READ,
    ("GET", "/notifications/{notification_id}/deliveries"): READ,
    ("GET", "/deliveries"): READ,
    ("GET", "/deliveries/{id}"): READ,
    ("POST", "/deliveries/{id}/redeliver"): OPERATE,
    ("GET", "/search"): READ,
    ("POST", "/dhcp/explain"): READ,
    ("POST", "/dhcp6/explain"): READ,
    ("GET", "/openapi.json"): READ,
    ("GET", "/openapi-ipam.json"): READ,
    ("GET", "/tokens/self"): READ,
    ("GET", "/tokens"): ADMIN,
    ("POST", "/tokens"): ADMIN,
    ("GET", "/tokens/{id}"): ADMIN,
    ("PATCH", "/tokens/{id}"): ADMIN,
    ("DELETE", "/tokens/{id}"): ADMIN,
    ("POST", "/tokens/{id}/rotate"): ADMIN,
    **{("GET", f"/{family.name}"): READ for family in WRITTEN},
    **{("GET", f"/{family.name}/{{id}}"): READ for family in WRITTEN},
    **{("PATCH", f"/{family.name}/{{id}}"): ADMIN for family in WRITTEN},
    **{("DELETE", f"/{family.name}/{{id}}"): ADMIN for family in WRITTEN},
    **{("POST", f"/{family.name}"): ADMIN for family in WRITTEN if not family.above},
    **{("GET", path): READ for path in BELOW},
    **{("POST", path): ADMIN for path in BELOW},
}


def routes(app: Gate) -> set[tuple[str, str]]:
    found = set()
    for route in app.app.routes:  # type: ignore[attr-defined]
        assert isinstance(route, HTTPRoute)
        path = route.path.removeprefix("/api/v1").replace(":str}", "}")
        found |= {(method, path) for method in route.methods if method != "OPTIONS"}
    return found


def test_every_route_has_a_row(app: Gate) -> None:
    assert routes(app) == set(MATRIX)


@pytest.mark.parametrize("role", ["admin", "operator", "viewer"])
async def test_every_role_passes_where_its_row_says(make: Any, connect: Any, role: str, refused: Any) -> None:
    token = await make("/tokens", name=role, role=role)
    client = connect(token["token"])
    for (method, path), roles in MATRIX.items():
        target = path
        for name in (
            "id",
            "prefix_id",
            "subnet_id",
            "pool_id",
            "reservation_id",
            "class_id",
            "zone_id",
            "webhook_id",
            "notification_id",
        ):
            target = target.replace(f"{{{name}}}", "no-such-id")
        answer = await client.request(method, target, json={} if method in ("POST", "PATCH") else None)
        if role in roles:
            assert answer.status_code in (200, 404, 422), (method, path, answer.text)
        else:
            refused(answer, 403, "forbidden")


async def test_the_role_is_judged_before_the_body(make: Any, connect: Any, refused: Any) -> None:
    viewer = connect((await make("/tokens", name="v", role="viewer"))["token"])
    answer = await viewer.post("/prefixes", content=b"{", headers={"content-type": "text/plain"})
    refused(answer, 403, "forbidden")


@pytest.fixture
async def theirs(make: Any, subnet: dict[str, Any]) -> dict[str, str]:
    """One object of every family in the default tenant, by item path."""
    below = f"/subnets/{subnet['id']}"
    pool = await make(f"{below}/pools", start_ip="10.0.0.100", end_ip="10.0.0.120")
    exclude = await make(f"{below}/excludes", start_ip="10.0.0.10", end_ip="10.0.0.12")
    reservation = await make(f"{below}/reservations", ip="10.0.0.20", mac="02:00:00:00:00:20")
    option = await make(f"{below}/options", code=6, payload={"addresses": ["10.0.0.53"]})
    relay = await make("/trusted-relays", cidr="10.0.0.0/8")
    kind = await make("/client-classes", name="phones", vendor_class="x")
    assignment = await make("/assignments", ip="10.0.0.30", hostname="x")
    token = await make("/tokens", name="x", role="viewer")
    definition = await make("/option-definitions", code=224, name="pin", kind="uint16")
    server = await make("/dns-servers", name="ns", adapter="embedded")
    zone = await make("/dns-zones", name="example.org")
    record = await make(f"/dns-zones/{zone['id']}/records", name="www", type="A", data="10.0.0.30")
    webhook = await make("/webhooks", url="https://hooks.example/")
    notification = await make("/notifications", name="chat", kind="slack", url="https://hooks.example/")
    return {
        "tenants": subnet["tenant_id"],
        "prefixes": subnet["prefix_id"],
        "subnets": subnet["id"],
        "pools": pool["id"],
        "excludes": exclude["id"],
        "reservations": reservation["id"],
        "options": option["id"],
        "assignments": assignment["id"],
        "client-classes": kind["id"],
        "trusted-relays": relay["id"],
        "tokens": token["id"],
        "option-definitions": definition["id"],
        "dns-servers": server["id"],
        "dns-zones": zone["id"],
        "dns-records": record["id"],
        "webhooks": webhook["id"],
        "notifications": notification["id"],
    }


@pytest.fixture
async def tenant(make: Any) -> dict[str, Any]:
    found: dict[str, Any] = await make("/tenants", name="guest")
    return found


@pytest.fixture
async def guest(make: Any, connect: Any, tenant: dict[str, Any]) -> httpx.AsyncClient:
    """An admin of another tenant than the default."""
    token = await make("/tokens", name="guest", role="admin", tenant_id=tenant["id"])
    client: httpx.AsyncClient = connect(token["token"])
    return client


async def test_other_tenants_objects_do_not_exist(
    guest: httpx.AsyncClient, theirs: dict[str, str], refused: Any
) -> None:
    for family, id_ in theirs.items():
        for method in ("GET", "PATCH", "DELETE"):
            answer = await guest.request(method, f"/{family}/{id_}", json={} if method == "PATCH" else None)
            refused(answer, 404, "not_found")
        listed = (await guest.get(f"/{family}")).json()["items"]
        assert id_ not in [item["id"] for item in listed]
    assert (await guest.get("/search", params={"q": "10.0.0"})).json()["items"] == []
    made = await guest.post("/reservations", json={"mac": "02:00:00:00:00:21"})
    assert made.json()["tenant_id"] != theirs["tenants"]
    body = {"mac": "02:00:00:00:00:22", "tenant_id": theirs["tenants"]}
    refused(await guest.post("/reservations", json=body), 404, "not_found")
    body = {"mac": "02:00:00:00:00:22", "subnet_id": theirs["subnets"]}
    refused(await guest.post("/reservations", json=body), 404, "not_found")
    for path in ("subnets", "pools", "reservations", "client-classes"):
        option = {"code": 15, "payload": {"string": "x"}}
        refused(await guest.post(f"/{path}/{theirs[path]}/options", json=option), 404, "not_found")
    body = {"prefix_id": theirs["prefixes"], "cidr": "10.0.9.0/24"}
    refused(await guest.post("/subnets", json=body), 404, "not_found")
    refused(await guest.post(f"/tokens/{theirs['tokens']}/rotate"), 404, "not_found")
    body = {"cidr": "10.77.0.0/16", "tenant_id": theirs["tenants"]}
    refused(await guest.post("/prefixes", json=body), 404, "not_found")
    refused(await guest.post("/tenants", json={"name": "mine"}), 403, "forbidden")
    record = {"name": "x", "type": "A", "data": "10.0.0.1"}
    refused(await guest.post(f"/dns-zones/{theirs['dns-zones']}/records", json=record), 404, "not_found")
    refused(await guest.post(f"/webhooks/{theirs['webhooks']}/test"), 404, "not_found")
    refused(await guest.get(f"/webhooks/{theirs['webhooks']}/deliveries"), 404, "not_found")
    refused(await guest.post(f"/notifications/{theirs['notifications']}/test"), 404, "not_found")
    refused(await guest.get(f"/notifications/{theirs['notifications']}/deliveries"), 404, "not_found")
    body = {"name": "example.net", "dns_server_id": theirs["dns-servers"]}
    refused(await guest.post("/dns-zones", json=body), 422, "validation_error")


async def test_a_tenants_admin_works_in_its_tenant(
    guest: httpx.AsyncClient, tenant: dict[str, Any], theirs: dict[str, str]
) -> None:
    prefix = (await guest.post("/prefixes", json={"cidr": "10.0.0.0/16"})).json()
    assert prefix["tenant_id"] == tenant["id"]
    subnet = (await guest.post("/subnets", json={"prefix_id": prefix["id"], "cidr": "10.0.0.0/24"})).json()
    body = {"start_ip": "10.0.0.100", "end_ip": "10.0.0.110"}
    assert (await guest.post(f"/subnets/{subnet['id']}/pools", json=body)).status_code == 201
    assert (await guest.post("/assignments", json={"ip": "10.0.0.40", "hostname": "x"})).status_code == 201
    for path, body in {
        "/client-classes": {"name": "phones", "vendor_class": "x"},
        "/global-options": {"code": 15, "payload": {"string": "x"}},
        "/tokens": {"name": "x", "role": "operator"},
        "/option-definitions": {"code": 224, "name": "pin", "kind": "string"},
        "/dns-servers": {"name": "ns", "adapter": "embedded"},
        "/dns-zones": {"name": "example.org"},
        "/webhooks": {"url": "https://hooks.example/"},
        "/notifications": {"name": "chat", "kind": "teams", "url": "https://hooks.example/"},
    }.items():
        made = await guest.post(path, json=body)
        assert (made.status_code, made.json()["tenant_id"]) == (201, tenant["id"]), made.text
    assert [item["id"] for item in (await guest.get("/tenants")).json()["items"]] == [tenant["id"]]
    assert len((await guest.get("/search", params={"q": "10.0.0"})).json()["items"]) == 3
