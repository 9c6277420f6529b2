"""What RFC 9110 and RFC 9112 say of Host, HEAD, preconditions and content codings, for the API and its pages."""

import gzip
import json
from collections.abc import Sequence
from typing import Any

import asyncpg
import httpx
import pytest

from api.http.gate import Gate

ROOT = "http://127.0.0.1:8080"


async def raw(app: Gate, headers: Sequence[tuple[bytes, bytes]], version: str = "1.1") -> int:
    """Return the status of a request with just these headers."""
    sent: list[Any] = []
    scope = {
        "type": "http",
        "http_version": version,
        "method": "GET",
        "path": "/api/v1/tenants",
        "raw_path": b"/api/v1/tenants",
        "query_string": b"",
        "headers": headers,
        "client": ("127.0.0.1", 40000),
        "server": ("127.0.0.1", 8080),
        "scheme": "http",
    }

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b""}

    async def send(message: Any) -> None:
        sent.append(message)

    await app(scope, receive, send)
    return int(sent[0]["status"])


@pytest.mark.parametrize(
    ("hosts", "version", "status"),
    [
        ([b"ipam.example"], "1.1", 200),
        ([b"[2001:db8::1]:8080"], "1.1", 200),
        ([b"127.0.0.1:"], "1.1", 200),
        ([b""], "1.1", 200),
        ([], "1.1", 400),
        ([], "1.0", 200),
        ([b"a", b"b"], "1.1", 400),
        ([b"a", b"a"], "1.0", 400),
        ([b"a/b"], "1.1", 400),
        ([b"user@a"], "1.1", 400),
        ([b"a:port"], "1.1", 400),
        ([b"2001:db8::1"], "1.1", 400),
        ([b"a b"], "1.1", 400),
    ],
)
async def test_a_request_names_one_host(
    app: Gate, admin_token: str, hosts: list[bytes], version: str, status: int
) -> None:
    """RFC 9112 section 3.2."""
    token = (b"authorization", f"Bearer {admin_token}".encode())
    assert await raw(app, [token, *((b"host", each) for each in hosts)], version) == status


async def test_head_is_allowed_where_get_is(admin: httpx.AsyncClient, subnet: dict[str, Any]) -> None:
    """RFC 9110 section 10.2.1, for a refusal and for OPTIONS."""
    for method, path in (("PUT", "/subnets"), ("DELETE", "/subnets"), ("OPTIONS", "/subnets")):
        refused = await admin.request(method, path)
        assert (refused.status_code, refused.headers["allow"]) == (405, "GET, HEAD, POST")
    refused = await admin.put(f"/subnets/{subnet['id']}")
    assert refused.headers["allow"] == "DELETE, GET, HEAD, PATCH"
    assert (await admin.put("/bulk")).headers["allow"] == "POST"


@pytest.mark.parametrize(
    ("header", "value", "status"),
    [
        ("if-none-match", "*", 304),
        ("if-none-match", "{etag}", 304),
        ("if-none-match", 'W/{etag}, "x"', 304),
        ("if-none-match", '"x"', 200),
        ("if-match", "*", 200),
        ("if-match", "{etag}", 200),
        ("if-match", '"x", {etag}', 200),
        ("if-match", '"x"', 412),
        ("if-match", "W/{etag}", 412),
        ("if-match", "x", 422),
    ],
)
async def test_conditions_of_a_read(
    admin: httpx.AsyncClient, subnet: dict[str, Any], header: str, value: str, status: int
) -> None:
    """RFC 9110 sections 13.1.1 and 13.1.2: If-Match compares strongly, If-None-Match weakly."""
    path = f"/subnets/{subnet['id']}"
    etag = (await admin.get(path)).headers["etag"]
    for method in ("GET", "HEAD"):
        answer = await admin.request(method, path, headers={header: value.format(etag=etag)})
        assert answer.status_code == status
    both = {"if-match": '"x"', "if-none-match": "*"}
    assert (await admin.get(path, headers=both)).status_code == 412, "section 13.2.2: If-Match first"


@pytest.mark.parametrize(
    ("value", "status"),
    [("*", 412), ("{etag}", 412), ('W/{etag}, "x"', 412), ('"x"', 200), ("x", 422)],
)
async def test_conditions_of_a_write(
    admin: httpx.AsyncClient, subnet: dict[str, Any], value: str, status: int
) -> None:
    """If-None-Match: a change is made only where nothing named is there."""
    path = f"/subnets/{subnet['id']}"
    etag = (await admin.get(path)).headers["etag"]
    headers = {"if-none-match": value.format(etag=etag)}
    assert (await admin.patch(path, json={"description": "new"}, headers=headers)).status_code == status
    found = await admin.get(path)
    assert (found.json()["description"] == "new") == (status == 200)
    headers = {"if-none-match": value.format(etag=found.headers["etag"])}
    gone = await admin.delete(path, headers=headers)
    assert gone.status_code == (204 if status == 200 else status)


async def compressed(client: httpx.AsyncClient, path: str, **headers: str) -> tuple[httpx.Response, bytes]:
    """Return an answer and its body as it came."""
    request = client.build_request("GET", path, headers={"accept-encoding": "gzip"} | headers)
    answer = await client.send(request, stream=True)
    return answer, b"".join([piece async for piece in answer.aiter_raw()])


async def many(admin: httpx.AsyncClient, count: int) -> None:
    operations = [
        {"op": "create", "path": "/prefixes", "body": {"cidr": f"10.{number}.0.0/16"}}
        for number in range(count)
    ]
    assert (await admin.post("/bulk", json={"operations": operations})).status_code == 200


@pytest.mark.parametrize("accept", ["application/json", "text/csv"])
async def test_lists_are_compressed_on_request(admin: httpx.AsyncClient, accept: str) -> None:
    await many(admin, 200)
    path = "/prefixes?limit=1000" if accept == "application/json" else "/prefixes"
    plain = await admin.get(path, headers={"accept": accept, "accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers
    answer, body = await compressed(admin, path, accept=accept)
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["vary"] == plain.headers["vary"] == "accept, accept-encoding"
    assert gzip.decompress(body) == plain.content
    assert len(body) * 4 < len(plain.content)
    if accept == "application/json":
        assert int(answer.headers["content-length"]) == len(body)
        head = await admin.head(path)
        assert (head.status_code, head.content) == (200, b"")


async def test_what_is_not_compressed(admin: httpx.AsyncClient, make: Any) -> None:
    """Short answers, and objects: their entity tag is of the octets that If-Match names."""
    answer, body = await compressed(admin, "/prefixes")
    assert ("content-encoding" in answer.headers, json.loads(body)["items"]) == (False, [])
    prefix = await make("/prefixes", cidr="10.0.0.0/16", description="x" * 4000)
    answer, body = await compressed(admin, f"/prefixes/{prefix['id']}")
    assert ("content-encoding" in answer.headers, json.loads(body)) == (False, prefix)


@pytest.mark.usefixtures("swagger_ui")
@pytest.mark.parametrize("path", ["/docs", "/docs/swagger-ui-bundle.js", "/docs/swagger-ui.css"])
async def test_pages_and_their_files_are_compressed(stranger: httpx.AsyncClient, path: str) -> None:
    plain = await stranger.get(ROOT + path, headers={"accept-encoding": "identity"})
    answer, body = await compressed(stranger, ROOT + path)
    assert (answer.headers["content-encoding"], answer.headers["vary"]) == ("gzip", "accept-encoding")
    assert gzip.decompress(body) == plain.content
    assert len(body) * 3 < len(plain.content)


async def test_the_tag_of_a_zone_does_not_know_its_serial(
    admin: httpx.AsyncClient, make: Any, pool: asyncpg.Pool
) -> None:
    """It goes up with each publication, while somebody edits the zone."""
    zone = await make("/dns-zones", name="corp.example", dns_enabled=True)
    item = f"/dns-zones/{zone['id']}"
    before = await admin.get(item)
    await pool.execute("update dns_zone set serial = serial + 5")
    after = await admin.get(item)
    assert after.json()["serial"] > before.json()["serial"]
    assert after.headers["etag"] == before.headers["etag"]
    headers = {"if-match": before.headers["etag"]}
    changed = await admin.patch(item, json={"description": "x"}, headers=headers)
    assert changed.status_code == 200
    assert changed.headers["etag"] != before.headers["etag"]
