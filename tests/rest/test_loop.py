"""No request keeps the others waiting: the longest step of the event loop that one takes, in processor time."""

import asyncio
import gc
import time
from asyncio import events
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import asyncpg
import msgspec
import pytest
from litestar import Litestar
from rest.asking import Asked

from api.app import create_app
from api.http.gate import Gate
from api.openapi.document import describe, fragment
from api.routes.bulk_body import MAX_BODY
from dhcp_fast.explain import explain
from ipam_core.settings import Settings

# Loaded by the first stream that is answered, once for each process.
import_module("anyio._backends._asyncio")
AT_MOST = 0.050
OWN = 64 * 1024 - 500
RELAY = {"relay": "10.0.0.1"}


def is_short(seconds: float) -> bool:
    """Of a step; where the machine is slow just now, by what a million turns of a plain loop take it."""
    return seconds < AT_MOST or seconds < 1.5 * sorted(million_turns() for _ in range(3))[1]


def million_turns() -> float:
    began, total = time.thread_time(), 0
    for n in range(1_000_000):
        total += n
    return time.thread_time() - began


class Longest:
    seconds = 0.0


@contextmanager
def watched() -> Iterator[Longest]:
    """The longest of the loop's steps, without the time that others' load takes from them."""
    found, run = Longest(), events.Handle._run

    def timed(handle: events.Handle) -> None:
        began = time.thread_time()
        try:
            run(handle)
        finally:
            found.seconds = max(found.seconds, time.thread_time() - began)

    gc.collect()
    gc.freeze()  # as the server does; what is frozen stays so, and costs the next collection nothing
    events.Handle._run = timed  # type: ignore[method-assign]
    try:
        yield found
    finally:
        events.Handle._run = run  # type: ignore[method-assign]


async def ask(
    app: Gate, method: str, path: str, body: bytes, query: str = "", **headers: str
) -> tuple[float, int]:
    """Straight to the application, so that the client's own work does not count: seconds and status."""
    asked = Asked(method, path, body, query, **headers)
    with watched() as longest:
        await asyncio.get_running_loop().create_task(app(asked.scope, asked.receive, asked.send))
    return longest.seconds, asked.status


def listed(item: Any, size: int = OWN) -> list[Any]:
    """As many as fit into a body of a size."""
    return [item] * ((size - 200) // (len(msgspec.json.encode(item)) + 1))


def sent(code: int, **payload: Any) -> bytes:
    return msgspec.json.encode(RELAY | {"options": [{"code": code, "payload": payload}]})


ROUTE = {"destination": "0.0.0.0/0", "router": "10.0.0.1"}
OPTIONS = {
    "routes": sent(121, routes=listed(ROUTE)),
    "addresses": sent(6, addresses=listed("1.1.1.1")),
    "names": sent(119, names=listed("a")),
    "other names": sent(119, names=[f"a{n}.b" for n in range(5000)]),
    "one name": sent(119, names=["a." * 30000]),
    "hex": sent(6, hex="0a" * 30000),
    "hex with colons": sent(6, hex="0a:" * 20000),
    "sub-options": sent(43, suboptions=listed({"code": 1, "hex": ""})),
    "names in sub-options": sent(43, suboptions=[{"code": 1, "names": listed("a", 6000)}] * 9),
    "vendors": sent(125, suboptions=listed({"enterprise": 1, "code": 1, "hex": ""})),
    "values": sent(25, values=listed(1000)),
    "string": sent(15, string="a" * OWN),
    "many options": msgspec.json.encode(
        RELAY | {"options": [{"code": 128 + n, "payload": {"hex": "0a" * 900}} for n in range(32)]}
    ),
}
QUESTIONS = {
    "client_id": msgspec.json.encode(RELAY | {"client_id": "0a" * 30000}),
    "hostname": msgspec.json.encode(RELAY | {"hostname": "a." * 30000 + "!"}),
    "mac": msgspec.json.encode(RELAY | {"mac": "aa:" * 20000}),
    "circuit_id": msgspec.json.encode(RELAY | {"circuit_id": "0x" + "0a" * 30000}),
    "requested_options": msgspec.json.encode(RELAY | {"requested_options": [1] * 30000}),
    "deep": b"[" * 32000 + b"]" * 32000,
    "floats": b'{"relay":[' + b"1.0," * 16000 + b"1]}",
    "digits": b'{"relay":' + b"9" * OWN + b"}",
    "NUL": b'{"options":[' + b'"a",' * 16000 + b'"\\u0000"]}',
}


def operations(*bodies: dict[str, Any], count: int = 1) -> bytes:
    each = [{"op": "create", "path": "/global-options", "body": body} for body in bodies]
    return msgspec.json.encode({"operations": each * count, "dry_run": True})


BULKS = {
    "too many": operations({}, count=MAX_BODY // 60),
    "one large": operations({"code": 6, "payload": {"addresses": listed("1.1.1.1", MAX_BODY - 1000)}}),
    "many large": operations(
        *({"code": 119, "payload": {"names": listed(f"a{n}", 1800)}} for n in range(1000))
    ),
    "many floats": operations({"a": [1.5] * 450}, count=1000),
    "large bodies": operations({"code": 128, "payload": {"hex": "0a" * 900}}, count=1000),
}


@pytest.fixture
def app(pool: asyncpg.Pool, settings: Settings, routes: Litestar) -> Gate:
    return create_app(settings, pool, explain, routes=routes)


@pytest.fixture
def bearer(admin_token: str) -> str:
    return f"Bearer {admin_token}"


@pytest.mark.parametrize("body", [*OPTIONS.values(), *QUESTIONS.values()], ids=[*OPTIONS, *QUESTIONS])
async def test_questions(app: Gate, bearer: str, body: bytes) -> None:
    await ask(app, "POST", "/dhcp/explain", b"{}", authorization=bearer)
    assert len(body) <= 64 * 1024
    seconds, status = await ask(app, "POST", "/dhcp/explain", body, authorization=bearer)
    assert status in (200, 400, 422)
    assert is_short(seconds)


@pytest.mark.parametrize("key", ["", "k"])
@pytest.mark.parametrize("body", BULKS.values(), ids=BULKS)
async def test_bulks(app: Gate, bearer: str, body: bytes, key: str) -> None:
    assert MAX_BODY // 2 < len(body) <= MAX_BODY
    headers = {"idempotency-key": key} if key else {}
    seconds, status = await ask(app, "POST", "/bulk", body, authorization=bearer, **headers)
    assert status in (409, 422)
    assert is_short(seconds)


async def test_long_lists(app: Gate, bearer: str, pool: asyncpg.Pool) -> None:
    await pool.execute(
        "insert into prefix (id, tenant_no, cidr) select uuidv7(), no,"
        " set_masklen('10.0.0.0'::inet + n * 256, 24)::cidr from tenant, generate_series(0, 2999) n"
    )
    for accept in ("application/json", "text/csv"):
        query = "" if accept == "text/csv" else "limit=1000"
        seconds, status = await ask(app, "GET", "/prefixes", b"", query, authorization=bearer, accept=accept)
        assert status == 200
        assert is_short(seconds)


@pytest.mark.parametrize("path", ["/openapi.json", "/openapi-ipam.json"])
async def test_the_first_request_for_a_description(app: Gate, bearer: str, path: str) -> None:
    """It takes half a second of processor time, in a thread."""
    describe.cache_clear()
    fragment.cache_clear()
    seconds, status = await ask(app, "GET", path, b"", authorization=bearer)
    assert status == 200
    assert is_short(seconds), seconds


async def test_a_body_that_is_too_large_is_not_read(app: Gate, bearer: str) -> None:
    large = b'{"cidr":"' + b"1" * 65536 + b'"}'
    for path in ("/dhcp/explain", "/prefixes", "/global-options", "/tokens", "/webhooks"):
        assert await ask(app, "POST", path, large, authorization=bearer) == (
            pytest.approx(0, abs=AT_MOST),
            413,
        )
    assert (await ask(app, "POST", "/bulk", large, authorization=bearer))[1] == 422
    assert (await ask(app, "POST", "/bulk", b" " * (MAX_BODY + 1), authorization=bearer))[1] == 413


async def test_an_operation_is_no_larger_than_a_request(
    app: Gate, bearer: str, admin: Any, refused: Any
) -> None:
    body = {"code": 6, "payload": {"addresses": listed("1.1.1.1", 70_000)}}
    answer = await admin.post(
        "/bulk", content=operations({}, body), headers={"content-type": "application/json"}
    )
    assert refused(answer, 422, "validation_error")["field"] == "operations[1].body"


ZONE_FILE = "".join(f"$GENERATE 0-255 $.{third} PTR h{third}-$.example.org.\n" for third in range(32))


@pytest.mark.parametrize("dry_run", [True, False])
async def test_imports_of_zones(app: Gate, bearer: str, dry_run: bool) -> None:
    """An eighth of a /16, which is read in a thread, and planned and written in portions."""
    zone = await made(app, bearer, "/dns-zones", {"name": "10.10.in-addr.arpa"})
    body = msgspec.json.encode({"zone_file": ZONE_FILE, "dry_run": dry_run})
    seconds, status = await ask(app, "POST", f"/dns-zones/{zone['id']}/import", body, authorization=bearer)
    assert status == 200
    assert is_short(seconds), seconds


async def made(app: Gate, bearer: str, path: str, fields: dict[str, Any]) -> dict[str, Any]:
    asked = Asked("POST", path, msgspec.json.encode(fields), authorization=bearer)
    await app(asked.scope, asked.receive, asked.send)
    found: dict[str, Any] = msgspec.json.decode(asked.content)
    return found
