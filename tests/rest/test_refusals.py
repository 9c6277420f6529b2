"""Bad input, one table: the status, the code and the field, and never a 500."""

from typing import Any

import httpx

POOL = {"start_ip": "10.0.0.10", "end_ip": "10.0.0.20"}
MAC = {"mac": "02:00:00:00:00:01"}
LONG = "x" * 60_000

# Path below the subnet ("" is /subnets itself, "^" a top-level path), body, field.
INVALID: list[tuple[str, Any, str]] = [
    ("^/prefixes", {}, "cidr"),
    ("^/prefixes", {"cidr": "10.0.0.1/8"}, "cidr"),
    ("^/prefixes", {"cidr": 8}, "cidr"),
    ("^/prefixes", {"cidr": "192.168.0.0/16", "description": LONG}, "description"),
    ("^/prefixes", {"cidr": "192.168.0.0/16", "description": "a\0b"}, "description"),
    ("^/prefixes", {"cidr": "192.168.0.0/16", "size": 1}, "size"),
    ("^/prefixes", [], "body"),
    ("^/prefixes", 7, "body"),
    ("^/prefixes", "10.0.0.0/8", "body"),
    ("", {"cidr": "10.1.0.0/24", "gateway": "10.1.0.1"}, "cidr"),
    ("", {"cidr": "10.0.1.0/24", "gateway": "10.0.2.1"}, "gateway"),
    ("", {"cidr": "10.0.1.0/24", "lease_time_seconds": 0}, "lease_time_seconds"),
    ("", {"cidr": "10.0.1.0/24", "lease_time_seconds": "60"}, "lease_time_seconds"),
    ("", {"cidr": "10.0.1.0/24", "lease_time_seconds": 10**40}, "lease_time_seconds"),
    ("", {"cidr": "10.0.1.0/24", "lease_time_seconds": 1.5}, "lease_time_seconds"),
    ("", {"cidr": "10.0.1.0/24", "dhcp_enabled": "yes"}, "dhcp_enabled"),
    ("", {"cidr": "10.0.1.0/24", "ddns_adapter": "bind"}, "ddns_adapter"),
    ("", {"cidr": "10.0.1.0/24", "ddns_dns_server_id": "x"}, "ddns_dns_server_id"),
    ("", {"cidr": "10.0.1.0/24", "cache_threshold": 2}, "cache_threshold"),
    ("", {"cidr": "10.0.1.0/24", "relay_addresses": ["10.0.0.1"] * 65}, "relay_addresses"),
    ("", {"cidr": "10.0.1.0/24", "boot_file": "f" * 256}, "boot_file"),
    ("", {"cidr": "10.0.1.0/24", "boot_file": "\u00fc" * 128}, "boot_file"),
    ("^/client-classes", {"name": "x", "vendor_class": "x", "boot_file": "\u00fc" * 128}, "boot_file"),
    ("", {"cidr": "10.0.1.0/24", "next_server": "http://boot/"}, "next_server"),
    ("", {"cidr": "10.0.1.0/24", "next_server": "10.0.0.300"}, "next_server"),
    ("^/client-classes", {"name": "x", "vendor_class": "x", "next_server": "a b"}, "next_server"),
    ("", {"cidr": "10.0.1.0/24", "server_name": "n" * 256}, "server_name"),
    ("^/client-classes", {"name": "x", "vendor_class": "x", "server_name": "a b"}, "server_name"),
    ("/pools", POOL | {"start_ip": "10.0.1.10"}, "start_ip"),
    ("/pools", POOL | {"end_ip": "10.0.0.9"}, "end_ip"),
    ("/pools", POOL | {"end_ip": "2001:db8::1"}, "end_ip"),
    ("/pools", POOL | {"class_id": "nope"}, "class_id"),
    ("/pools", POOL | {"class_id": 7}, "class_id"),
    ("/pools", POOL | {"allocation": "random"}, "allocation"),
    ("/pools", POOL | {"name": "\0"}, "name"),
    ("/excludes", {"start_ip": "10.0.0.10"}, "end_ip"),
    ("/excludes", {"start_ip": "10.0.0.300", "end_ip": "10.0.0.10"}, "start_ip"),
    ("/reservations", {"ip": "10.0.0.9"}, "mac"),
    ("/reservations", {"ip": "10.0.0.9", "mac": "02:00:00"}, "mac"),
    ("/reservations", {"ip": "10.0.0.9", "duid": "zz"}, "duid"),
    ("/reservations", {"ip": "10.0.0.9", "client_id": "00" * 256}, "client_id"),
    ("/reservations", {"ip": "10.0.0.9", "circuit_id": ""}, "circuit_id"),
    ("/reservations", {"ip": "10.0.0.0"} | MAC, "ip"),
    ("/reservations", {"ip": "10.0.0.255"} | MAC, "ip"),
    ("/reservations", {"ip": "10.0.1.9"} | MAC, "ip"),
    ("/reservations", {"ip": "2001:db8::9"} | MAC, "ip"),
    ("/reservations", {"prefix": "2001:db8::/56"} | MAC, "prefix"),
    ("/reservations", {"ip": "10.0.0.9", "hostname": "a b"} | MAC, "hostname"),
    ("/options", {"payload": {}}, "code"),
    ("/options", {"code": 6}, "payload"),
    ("/options", {"code": 6, "payload": []}, "payload"),
    ("/options", {"code": 6, "payload": {"string": "x"}}, "payload"),
    ("/options", {"code": 6, "payload": {"addresses": ["x"]}}, "payload.addresses[0]"),
    ("/options", {"code": 26, "payload": {"value": 10**30}}, "payload.value"),
    ("/options", {"code": 53, "payload": {"hex": "01"}}, "code"),
    ("/options", {"code": 0, "payload": {"hex": "01"}}, "code"),
    ("/options", {"code": 255, "payload": {"hex": "01"}}, "code"),
    ("/options", {"code": 66, "payload": {"string": "x"}}, "code"),
    *[("/options", {"code": code, "payload": {"hex": "01"}}, "code") for code in (80, 81, 97, 118, 221)],
    ("/options", {"code": 999, "payload": {"hex": "01"}}, "code"),
    ("/options", {"code": 65536, "payload": {"hex": "01"}}, "code"),
    ("/options", {"code": 6, "payload": {"addresses": ["10.0.0.1"]}, "family": 6}, "family"),
    ("/options", {"code": 15, "payload": {"string": "a\0"}}, "payload.string"),
    ("^/global-options", {"code": 6, "payload": {"hex": "0a000001"}, "family": 5}, "family"),
    *[
        ("^/global-options", {"code": code, "payload": {"hex": "01"}, "family": 6}, "code")
        for code in (*range(1, 7), 8, 9, *range(11, 15), 18, 19, 20, 25, 26, 37, 38, 39, *range(44, 49))
    ],
    *[
        ("^/global-options", {"code": code, "payload": {"hex": "01"}, "family": 6}, "code")
        for code in (66, 67, 79, 135, 148, 65536)
    ],
    ("^/client-classes", {"name": "nothing"}, "vendor_class"),
    ("^/client-classes", {"name": "x", "mac_prefix": "00112233445566"}, "mac_prefix"),
    ("^/client-classes", {"name": "", "vendor_class": "x"}, "name"),
    ("^/assignments", {"hostname": "x"}, "ip"),
    ("^/assignments", {"ip": "10.0.0.9"}, "hostname"),
    ("^/assignments", {"ip": "10.0.0.0", "hostname": "x"}, "ip"),
    ("^/trusted-relays", {"cidr": "10.0.0.1"}, "cidr"),
    ("^/tenants", {"name": ""}, "name"),
    ("^/tokens", {"name": "x"}, "role"),
    ("^/tokens", {"name": "x", "role": "root"}, "role"),
    ("^/tokens", {"name": "x", "role": "viewer", "expires_at": "tomorrow"}, "expires_at"),
    ("^/tokens", {"name": "x", "role": "viewer", "allowed_cidrs": ["10.0.0.0/8", "x"]}, "allowed_cidrs[1]"),
]


def target(path: str, subnet: dict[str, Any]) -> str:
    return path[1:] if path.startswith("^") else f"/subnets/{subnet['id']}{path}" if path else "/subnets"


async def test_bad_bodies_are_refused_by_field(
    admin: httpx.AsyncClient, subnet: dict[str, Any], refused: Any
) -> None:
    for path, body, field in INVALID:
        if path == "":
            body = {"prefix_id": subnet["prefix_id"]} | body
        answer = await admin.post(target(path, subnet), json=body)
        details = refused(answer, 422, "validation_error")
        assert details["field"] == field, (path, body, details)
        assert details["reason"]


MALFORMED = [
    b"",
    b"{",
    b"{'a': 1}",
    b'{"cidr": "10.0.0.0/8"',
    b"\xff\xfe",
    b"[" * 60_000,
    b'{"cidr": "\xff"}',
    b"{}{}",
]


async def test_what_is_no_json_is_a_bad_request(
    admin: httpx.AsyncClient, subnet: dict[str, Any], refused: Any
) -> None:
    headers = {"content-type": "application/json; charset=utf-8"}
    for body in MALFORMED:
        refused(await admin.post("/prefixes", content=body, headers=headers), 400, "bad_request")
        item = f"/subnets/{subnet['id']}"
        refused(await admin.patch(item, content=body, headers=headers), 400, "bad_request")


OTHER_MEDIA = [
    ("POST", "/prefixes", "text/plain"),
    ("POST", "/prefixes", "application/x-www-form-urlencoded"),
    ("POST", "/prefixes", "application/merge-patch+json"),
    ("POST", "/prefixes", None),
    ("PATCH", "/prefixes/x", "application/xml"),
]


async def test_other_media_are_refused(admin: httpx.AsyncClient, refused: Any) -> None:
    for method, path, kind in OTHER_MEDIA:
        headers = {} if kind is None else {"content-type": kind}
        answer = await admin.request(method, path, content=b'{"cidr": "10.0.0.0/8"}', headers=headers)
        refused(answer, 415, "unsupported_media_type")


async def test_large_bodies_are_refused(admin: httpx.AsyncClient, refused: Any) -> None:
    body = b'{"description": "' + b"x" * 65_536 + b'"}'
    answer = await admin.post("/prefixes", content=body, headers={"content-type": "application/json"})
    refused(answer, 413, "payload_too_large")


FRAMEWORK_ERRORS = [
    ("GET", "/nothing", 404, "not_found"),
    ("GET", "/prefixes/x/y/z", 404, "not_found"),
    ("GET", "http://127.0.0.1:8080/", 404, "not_found"),
    ("GET", "http://127.0.0.1:8080/api/v2/prefixes", 404, "not_found"),
    ("PUT", "/prefixes", 405, "method_not_allowed"),
    ("POST", "/pools", 405, "method_not_allowed"),
    ("DELETE", "/prefixes", 405, "method_not_allowed"),
    ("BREW", "/prefixes", 405, "method_not_allowed"),
    ("GET", "/leases/x/release", 405, "method_not_allowed"),
]


async def test_the_frameworks_own_errors_wear_the_envelope(admin: httpx.AsyncClient, refused: Any) -> None:
    for method, path, status, code in FRAMEWORK_ERRORS:
        answer = await admin.request(method, path)
        refused(answer, status, code)
        assert ("allow" in answer.headers) == (status == 405)


NESTED = {
    "/pools": "/api/v1/subnets/{subnet_id}/pools",
    "/excludes": "/api/v1/subnets/{subnet_id}/excludes",
    "/options": "/api/v1/subnets/{subnet_id}/options or /api/v1/pools/{pool_id}/options or "
    "/api/v1/reservations/{reservation_id}/options or /api/v1/client-classes/{class_id}/options",
    "/dns-records": "/api/v1/dns-zones/{zone_id}/records",
}
NOWHERE = ("/deliveries", "/audit", "/nodes")


async def test_where_objects_are_created_that_are_not_created_here(
    admin: httpx.AsyncClient, refused: Any
) -> None:
    """Each collection without POST names the paths that have it; a bulk names them too."""
    for path, paths in NESTED.items():
        answer = await admin.post(path, json={})
        refused(answer, 405, "method_not_allowed")
        assert answer.json()["error"]["message"].endswith(f"; send POST to {paths}")
        assert answer.headers["allow"] == "GET, HEAD"
        found = await admin.post("/bulk", json={"operations": [{"op": "create", "path": path, "body": {}}]})
        refused(found, 422, "validation_error")
        below = paths.replace("/api/v1", "")
        assert found.json()["error"]["details"]["reason"].endswith(f"objects can be created; use {below}")
    for path in NOWHERE:
        message = (await admin.post(path, json={})).json()["error"]["message"]
        assert message == "this path does not support the method"


BAD_QUERIES = [
    ("limit", "0"), ("limit", "-1"), ("limit", "x"), ("limit", ""), ("cursor", "x"), ("cursor", "W10"),
    ("cursor", "WzFd!"), ("cursor", "WzEwMDAwMDAwMDAwMDAwXQ"), ("nonsense", "1"), ("family", "5"),
    ("within", "10.0.0.1/8"), ("contains", "10.0.0.0/8"), ("q", "a\0"), ("cidr", "\0"),
]  # fmt: skip


async def test_bad_queries_are_refused_by_name(admin: httpx.AsyncClient, refused: Any) -> None:
    for name, text in BAD_QUERIES:
        answer = await admin.get("/subnets", params={name: text})
        assert refused(answer, 422, "validation_error")["field"] == name


async def test_a_parameter_is_given_once(admin: httpx.AsyncClient, refused: Any) -> None:
    refused(await admin.get("/subnets?limit=1&limit=2"), 422, "validation_error")


async def test_parents_that_are_not_there_are_not_found(admin: httpx.AsyncClient, refused: Any) -> None:
    nowhere = "00000000-0000-7000-8000-000000000000"
    for id_ in (nowhere, "x"):
        refused(
            await admin.post("/subnets", json={"prefix_id": id_, "cidr": "10.0.0.0/24"}), 404, "not_found"
        )
        refused(
            await admin.post("/prefixes", json={"tenant_id": id_, "cidr": "10.0.0.0/24"}), 404, "not_found"
        )
        for scope in ("subnets", "pools", "reservations", "client-classes"):
            option = {"code": 6, "payload": {"addresses": ["10.0.0.1"]}}
            refused(await admin.post(f"/{scope}/{id_}/options", json=option), 404, "not_found")
            refused(await admin.get(f"/{scope}/{id_}/options"), 404, "not_found")
        for below in ("pools", "excludes", "reservations"):
            refused(
                await admin.post(f"/subnets/{id_}/{below}", json=POOL if below != "reservations" else MAC),
                404,
                "not_found",
            )
            refused(await admin.get(f"/subnets/{id_}/{below}"), 404, "not_found")


async def test_the_body_is_judged_before_the_parent(admin: httpx.AsyncClient, refused: Any) -> None:
    refused(await admin.post("/subnets/x/excludes", json={}), 422, "validation_error")


async def test_a_request_id_is_taken_if_it_is_sane(admin: httpx.AsyncClient) -> None:
    assert (await admin.get("/nothing", headers={"x-request-id": "job-7:a.b"})).json()["error"][
        "request_id"
    ] == "job-7:a.b"
    for bad in ("x" * 129, "a b", "<script>", ""):
        answer = await admin.get("/nothing", headers={"x-request-id": bad})
        assert answer.headers["x-request-id"] != bad
        assert answer.json()["error"]["request_id"] == answer.headers["x-request-id"]
