"""Whatever a client sends, the answer is in our shape and never a 500."""

from typing import Any
from urllib.parse import quote_from_bytes

import httpx
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from api.http.gate import Gate
from api.routes import HANDLERS

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
PLAUSIBLE = st.sampled_from([
    "10.0.0.0/8", "10.0.0.9", "::1", "2001:db8::/64", "02:00:00:00:00:01", "0x00", "x", "", "admin", 0, 1, 4, 6, 43, -1,
    2**31, 2**63, 2**64, 1e300, True, None, [], {}, ["10.0.0.9"], {"addresses": ["10.0.0.1"]}, {"hex": "00"},
    {"value": 2**70}, {"suboptions": [{}]}, {"routes": [{"destination": "::/0"}]}, {"names": ["a" * 300]},
])  # fmt: skip
FIELDS = sorted(
    {name for handler in HANDLERS for name in getattr(handler.opt.get("takes"), "__struct_fields__", ())}
)
QUERIES = sorted({name for handler in HANDLERS for name in handler.opt.get("query", ())})
ROUTES = sorted(
    {(method, path) for handler in HANDLERS for method in handler.http_methods for path in handler.paths}
)
BODIES = st.dictionaries(st.sampled_from(FIELDS), PLAUSIBLE | JSON, max_size=6) | JSON
TEXTS = st.sampled_from(
    ["10.0.0.0/8", "1", "0", "true", "active", "2026-01-01T00:00:00Z", "W10"]
) | st.binary(max_size=12)
KINDS = st.sampled_from(["application/json", "application/merge-patch+json", "text/plain", "é"])

junk = settings(
    max_examples=250,
    deadline=None,
    # A failing example is small enough as it is; shrinking would take minutes.
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
    ],
)


@pytest.fixture
def ids(subnet: dict[str, Any]) -> list[str]:
    return [subnet["id"], subnet["prefix_id"], subnet["tenant_id"], "x", "AAAAAQoAAGQ", "%2F", "%ff%00"]


async def check(client: httpx.AsyncClient, method: str, url: str, **sent: Any) -> None:
    answer = await client.request(method, "http://127.0.0.1:8080/api/v1" + url, **sent)
    assert answer.status_code < 500, (method, url, sent, answer.text)
    if answer.status_code >= 400:
        error = answer.json()["error"]
        assert {"code", "message", "request_id"} <= set(error), error


@junk
@given(data=st.data())
async def test_junk_to_every_route(admin: httpx.AsyncClient, ids: list[str], data: st.DataObject) -> None:
    method, path = data.draw(st.sampled_from(ROUTES))
    for name in ("id", "subnet_id", "pool_id", "reservation_id", "class_id", "zone_id", "webhook_id"):
        path = path.replace(f"{{{name}:str}}", data.draw(st.sampled_from(ids)))
    query = data.draw(st.dictionaries(st.sampled_from(QUERIES), TEXTS, max_size=3))
    if query:
        pairs = ((name, text if isinstance(text, bytes) else text.encode()) for name, text in query.items())
        path += "?" + "&".join(f"{name}={quote_from_bytes(text)}" for name, text in pairs)
    body = data.draw(BODIES)
    headers = {} if data.draw(st.booleans()) else {"idempotency-key": str(data.draw(st.integers(0, 5)))}
    if "tokens" in path and method != "GET":  # the client's own token must stay
        method = "GET"
    await check(admin, method, path, json=body, headers=headers)


@junk
@given(body=st.binary(max_size=200), kind=KINDS, path=st.sampled_from(["/prefixes", "/subnets", "/tokens"]))
async def test_junk_bodies(admin: httpx.AsyncClient, body: bytes, kind: str, path: str) -> None:
    await check(admin, "POST", path, content=body, headers=[(b"content-type", kind.encode())])


@junk
@given(path=st.binary(max_size=30), method=st.sampled_from(["GET", "POST", "HEAD", "OPTIONS", "TRACE", "X"]))
async def test_junk_paths(admin: httpx.AsyncClient, path: bytes, method: str) -> None:
    answer = await admin.request(method, "http://127.0.0.1:8080/" + quote_from_bytes(path, safe="/"))
    assert answer.status_code < 500


@junk
@given(
    headers=st.dictionaries(
        st.sampled_from([
            "authorization", "host", "origin", "x-forwarded-for", "forwarded", "x-real-ip", "x-request-id",
            "if-match", "if-none-match", "idempotency-key", "content-type", "accept", "content-length",
        ]),
        st.binary(max_size=30),
        max_size=5,
    )
)  # fmt: skip
async def test_junk_headers(app: Gate, admin_token: str, headers: dict[str, bytes]) -> None:
    """Straight to the application: an HTTP client would not send these."""
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"{}", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    fields = {
        "authorization": f"Bearer {admin_token}".encode(),
        "content-type": b"application/json",
    } | headers
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": "/api/v1/prefixes",
        "raw_path": b"/api/v1/prefixes",
        "query_string": b"",
        "root_path": "",
        "headers": [(name.encode(), value) for name, value in fields.items()],
        "client": ("127.0.0.1", 4000),
        "server": ("127.0.0.1", 8080),
    }
    await app(scope, receive, send)
    assert sent[0]["status"] < 500
